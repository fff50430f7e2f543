"""Schemas and unions as sets of values: one becomes the other, alternatives come, go and move."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specwright.findings import Finding, Level

from .documents import affected, changes, everywhere, report

TEXT = {"type": "string"}
INTEGER = {"type": "integer"}
NULL = {"type": "null"}
CARD = {
    "type": "object",
    "required": ["kind"],
    "properties": {"kind": {"const": "card"}, "number": TEXT},
}
IBAN = {
    "type": "object",
    "required": ["kind"],
    "properties": {"kind": {"const": "iban"}, "iban": TEXT},
}
USER = {"type": "object", "required": ["id"], "properties": {"id": TEXT, "name": TEXT}}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def one_of(*schemas: Any) -> dict[str, Any]:
    return {"oneOf": list(schemas)}


def any_of(*schemas: Any) -> dict[str, Any]:
    return {"anyOf": list(schemas)}


def holding(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


REQUIRED_A = {**holding(a=TEXT), "required": ["a"]}
CLOSED = {"additionalProperties": False}


def found(directory: Path, place: str, base: Any, revision: Any) -> list[Finding]:
    """The findings about the schema of a request or a response."""
    schemas = {"components": {"schemas": {"Card": CARD, "Iban": IBAN, "User": USER}}}
    sides = (everywhere(each) | schemas for each in (base, revision))
    return [change for change in changes(report(directory, *sides)) if place in affected([change])]


def errors(findings: list[Finding]) -> set[str]:
    return {finding.rule for finding in findings if finding.level is Level.ERROR}


DISCRIMINATED = {
    **one_of(ref("Card"), ref("Iban")),
    "discriminator": {"propertyName": "kind"},
}
# The place, the schemas before and after, and the rules that this breaks.
BREAKS: dict[str, tuple[str, Any, Any, set[str]]] = {
    "a response of one type gets another one": (
        "response",
        ref("Card"),
        one_of(ref("Card"), ref("Iban")),
        {"union-widened"},
    ),
    "the items of a list get another type": (
        "webhook",
        {"type": "array", "items": ref("Card")},
        {"type": "array", "items": any_of(ref("Card"), ref("Iban"))},
        {"union-widened"},
    ),
    "an inline schema gets another type": (
        "response",
        CARD,
        one_of(ref("Iban"), ref("Card")),
        {"union-widened"},
    ),
    "a request of two types keeps one": (
        "request",
        one_of(ref("Card"), ref("Iban")),
        ref("Card"),
        {"union-narrowed"},
    ),
    "the other one": (
        "request",
        DISCRIMINATED,
        ref("Iban"),
        {"union-narrowed"},
    ),
    "below allOf": (
        "request",
        {"allOf": [one_of(ref("Card"), ref("Iban"))], "description": "A way to pay."},
        {"allOf": [ref("Card")]},
        {"union-narrowed"},
    ),
    "alternatives become one schema with other properties": (
        "request",
        one_of(holding(a=TEXT), holding(b=TEXT)),
        holding(a=INTEGER),
        {"type-narrowed"},
    ),
    "an object becomes one of two that it fits both": (
        "request",
        {**holding(a=TEXT, b=TEXT), "required": ["a", "b"]},
        one_of(
            {**holding(a=TEXT, b=TEXT), "required": ["a"]},
            {**holding(a=TEXT, b=TEXT), "required": ["b"]},
        ),
        {"union-narrowed"},
    ),
    "one of two that an object fits both becomes this object": (
        "response",
        one_of(
            {**holding(a=TEXT, b=TEXT), "required": ["a"]},
            {**holding(a=TEXT, b=TEXT), "required": ["b"]},
        ),
        {**holding(a=TEXT, b=TEXT), "required": ["a", "b"]},
        {"union-widened"},
    ),
    "an alternative is closed, and one beside it is": (
        "request",
        any_of(REQUIRED_A, IBAN),
        any_of({**REQUIRED_A, **CLOSED}, {**holding(a=TEXT, c=TEXT), **CLOSED}, IBAN),
        {"object-narrowed"},
    ),
    "what an alternative says of a property": (
        "request",
        {**holding(kind=TEXT), **one_of(holding(a=TEXT), holding(b=TEXT))},
        holding(kind=TEXT, a=INTEGER),
        {"type-narrowed"},
    ),
    "what a pattern says of a property": (
        "request",
        {"type": "object", "patternProperties": {"^a": TEXT}},
        holding(ab=INTEGER),
        {"type-narrowed"},
    ),
    "a required property without a schema": (
        "response",
        {**holding(a=INTEGER), "required": ["a"]},
        {"type": "object", "required": ["a"]},
        {"type-widened"},
    ),
}


@pytest.mark.parametrize(("place", "before", "after", "rules"), BREAKS.values(), ids=BREAKS)
def test_breaks(place: str, before: Any, after: Any, rules: set[str], tmp_path: Path) -> None:
    assert errors(found(tmp_path, place, before, after)) == rules


def described(schema: dict[str, Any], words: str) -> dict[str, Any]:
    return {**schema, "description": words}


# The place, and the schemas before and after.
HARMLESS: dict[str, tuple[str, Any, Any]] = {
    "a description of null": (
        "response",
        one_of(NULL, ref("User")),
        one_of(described(NULL, "Nobody."), ref("User")),
    ),
    "an object or a list, the other way round": (
        "request",
        any_of(TEXT, {"type": "array", "items": TEXT}),
        any_of(described({"type": "array", "items": TEXT}, "Many."), described(TEXT, "One.")),
    ),
    "lists of names in another order": (
        "response",
        {**holding(a=TEXT, b={"enum": ["x", "y"]}), "required": ["a", "b"]},
        {**holding(a=TEXT, b={"enum": ["y", "x"]}), "required": ["b", "a"]},
    ),
    "one value": ("response", {"enum": ["x"]}, {"const": "x"}),
    "types as alternatives": (
        "response",
        {"type": ["string", "integer"]},
        one_of(TEXT, INTEGER),
    ),
    "a union inside of a union": (
        "response",
        any_of({"type": "boolean"}, {"type": "array"}, TEXT),
        any_of(any_of({"type": "boolean"}, {"type": "array"}), TEXT),
    ),
}


@pytest.mark.parametrize(("place", "before", "after"), HARMLESS.values(), ids=HARMLESS)
def test_the_same_in_other_words(place: str, before: Any, after: Any, tmp_path: Path) -> None:
    assert found(tmp_path, place, before, after) == []
    assert found(tmp_path, place, after, before) == []


SAFE: dict[str, tuple[str, Any, Any]] = {
    "a request takes another type as well": (
        "request",
        {"type": "object", "required": ["number"]},
        one_of(
            {"type": "object", "required": ["number"]}, {"type": "object", "required": ["iban"]}
        ),
    ),
    "a request takes an empty text as well": (
        "request",
        holding(day=INTEGER, month=INTEGER),
        any_of(holding(day=INTEGER, month=INTEGER), {"enum": [""]}),
    ),
    "an answer keeps one of two types": (
        "response",
        one_of(ref("Card"), ref("Iban")),
        ref("Card"),
    ),
    "another alternative takes what one loses": (
        "request",
        any_of(TEXT, {"enum": ["a", "b"]}),
        any_of(TEXT, {"enum": ["a"]}),
    ),
    "another alternative has allowed what one gets": (
        "response",
        any_of({"type": "number"}, {**INTEGER, "maximum": 5}),
        any_of({"type": "number"}, {**INTEGER, "maximum": 9}),
    ),
    "another alternative has the type that one loses": (
        "request",
        any_of(REQUIRED_A, IBAN),
        any_of({**REQUIRED_A, **holding(a=INTEGER)}, REQUIRED_A, IBAN),
    ),
    "a closed one has it": (
        "request",
        any_of(REQUIRED_A, IBAN),
        any_of(
            {**holding(a=TEXT, b=TEXT), "required": ["a", "b"]},
            {**holding(a=TEXT, c=TEXT, d=TEXT), "required": ["a"], **CLOSED},
            IBAN,
        ),
    ),
    "a request takes one more that fits the same": (
        "request",
        holding(a=TEXT),
        one_of(holding(a=TEXT), REQUIRED_A),
    ),
    "a request takes one more, and more of what it took": (
        "request",
        CARD,
        one_of({**CARD, **holding(kind={"const": "card"}, number=TEXT, name=TEXT)}, IBAN),
    ),
    "a property of another alternative": (
        "request",
        any_of(holding(a=TEXT), holding(a={"enum": ["x", "y"]})),
        any_of(holding(a=TEXT), holding(a={"enum": ["x"]})),
    ),
    "a default that stays where it was": (
        "request",
        {"type": "boolean", "default": True},
        one_of({"type": "boolean", "default": True}, INTEGER),
    ),
    "a default that stands beside alternatives now": (
        "request",
        {"type": "boolean", "default": True},
        {**one_of({"type": "boolean"}, INTEGER), "default": True},
    ),
    "alternatives inside": (
        "request",
        any_of({"type": "boolean"}, {"type": "array"}),
        any_of(any_of({"type": "boolean"}, {"type": "array"}), TEXT),
    ),
    "alternatives become one object": (
        "request",
        one_of(ref("Card"), ref("Iban")),
        {**holding(kind={"enum": ["card", "iban"]}, number=TEXT, iban=TEXT), "required": ["kind"]},
    ),
    "an open enumeration grows": (
        "response",
        any_of(TEXT, {"enum": ["a"]}),
        any_of(TEXT, {"enum": ["a", "b"]}),
    ),
    "a value that a closed part refuses": (
        "response",
        {"allOf": [holding(code={"enum": [408, 409]}), holding(code={"enum": [409]})]},
        {
            "allOf": [
                holding(code={"enum": [408, 409]}),
                {**holding(code={"enum": [409]}), "additionalProperties": False},
            ]
        },
    ),
}


@pytest.mark.parametrize(("place", "before", "after"), SAFE.values(), ids=SAFE)
def test_breaks_nobody(place: str, before: Any, after: Any, tmp_path: Path) -> None:
    assert [
        (finding.rule, finding.message)
        for finding in found(tmp_path, place, before, after)
        if finding.level is not Level.INFO
    ] == []


def test_a_union_says_what_it_gains_and_loses(tmp_path: Path) -> None:
    base = one_of(*({"title": f"T{n}", **holding(**{f"a{n}": TEXT})} for n in range(30)))
    revision = one_of(*base["oneOf"][:-1], {"title": "New", **holding(new=INTEGER)})
    [change] = found(tmp_path, "response", base, revision)
    assert change.message == "oneOf gains New and loses T29"


def test_null_at_one_use_is_found_at_that_use(tmp_path: Path) -> None:
    base = holding(boss=ref("User"), deputy=ref("User"))
    revision = holding(boss=one_of(NULL, ref("User")), deputy=any_of(ref("User"), NULL))
    changes = found(tmp_path, "response", base, revision)
    assert {change.rule for change in changes} == {"nullable-widened"}
    assert {
        change.pointer.rpartition("/properties/")[2] for change in changes if change.pointer
    } == {
        "boss/oneOf",
        "deputy/anyOf",
    }
    assert {change.message for change in changes} == {"null is now allowed"}
    assert {change.counterexample for change in changes} == {"null"}


def test_null_beside_values_is_one_finding_at_its_place(tmp_path: Path) -> None:
    values = {**TEXT, "enum": ["a", "b"]}
    [change] = found(tmp_path, "response", holding(a=values), holding(a=one_of(NULL, values)))
    assert (change.rule, change.counterexample) == ("nullable-widened", "null")
    assert str(change.pointer).endswith("/properties/a/oneOf")


def test_null_that_goes_is_found_where_it_was_used(tmp_path: Path) -> None:
    [change] = found(
        tmp_path, "request", holding(boss=one_of(NULL, ref("User"))), holding(boss=ref("User"))
    )
    assert (change.rule, change.message) == ("nullable-narrowed", "null is no longer allowed")
    assert change.pointer is not None
    assert change.pointer.endswith("/properties/boss")
