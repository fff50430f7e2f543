"""Schemas of two keywords each: beside one another, as parts of an `allOf`, and inherited."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from tests.functional.documents import Json, content, document, operation, ref

TEXT: Json = {"type": "string"}
NUMBER: Json = {"type": "integer"}
LIST: Json = {"type": "array", "items": NUMBER}
COMPONENTS: Json = {
    "Text": {**TEXT, "minLength": 2},
    "Number": {**NUMBER, "maximum": 9},
    "Array": LIST,
    "Object": {"type": "object", "properties": {"id": TEXT}, "required": ["id"]},
    "Other": {"type": "object", "properties": {"n": NUMBER}, "required": ["n"]},
}
OBJECTS = [ref("Object"), ref("Other")]
# Schemas of one keyword by the kind of value that it is about.
SCHEMAS: dict[str, dict[str, Any]] = {
    "text": {
        "type": TEXT,
        "const": {"const": "ab"},
        "enum": {"enum": ["ab", "abcd"]},
        "bound": {"maxLength": 3},
        "$ref": ref("Text"),
        "allOf": {"allOf": [TEXT, {"minLength": 2}]},
        "oneOf": {"oneOf": [TEXT, NUMBER]},
        "anyOf": {"anyOf": [{**TEXT, "minLength": 2}, NUMBER]},
        "true": True,
        "false": False,
    },
    "number": {
        "bound": {"minimum": 5},
        "type": NUMBER,
        "const": {"const": 7},
        "enum": {"enum": [3, 7]},
        "$ref": ref("Number"),
        "allOf": {"allOf": [NUMBER, {"maximum": 9}]},
        "oneOf": {"oneOf": [NUMBER, TEXT]},
        "anyOf": {"anyOf": [{**NUMBER, "maximum": 9}, TEXT]},
    },
    "array": {
        "type": {"type": "array"},
        "const": {"const": [7]},
        "enum": {"enum": [[7], [3, 4]]},
        "bound": {"maxItems": 2},
        "items": {"items": NUMBER},
        "$ref": ref("Array"),
        "allOf": {"allOf": [{"type": "array"}, {"minItems": 1}]},
        "oneOf": {"oneOf": [LIST, TEXT]},
        "anyOf": {"anyOf": [LIST, TEXT]},
    },
    "object": {
        "type": {"type": "object"},
        "const": {"const": {"id": "ab"}},
        "enum": {"enum": [{"id": "ab"}, {"id": "x"}]},
        "bound": {"maxProperties": 1},
        "properties": {"properties": {"id": TEXT}},
        "required": {"required": ["id"]},
        "additionalProperties": {"additionalProperties": TEXT},
        "patternProperties": {"patternProperties": {"^s_": {**TEXT, "minLength": 2}}},
        "$ref": ref("Object"),
        "allOf": {"allOf": [ref("Object"), {"type": "object", "properties": {"n": NUMBER}}]},
        "oneOf": {"oneOf": OBJECTS},
        "anyOf": {"anyOf": OBJECTS},
    },
}
VALUES: dict[str, list[Any]] = {
    "text": ["", "ab", "abc", "abcd", 1, None, ["ab"], {"id": "ab"}],
    "number": [7, 3, 5, 9, 12, 1.5, "ab", True, None],
    "array": [[], [7], [3, 4], [1, 2, 3], ["ab"], ["a", "b", "c"], "ab", 1, {"id": "ab"}],
    "object": [
        *({}, {"id": "ab"}, {"id": "xyz"}, {"id": 1}, {"n": 1}, {"n": "ab"}, {"id": "ab", "n": 1}),
        *({"id": "ab", "n": "ab"}, {"id": 1, "n": 1}, {"id": "ab", "s_a": "xy"}),
        *({"id": "ab", "s_a": 1}, {"s_a": "xy"}, {"s_a": "x"}, {"s_a": 1}, "ab", [1]),
    ],
}
# Keywords that say nothing about values of another kind are paired across kinds.
OF_ONE_KIND = (
    ("text", "bound"),
    ("number", "bound"),
    ("array", "items"),
    ("array", "bound"),
    ("object", "patternProperties"),
    ("object", "properties"),
    ("object", "required"),
    ("object", "additionalProperties"),
)
OTHERS = "additionalProperties"
BASE = "#/components/schemas/Base"


@dataclass(frozen=True)
class Pair:
    """A schema of two keywords.

    Attributes:
        name: the keywords, and how they are together.
        base: the schema that the other one refers to as `BASE`, if it is inherited.
        kinds: those of the values that both keywords are about.
        is_property: whether the pair is about the property `p` of an object.
    """

    name: str
    schema: Json
    base: Any
    kinds: tuple[str, ...]
    is_property: bool

    @property
    def values(self) -> list[Any]:
        """Values to try, of which some are valid and others not."""
        first, *others = (VALUES[kind] for kind in self.kinds)
        listed = [*first, *(value for other in others for value in other if value not in first)]
        return [{"p": value} for value in listed] if self.is_property else listed

    def is_meant(self, value: Any) -> bool:
        """Return whether a valid value is one that a caller of the method has to be able to pass.

        A schema without a type that has keywords of arrays or objects is one of these
        (docs/decisions/0221), and arguments name the properties that the document names.
        """
        value = value["p"] if self.is_property else value
        words = json.dumps([self.schema, self.base])
        if "array.items" in self.name and not isinstance(value, list):
            return False
        if "object" in self.kinds and not isinstance(value, dict):
            return False
        if not isinstance(value, dict) or "patternProperties" in words or OTHERS in words:
            return True
        names = {"id": ("schemas/Object", '"id"'), "n": ("schemas/Other", '"n"'), "s_a": ()}
        return all(any(word in words for word in names[name]) for name in value)


def pairs(kind: str) -> list[Pair]:
    """The pairs whose first keyword is about this kind of value."""
    found = list(_pairs(kind))
    assert len({pair.name for pair in found}) == len(found)
    return found


def _pairs(kind: str) -> Iterator[Pair]:
    for one, other in combinations(SCHEMAS[kind], 2):
        # What texts show about others holds for numbers.
        if kind != "number" or one == "bound":
            yield from _forms((kind, one), (kind, other))
    for first, second in combinations(OF_ONE_KIND, 2):
        # A schema of both arrays and objects that has no type is not in use.
        is_mixed = first == ("array", "items") and second[0] == "object"
        if first[0] == kind != second[0] and not is_mixed:
            yield from _forms(first, second)


def _forms(first: tuple[str, str], second: tuple[str, str]) -> Iterator[Pair]:
    kinds = tuple(dict.fromkeys((first[0], second[0])))
    one, other = (SCHEMAS[kind][keyword] for kind, keyword in (first, second))
    name = f"{'.'.join(first)} and {'.'.join(second)}"

    def both(form: str, schema: Json) -> Iterator[Pair]:
        yield Pair(f"{name}, {form}", schema, None, kinds, False)
        yield Pair(f"{name}, {form}, in a property", _property(schema), None, kinds, True)

    if isinstance(one, dict) and isinstance(other, dict) and one.keys().isdisjoint(other):
        yield from both("beside", {**one, **other})
    yield from both("as parts", {"allOf": [one, other]})
    for form, base, own in (("inherited", one, other), ("inherited back", other, one)):
        if isinstance(own, dict) and "$ref" not in own:
            yield Pair(f"{name}, {form}", {"$ref": BASE, **own}, base, kinds, False)
        heir = {"allOf": [{"$ref": BASE}], "properties": {"p": own}}
        yield Pair(f"{name}, {form}, in a property", heir, _property(base), kinds, True)


def _property(schema: Any) -> Json:
    return {"type": "object", "properties": {"p": schema}}


def api(several: list[Pair]) -> Json:
    """A document with an operation for each pair, `send0` for the first, that returns its body."""
    paths: Json = {}
    schemas = dict(COMPONENTS)
    for number, pair in enumerate(several):
        schema = json.dumps(pair.schema).replace(f'"{BASE}"', f'"{BASE}{number}"')
        schemas[f"V{number}"] = json.loads(schema)
        if pair.base is not None:
            schemas[f"Base{number}"] = pair.base
        body = {"required": True, **content(ref(f"V{number}"))}
        send = operation(ref(f"V{number}"), operationId=f"send{number}", requestBody=body)
        paths[f"/v{number}"] = {"post": send}
    return document(paths, schemas)
