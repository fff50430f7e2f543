"""The keywords that models support, and the types of values that each applies to."""

from __future__ import annotations

# Keywords that are passed to the model generator.
KEYWORDS = frozenset(
    [
        "$ref",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "default",
        "deprecated",
        "description",
        "discriminator",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "required",
        "type",
        "uniqueItems",
    ]
)

# Formats with a Python type of their own, which allows neither a pattern nor a length.
FORMATS = frozenset({"date", "date-time", "time", "uuid"})
TEXT_CONSTRAINTS = frozenset({"maxLength", "minLength", "pattern"})

# Keywords that do not apply to values of other types (JSON Schema 2020-12 Validation, 6).
NUMBERS = ("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf")
LIMITS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(NUMBERS, ("number", "integer")),
    **dict.fromkeys(TEXT_CONSTRAINTS, ("string",)),
    **dict.fromkeys(("items", "maxItems", "minItems", "uniqueItems"), ("array",)),
    **dict.fromkeys(("maxProperties", "minProperties", "properties", "required"), ("object",)),
    "format": ("string",),
}
# Counts, which Python stores in a machine word.
COUNTS = frozenset(
    {"maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"}
)
# Keywords that a value may violate and still have its type.
BESIDE_TYPE = frozenset({*NUMBERS, *TEXT_CONSTRAINTS, *COUNTS, "format", "uniqueItems"})
