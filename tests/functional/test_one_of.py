"""A value of `oneOf` fits exactly one alternative where it is sent; it is read in any case.

Alternatives that overlap by themselves are read as those of `anyOf`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from tests.functional.conftest import Generate, codecs
from tests.functional.documents import Json, content, document, operation, ref

TEXT: Json = {"type": "string"}
CARD: Json = {"type": "object", "properties": {"card": TEXT}, "required": ["card"]}
BANK: Json = {
    "type": "object",
    "properties": {"iban": TEXT, "day": {"type": "string", "format": "date"}},
    "required": ["iban"],
}
ONE_OF: Json = {"oneOf": [CARD, BANK]}
BY_REFERENCE: Json = {"oneOf": [ref("Card"), ref("Bank")]}
SOURCES: dict[str, Json] = {
    "inline": ONE_OF,
    "component": ref("Source"),
    "references": BY_REFERENCE,
    "in a list": {"type": "array", "items": ONE_OF},
    "or null": {"oneOf": [CARD, BANK, {"type": "null"}]},
    "beside properties": {
        "type": "object",
        "properties": {"card": TEXT, "iban": TEXT},
        "oneOf": [{"required": ["card"]}, {"required": ["iban"]}],
    },
    "in a circle": ref("Tree"),
    "nullable": {"oneOf": [CARD, {**BANK, "type": ["object", "null"]}]},
}
TREE: Json = {
    "oneOf": [
        {
            "type": "object",
            "properties": {"card": TEXT, "under": ref("Tree")},
            "required": ["card"],
        },
        BANK,
    ]
}
ONE = {"card": "4"}
OTHER = {"iban": "DE", "day": "2026-01-02"}
BOTH = {"card": "4", "iban": "DE"}


def api() -> Json:
    fields = {f"s{at}": each for at, each in enumerate(SOURCES.values())}
    pay = {"type": "object", "properties": fields}
    return document(
        {
            "/pay": {
                "post": operation(
                    ref("Pay"),
                    operationId="pay",
                    requestBody={"required": True, **content(ref("Pay"))},
                )
            }
        },
        {"Pay": pay, "Source": ONE_OF, "Card": CARD, "Bank": BANK, "Tree": TREE},
    )


def placed(place: str, value: Any) -> Any:
    return {f"s{[*SOURCES].index(place)}": [value] if place == "in a list" else value}


@pytest.mark.parametrize("place", SOURCES)
def test_what_fits_several_alternatives_is_read_and_not_sent(place: str, package: Generate) -> None:
    made = package(api())
    codec = codecs(made)["Pay"]
    for value in (ONE, OTHER):
        data = json.dumps(placed(place, value)).encode()
        assert json.loads(codec.encode(codec.decode(data))) == placed(place, value)
    data = json.dumps(placed(place, BOTH)).encode()
    assert json.loads(codec.dump(codec.read(data))) == placed(place, BOTH)
    for attempt in (lambda: codec.decode(data), lambda: codec.encode(placed(place, BOTH))):
        with pytest.raises(ValidationError, match="matches more than one alternative"):
            attempt()


def test_an_alternative_within_an_alternative_fits_one_as_well(package: Generate) -> None:
    codec = codecs(package(api()))["Pay"]
    assert codec.decode(json.dumps(placed("in a circle", {**ONE, "under": OTHER})).encode())
    with pytest.raises(ValidationError, match="matches more than one alternative"):
        codec.decode(json.dumps(placed("in a circle", {**ONE, "under": BOTH})).encode())


def test_null_is_an_alternative(package: Generate) -> None:
    codec = codecs(package(api()))["Pay"]
    data = json.dumps(placed("or null", None)).encode()
    assert json.loads(codec.encode(codec.decode(data))) == placed("or null", None)


def test_an_only_alternative_is_the_whole(package: Generate) -> None:
    only = {"properties": {"card": TEXT}}
    made = package(document({}, {"Only": only, "One": {"oneOf": [ref("Only")]}}))
    assert codecs(made)["One"].encode(ONE) == b'{"card":"4"}'


COLUMN: Json = {"anyOf": [{"type": "string", "enum": ["epoch"]}, TEXT]}
TAG: Json = {"anyOf": [{"type": "string", "pattern": "^[b-h]+$"}, {"type": "integer"}]}
LONG: Json = {"anyOf": [{"type": "string", "minLength": 12}, {"type": "null"}]}


@pytest.mark.parametrize(
    ("alternatives", "fits", "several"),
    [
        ([ref("Column"), {"type": "array", "items": ref("Column")}], ["epoch", ["a"]], None),
        ([COLUMN, {"type": "array", "items": COLUMN}], ["epoch", ["a"]], None),
        ([ref("Long"), ref("Tag")], ["twelve of them", 7], "bcdefghbcdefgh"),
        ([ref("Alias"), {"type": "array", "items": TEXT}, {"type": "null"}], ["epoch", None], None),
    ],
    ids=["references", "inline", "of two unions", "an alias of an alias"],
)
def test_an_alternative_that_is_a_union_is_one_alternative(
    package: Generate, alternatives: list[Json], fits: list[Any], several: Any
) -> None:
    schemas = {"Column": COLUMN, "Tag": TAG, "Long": LONG, "Alias": ref("Column")}
    body = {"type": "object", "properties": {"by": {"oneOf": alternatives}}}
    given = operation(operationId="sort", requestBody={"required": True, **content(ref("Sort"))})
    made = package(document({"/sort": {"post": given}}, {**schemas, "Sort": body}))
    codec = codecs(made)["Sort"]
    for value in fits:
        assert json.loads(codec.encode({"by": value})) == {"by": value}
    if several is not None:
        with pytest.raises(ValidationError, match="matches more than one alternative"):
            codec.encode({"by": several})


@pytest.mark.parametrize(
    ("alternatives", "fits"),
    [
        ([{"type": "number"}, {"type": "integer"}], [1.5, 5]),
        ([COLUMN, {"type": "string", "minLength": 10}], ["epoch", "epoch of it"]),
        ([ref("Column"), {"type": "string", "maxLength": 3}], ["epoch", "abc"]),
        ([{"type": "string", "pattern": "^[0-9]+s$"}, {"enum": ["-1", "1s"]}], ["-1", "1s", "2s"]),
        ([{"type": ["string", "null"]}, {"type": ["integer", "null"]}], ["a", 1, None]),
        ([CARD, {"type": "object", "properties": {"card": TEXT}}], [ONE, {}]),
    ],
    ids=["numbers", "texts", "a reference", "a listed text", "null", "objects"],
)
def test_alternatives_that_overlap_are_sent(
    package: Generate, alternatives: list[Json], fits: list[Any]
) -> None:
    body = {"type": "object", "properties": {"by": {"oneOf": alternatives}}}
    given = operation(operationId="sort", requestBody={"required": True, **content(ref("Sort"))})
    made = package(document({"/sort": {"post": given}}, {"Column": COLUMN, "Sort": body}))
    codec = codecs(made)["Sort"]
    for value in fits:
        assert json.loads(codec.encode({"by": value})) == {"by": value}
