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

    WIRE = "Changes: break the wire format"
    CLIENT_SOURCE = "Changes: break client source code"
    SERVER_SOURCE = "Changes: require server changes"
    COMPATIBLE = "Changes: compatible"
    REVIEW = "Changes: the review itself"


BREAKING = frozenset((Category.WIRE, Category.CLIENT_SOURCE))

_NARROWED = (
    "Clients continue to send values that are valid today. %s that was allowed is now rejected."
)
_WIDENED = (
    "Clients rely on the values that the API sends today. %s that was not possible may now be sent."
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
            "Clients that call the operation, or wait for the webhook, stop working. The names of "
            "path parameters do not matter."
        ),
        ChangeRule.SUNSET_SOONER: (
            "The removal date (`x-sunset`) is earlier than announced, or missing: clients that "
            "planned for it are late."
        ),
        ChangeRule.STABILITY_LOWERED: (
            "Clients rely on an operation that may now change in any way "
            "(`x-stability-level`, `x-internal`)."
        ),
        ChangeRule.PARAMETER_REQUIRED: (
            "Requests without the parameter were valid and are now rejected."
        ),
        ChangeRule.PARAMETER_NOT_SENT: (
            "The receiver of a webhook or callback relies on a parameter that is no longer always "
            "sent."
        ),
        ChangeRule.PARAMETER_MOVED: (
            "Clients send the parameter in a place that is no longer read."
        ),
        ChangeRule.SERIALISATION_CHANGED: (
            "The same value is serialised differently, and is parsed as another one."
        ),
        ChangeRule.BODY_REQUIRED: "Requests without a body were valid and are now rejected.",
        ChangeRule.BODY_NOT_SENT: (
            "The receiver of a webhook or callback relies on a body that is no longer always sent."
        ),
        ChangeRule.HEADER_REQUIRED: (
            "Receivers of a webhook or callback respond without the header and are rejected."
        ),
        ChangeRule.HEADER_NOT_SENT: (
            "Clients rely on a response header that is no longer always sent."
        ),
        ChangeRule.PROPERTY_REQUIRED: (
            "Requests of clients that omit the property, as they may today, are now rejected."
        ),
        ChangeRule.PROPERTY_NOT_SENT: "Clients rely on a property that is no longer always sent.",
        ChangeRule.PROPERTY_REFUSED: (
            "An object without additional properties no longer has a property that clients send."
        ),
        ChangeRule.STATUS_REMOVED: (
            "Clients recognise success by a status that is no longer returned."
        ),
        ChangeRule.MEDIA_TYPE_REMOVED: (
            "Clients send, or ask for, a media type that the API no longer supports."
        ),
        ChangeRule.SECURITY_TIGHTENED: (
            "Callers that had access are now rejected: they lack a credential or a scope."
        ),
        ChangeRule.SECURITY_SCHEME_CHANGED: (
            "Clients send their credential in a way that is no longer accepted."
        ),
        ChangeRule.SERVER_REMOVED: "Clients continue to call the removed address.",
        ChangeRule.DEFAULT_CHANGED: (
            "Clients that omit the value get different behaviour without changing anything."
        ),
        ChangeRule.DISCRIMINATOR_CHANGED: (
            "Receivers distinguish the alternatives by a property that no longer identifies them."
        ),
        ChangeRule.KNOWN_VALUE_REMOVED: (
            "Clients send a value that was removed from an extensible enumeration."
        ),
        **{f"{stem}-narrowed": _NARROWED % what for stem, what in _VALUES.items()},
        ChangeRule.ENUM_NARROWED: _NARROWED % "A value",
        ChangeRule.NULLABLE_NARROWED: _NARROWED % "Null",
        **{f"{stem}-widened": _WIDENED % what for stem, what in _VALUES.items()},
        ChangeRule.LIMIT_LOWERED: "Clients that stay within the old limit are now rejected.",
        ChangeRule.DELIVERY_WEAKENED: (
            "A receiver that is down or slow for as long as it may be today misses events."
        ),
        ChangeRule.SIGNATURE_CHANGED: (
            "Receivers verify deliveries as they are signed today, and reject any that are signed "
            "differently or not at all."
        ),
        ChangeRule.BEHAVIOUR_CHANGED: (
            "Clients rely on declarations of the contract beyond OpenAPI, such as the order of a "
            "list."
        ),
        ChangeRule.ERROR_CODE_CHANGED: (
            "Clients handle an error by a code that is no longer returned, or has another status."
        ),
    },
    Category.CLIENT_SOURCE: {
        ChangeRule.OPERATION_ID_CHANGED: "The method of generated clients has another name.",
        ChangeRule.OPERATION_GROUP_CHANGED: (
            "The method of generated clients is in another group, which the first tag names."
        ),
        ChangeRule.PARAMETER_RENAMED: (
            "The argument of generated methods has another name; the request stays the same."
        ),
        ChangeRule.PARAMETER_ORDER_CHANGED: (
            "Methods that take arguments by position, as many generators write them, get them in "
            "another order. Those of specwright take them by name."
        ),
        ChangeRule.PARAMETER_REMOVED: (
            "Generated methods lose an argument; a value that clients still send is ignored."
        ),
        ChangeRule.BODY_REMOVED: (
            "Generated methods lose an argument; the body that clients still send is ignored."
        ),
        ChangeRule.HEADER_REMOVED: (
            "Clients read an optional response header that is no longer sent."
        ),
        ChangeRule.PROPERTY_REMOVED: (
            "Generated models lose a field that code may use; values still sent are ignored."
        ),
        ChangeRule.TEXT_TYPE_CHANGED: (
            "Generated code has another type for a value that is sent as text, such as a query "
            "parameter. All values are parsed as before."
        ),
        ChangeRule.PROPERTY_UNEXPECTED: (
            "An object that was declared without additional properties gets one: strict clients "
            "reject it."
        ),
        ChangeRule.ALTERNATIVE_CHANGED: (
            "Generated unions lose a class that clients send, or gain one that their code does not "
            "handle, even though all values were possible before."
        ),
        ChangeRule.ENUM_WIDENED: (
            "Clients rely on the values that the API sends today. A value that their code does not "
            "handle may now be sent."
        ),
        ChangeRule.NULLABLE_WIDENED: (
            "Clients rely on the values that the API sends today. Null, which their types do not "
            "expect, may now be sent."
        ),
    },
    Category.SERVER_SOURCE: {
        ChangeRule.OPERATION_ADDED: (
            "Implementations of the server stub must implement one more method."
        ),
    },
    Category.COMPATIBLE: {
        ChangeRule.ADDED: "Something was added that clients can ignore.",
        ChangeRule.RELAXED: "Something is no longer required, or is now guaranteed.",
        ChangeRule.SCHEMA_COMPATIBLE: (
            "A schema changed, and receivers accept every value that may be sent."
        ),
        ChangeRule.DECLARATION_COMPATIBLE: (
            "A declaration of the contract changed and keeps its promises."
        ),
        ChangeRule.DEPRECATION: (
            "Something is deprecated, or no longer deprecated: removals are announced in advance."
        ),
        ChangeRule.SUNSET_OPERATION_REMOVED: (
            "An operation was removed after its announced date (`deprecated`, `x-sunset`)."
        ),
        ChangeRule.SUNSET_REMOVED: (
            "A parameter, header or property was removed after its announced date (`deprecated`, "
            "`x-sunset`)."
        ),
        ChangeRule.UNSTABLE_CHANGED: (
            "Operations that are not stable yet changed in a way that would break clients "
            "(`x-stability-level` draft or alpha, or `x-internal: true`)."
        ),
        ChangeRule.ERROR_STATUS_REMOVED: (
            "An error status is no longer declared; clients handle one case too many."
        ),
    },
}
