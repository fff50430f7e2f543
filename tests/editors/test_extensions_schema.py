"""The schema of the extensions knows each key at its places, and refuses it anywhere else."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
import yaml

from specwright.editors.extensions import extensions_schema
from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.table import KEYWORDS
from tests.conftest import ROOT
from tests.docs.test_prose import tracked
from tests.vocabulary.test_keywords import WRONG, declared

SCHEMA = extensions_schema()
VALIDATOR = jsonschema_rs.Draft7Validator(SCHEMA, validate_formats=True)
ALL = pytest.mark.parametrize(
    "each", KEYWORDS, ids=lambda each: f"{each.name} of a {each.places[0]}"
)
UNKNOWN = {"x-contract-paginaton": {}}


def document(holder: dict[str, Any], place: Place, method: str = "get") -> dict[str, Any]:
    """A document with this object at a place of the kind."""
    of_property = holder if place is Place.PROPERTY else {}
    schema = holder if place is Place.SCHEMA else {"properties": {"name": of_property}}
    operation = {
        "parameters": [holder if place is Place.PARAMETER else {"name": "id"}],
        "responses": {
            "200": {"content": {"application/json": {"schema": {"items": {"allOf": [schema]}}}}},
            "x-note": "is no response",
        },
    }
    path = {method: {**operation, **holder} if place is Place.OPERATION else operation}
    return {
        "openapi": "3.1.0",
        "x-other": 1,
        "paths": {"/things": path, "x-note": "is no path"},
        "webhooks": {"thing": {"post": holder if place is Place.WEBHOOK else operation}},
        "components": {"schemas": {"Thing": {"type": "object", "properties": {"a": schema}}}},
        **(holder if place is Place.DOCUMENT else {}),
    }


def method_of(keyword: Keyword[Any]) -> str:
    return keyword.methods[0].lower() if keyword.methods else "get"


@ALL
def test_a_key_is_accepted_at_its_places_only(each: Keyword[Any]) -> None:
    for place in Place:
        elsewhere = {
            other.places for other in KEYWORDS if other.name == each.name and other is not each
        }
        if any(place in places for places in elsewhere):
            continue
        written = document({each.name: each.example}, place, method_of(each))
        assert VALIDATOR.is_valid(written) is (place in each.places), place


@ALL
def test_a_key_of_other_methods_is_refused(each: Keyword[Any]) -> None:
    holder = {each.name: each.example}
    for method in ("get", "put", "post", "delete", "patch"):
        if Place.OPERATION in each.places:
            is_right = not each.methods or method.upper() in each.methods
            assert VALIDATOR.is_valid(document(holder, Place.OPERATION, method)) is is_right


@pytest.mark.parametrize("place", Place)
def test_a_mistyped_key_is_refused_everywhere(place: Place) -> None:
    assert VALIDATOR.is_valid(document({}, place))
    assert VALIDATOR.is_valid(document({"x-contrac": 1}, place))
    assert not VALIDATOR.is_valid(document(UNKNOWN, place))


@pytest.mark.parametrize("name", ["responses", "headers", "requestBodies", "pathItems"])
def test_a_key_is_refused_where_none_belongs(name: str) -> None:
    assert VALIDATOR.is_valid({"components": {name: {"x": {}}}})
    assert not VALIDATOR.is_valid({"components": {name: {"x": UNKNOWN}}})


def test_callbacks_have_operations() -> None:
    callback = {"{$request.body#/url}": {"post": UNKNOWN}, "x-note": "is no path"}
    operation = {"callbacks": {"done": callback}}
    assert not VALIDATOR.is_valid({"paths": {"/a": {"post": operation}}})
    callback["{$request.body#/url}"] = {"post": {"x-contract-capacity": example("capacity")}}
    assert VALIDATOR.is_valid({"paths": {"/a": {"post": operation}}})


def example(name: str) -> Any:
    return next(each.example for each in KEYWORDS if each.name == f"x-contract-{name}")


@pytest.mark.parametrize(("name", "place", "members"), WRONG)
def test_a_value_out_of_its_limits_is_refused(name: str, place: Place, members: Any) -> None:
    keyword = declared(name, place)
    value = {**keyword.example, **members}
    written = document({name: value}, place, method_of(keyword))
    assert not VALIDATOR.is_valid(written)


def test_the_documents_of_this_repository_are_accepted() -> None:
    files = [
        file
        for suffix in (".json", ".yaml")
        for file in tracked("spec", "tests/golden", "examples", suffix=suffix)
        if "expected" not in file.parts and "x-contract-" in file.read_text("utf-8")
    ]
    assert ROOT / "spec" / "openapi.json" in files and len(files) > 2
    for file in files:
        # Every JSON text is YAML, too.
        content = json.loads(json.dumps(yaml.load(file.read_text("utf-8"), yaml.CSafeLoader)))
        assert [f"{file}: {error.message}" for error in VALIDATOR.iter_errors(content)] == []


def test_editors_show_words_and_examples() -> None:
    moment: Any = SCHEMA["definitions"]["x-contract-moment-property"]  # type: ignore[index, call-overload]
    assert moment["title"] == "x-contract-moment"
    assert moment["type"] == "string"
    assert len(moment["enumDescriptions"]) == len(moment["enum"]) > 1
    assert moment["defaultSnippets"][0]["body"] == moment["examples"][0] in moment["enum"]
