"""Defaults, overrides and results have their types, as type checkers see them."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, date, datetime
from pathlib import Path
from types import ModuleType
from typing import Any, get_args
from uuid import UUID

import pytest
from pydantic import ValidationError

from tests.checkers import mypy
from tests.functional.conftest import Generate, codecs
from tests.functional.documents import Json, document, ref

TEXT: Json = {"type": "string"}
AUTO: Json = {"kind": "auto"}


def thing(tag: str, **properties: Json) -> Json:
    properties = {"kind": {"const": tag}, **properties}
    return {"type": "object", "required": ["kind"], "properties": properties}


def derived(base: str, **properties: Json) -> Json:
    return {"allOf": [ref(base), {"type": "object", "properties": properties}]}


DEFAULTS: Json = {
    "empty": {**ref("Link"), "default": {}},
    "alternative": {**ref("Pool"), "default": AUTO},
    "or-null": {"oneOf": [ref("Pool"), {"type": "null"}], "default": AUTO},
    "many": {"type": "array", "minItems": 1, "items": ref("Pool"), "default": [AUTO]},
    "named": {"type": "object", "additionalProperties": ref("Link"), "default": {"a": {}}},
    "anything": {"type": "object", "default": {"a": 1}},
    "day": {**TEXT, "format": "date", "default": "2026-01-31"},
    "moment": {**TEXT, "format": "date-time", "default": "2026-01-31T10:00:00Z"},
    "time": {**TEXT, "format": "time", "default": "10:00:00Z"},
    "id": {**TEXT, "format": "uuid", "default": "12345678-1234-5678-1234-567812345678"},
    "price": {**TEXT, "format": "decimal", "default": "1.50"},
    "days": {"type": "array", "items": ref("Day"), "default": ["2026-01-31"]},
    "leap": {**TEXT, "format": "date-time", "default": "2016-12-31T23:59:60Z"},
    "soon": {**TEXT, "format": "date", "default": "soon"},
    "either": {"anyOf": [{**TEXT, "format": "date"}, TEXT], "default": "2026-01-31"},
    "listed": {"anyOf": [{**TEXT, "format": "date"}, {"enum": ["today"]}], "default": "today"},
    "term": {**TEXT, "format": "duration", "default": "P1D"},
    "null": {**TEXT, "default": None},
    "texts": {**TEXT, "default": ["a"]},
    "number": {"type": "integer", "default": "1"},
    "lacking": {**ref("Pool"), "default": {}},
    "unknown": {"type": "string", "enum": ["a"], "default": "b"},
    "short": {**TEXT, "minLength": 3, "default": "a"},
}
DAY = date(2026, 1, 31)
MORNING = datetime(2026, 1, 31, 10, tzinfo=UTC)
SCHEMAS: Json = {
    "Link": {"type": "object", "properties": {"href": TEXT}},
    "Auto": thing("auto", size={"type": "integer"}),
    "Exact": thing("exact"),
    "Pool": {"oneOf": [ref("Auto"), ref("Exact")]},
    "Defaults": {"type": "object", "properties": DEFAULTS},
    "Event": {
        "type": "object",
        "minProperties": 1,
        "properties": {
            "id": {**TEXT, "description": "Which event."},
            "type": TEXT,
            "count": {"type": "number"},
            "source": ref("Pool"),
            "data": {"type": "object"},
            "many": {"type": "array", "items": {"type": "object"}},
            "link": ref("Link"),
        },
    },
    "Narrow": derived(
        "Event",
        type={"enum": ["a", "b"]},
        count={"type": "integer"},
        source=ref("Auto"),
        id={"type": ["string", "null"]},
    ),
    "Narrower": derived("Narrow", type={"const": "a"}),
    "Other": {"description": "Another.", **derived("Event", data=ref("Link"))},
    "Listed": derived("Narrow", many={"type": "array", "items": ref("Link")}, type={"const": "c"}),
    "Below": derived("Other", data=ref("Link"), more=TEXT),
    "Lettered": derived("Narrow", type={"const": "c"}),
    "Wider": derived("Event", source={"oneOf": [ref("Auto"), ref("Link")]}),
    "Linked": derived("Event", link=ref("Auto")),
    "Both": {"allOf": [ref("Narrow"), ref("Other")]},
    "Day": {"oneOf": [ref("Birthday"), {"type": "null"}]},
    "Birthday": {**TEXT, "format": "date"},
    "Named": {"type": "string", "enum": ["Link", "Pool", "other"]},
    "Names": {"type": "array", "items": ref("Named")},
}


# What a call returns needs no cast where it may be anything.
ANYTHING: Json = {"application/json": {"schema": {}}, "image/png": {}}
LOOK: Json = {
    "operationId": "look",
    "responses": {"200": {"description": "It.", "content": ANYTHING}},
}
API = document({"/it": {"get": LOOK}}, SCHEMAS)


@pytest.fixture(scope="module")
def made(package: Generate) -> ModuleType:
    return package(API)


def test_a_default_is_a_value_of_its_type(made: ModuleType) -> None:
    read: Any = codecs(made)["Defaults"].decode(b"{}")
    models = made.models
    assert read.empty == models.Link()
    assert read.alternative == read.or_null == models.Auto(kind="auto")
    assert read.many == [models.Auto(kind="auto")]
    assert read.named == {"a": models.Link()}
    assert read.anything == {"a": 1}
    assert read.short == "a"
    assert (read.day, read.days) == (DAY, [DAY])
    assert (read.moment, read.time) == (MORNING, MORNING.timetz())
    assert read.id == UUID("12345678-1234-5678-1234-567812345678")
    assert (str(read.price), read.term) == ("1.50", "P1D")
    assert (read.either, read.listed) == ("2026-01-31", "today")


def test_a_default_is_sent_as_it_is_written(made: ModuleType) -> None:
    sent = json.loads(made.models.Defaults().model_dump_json(by_alias=True))
    for name in ("day", "moment", "time", "id", "price", "days"):
        assert sent[name] == DEFAULTS[name]["default"]


@pytest.mark.exhaustive
def test_defaults_have_the_types_of_their_fields(made: ModuleType, tmp_path: Path) -> None:
    # Other packages are beside it.
    shutil.copytree(Path(str(made.__file__)).parent, tmp_path / "only" / made.__name__)
    assert mypy(tmp_path / "only") == []


def test_a_default_of_another_type_is_none(made: ModuleType) -> None:
    read: Any = codecs(made)["Defaults"].decode(b"{}")
    assert [read.null, read.texts, read.number, read.lacking, read.unknown] == [None] * 5
    # Python has no leap second.
    assert [read.leap, read.soon] == [None, None]


def test_a_class_derives_from_what_it_narrows(made: ModuleType) -> None:
    models = made.models
    assert models.Narrow.__bases__ == (models.Event,)
    assert models.Narrower.__bases__ == (models.Narrow,)
    assert models.Below.__bases__ == (models.Other,)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Other", "Event"),
        ("Listed", "Narrow"),
        ("Wider", "Event"),
        ("Linked", "Event"),
        ("Both", "Other"),
    ],
)
def test_a_class_of_other_types_has_all_fields_and_is_none_of_the_kind(
    made: ModuleType, name: str, other: str
) -> None:
    model = getattr(made.models, name)
    fields = {"count", "data", "id", "link", "many", "source", "type"}
    assert not issubclass(model, getattr(made.models, other))
    assert model.model_fields.keys() == fields
    # What is said of the whole object holds, too.
    codec = codecs(made)[name]
    codec.decode(b'{"count": 1}')
    with pytest.raises(ValidationError, match="too_short"):
        codec.decode(b"{}")


def test_a_class_says_nothing_of_a_base_again(made: ModuleType) -> None:
    assert made.models.Both.__bases__ == (made.models.Narrow,)
    assert "id" not in made.models.Both.__annotations__


def test_a_class_of_other_types_is_documented(made: ModuleType) -> None:
    assert made.models.Other.__doc__ == "Another."
    source = Path(str(made.models.__file__)).read_text("utf-8")
    assert (
        '    id: StrictStr | None = None\n    """Which event."""' in source.partition("Other(")[2]
    )
    read: Any = codecs(made)["Other"].decode(b'{"data": {"href": "/"}}')
    assert read.data == made.models.Link(href="/")


def test_values_that_are_names_of_classes_are_no_references(made: ModuleType) -> None:
    assert get_args(made.models.Named) == ("Link", "Pool", "other")
    read: Any = codecs(made)["Names"].decode(b'["Link", "other"]')
    assert read == ["Link", "other"]
