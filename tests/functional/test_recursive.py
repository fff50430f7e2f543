"""Schemas that hold themselves become types that check every level."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypeAliasType

from tests.functional.conftest import Generate
from tests.functional.documents import Json, content, document, operation, ref
from tests.names.kinds import SCHEMAS

NAMES = ("ListsKind", "MapsKind", "NestKind", "FewKind", "TextsKind", "TreeKind", "LinksKind")
ACCEPTED = {
    "ListsKind": [["x"], [[]]],
    "MapsKind": {"a": {"b": 1, "c": None}},
    "NestKind": [[], [[]]],
    "FewKind": [[], [[], []]],
    "TextsKind": ["x", ["y", None], None],
    "TreeKind": {"a": {"b": {}}},
    "LinksKind": [{"links": []}],
}
REFUSED = {
    "ListsKind": [["x", [1]]],
    "MapsKind": {"a": {"b": "x"}},
    "NestKind": [[], [[1]]],
    "FewKind": [[], [[], [], []]],
    "TextsKind": ["x", ["y", 1]],
    "TreeKind": {"a": {"b": 1}},
    "LinksKind": [{"links": [1]}],
}


@pytest.fixture(scope="module")
def made(package: Generate) -> ModuleType:
    paths: Json = {
        f"/{name}": {
            "put": operation(
                ref(name),
                operationId=f"put{name}",
                requestBody={"required": True, **content(ref(name))},
                parameters=[{"name": "q", "in": "query", "schema": ref(name)}],
            )
        }
        for name in NAMES
    }
    return package(document(paths, SCHEMAS))


@pytest.mark.parametrize("name", NAMES)
def test_a_value_that_fits_at_every_level(made: ModuleType, name: str) -> None:
    value = adapter(made, name).validate_json(json.dumps(ACCEPTED[name]))
    assert adapter(made, name).dump_python(value) == ACCEPTED[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_value_that_does_not_fit_deep_inside(made: ModuleType, name: str) -> None:
    with pytest.raises(ValidationError):
        adapter(made, name).validate_json(json.dumps(REFUSED[name]))


@pytest.mark.parametrize("name", NAMES)
def test_a_type_that_names_itself_has_a_name(made: ModuleType, name: str) -> None:
    # Type checkers refuse a circle of plain aliases.
    alias = getattr(made.models, name)
    assert isinstance(alias, TypeAliasType)
    assert alias.__name__ == name


def adapter(made: ModuleType, name: str) -> TypeAdapter[Any]:
    return TypeAdapter(getattr(made.models, name))


def test_a_union_may_stand_before_its_members(package: Generate) -> None:
    """Circles through a union with a discriminator are written in an order that Python can run."""

    def tagged(tag: str, **properties: Json) -> Json:
        kind = {"type": {"type": "string", "enum": [tag]}, **properties}
        return {
            "allOf": [ref("Base"), {"type": "object", "properties": kind, "required": ["type"]}]
        }

    tags = ("Plain", "Condition", "Predicate")
    made = package(
        document(
            {"/search": {"get": operation(ref("Search"), operationId="search")}},
            {
                "Condition": tagged("Condition", script=ref("Script")),
                "Definition": {
                    "oneOf": [ref(tag) for tag in tags],
                    "discriminator": {"propertyName": "type"},
                },
                "Search": {"type": "object", "properties": {"analysis": ref("Analysis")}},
                "Base": {"type": "object", "properties": {"version": {"type": "string"}}},
                "Script": {"type": "object", "properties": {"source": ref("Source")}},
                "Source": {"oneOf": [{"type": "string"}, ref("Search")]},
                "Analysis": {"type": "object", "additionalProperties": ref("Filter")},
                "Predicate": tagged("Predicate", script=ref("Script")),
                "Filter": {"oneOf": [{"type": "string"}, ref("Definition")]},
                "Plain": tagged("Plain"),
            },
        )
    )
    script = {"source": {"analysis": {"inner": {"type": "Plain"}}}}
    value = {"analysis": {"outer": {"type": "Predicate", "script": script}, "name": "x"}}
    search = adapter(made, "Search").validate_json(json.dumps(value))
    assert isinstance(search.analysis["outer"], made.models.Predicate)
    assert isinstance(search.analysis["outer"].script.source.analysis["inner"], made.models.Plain)
