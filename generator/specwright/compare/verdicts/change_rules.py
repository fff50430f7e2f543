"""The rules of the review: the side that a change breaks, and the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class ChangeRule(StrEnum):
    """The id of a rule of the review, as in reports and `review.toml`."""

    OPERATION_REMOVED = "operation-removed"
    SUNSET_SOONER = "sunset-sooner"
    STABILITY_LOWERED = "stability-lowered"
    PARAMETER_REQUIRED = "parameter-required"
    PARAMETER_NOT_SENT = "parameter-not-sent"
    PARAMETER_MOVED = "parameter-moved"
    SERIALISATION_CHANGED = "serialisation-changed"
    BODY_REQUIRED = "body-required"
    BODY_NOT_SENT = "body-not-sent"
    HEADER_REQUIRED = "header-required"
    HEADER_NOT_SENT = "header-not-sent"
    PROPERTY_REQUIRED = "property-required"
    PROPERTY_NOT_SENT = "property-not-sent"
    PROPERTY_REFUSED = "property-refused"
    STATUS_REMOVED = "status-removed"
    MEDIA_TYPE_REMOVED = "media-type-removed"
    SECURITY_TIGHTENED = "security-tightened"
    SECURITY_SCHEME_CHANGED = "security-scheme-changed"
    SERVER_REMOVED = "server-removed"
    DEFAULT_CHANGED = "default-changed"
    DISCRIMINATOR_CHANGED = "discriminator-changed"
    KNOWN_VALUE_REMOVED = "known-value-removed"
    TYPE_NARROWED = "type-narrowed"
    FORMAT_NARROWED = "format-narrowed"
    CONTENT_NARROWED = "content-narrowed"
    RANGE_NARROWED = "range-narrowed"
    LENGTH_NARROWED = "length-narrowed"
    PATTERN_NARROWED = "pattern-narrowed"
    ARRAY_NARROWED = "array-narrowed"
    OBJECT_NARROWED = "object-narrowed"
    UNION_NARROWED = "union-narrowed"
    ENUM_NARROWED = "enum-narrowed"
    NULLABLE_NARROWED = "nullable-narrowed"
    TYPE_WIDENED = "type-widened"
    FORMAT_WIDENED = "format-widened"
    CONTENT_WIDENED = "content-widened"
    RANGE_WIDENED = "range-widened"
    LENGTH_WIDENED = "length-widened"
    PATTERN_WIDENED = "pattern-widened"
    ARRAY_WIDENED = "array-widened"
    OBJECT_WIDENED = "object-widened"
    UNION_WIDENED = "union-widened"
    LIMIT_LOWERED = "limit-lowered"
    DELIVERY_WEAKENED = "delivery-weakened"
    SIGNATURE_CHANGED = "signature-changed"
    BEHAVIOUR_CHANGED = "behaviour-changed"
    ERROR_CODE_CHANGED = "error-code-changed"
    OPERATION_ID_CHANGED = "operation-id-changed"
    OPERATION_GROUP_CHANGED = "operation-group-changed"
    PARAMETER_RENAMED = "parameter-renamed"
    PARAMETER_ORDER_CHANGED = "parameter-order-changed"
    PARAMETER_REMOVED = "parameter-removed"
    BODY_REMOVED = "body-removed"
    HEADER_REMOVED = "header-removed"
    PROPERTY_REMOVED = "property-removed"
    TEXT_TYPE_CHANGED = "text-type-changed"
    PROPERTY_UNEXPECTED = "property-unexpected"
    ALTERNATIVE_CHANGED = "alternative-changed"
    ENUM_WIDENED = "enum-widened"
    NULLABLE_WIDENED = "nullable-widened"
    SDK_BROKEN = "sdk-broken"
    DOCUMENT_REMOVED = "document-removed"
    OPERATION_ADDED = "operation-added"
    ADDED = "added"
    RELAXED = "relaxed"
    SCHEMA_COMPATIBLE = "schema-compatible"
    DECLARATION_COMPATIBLE = "declaration-compatible"
    DEPRECATION = "deprecation"
    SUNSET_OPERATION_REMOVED = "sunset-operation-removed"
    SUNSET_REMOVED = "sunset-removed"
    UNSTABLE_CHANGED = "unstable-changed"
    ERROR_STATUS_REMOVED = "error-status-removed"
    DIFF_UNPROVEN = "diff-unproven"
    DIFF_INCOMPLETE = "diff-incomplete"
    DIFF_INVALID = "diff-invalid"
    NOTICE_TOO_SHORT = "notice-too-short"
    ACCEPTANCE_UNUSED = "acceptance-unused"
    ACCEPTANCE_EXPIRED = "acceptance-expired"
    ACCEPTANCE_PENDING = "acceptance-pending"
    VERSION_TOO_LOW = "version-too-low"
    VERSION_SUGGESTED = "version-suggested"


class Category(StrEnum):
    """The chapters of the list of rules, by the side that a change breaks, the worst first."""

    WIRE = "Changes: break what is sent"
    CLIENT_SOURCE = "Changes: break the source of clients"
    SERVER_SOURCE = "Changes: work for the server"
    COMPATIBLE = "Changes: compatible"
    REVIEW = "Changes: the review itself"


BREAKING = frozenset((Category.WIRE, Category.CLIENT_SOURCE))

_NARROWED = (
    "Clients go on sending what they may send today. %s that was allowed is refused from now on."
)
_WIDENED = (
    "Clients rely on what the API may send today. %s that was not possible is sent from now on."
)
# The stem of two rules each, and the values that are rejected or sent.
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

# Category -> rule -> reason.
REASONS: Mapping[Category, Mapping[str, str]] = {
    Category.WIRE: {
        ChangeRule.OPERATION_REMOVED: (
            "Clients that call the operation, or wait for the webhook, are left without it. The "
            "names of path parameters do not count."
        ),
        ChangeRule.SUNSET_SOONER: (
            "The day on which something goes (`x-sunset`) is nearer than announced, or no longer "
            "known: clients that planned by it are late."
        ),
        ChangeRule.STABILITY_LOWERED: (
            "Clients rely on an operation that may change in any way from now on "
            "(`x-stability-level`, `x-internal`)."
        ),
        ChangeRule.PARAMETER_REQUIRED: (
            "Requests without the parameter were fine and are refused from now on."
        ),
        ChangeRule.PARAMETER_NOT_SENT: (
            "The receiver of a webhook or callback relies on a parameter that no longer always "
            "comes."
        ),
        ChangeRule.PARAMETER_MOVED: (
            "Clients send the parameter in a place that is no longer read."
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
            "Receivers tell the alternatives apart by a property that no longer does so."
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
            "Generated methods lose an argument; what clients still send is ignored."
        ),
        ChangeRule.BODY_REMOVED: (
            "Generated methods lose an argument; the body that clients still send is ignored."
        ),
        ChangeRule.HEADER_REMOVED: (
            "Clients look at a response header, where it is given, that never comes any more."
        ),
        ChangeRule.PROPERTY_REMOVED: (
            "Generated models lose a field that code may use; what clients still send is ignored."
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
        ChangeRule.ADDED: "Something is new that clients may leave alone.",
        ChangeRule.RELAXED: "Something is no longer demanded, or promised from now on.",
        ChangeRule.SCHEMA_COMPATIBLE: (
            "A schema changed, and those who receive its values take all that may be sent."
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
        ChangeRule.SUNSET_REMOVED: (
            "A parameter, header or property is gone after the day that was announced for it "
            "(`deprecated`, `x-sunset`)."
        ),
        ChangeRule.UNSTABLE_CHANGED: (
            "Operations that promise nothing yet changed in a way that would break clients "
            "(`x-stability-level` draft or alpha, or `x-internal: true`)."
        ),
        ChangeRule.ERROR_STATUS_REMOVED: (
            "An error status is no longer declared; clients handle one case too many."
        ),
    },
}
