"""The rules for a running implementation, as data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from specwright.conformance.behaviours import Behaviour
from specwright.conformance.remedies import REMEDIES
from specwright.findings import Level, RuleDescription


class Category(StrEnum):
    """The category of a rule."""

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


_REASONS: Mapping[Category, Mapping[Behaviour, str]] = {
    Category.SHAPE: {
        Behaviour.UNDOCUMENTED_OPERATION: (
            "Recorded traffic uses only operations that the document declares, unless they fail."
        ),
        Behaviour.UNDECLARED_STATUS: (
            "A client can only handle the statuses that the operation declares."
        ),
        Behaviour.UNREADABLE_REFUSAL: (
            "A body that cannot be read at all, such as one that is not UTF-8, is refused with a "
            "status that the operation declares."
        ),
        Behaviour.UNDECLARED_REFUSAL: (
            "A request for a resource that does not exist, or of a caller who is not allowed, is "
            "refused with a status that the operation declares."
        ),
        Behaviour.REDIRECT: (
            "A request to a path of the document is handled there, and not redirected to the same "
            "path with or without a trailing slash."
        ),
        Behaviour.UNDECLARED_MEDIA_TYPE: "A body is of a media type that the response declares.",
        Behaviour.RESPONSE_SCHEMA: "The body of a response fits its schema.",
        Behaviour.WRITE_ONLY: (
            "A member that is only for requests (`writeOnly`), such as a password, is not in a "
            "response."
        ),
        Behaviour.RESPONSE_HEADER: "A required response header is present, and fits its schema.",
        Behaviour.ERROR_CODE: (
            "An error has the shared error body, with a code that the contract lists and the "
            "status and type that belong to it."
        ),
        Behaviour.REQUEST_ID: (
            "Every response has a request id of its own, and an error repeats it."
        ),
        Behaviour.PRECEDENCE: (
            "Of several faults of a request, the response is about the one that is declared to be "
            "checked first: callers without credentials learn nothing about paths and bodies."
        ),
    },
    Category.VALIDATION: {
        Behaviour.INVALID_ACCEPTED: "A request that does not fit the document is refused.",
        Behaviour.COERCION: (
            'A value of the wrong type is refused, even if it could be converted, such as "17" for '
            "17: otherwise, a bug in a client goes unnoticed."
        ),
        Behaviour.MEDIA_TYPE_ACCEPTED: (
            "A body whose Content-Type the operation does not declare is refused."
        ),
        Behaviour.VALID_REFUSED: (
            "A request that fits the document is answered as the operation declares, and not "
            "refused as malformed."
        ),
        Behaviour.REQUIRES_ONE_OF: (
            "A request without any of the parameters of which one must be given is refused with "
            "the declared code."
        ),
    },
    Category.AUTHENTICATION: {
        Behaviour.CREDENTIALS_IGNORED: (
            "An operation with a security requirement refuses requests without credentials, or "
            "with wrong ones, with status 401."
        ),
        Behaviour.PERMISSION: (
            "A key without permissions, such as that of a suspended partner, gets 403 from every "
            "operation with a security requirement; a key without the required scopes or roles is "
            "refused."
        ),
    },
    Category.ISOLATION: {
        Behaviour.ISOLATION: (
            "No partner can read, change or list resources of another partner or of the other mode."
        ),
        Behaviour.ISOLATION_AGREES: (
            "A resource that is hidden from another partner on writes is hidden on reads, too."
        ),
        Behaviour.ISOLATION_OPEN: (
            "A resource of one partner is hidden from another one, unless it is meant to be public."
        ),
    },
    Category.STATE: {
        Behaviour.LOCATION: (
            "The Location of a 201 leads to the created resource (RFC 9110, 10.2.2 and 15.3.2)."
        ),
        Behaviour.CREATED_IS_FOUND: "A created resource can be read immediately.",
        Behaviour.DELETED_IS_GONE: "A deleted resource no longer exists.",
        Behaviour.WRITTEN_IS_READ: "A member that was written successfully has its new value.",
        Behaviour.CHANGE_KEEPS: "A change leaves the members that it does not name as they were.",
        Behaviour.PARENT: "A resource is found below its own parent, and below no other.",
        Behaviour.SHOWN_ONCE: "A value that is shown once does not appear in any other response.",
        Behaviour.CONSERVATION: (
            "A balance changes by the charged and refunded amounts, and by nothing else."
        ),
        Behaviour.CONSISTENCY: (
            "The members of an object agree: computed members are correct, and those that a state "
            "requires are set."
        ),
        Behaviour.MOMENT: "A timestamp is the time at which a resource was created or changed.",
        Behaviour.TRANSITION: (
            "An operation is refused in states in which it is not allowed, and otherwise moves its "
            "resource to the declared state."
        ),
        Behaviour.RESET: "A reset restores the declared state.",
    },
    Category.IDEMPOTENCY: {
        Behaviour.IDEMPOTENCY_REPLAY: (
            "The repetition of a successful request gets the first response again, marked as "
            "a replay."
        ),
        Behaviour.IDEMPOTENCY_CHANGED: (
            "A different payload with the same key is refused with the declared code."
        ),
        Behaviour.IDEMPOTENCY_CONCURRENT: (
            "Of concurrent requests with the same key, at most one takes effect."
        ),
        Behaviour.IDEMPOTENCY_FAILURE: "A failed request does not use up its key.",
        Behaviour.IDEMPOTENCY_SCOPE: "The same key in another scope belongs to another request.",
    },
    Category.LISTS: {
        Behaviour.LIST_AGREES: "An item of a list equals the resource when read by itself.",
        Behaviour.ORDER: "Items are in the declared order.",
        Behaviour.PAGINATION: (
            "Following the cursor shows every item once, even if items are added meanwhile."
        ),
        Behaviour.PAGE_SIZE: (
            "A page has at most the requested number of items; invalid limits are refused."
        ),
        Behaviour.CURSOR: "A cursor that this list did not issue is refused.",
        Behaviour.FILTER: "A filter returns all matching items, and no others.",
    },
    Category.LIMITS: {
        Behaviour.CAPACITY: (
            "There are never more resources than the declared capacity, and released capacity can "
            "be used again."
        ),
        Behaviour.RATE_LIMIT: "No window has more served requests than the limit allows.",
        Behaviour.RATE_LIMIT_SCOPE: (
            "Scopes that are limited separately, such as keys, are counted separately."
        ),
        Behaviour.RATE_LIMIT_HEADERS: "The headers for the rate limit are present and correct.",
        Behaviour.RESPONSE_TIME: (
            "A response is complete within the time in `--max-response-time`."
        ),
    },
    Category.WEBHOOKS: {
        Behaviour.EVENT_MISSING: (
            "A declared event is sent within the declared time after its cause."
        ),
        Behaviour.EVENT_SCHEMA: "The body of a delivery fits the schema of its webhook.",
        Behaviour.EVENT_CONTENT: (
            "An event has the declared values, such as the state that it is about, and is sent in "
            "the declared time before a moment."
        ),
        Behaviour.EVENT_HEADERS: "The headers of a delivery name its event.",
        Behaviour.SIGNATURE: "A delivery is signed as declared, with a fresh timestamp.",
        Behaviour.DELIVERY_RETRY: (
            "A delivery that is not acknowledged is retried, with the same id and the same bytes, "
            "at the declared times."
        ),
        Behaviour.DELIVERY_ACKNOWLEDGED: "A delivery that was acknowledged is not sent again.",
        Behaviour.DELIVERY_REDIRECT: "A redirect is a failed attempt, and is not followed.",
        Behaviour.EVENT_UNSUBSCRIBED: "An endpoint gets no event that it did not subscribe to.",
        Behaviour.DELIVERY_DELETED: "A deleted endpoint gets no further deliveries.",
    },
    Category.ROBUSTNESS: {
        Behaviour.SERVER_ERROR: "No request makes the server fail.",
        Behaviour.NO_ANSWER: "Every request gets a response within thirty seconds.",
        Behaviour.METHOD_NOT_ALLOWED: ("A method that a path does not have is refused with 405."),
        Behaviour.ALLOW_HEADER: (
            "A 405 names all methods of the path in its Allow header (RFC 9110, 15.5.6)."
        ),
        Behaviour.UNKNOWN_ROUTE: (
            "A path that the document does not have is refused with the declared error."
        ),
    },
}
# In the recommended profile, findings that few teams would fix. All others are errors.
_LEVELS: Mapping[Behaviour, Level] = {
    Behaviour.REDIRECT: Level.WARNING,
    # Some operations are for other programs than the clients of this document.
    Behaviour.UNDOCUMENTED_OPERATION: Level.WARNING,
    # A public resource may be one that only its owner can change.
    Behaviour.ISOLATION_AGREES: Level.WARNING,
    Behaviour.METHOD_NOT_ALLOWED: Level.WARNING,
    Behaviour.ISOLATION_OPEN: Level.INFO,
    Behaviour.MEDIA_TYPE_ACCEPTED: Level.INFO,
    Behaviour.UNREADABLE_REFUSAL: Level.INFO,
    Behaviour.UNDECLARED_REFUSAL: Level.INFO,
    Behaviour.COERCION: Level.INFO,
    Behaviour.ALLOW_HEADER: Level.INFO,
}
# The findings that API teams fix first: exposed data, server errors, work that is lost or done
# twice, responses that clients cannot read.
_FIRST = (
    *(Behaviour.ISOLATION, Behaviour.CREDENTIALS_IGNORED, Behaviour.PERMISSION),
    *(Behaviour.SERVER_ERROR, Behaviour.NO_ANSWER, Behaviour.SHOWN_ONCE, Behaviour.WRITE_ONLY),
    Behaviour.CONSERVATION,
    *(Behaviour.IDEMPOTENCY_CONCURRENT, Behaviour.IDEMPOTENCY_REPLAY, Behaviour.CREATED_IS_FOUND),
    *(Behaviour.DELETED_IS_GONE, Behaviour.RESPONSE_SCHEMA, Behaviour.SIGNATURE),
    *(Behaviour.EVENT_MISSING, Behaviour.PAGINATION, Behaviour.FILTER, Behaviour.VALID_REFUSED),
    *(Behaviour.RESPONSE_HEADER, Behaviour.ERROR_CODE, Behaviour.UNDECLARED_STATUS),
)
_WEIGHTS = {id: weight for weight, id in enumerate(reversed(_FIRST), 1)}
RULES: tuple[RuleDescription, ...] = tuple(
    RuleDescription(
        id,
        category,
        why,
        "",
        "",
        _LEVELS.get(id, Level.ERROR),
        Level.ERROR,
        example=REMEDIES[id].example,
        advice=REMEDIES[id].advice,
        weight=_WEIGHTS.get(id, 0),
    )
    for category, reasons in _REASONS.items()
    for id, why in reasons.items()
)
