"""Values that a schema may accept, the simplest first, and those that it does accept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specwright.samples.compiled import Compiled
from specwright.samples.sampler import MOST, Sampler

from .schemas import referring, sampler, side

TEXT, OBJECT, ARRAY = {"type": "string"}, {"type": "object"}, {"type": "array"}
CONTENT = {**TEXT, "contentMediaType": "application/json", "contentSchema": {"const": [7]}}
AB = {"type": "object", "properties": {"a": {"enum": ["x", "y"]}, "b": {}}}

# A schema, and values that are tried for it.
TRIED: dict[str, tuple[Any, list[Any]]] = {
    "all of the values": ({"enum": ["x", "y"]}, ["x", "y"]),
    "each alternative": ({"anyOf": [{"const": 1}, {"const": 2}]}, [1, 2]),
    "content": (CONTENT, ["[7]"]),
    "a few numbers": ({"type": "integer"}, [1, 0, -1, 2**31, -(2**31) - 1]),
    "fractions": ({"type": "number", "minimum": 7}, [0.5, 6.5, 7.5]),
    "what is wrong before what is divided": ({"type": "integer", "multipleOf": 77}, [76, 77, 78]),
    "another property that is listed": (AB, [{"a": "x"}, {"a": "y"}]),
    "a property that is not": ({**OBJECT, "additionalProperties": {"const": 5}}, [{"unknown": 5}]),
    "a property of a pattern": ({**OBJECT, "patternProperties": {"^x$": {"const": 5}}}, [{"x": 5}]),
    "the same item twice": ({**ARRAY, "items": {"const": 5}}, [[], [5], [5, 5]]),
    "what is contained": ({**ARRAY, "contains": {"const": 5}}, [[5]]),
}


@pytest.mark.parametrize(("schema", "values"), TRIED.values(), ids=TRIED)
def test_values_are_tried(schema: Any, values: list[Any]) -> None:
    tried = list(sampler().of(schema))
    assert [value for value in values if value not in tried] == []


NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
# The type that keywords limit, and the size of a value.
LIMITS: list[tuple[str, Any, Any]] = [
    *((keyword, {"type": "integer"}, lambda value: value) for keyword in NUMBERS),
    *((keyword, TEXT, len) for keyword in ("minLength", "maxLength")),
    *((keyword, ARRAY, len) for keyword in ("minItems", "maxItems")),
    *((keyword, OBJECT, len) for keyword in ("minProperties", "maxProperties")),
]


@pytest.mark.parametrize(("keyword", "schema", "size"), LIMITS, ids=[limit[0] for limit in LIMITS])
def test_values_at_a_limit_and_beside_it_are_tried(keyword: str, schema: Any, size: Any) -> None:
    sizes = {size(value) for value in sampler().of({**schema, keyword: 41})}
    assert {40, 41, 42} <= sizes


@pytest.mark.parametrize(
    ("schema", "kinds"),
    [
        ({"required": ["a"]}, {dict}),
        ({"properties": {"a": {}}}, {dict}),
        ({"propertyNames": {"maxLength": 1}}, {dict}),
        ({"items": {}}, {list}),
        ({"prefixItems": [{}]}, {list}),
        ({}, {dict, list, str, int, float, bool, type(None)}),
    ],
)
def test_keywords_say_which_types_are_meant(schema: Any, kinds: set[type]) -> None:
    assert {type(value) for value in sampler().of(schema)} == kinds


@pytest.mark.parametrize(
    ("marks", "shown"),
    [({}, ["x1", "x2"]), ({"x-contract-once": True}, []), ({"x-contract-sensitive": True}, [])],
)
def test_examples_come_first_unless_they_may_hold_a_secret(marks: Any, shown: list[str]) -> None:
    schema = {"examples": ["x1", None, {"s": 1}, ["x3"]], "example": "x2", "type": "string"}
    values = list(sampler().of({**schema, **marks}))
    assert values[: len(shown)] == shown
    assert {str} == {type(value) for value in values}
    assert bool({"x1", "x2"} & set(values)) is bool(shown)


# A schema, and what it accepts: the least and more.
ACCEPTED: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "what has to be there": ({**AB, "required": ["a"]}, ({"a": "x"}, {"a": "x", "b": None})),
    "a list that is empty, and one that is not": (
        {"properties": {"a": {**ARRAY, "items": {"const": 5}}}},
        ({}, {"a": [5]}),
    ),
    "the last keyword of parts": (
        {"allOf": [{**AB, "required": ["a"]}, {"required": ["b"]}]},
        ({"a": "x", "b": None},),
    ),
    "an item that cannot be": ({**ARRAY, "prefixItems": [False], "maxItems": 0}, ([],)),
    "an amount": ({**TEXT, "pattern": r"^(?!0\d)\d+\.\d{2}$"}, ("1.50",)),
}


@pytest.mark.parametrize(("schema", "accepted"), ACCEPTED.values(), ids=ACCEPTED)
def test_witnesses_are_accepted(schema: Any, accepted: tuple[Any, ...]) -> None:
    found = sampler().witnesses(schema)
    assert found[: len(accepted)] == accepted


def test_what_stands_beside_a_reference_counts(tmp_path: Path) -> None:
    samples = sampler(side(tmp_path, Name={"type": "string", "example": "abc"}))
    assert samples.witnesses(referring("Name"))[0] == "abc"
    assert all(len(text) <= 1 for text in samples.witnesses(referring("Name", maxLength=1)))


NODE = {"$ref": "#/components/schemas/Node"}
CIRCLES: dict[str, Any] = {
    "a property": {"type": "object", "properties": {"next": NODE}},
    "a property, described": {
        "type": "object",
        "properties": {"next": {**NODE, "description": "The next one."}},
    },
    "a property of a pattern": {"type": "object", "patternProperties": {"^a$": NODE}},
    "another property": {"type": "object", "additionalProperties": NODE},
    "items": {"type": "array", "items": NODE},
}


@pytest.mark.parametrize("schema", CIRCLES.values(), ids=CIRCLES)
def test_a_schema_that_holds_itself_has_values(schema: Any, tmp_path: Path) -> None:
    samples = sampler(side(tmp_path, Node=schema))
    empty: Any = [] if schema["type"] == "array" else {}
    assert samples.witnesses(referring("Node"))[0] == empty
    assert 1 < len(list(samples.of(referring("Node")))) <= MOST


def test_a_component_in_itself_is_left_out(tmp_path: Path) -> None:
    samples = sampler(side(tmp_path, Node=CIRCLES["a property"]))
    assert set(map(str, samples.witnesses(referring("Node")))) == {"{}"}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "patternProperties": {"^a$": NODE}, "required": ["a"]},
        {"type": "array", "items": NODE, "minItems": 1},
        {"anyOf": [{"type": "array", "items": NODE, "minItems": 1}, {"not": {}}]},
    ],
    ids=["a property of a pattern", "items", "an alternative"],
)
def test_what_holds_itself_without_end_has_no_witness(schema: Any, tmp_path: Path) -> None:
    samples = sampler(side(tmp_path, Node=schema))
    assert samples.witnesses(referring("Node")) == ()
    assert len(list(samples.of(referring("Node")))) <= MOST


def test_properties_of_patterns_below_each_other_end(tmp_path: Path) -> None:
    inner = {"type": "object", "minProperties": 1, "patternProperties": {"^a$": NODE}}
    node = {**inner, "patternProperties": {"^a$": inner}, "additionalProperties": False}
    assert sampler(side(tmp_path, Node=node)).witnesses(referring("Node"))


class Counting(Compiled):
    """Schemas, with a count of how many were compiled."""

    count = 0

    def validator(self, schema: Any) -> Any:
        self.count += 1
        return super().validator(schema)


def test_components_that_hold_each_other_are_compiled_a_few_times(tmp_path: Path) -> None:
    names = [f"Part{number}" for number in range(6)]
    lists = {
        name: {**ARRAY, "items": {"$ref": f"#/components/schemas/{name}"}, "description": "Some."}
        for name in names
    }
    whole = {**OBJECT, "properties": {"id": {"const": 1}, **lists}, "required": ["id"]}
    compiled = Counting((side(tmp_path, **dict.fromkeys(names, whole)),))
    full = Sampler(compiled).witnesses(referring("Part0"))[-1]
    assert full == {"id": 1, "Part0": [], **{name: [{"id": 1}] for name in names[1:]}}
    assert compiled.count < 100
