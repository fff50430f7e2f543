"""The rules of the review: whom a change breaks, and why."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from specwright.compare.verdicts.rule_examples import EXAMPLES
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

RETYPED = "text-type-changed"

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
        "operation-removed": (
            "Clients that call the operation, or wait for the webhook, are left without it. A "
            "path parameter of another name is no other operation."
        ),
        "sunset-sooner": (
            "The day on which something goes (`x-sunset`) is nearer than announced, or no longer "
            "known: clients that planned by it are late."
        ),
        "parameter-required": (
            "Requests without the parameter were fine and are refused from now on."
        ),
        "parameter-not-sent": (
            "The receiver of a webhook or callback relies on a parameter that no longer always "
            "comes."
        ),
        "parameter-moved": "Clients send the parameter where nobody looks for it any more.",
        "serialisation-changed": (
            "The same value is written in another way, and is read as another one."
        ),
        "body-required": "Requests without a body were fine and are refused from now on.",
        "body-not-sent": (
            "The receiver of a webhook or callback relies on a body that no longer always comes."
        ),
        "header-required": (
            "Receivers of a webhook or callback answer without the header and are refused."
        ),
        "header-not-sent": "Clients rely on a response header that no longer always comes.",
        "property-required": (
            "Clients that leave the property out, as they may today, are refused from now on."
        ),
        "property-not-sent": "Clients rely on a property that no longer always comes.",
        "property-refused": (
            "An object that allows no other properties no longer has one that clients send."
        ),
        "status-removed": "Clients recognise success by a status that no longer comes.",
        "media-type-removed": (
            "Clients send, or ask for, a media type that the API no longer knows."
        ),
        "security-tightened": (
            "Callers that were let in are refused: they lack a credential or a scope."
        ),
        "security-scheme-changed": (
            "Clients send their credential in a way that is no longer understood."
        ),
        "server-removed": "Clients go on calling the address that is gone.",
        "default-changed": (
            "Clients that leave the value out get another behaviour without a change of theirs."
        ),
        "discriminator-changed": (
            "Another property tells the alternatives apart than the one that is looked at."
        ),
        "known-value-removed": (
            "Clients send a value of an enumeration that may grow, and it has shrunk."
        ),
        **{f"{stem}-narrowed": _NARROWED % what for stem, what in _VALUES.items()},
        "enum-narrowed": _NARROWED % "A value",
        "nullable-narrowed": _NARROWED % "Null",
        **{f"{stem}-widened": _WIDENED % what for stem, what in _VALUES.items()},
        "limit-lowered": "Clients that kept to the limit are refused from now on.",
        "delivery-weakened": (
            "A receiver that is down or slow for as long as it may be today misses events."
        ),
        "signature-changed": (
            "Receivers verify deliveries as they are signed today; any other signature is a "
            "forgery to them, and none at all is worse."
        ),
        "behaviour-changed": (
            "Clients rely on what the contract declares beyond OpenAPI, such as the order of a "
            "list."
        ),
        "error-code-changed": (
            "Clients handle an error by a code that no longer comes, or comes with another status."
        ),
    },
    Category.CLIENT_SOURCE: {
        "operation-id-changed": "The method of generated clients has another name.",
        "operation-group-changed": (
            "The method of generated clients is in another group, which the first tag names."
        ),
        "parameter-renamed": (
            "The argument of generated methods has another name; what is sent stays as it was."
        ),
        "parameter-order-changed": (
            "Methods that take arguments by position, as many generators write them, get them in "
            "another order. Those of specwright take them by name."
        ),
        "parameter-removed": (
            "Generated methods lose an argument; clients that still send it are not heeded."
        ),
        "body-removed": (
            "Generated methods lose an argument; clients that still send a body are not heeded."
        ),
        "header-removed": (
            "Clients look at a response header, where it is given, that never comes any more."
        ),
        "property-removed": (
            "Generated models lose a field; what clients still send there is not heeded."
        ),
        RETYPED: (
            "Generated code has another type for a value that is written as text, such as that of "
            "a query. What is sent is read as well as before."
        ),
        "property-unexpected": (
            "An object was declared to have no other properties, and gets one: clients that hold "
            "the API to its word refuse it."
        ),
        "alternative-changed": (
            "Generated unions lose a class that clients send, or gain one that no branch of "
            "theirs is for, even though all values were possible before."
        ),
        "enum-widened": (
            "Clients rely on what the API may send today. A value that no branch of theirs is for "
            "is sent from now on."
        ),
        "nullable-widened": (
            "Clients rely on what the API may send today. Null, which their types do not expect, "
            "is sent from now on."
        ),
    },
    Category.SERVER_SOURCE: {
        "operation-added": "Implementations of the server stub have one more method to write.",
    },
    Category.COMPATIBLE: {
        "added": "Something is new that nobody has to use.",
        "relaxed": "Something is no longer demanded, or promised from now on.",
        "schema-compatible": (
            "A schema changed, and whoever receives its values takes all that may be sent."
        ),
        "declaration-compatible": (
            "A declaration of the contract changed and keeps what it promised."
        ),
        "deprecation": (
            "Something is deprecated, or is so no longer: what is to go is known in advance."
        ),
        "sunset-operation-removed": (
            "An operation is gone after the day that was announced for it (`deprecated`, "
            "`x-sunset`)."
        ),
        "error-status-removed": (
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
    "sdk-broken",
    Category.CLIENT_SOURCE,
    "Code that uses the generated package as it is today fails: a name is gone, or is called in "
    "another way. Only `specwright review` finds this; it compares the packages of both documents.",
    "",
    "",
    Level.WARNING,
    Level.WARNING,
)
UNPROVEN = _review(
    "diff-unproven",
    Level.WARNING,
    "A schema changed in a way of which neither a proof nor a value shows whether it breaks "
    "anybody: somebody has to look.",
)
INCOMPLETE = _review(
    "diff-incomplete",
    Level.WARNING,
    "A part of the documents could not be compared to the end: it takes more time or memory than "
    "any document should, or breaks an assumption.",
)
INVALID = _review(
    "diff-invalid",
    Level.WARNING,
    "A document that is not valid OpenAPI is compared as far as possible; what it means instead "
    "is not known.",
)
UNUSED = _review(
    "acceptance-unused",
    Level.WARNING,
    "An acceptance that no change needs any more would hide the next one.",
)
EXPIRED = _review(
    "acceptance-expired",
    Level.WARNING,
    "An acceptance counts until its day; the change that it covered is reported again.",
)
VERSION_TOO_LOW = _review(
    "version-too-low",
    Level.WARNING,
    "The version of the API promises less change than there is (Semantic Versioning; before "
    "1.0.0 the second number stands for the first).",
)
VERSION = _review(
    "version-suggested",
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
