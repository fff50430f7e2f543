"""The rules that a running implementation is held to, as data."""

from __future__ import annotations

from enum import StrEnum

from specwright.findings import Level, RuleDescription


class Category(StrEnum):
    """What a rule is about."""

    SHAPE = "Behaviour: shape"
    VALIDATION = "Behaviour: validation"
    AUTHENTICATION = "Behaviour: authentication"
    ISOLATION = "Behaviour: isolation"
    STATE = "Behaviour: state"
    IDEMPOTENCY = "Behaviour: idempotency"
    LISTS = "Behaviour: lists"
    LIMITS = "Behaviour: limits"
    WEBHOOKS = "Behaviour: webhooks"
    ROBUSTNESS = "Behaviour: robustness"


def _rules(category: Category, **why: str) -> tuple[RuleDescription, ...]:
    return tuple(
        RuleDescription(
            name.replace("_", "-"), category.value, text, "", "", Level.ERROR, Level.ERROR
        )
        for name, text in why.items()
    )


RULES: tuple[RuleDescription, ...] = (
    *_rules(
        Category.SHAPE,
        undeclared_status="A client can only be ready for the statuses that the operation "
        "declares.",
        undeclared_media_type="A body is of a media type that the response declares.",
        response_schema="The body of an answer fits its schema.",
        response_header="A required header of a response is there, and fits its schema.",
        error_code="An error has the shared error body, with a code that the contract lists and "
        "the status and type that belong to it.",
        request_id="Every answer carries a request id of its own, and an error repeats it.",
    ),
    *_rules(
        Category.VALIDATION,
        invalid_accepted="A request that does not fit the document is refused.",
        valid_refused="A request that fits the document is answered as the operation declares, "
        "and not refused as malformed.",
        requires_one_of="A request without any of the parameters of which one must be given is "
        "refused with the declared code.",
    ),
    *_rules(
        Category.AUTHENTICATION,
        credentials_ignored="An operation with a security requirement refuses requests without "
        "credentials, or with wrong ones, with status 401.",
        permission="A key that may do nothing, such as that of a suspended partner, gets 403 from "
        "every operation with a security requirement.",
    ),
    *_rules(
        Category.ISOLATION,
        isolation="Nobody reads, changes or lists what belongs to another partner, or to the "
        "other mode.",
    ),
    *_rules(
        Category.STATE,
        created_is_found="A resource that was created can be read at once.",
        deleted_is_gone="A resource that was deleted is not there any more.",
        shown_once="A value that is shown once is in no other answer.",
        conservation="A balance moves by what was charged and refunded, and by nothing else.",
        reset="A reset brings back the declared state.",
    ),
    *_rules(
        Category.IDEMPOTENCY,
        idempotency_replay="The repetition of a request that has succeeded gets the first answer "
        "again, marked as a replay.",
        idempotency_changed="Another payload under the same key is refused with the declared code.",
        idempotency_concurrent="Of requests that are sent at once under one key, at most one "
        "takes effect.",
        idempotency_failure="A request that failed leaves its key free.",
        idempotency_scope="The same key in another scope is another request.",
    ),
    *_rules(
        Category.LISTS,
        list_agrees="An item of a list reads as it does by itself.",
        order="Items stand in the declared order.",
        pagination="Following the cursor shows every item once, whatever is added meanwhile.",
        page_size="A page has at most as many items as were asked for; other limits are refused.",
        cursor="A cursor that this list did not give is refused.",
        filter="A filter lets the matching items through, and all of them.",
    ),
    *_rules(
        Category.LIMITS,
        capacity="There are never more resources than the declared capacity, and it can be used "
        "again when it is released.",
        rate_limit="In no window are more requests served than the limit allows.",
        rate_limit_scope="What is limited separately, such as each key, is counted separately.",
        rate_limit_headers="Headers about the rate limit are there and tell the truth.",
    ),
    *_rules(
        Category.WEBHOOKS,
        event_missing="A declared event is sent within the declared time of what causes it.",
        event_schema="The body of a delivery fits the schema of its webhook.",
        event_headers="The headers of a delivery name its event.",
        signature="A delivery is signed as declared, with a fresh timestamp.",
        delivery_retry="A delivery that is not acknowledged comes again, with the same id and "
        "the same bytes, at the declared times.",
        delivery_acknowledged="A delivery that was acknowledged does not come again.",
        delivery_redirect="A redirect is a failed attempt, and is not followed.",
        event_unsubscribed="An endpoint gets no event that it did not subscribe to.",
        delivery_deleted="An endpoint that was deleted gets nothing more.",
    ),
    *_rules(
        Category.ROBUSTNESS,
        server_error="No request makes the server fail.",
        no_answer="Every request is answered, within thirty seconds.",
        method_not_allowed="A method that a path does not have is refused with 405 and the "
        "methods it has.",
    ),
)
