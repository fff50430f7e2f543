"""Ways to reach the aim of a change without a break, for each breaking rule."""

from __future__ import annotations

from collections.abc import Mapping

from specwright.compare.verdicts.change_rules import ChangeRule

_TAKE_BOTH = (
    "Continue to accept the old values: add a property, parameter or operation with the new schema "
    "beside the old one, and mark the old one `deprecated`."
)
_SEND_BOTH = (
    "Send the new values in a property or operation with another name, continue to send the old "
    "one, and mark it `deprecated`."
)
_STEMS = (
    *("type", "format", "content", "range", "length", "pattern", "array", "object", "union"),
    *("enum", "nullable"),
)
_GO_ON_SENDING = "Continue to send it, marked `deprecated`, until the next major version."
_UNTIL_ITS_DAY = (
    "Keep it, marked `deprecated` with the removal date (`x-sunset`), and remove it after that "
    "date."
)
_GO_ON_TAKING = "Continue to accept it, marked `deprecated`, until the next major version."

WAYS: Mapping[str, str] = {
    **{f"{stem}-narrowed": _TAKE_BOTH for stem in _STEMS},
    **{f"{stem}-widened": _SEND_BOTH for stem in _STEMS},
    ChangeRule.ENUM_WIDENED: (
        "Send new values in a property with another name. Declare an enumeration that will grow "
        "as extensible before clients rely on it: `x-contract-extensible-enum`, or `anyOf` with "
        "any string."
    ),
    ChangeRule.NULLABLE_WIDENED: (
        "Omit an optional property that has no value, or send it under another name."
    ),
    ChangeRule.OPERATION_REMOVED: (
        "Mark it `deprecated` with the removal date (`x-sunset`), and remove it after that date."
    ),
    ChangeRule.SUNSET_SOONER: "Keep the announced date, or set a later one.",
    ChangeRule.NOTICE_TOO_SHORT: (
        "Set a date (`x-sunset`) with as many days of notice as the project promises."
    ),
    ChangeRule.STABILITY_LOWERED: (
        "Keep its stability level, and experiment in a separate operation."
    ),
    ChangeRule.PARAMETER_REQUIRED: (
        "Keep it optional and document the effect of omitting it, or require it in a new operation."
    ),
    ChangeRule.PARAMETER_NOT_SENT: _GO_ON_SENDING,
    ChangeRule.PARAMETER_MOVED: "Accept it in both places, and mark the old one `deprecated`.",
    ChangeRule.SERIALISATION_CHANGED: (
        "Add a parameter of another name for the new form, and mark the old one `deprecated`."
    ),
    ChangeRule.BODY_REQUIRED: (
        "Keep it optional and document the effect of omitting it, or require it in a new operation."
    ),
    ChangeRule.BODY_NOT_SENT: "Continue to send a body, even if it has no content.",
    ChangeRule.HEADER_REQUIRED: "Declare it without `required`, and accept responses without it.",
    ChangeRule.HEADER_NOT_SENT: _GO_ON_SENDING,
    ChangeRule.PROPERTY_REQUIRED: (
        "Keep it optional and document the effect of omitting it, or require it in a new operation."
    ),
    ChangeRule.PROPERTY_NOT_SENT: _GO_ON_SENDING,
    ChangeRule.PROPERTY_REFUSED: _GO_ON_TAKING,
    ChangeRule.STATUS_REMOVED: "Keep the status; add an operation for a different success.",
    ChangeRule.MEDIA_TYPE_REMOVED: (
        "Keep both media types, and say in `description` which one the next major version removes."
    ),
    ChangeRule.SECURITY_TIGHTENED: (
        "List the new requirement beside the old one until all callers meet it."
    ),
    ChangeRule.SECURITY_SCHEME_CHANGED: (
        "Add the new scheme under another name, and list it beside the old one."
    ),
    ChangeRule.SERVER_REMOVED: "List the new address beside the old one while both are in use.",
    ChangeRule.DEFAULT_CHANGED: (
        "Keep the default; a property or parameter of another name may have the new one."
    ),
    ChangeRule.DISCRIMINATOR_CHANGED: (
        "Keep the property, and add a second one for finer distinctions."
    ),
    ChangeRule.KNOWN_VALUE_REMOVED: (
        "Continue to accept the value, and explain its meaning in `description`."
    ),
    ChangeRule.LIMIT_LOWERED: "Keep the limit or raise it; the next major version may lower it.",
    ChangeRule.DELIVERY_WEAKENED: "Keep the attempts, or add some.",
    ChangeRule.SIGNATURE_CHANGED: (
        "Sign events of a new name in the new way, and let receivers move to them."
    ),
    ChangeRule.BEHAVIOUR_CHANGED: (
        "Keep the declared behaviour unless a request selects another by a new parameter."
    ),
    ChangeRule.ERROR_CODE_CHANGED: (
        "Keep the code and its status; add another code for a new case."
    ),
    ChangeRule.OPERATION_ID_CHANGED: "Keep the operationId; put better words in `summary`.",
    ChangeRule.OPERATION_GROUP_CHANGED: "Put the new tag behind the first one.",
    ChangeRule.PARAMETER_RENAMED: "Keep the name; explain it in `description`.",
    ChangeRule.PARAMETER_ORDER_CHANGED: "Keep the order, and put new parameters at the end.",
    ChangeRule.PARAMETER_REMOVED: _UNTIL_ITS_DAY,
    ChangeRule.BODY_REMOVED: (
        "Continue to accept it, and say in `description` that it is ignored."
    ),
    ChangeRule.HEADER_REMOVED: _UNTIL_ITS_DAY,
    ChangeRule.PROPERTY_REMOVED: _UNTIL_ITS_DAY,
    ChangeRule.TEXT_TYPE_CHANGED: (
        "Add a parameter of another name for the new type, and mark the old one `deprecated`."
    ),
    ChangeRule.PROPERTY_UNEXPECTED: (
        "Send it in a new operation. Declare responses that may grow without "
        "`additionalProperties: false`."
    ),
    ChangeRule.ALTERNATIVE_CHANGED: "Keep the alternative, marked `deprecated`.",
    ChangeRule.DOCUMENT_REMOVED: (
        "Keep it until all of its operations have been removed as announced, or move it: a moved "
        "document is recognised by its title."
    ),
    ChangeRule.SDK_BROKEN: (
        "Keep the names in the document: component keys, operationIds and tags."
    ),
    ChangeRule.DIFF_UNPROVEN: (
        "Review both schemas: change them in smaller steps, or accept the change in `review.toml`."
    ),
    ChangeRule.DIFF_INCOMPLETE: "Review both parts: fix any invalid content, or simplify them.",
}
