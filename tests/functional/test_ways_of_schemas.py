"""Forms of schemas in published documents, and the models made from them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from tests.functional.conftest import Generate, codecs
from tests.functional.documents import Json, document, ref

TEXT: Json = {"type": "string"}
SPEC: Json = {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}}}
MOMENT: Json = {"type": ["string", "null"], "format": "uuid"}
SCHEMAS: Json = {
    "Spec": SPEC,
    "Colour": {"type": "string", "enum": ["red", "green"]},
    "Names": {"oneOf": [TEXT, {"type": "array", "items": TEXT}]},
    "Thing": {
        "type": "object",
        "properties": {
            # Kubernetes: a default that its own schema refuses.
            "spec": {"allOf": [ref("Spec")], "default": {}},
            "labels": {"type": "object", "additionalProperties": TEXT, "default": {}},
            # Lago, Elasticsearch: annotations beside a scalar or a union.
            "colour": {"allOf": [ref("Colour"), {"example": "red"}]},
            "names": {"allOf": [ref("Names")], "description": "Some.", "deprecated": True},
            "price": {"type": "string", "format": "decimal", "pattern": r"^\d+(\.\d+)?$"},
            "prices": {"type": "array", "items": {"type": ["string", "null"], "format": "decimal"}},
        },
    },
    "Base": {"type": "object", "required": ["seen"], "properties": {"seen": MOMENT}},
    # Lago: a property that is always null in one of the answers.
    "Unseen": {"allOf": [ref("Base"), {"properties": {"seen": {"type": "null"}}}]},
}


def thing(package: Generate) -> Any:
    return codecs(package(document({}, SCHEMAS)))["Thing"]


def test_a_default_that_its_schema_refuses_is_no_default(package: Generate) -> None:
    read = thing(package).read(b"{}")
    assert (read.spec, read.labels) == (None, {})
    assert thing(package).encode({}) == b"{}"
    assert thing(package).encode({"spec": {"size": 1}}) == b'{"spec":{"size":1}}'


@pytest.mark.parametrize("value", [{"colour": "red"}, {"names": "a"}, {"names": ["a", "b"]}])
def test_words_beside_a_part_change_nothing_about_it(value: Json, package: Generate) -> None:
    assert thing(package).encode(value)


@pytest.mark.parametrize("value", [{"colour": "blue"}, {"names": 1}])
def test_a_part_is_checked_as_the_whole(value: Json, package: Generate) -> None:
    with pytest.raises(ValidationError):
        thing(package).encode(value)


def test_decimals_need_no_name(package: Generate) -> None:
    read = thing(package).read(b'{"price": "1.50", "prices": ["2", null]}')
    assert (read.price, read.prices) == (Decimal("1.50"), [Decimal(2), None])
    assert thing(package).encode(read) == b'{"price":"1.50","prices":["2",null]}'
    with pytest.raises(ValidationError):
        thing(package).encode({"price": "1,5"})


def test_a_property_may_be_null_and_nothing_else(package: Generate) -> None:
    codec = codecs(package(document({}, SCHEMAS)))["Unseen"]
    assert codec.read(b'{"seen": null}').seen is None
