"""The rules of the review: whom a change breaks, and why."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from specwright.compare.verdicts.rule_examples import EXAMPLES
from specwright.compare.verdicts.rule_ids import ChangeRule
from specwright.findings import Level, RuleDescription


class Category(StrEnum):
    """Chapters of the list of rules: whom a change breaks, the worst first."""

    WIRE = "Changes: break what is sent"
    CLIENT_SOURCE = "Changes: break the source of clients"
    SERVER_SOURCE = "Changes: work for the server"
    COMPATIBLE = "Changes: compatible"
    REVIEW = "Changes: the review itself"


_LEVELS: Mapping[Category, Level] = {
    Category.WIRE: Level.ERROR,
    Category.CLIENT_SOURCE: Level.WARNING,
    Category.SERVER_SOURCE: Level.INFO,
    Category.COMPATIBLE: Level.INFO,
}
BREAKING = frozenset((Category.WIRE, Category.CLIENT_SOURCE))

_NARROWED = (
    "Clients go on sending what they may send today. %s that was allowed is refused from now on."
)
_WIDENED = (
    "Clients rely on what the API may send today. %s that was not possible is sent from now on."
)
# The start of two rules each, and what is refused or sent.
_VALUES = {
    "type": "A value of a type",
    "format": "Text of a format",
    "content": "Text of an encoding or media type",
    "range": "A number",
    "length": "Text of a length",
    "pattern": "Text",
    "array": "A list",
    "object": "An object",
    "union": "A value of an alternative",
}

# Whom a change breaks -> rule -> why.
_REASONS: Mapping[Category, Mapping[str, str]] = {
    Category.WIRE: {
        ChangeRule.OPERATION_REMOVED: (
            "Clients that call the operation, or wait for the webhook, are left without it. A "
            "path parameter of another name is no other operation."
        ),
        ChangeRule.SUNSET_SOONER: (
            "The day on which something goes (`x-sunset`) is nearer than announced, or no longer "
            "known: clients that planned by it are late."
        ),
        ChangeRule.PARAMETER_REQUIRED: (
            "Requests without the parameter were fine and are refused from now on."
        ),
        ChangeRule.PARAMETER_NOT_SENT: (
            "The receiver of a webhook or callback relies on a parameter that no longer always "
            "comes."
        ),
        ChangeRule.PARAMETER_MOVED: (
            "Clients send the parameter where nobody looks for it any more."
        ),
        ChangeRule.SERIALISATION_CHANGED: (
            "The same value is written in another way, and is read as another one."
        ),
        ChangeRule.BODY_REQUIRED: "Requests without a body were fine and are refused from now on.",
        ChangeRule.BODY_NOT_SENT: (
            "The receiver of a webhook or callback relies on a body that no longer always comes."
        ),
        ChangeRule.HEADER_REQUIRED: (
            "Receivers of a webhook or callback answer without the header and are refused."
        ),
        ChangeRule.HEADER_NOT_SENT: (
            "Clients rely on a response header that no longer always comes."
        ),
        ChangeRule.PROPERTY_REQUIRED: (
            "Clients that leave the property out, as they may today, are refused from now on."
        ),
        ChangeRule.PROPERTY_NOT_SENT: "Clients rely on a property that no longer always comes.",
        ChangeRule.PROPERTY_REFUSED: (
            "An object that allows no other properties no longer has one that clients send."
        ),
        ChangeRule.STATUS_REMOVED: "Clients recognise success by a status that no longer comes.",
        ChangeRule.MEDIA_TYPE_REMOVED: (
            "Clients send, or ask for, a media type that the API no longer knows."
        ),
        ChangeRule.SECURITY_TIGHTENED: (
            "Callers that were let in are refused: they lack a credential or a scope."
        ),
        ChangeRule.SECURITY_SCHEME_CHANGED: (
            "Clients send their credential in a way that is no longer understood."
        ),
        ChangeRule.SERVER_REMOVED: "Clients go on calling the address that is gone.",
        ChangeRule.DEFAULT_CHANGED: (
            "Clients that leave the value out get another behaviour without a change of theirs."
        ),
        ChangeRule.DISCRIMINATOR_CHANGED: (
            "Another property tells the alternatives apart than the one that is looked at."
        ),
        ChangeRule.KNOWN_VALUE_REMOVED: (
            "Clients send a value of an enumeration that may grow, and it has shrunk."
        ),
        **{f"{stem}-narrowed": _NARROWED % what for stem, what in _VALUES.items()},
        ChangeRule.ENUM_NARROWED: _NARROWED % "A value",
        ChangeRule.NULLABLE_NARROWED: _NARROWED % "Null",
        **{f"{stem}-widened": _WIDENED % what for stem, what in _VALUES.items()},
        ChangeRule.LIMIT_LOWERED: "Clients that kept to the limit are refused from now on.",
        ChangeRule.DELIVERY_WEAKENED: (
            "A receiver that is down or slow for as long as it may be today misses events."
        ),
        ChangeRule.SIGNATURE_CHANGED: (
            "Receivers verify deliveries as they are signed today; any other signature is a "
            "forgery to them, and none at all is worse."
        ),
        ChangeRule.BEHAVIOUR_CHANGED: (
            "Clients rely on what the contract declares beyond OpenAPI, such as the order of a "
            "list."
        ),
        ChangeRule.ERROR_CODE_CHANGED: (
            "Clients handle an error by a code that no longer comes, or comes with another status."
        ),
    },
    Category.CLIENT_SOURCE: {
        ChangeRule.OPERATION_ID_CHANGED: "The method of generated clients has another name.",
        ChangeRule.OPERATION_GROUP_CHANGED: (
            "The method of generated clients is in another group, which the first tag names."
        ),
        ChangeRule.PARAMETER_RENAMED: (
            "The argument of generated methods has another name; what is sent stays as it was."
        ),
        ChangeRule.PARAMETER_ORDER_CHANGED: (
            "Methods that take arguments by position, as many generators write them, get them in "
            "another order. Those of specwright take them by name."
        ),
        ChangeRule.PARAMETER_REMOVED: (
            "Generated methods lose an argument; clients that still send it are not heeded."
        ),
        ChangeRule.BODY_REMOVED: (
            "Generated methods lose an argument; clients that still send a body are not heeded."
        ),
        ChangeRule.HEADER_REMOVED: (
            "Clients look at a response header, where it is given, that never comes any more."
        ),
        ChangeRule.PROPERTY_REMOVED: (
            "Generated models lose a field; what clients still send there is not heeded."
        ),
        ChangeRule.TEXT_TYPE_CHANGED: (
            "Generated code has another type for a value that is written as text, such as that of "
            "a query. What is sent is read as well as before."
        ),
        ChangeRule.PROPERTY_UNEXPECTED: (
            "An object was declared to have no other properties, and gets one: clients that hold "
            "the API to its word refuse it."
        ),
        ChangeRule.ALTERNATIVE_CHANGED: (
            "Generated unions lose a class that clients send, or gain one that no branch of "
            "theirs is for, even though all values were possible before."
        ),
        ChangeRule.ENUM_WIDENED: (
            "Clients rely on what the API may send today. A value that no branch of theirs is for "
            "is sent from now on."
        ),
        ChangeRule.NULLABLE_WIDENED: (
            "Clients rely on what the API may send today. Null, which their types do not expect, "
            "is sent from now on."
        ),
    },
    Category.SERVER_SOURCE: {
        ChangeRule.OPERATION_ADDED: (
            "Implementations of the server stub have one more method to write."
        ),
    },
    Category.COMPATIBLE: {
        ChangeRule.ADDED: "Something is new that nobody has to use.",
        ChangeRule.RELAXED: "Something is no longer demanded, or promised from now on.",
        ChangeRule.SCHEMA_COMPATIBLE: (
            "A schema changed, and whoever receives its values takes all that may be sent."
        ),
        ChangeRule.DECLARATION_COMPATIBLE: (
            "A declaration of the contract changed and keeps what it promised."
        ),
        ChangeRule.DEPRECATION: (
            "Something is deprecated, or is so no longer: what is to go is known in advance."
        ),
        ChangeRule.SUNSET_OPERATION_REMOVED: (
            "An operation is gone after the day that was announced for it (`deprecated`, "
            "`x-sunset`)."
        ),
        ChangeRule.ERROR_STATUS_REMOVED: (
            "An answer that is no success is gone; clients handle one case too many."
        ),
    },
}
RULES: tuple[RuleDescription, ...] = tuple(
    RuleDescription(id, category, why, *EXAMPLES[id], _LEVELS[category], _LEVELS[category])
    for category, reasons in _REASONS.items()
    for id, why in reasons.items()
)


def _review(id: str, level: Level, why: str) -> RuleDescription:
    return RuleDescription(id, Category.REVIEW, why, "", "", level, level)


SDK_BROKEN = RuleDescription(
    ChangeRule.SDK_BROKEN,
    Category.CLIENT_SOURCE,
    "Code that uses the generated package as it is today fails: a name is gone, or is called in "
    "another way. Only `specwright review` finds this; it compares the packages of both documents.",
    "",
    "",
    Level.WARNING,
    Level.WARNING,
)
UNPROVEN = _review(
    ChangeRule.DIFF_UNPROVEN,
    Level.WARNING,
    "A schema changed in a way of which neither a proof nor a value shows whether it breaks "
    "anybody: somebody has to look.",
)
INCOMPLETE = _review(
    ChangeRule.DIFF_INCOMPLETE,
    Level.WARNING,
    "A part of the documents could not be compared to the end: it takes more time or memory than "
    "any document should, or breaks an assumption.",
)
INVALID = _review(
    ChangeRule.DIFF_INVALID,
    Level.WARNING,
    "A document that is not valid OpenAPI is compared as far as possible; what it means instead "
    "is not known.",
)
UNUSED = _review(
    ChangeRule.ACCEPTANCE_UNUSED,
    Level.WARNING,
    "An acceptance that no change needs any more would hide the next one.",
)
EXPIRED = _review(
    ChangeRule.ACCEPTANCE_EXPIRED,
    Level.WARNING,
    "An acceptance counts until its day; the change that it covered is reported again.",
)
VERSION_TOO_LOW = _review(
    ChangeRule.VERSION_TOO_LOW,
    Level.WARNING,
    "The version of the API promises less change than there is (Semantic Versioning; before "
    "1.0.0 the second number stands for the first).",
)
VERSION = _review(
    ChangeRule.VERSION_SUGGESTED,
    Level.INFO,
    "Which version the changes call for.",
)
DESCRIPTIONS: tuple[RuleDescription, ...] = (
    *sorted((*RULES, SDK_BROKEN), key=lambda rule: list(Category).index(Category(rule.category))),
    UNPROVEN,
    INCOMPLETE,
    INVALID,
    UNUSED,
    EXPIRED,
    VERSION_TOO_LOW,
    VERSION,
)
BY_ID: Mapping[str, RuleDescription] = {rule.id: rule for rule in DESCRIPTIONS}
