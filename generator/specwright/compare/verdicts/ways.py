"""Ways to reach the aim of a change without a break, for each breaking rule."""

from __future__ import annotations

from collections.abc import Mapping

from specwright.compare.verdicts.change_rules import ChangeRule

_TAKE_BOTH = (
    "Go on taking what was taken: add a property, parameter or operation with the new schema "
    "beside the old one, and mark the old one `deprecated`."
)
_SEND_BOTH = (
    "Send what is new in a property or operation of another name, go on sending what was sent, "
    "and mark it `deprecated`."
)
_STEMS = (
    *("type", "format", "content", "range", "length", "pattern", "array", "object", "union"),
    *("enum", "nullable"),
)
_GO_ON_SENDING = "Go on sending it, marked `deprecated`, until the next major version."
_UNTIL_ITS_DAY = (
    "Keep it, marked `deprecated` with the day on which it goes (`x-sunset`), and remove it after "
    "that day."
)
_GO_ON_TAKING = "Go on taking it, marked `deprecated`, until the next major version."

WAYS: Mapping[str, str] = {
    **{f"{stem}-narrowed": _TAKE_BOTH for stem in _STEMS},
    **{f"{stem}-widened": _SEND_BOTH for stem in _STEMS},
    ChangeRule.ENUM_WIDENED: (
        "Send new values in a property of another name. An enumeration that will grow is declared "
        "so before clients rely on it: `x-contract-extensible-enum`, or any text beside it "
        "(`anyOf`)."
    ),
    ChangeRule.NULLABLE_WIDENED: (
        "Leave an optional property out where there is no value, or send it under another name."
    ),
    ChangeRule.OPERATION_REMOVED: (
        "Mark it `deprecated` with the day on which it goes (`x-sunset`), and remove it after "
        "that day."
    ),
    ChangeRule.SUNSET_SOONER: "Keep the day that was announced, or name a later one.",
    ChangeRule.NOTICE_TOO_SHORT: (
        "Name a day (`x-sunset`) that is as many days away as the project promises."
    ),
    ChangeRule.STABILITY_LOWERED: (
        "Leave it as stable as it is, and try what may change yet in an operation beside it."
    ),
    ChangeRule.PARAMETER_REQUIRED: (
        "Leave it optional and say what it means to leave it out, or demand it in a new operation."
    ),
    ChangeRule.PARAMETER_NOT_SENT: _GO_ON_SENDING,
    ChangeRule.PARAMETER_MOVED: "Look for it in both places, and mark the old one `deprecated`.",
    ChangeRule.SERIALISATION_CHANGED: (
        "Add a parameter of another name for the new form, and mark the old one `deprecated`."
    ),
    ChangeRule.BODY_REQUIRED: (
        "Leave it optional and say what it means to leave it out, or demand it in a new operation."
    ),
    ChangeRule.BODY_NOT_SENT: "Go on sending a body, one that says nothing if need be.",
    ChangeRule.HEADER_REQUIRED: "Ask for it without `required`, and do without it as before.",
    ChangeRule.HEADER_NOT_SENT: _GO_ON_SENDING,
    ChangeRule.PROPERTY_REQUIRED: (
        "Leave it optional and say what it means to leave it out, or demand it in a new operation."
    ),
    ChangeRule.PROPERTY_NOT_SENT: _GO_ON_SENDING,
    ChangeRule.PROPERTY_REFUSED: _GO_ON_TAKING,
    ChangeRule.STATUS_REMOVED: "Keep the status; what succeeds otherwise is another operation.",
    ChangeRule.MEDIA_TYPE_REMOVED: (
        "Keep both media types, and say in `description` which one the next major version lacks."
    ),
    ChangeRule.SECURITY_TIGHTENED: (
        "List the new requirement beside the old one until all callers meet it."
    ),
    ChangeRule.SECURITY_SCHEME_CHANGED: (
        "Add the new scheme under another name, and list it beside the old one."
    ),
    ChangeRule.SERVER_REMOVED: "List the new address beside the old one while both answer.",
    ChangeRule.DEFAULT_CHANGED: (
        "Keep the default; a property or parameter of another name may have the new one."
    ),
    ChangeRule.DISCRIMINATOR_CHANGED: (
        "Keep the property; one that tells more apart stands beside it."
    ),
    ChangeRule.KNOWN_VALUE_REMOVED: (
        "Go on taking the value, and say in `description` what it means now."
    ),
    ChangeRule.LIMIT_LOWERED: "Keep the limit or raise it; the next major version may lower it.",
    ChangeRule.DELIVERY_WEAKENED: "Keep the attempts, or add some.",
    ChangeRule.SIGNATURE_CHANGED: (
        "Sign events of a new name in the new way, and let receivers move to them."
    ),
    ChangeRule.BEHAVIOUR_CHANGED: (
        "Keep what was declared unless a request asks for the other, by a new parameter."
    ),
    ChangeRule.ERROR_CODE_CHANGED: (
        "Keep the code and its status; a new case has a code of its own."
    ),
    ChangeRule.OPERATION_ID_CHANGED: "Keep the operationId; `summary` may say it in better words.",
    ChangeRule.OPERATION_GROUP_CHANGED: "Put the new tag behind the first one.",
    ChangeRule.PARAMETER_RENAMED: "Keep the name; `description` says what it stands for.",
    ChangeRule.PARAMETER_ORDER_CHANGED: "Keep the order, and put new parameters at the end.",
    ChangeRule.PARAMETER_REMOVED: _UNTIL_ITS_DAY,
    ChangeRule.BODY_REMOVED: (
        "Go on taking it, and say in `description` that it means nothing any more."
    ),
    ChangeRule.HEADER_REMOVED: _UNTIL_ITS_DAY,
    ChangeRule.PROPERTY_REMOVED: _UNTIL_ITS_DAY,
    ChangeRule.TEXT_TYPE_CHANGED: (
        "Add a parameter of another name for the new type, and mark the old one `deprecated`."
    ),
    ChangeRule.PROPERTY_UNEXPECTED: (
        "Send it in a new operation. Responses that may grow are declared without "
        "`additionalProperties: false`."
    ),
    ChangeRule.ALTERNATIVE_CHANGED: "Keep the alternative, marked `deprecated`.",
    ChangeRule.DOCUMENT_REMOVED: (
        "Keep it until all of its operations are gone as announced, or move it: the title tells "
        "where it went."
    ),
    ChangeRule.SDK_BROKEN: (
        "Keep the names that the document gives: component keys, operationIds and tags."
    ),
    ChangeRule.DIFF_UNPROVEN: (
        "Look at both schemas: change them in smaller steps, or accept the change in `review.toml`."
    ),
    ChangeRule.DIFF_INCOMPLETE: "Look at both parts: mend what is not valid, or write it shorter.",
}
