"""A schema for each kind of type that generated code has, with a value that fits it."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Any

from tests.functional.documents import Json, ref

TEXT = {"type": "string"}

# Each name ends like no other name in a test does.
KINDS: dict[str, tuple[Json, Any]] = {
    "PlainKind": (TEXT, "x"),
    "FlagKind": ({"type": "boolean"}, True),
    "WholeKind": ({"type": "integer"}, 1),
    "PartKind": ({"type": "number", "minimum": 0}, 1.5),
    "ChoiceKind": ({"type": "string", "enum": ["a", "b"]}, "a"),
    "ChoicesKind": ({"type": "array", "items": {"type": ["string", "null"], "enum": ["a"]}}, ["a"]),
    "MomentKind": ({"type": "string", "format": "date-time"}, datetime(2026, 1, 1, tzinfo=UTC)),
    "LimitedDayKind": (
        {"type": "string", "format": "date", "exclusiveMaximum": 5, "minItems": 3},
        date(2026, 1, 1),
    ),
    "NullKind": ({"const": None}, None),
    "MaybeKind": ({"anyOf": [ref("NullKind"), {"type": "null"}]}, None),
    "LinksKind": ({"type": "array", "items": ref("LinkedKind")}, []),
    "LinkedKind": ({"type": "object", "properties": {"links": ref("LinksKind")}}, {"links": []}),
    "DayKind": ({"type": "string", "format": "date"}, date(2026, 1, 1)),
    "ClockKind": ({"type": "string", "format": "time"}, time(12)),
    "AmountKind": ({"type": "string", "format": "decimal", "pattern": "^[0-9]+$"}, "1"),
    "KeyKind": ({"type": "string", "format": "uuid"}, "123e4567-e89b-12d3-a456-426614174000"),
    "PatternKind": ({"type": "string", "pattern": "^[a-z]$"}, "x"),
    "DaysKind": (
        {"type": "array", "items": {"type": "string", "format": "date"}},
        [date(2026, 1, 1)],
    ),
    "MapKind": ({"type": "object", "additionalProperties": TEXT}, {"a": "x"}),
    "NamedMapKind": (
        {
            "type": "object",
            "propertyNames": {"type": "string", "minLength": 1},
            "additionalProperties": TEXT,
        },
        {"a": "x"},
    ),
    "ObjectKind": ({"type": "object", "properties": {"any": {}}}, {"any": 1}),
    "ClosedKind": (
        {"type": "object", "additionalProperties": False, "properties": {"a": TEXT}},
        {"a": "x"},
    ),
    "OpenKind": (
        {"type": "object", "additionalProperties": TEXT, "properties": {"a": TEXT}},
        {"a": "x", "b": "y"},
    ),
    "ListsKind": ({"anyOf": [TEXT, {"type": "array", "items": ref("ListsKind")}]}, [["x"], "y"]),
    "NestKind": ({"type": "array", "items": ref("NestKind")}, [[], [[]]]),
    "FewKind": ({"type": "array", "items": ref("FewKind"), "maxItems": 2}, [[], [[]]]),
    "TextsKind": (
        {"type": ["array", "null"], "items": {"anyOf": [TEXT, ref("TextsKind")]}},
        ["x", ["y"], None],
    ),
    "TreeKind": ({"type": "object", "additionalProperties": ref("TreeKind")}, {"a": {"b": {}}}),
    "MapsKind": (
        {
            "anyOf": [
                {"type": "integer"},
                {
                    "type": "object",
                    "additionalProperties": {"anyOf": [ref("MapsKind"), {"type": "null"}]},
                },
            ]
        },
        {"a": {"b": 1, "c": None}},
    ),
    "EitherKind": ({"oneOf": [ref("ObjectKind"), ref("DaysKind")]}, {"any": 1}),
    "AnythingKind": ({}, "x"),
}
SCHEMAS: Json = {name: schema for name, (schema, _) in KINDS.items()}
