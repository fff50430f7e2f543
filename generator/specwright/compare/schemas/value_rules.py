"""The rules of keywords that restrict values: some are no longer accepted, or may now be sent."""

from __future__ import annotations

from collections.abc import Mapping

from specwright.compare.verdicts.announcements import SUNSET_REMOVED
from specwright.compare.verdicts.change_rule import ChangeCategory, ChangeRule
from specwright.compare.verdicts.example import REQUEST, RESPONSE, Example, example

_ACCEPT_BOTH = (
    "Continue to accept the old values: add a property, parameter or operation with the new schema "
    "beside the old one, and mark the old one `deprecated`."
)
_SEND_BOTH = (
    "Send the new values in a property or operation with another name, continue to send the old "
    "one, and mark it `deprecated`."
)


def _beside(part: str, before: str, after: str) -> Example:
    """Return an example: a property with a changed schema, or a new property beside the old one."""
    old = f"{before.removesuffix('}')}, deprecated: true}}"
    return example(
        part,
        f"{{type: object, properties: {{v: {before}}}}}",
        f"{{type: object, properties: {{v: {after}}}}}",
        f"{{type: object, properties: {{v: {old}, w: {after}}}}}",
    )


def _narrowed(id: str, what: str, wide: str, narrow: str, *, is_list: bool = False) -> ChangeRule:
    return ChangeRule(
        id,
        ChangeCategory.WIRE,
        f"Clients continue to send values that are valid today. {what} that was allowed is now "
        "rejected.",
        example=_beside(REQUEST, wide, narrow),
        remedy=_ACCEPT_BOTH,
        after_sunset=SUNSET_REMOVED if is_list else None,
        removes_values=is_list,
    )


def _widened(id: str, what: str, wide: str, narrow: str) -> ChangeRule:
    return ChangeRule(
        id,
        ChangeCategory.WIRE,
        f"Clients rely on the values that the API sends today. {what} that was not possible may "
        "now be sent.",
        example=_beside(RESPONSE, narrow, wide),
        remedy=_SEND_BOTH,
    )


def _both(
    narrowed: str, widened: str, what: str, wide: str, narrow: str
) -> tuple[ChangeRule, ChangeRule]:
    return _narrowed(narrowed, what, wide, narrow), _widened(widened, what, wide, narrow)


_UNION = "A value of an alternative", "{oneOf: [{type: array}, {type: object}]}", "{type: object}"
_ENUM = "{enum: [a, b]}", "{enum: [a]}"
_NULLABLE = "{type: [string, 'null']}", "{type: string}"
_RULES = (
    *_both(
        *("type-narrowed", "type-widened", "A value of a type"),
        *("{type: number}", "{type: integer}"),
    ),
    *_both(
        *("format-narrowed", "format-widened", "Text of a format"),
        *("{type: string}", "{type: string, format: uuid}"),
    ),
    *_both(
        *("content-narrowed", "content-widened", "Text of an encoding or media type"),
        *("{type: string}", "{type: string, contentEncoding: base64}"),
    ),
    *_both(
        *("range-narrowed", "range-widened", "A number"),
        *("{type: integer, maximum: 20}", "{type: integer, maximum: 10}"),
    ),
    *_both(
        *("length-narrowed", "length-widened", "Text of a length"),
        *("{type: string, maxLength: 20}", "{type: string, maxLength: 10}"),
    ),
    *_both(
        *("pattern-narrowed", "pattern-widened", "Text"),
        *("{type: string}", "{type: string, pattern: '^[a-z]+$'}"),
    ),
    *_both(
        *("array-narrowed", "array-widened", "A list"),
        *("{type: array, maxItems: 20}", "{type: array, maxItems: 10}"),
    ),
    *_both(
        *("object-narrowed", "object-widened", "An object"),
        *("{type: object}", "{type: object, additionalProperties: false}"),
    ),
    _narrowed("union-narrowed", *_UNION, is_list=True),
    _widened("union-widened", *_UNION),
    _narrowed("enum-narrowed", "A value", *_ENUM, is_list=True),
    ChangeRule(
        "enum-widened",
        ChangeCategory.CLIENT_SOURCE,
        "Clients rely on the values that the API sends today. A value that their code does not "
        "handle may now be sent.",
        example=_beside(RESPONSE, *reversed(_ENUM)),
        remedy=(
            "Send new values in a property with another name. Declare an enumeration that will "
            "grow as extensible before clients rely on it: `x-contract-extensible-enum`, or "
            "`anyOf` with any string."
        ),
    ),
    _narrowed("nullable-narrowed", "Null", *_NULLABLE),
    ChangeRule(
        "nullable-widened",
        ChangeCategory.CLIENT_SOURCE,
        "Clients rely on the values that the API sends today. Null, which their types do not "
        "expect, may now be sent.",
        example=_beside(RESPONSE, *reversed(_NULLABLE)),
        remedy="Omit an optional property that has no value, or send it under another name.",
    ),
)
# By the stem of their keywords (`pairs.STEPS`), and the direction of the change.
VALUE_RULES: Mapping[str, ChangeRule] = {rule: rule for rule in _RULES}
