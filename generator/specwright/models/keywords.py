"""The keywords that models know, and which types of values each one is about."""

from __future__ import annotations

# Keywords that the model generator is given.
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

# Formats with a Python type of their own; such a type takes no pattern and no length.
FORMATS = frozenset({"date", "date-time", "time", "uuid"})
TEXT_CONSTRAINTS = frozenset({"maxLength", "minLength", "pattern"})

# Keywords that say nothing about values of other types (JSON Schema 2020-12 Validation, 6).
NUMBERS = ("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf")
LIMITS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(NUMBERS, ("number", "integer")),
    **dict.fromkeys(TEXT_CONSTRAINTS, ("string",)),
    **dict.fromkeys(("items", "maxItems", "minItems", "uniqueItems"), ("array",)),
    **dict.fromkeys(("maxProperties", "minProperties", "properties", "required"), ("object",)),
    "format": ("string",),
}
# Counts, which Python keeps in a machine word.
COUNTS = frozenset(
    {"maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"}
)
# Keywords that a value may break and still have its type.
BESIDE_TYPE = frozenset({*NUMBERS, *TEXT_CONSTRAINTS, *COUNTS, "format", "uniqueItems"})
