"""The messages of findings, and the values that they show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .documents import breaking, changes, everywhere, report
from .test_wire import DONE, operation, req

A, B = {"^a": {"type": "string"}}, {"^b": {"type": "integer"}}
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
# The schemas before and after, and the words for the step from one to the other.
WORDS: dict[str, tuple[Any, Any, str]] = {
    "new": ({}, {"patternProperties": A}, "patternProperties was added"),
    "gone": ({"patternProperties": A}, {}, "patternProperties was removed"),
    "changed": (
        {"patternProperties": A},
        {"patternProperties": A | B},
        "patternProperties changed",
    ),
    "alternatives": (
        {"oneOf": [TEXT, NUMBER]},
        {"oneOf": [{**TEXT, "title": "Name"}, NUMBER, {"maximum": 3}]},
        "oneOf gains any value",
    ),
    "an alternative that is another one by the same name": (
        {"oneOf": [{**TEXT, "title": "Name"}, {"type": "boolean"}]},
        {"oneOf": [{**NUMBER, "title": "Name"}, {"type": "boolean"}]},
        "oneOf has a different Name",
    ),
    "a constant": ({}, {"const": "a"}, 'const is now "a"'),
    "a constant that is null": ({"const": "a"}, {"const": None}, 'const "a" -> null'),
    "a constant beside values": (
        {"enum": ["a", "b"], "const": "a"},
        {"enum": ["a", "b"], "const": "b"},
        'const "a" -> "b"',
    ),
    "a constant instead of values": ({"enum": ["a", "b"]}, {"const": "a"}, 'enum loses "b"'),
    "values instead of a constant": ({"const": "a"}, {"enum": ["a", "b"]}, 'enum gains "b"'),
    "bytes in the words of 3.0": (
        {},
        {"format": "binary"},
        "format is now binary",
    ),
    "values": (
        {"enum": ["a", "b"]},
        {"enum": ["b", "c"]},
        'enum gains "c" and loses "a"',
    ),
}


@pytest.mark.parametrize(("before", "after", "words"), WORDS.values(), ids=WORDS)
def test_a_step_is_said_in_words(before: Any, after: Any, words: str, tmp_path: Path) -> None:
    found = changes(report(tmp_path, everywhere(before), everywhere(after)))
    assert {finding.message for finding in found} == {words}


# No text is found for it.
CODE = {"type": "string", "pattern": r"^(x)(?=.*z)[a-z](?!\1)z$"}


@pytest.mark.parametrize(
    ("marks", "shown"),
    [({}, '"xyz"'), ({"x-contract-sensitive": True}, None), ({"x-contract-once": True}, None)],
)
def test_an_example_shows_a_break_unless_it_is_secret(
    marks: Any, shown: str | None, tmp_path: Path
) -> None:
    code = {**CODE, "example": "xyz", **marks}
    found = breaking(
        report(tmp_path, everywhere(code), everywhere({**code, "maxLength": 2})).findings
    )
    assert {finding.counterexample for finding in found} == {shown}


def test_a_value_that_the_base_refuses_is_not_shown(tmp_path: Path) -> None:
    base = {"type": "object", "properties": {"code": CODE}, "required": ["code"]}
    revision = {**base, "required": ["code", "name"]}
    found = breaking(report(tmp_path, everywhere(base), everywhere(revision)).findings)
    assert {(each.rule, each.counterexample) for each in found} == {("property-required", None)}


CONTENT = {
    "type": "string",
    "contentMediaType": "application/json",
    "contentSchema": {"type": "object", "required": ["a"]},
}
ENCODED = {"type": "string", "contentEncoding": "base32"}
# The schemas before and after, and the value that is sent and refused now.
REFUSED: dict[str, tuple[Any, Any, str]] = {
    "a fraction": ({"type": "number"}, {"type": "integer"}, "0.5"),
    "content": (CONTENT, {**CONTENT, "minLength": 30}, json.dumps('{"a": null}')),
    "an unknown encoding": (ENCODED, {**ENCODED, "maxLength": 3}, '"abcdefgh"'),
}


@pytest.mark.parametrize(("before", "after", "value"), REFUSED.values(), ids=REFUSED)
def test_a_value_that_is_refused_now_is_shown(
    before: Any, after: Any, value: str, tmp_path: Path
) -> None:
    found = breaking(report(tmp_path, everywhere(before), everywhere(after)).findings)
    assert {finding.counterexample for finding in found} == {value}


KEY = {"type": "apiKey", "in": "header", "name": "X-Key"}
FLOW = {"tokenUrl": "https://a.test/token", "scopes": {"read": "May read."}}


def secured(*requirements: str, **schemes: Any) -> dict[str, Any]:
    return operation(security=[{name: []} for name in requirements]) | {
        "components": {"securitySchemes": schemes}
    }


def oauth(*flows: str) -> Any:
    return {"type": "oauth2", "flows": dict.fromkeys(flows, FLOW)}


def part(**headers: Any) -> dict[str, Any]:
    encoding = {"encoding": {"a": {"headers": headers}}} if headers else {}
    return req({"properties": {"a": TEXT}}, "multipart/form-data", **encoding)


def in_path(*names: str) -> dict[str, Any]:
    declared = [{"name": name, "in": "path", "required": True, "schema": TEXT} for name in names]
    return operation() | {"paths": {"/a/{x}/{y}": {"get": {**DONE, "parameters": declared}}}}


EDITS: dict[str, tuple[Any, Any, list[str]]] = {
    "a key that moves, and counts in other letters": (
        secured("key", key=KEY),
        secured("key", key={**KEY, "in": "query"}),
        ["security scheme 'key': in header -> query"],
    ),
    "a flow": (
        secured("o", o=oauth("clientCredentials")),
        secured("o", o=oauth("password")),
        ["security scheme 'o': flows/clientCredentials was removed"],
    ),
    "one of two requirements": (
        secured("a", "b", a=KEY, b=KEY),
        secured("a", a=KEY, b=KEY),
        ["security a or b -> a"],
    ),
    "the order of requirements": (
        secured("a", "b", a=KEY, b=KEY),
        secured("b", "a", a=KEY, b=KEY),
        [],
    ),
    "a default response": (
        operation(responses={}),
        operation(responses={"default": {"description": "Done."}}),
        ["response default was added"],
    ),
    "the order of parameters of a path": (
        in_path("x", "y"),
        in_path("y", "x"),
        ["order of parameters: x, y -> y, x"],
    ),
    "a header of a part that is required": (
        part(),
        part(Id={"required": True, "schema": TEXT}),
        ["part 'a': header 'id' was added as required"],
    ),
    "a header of a part with another value": (
        part(Id={"schema": TEXT}),
        part(Id={"schema": NUMBER}),
        ["type string -> integer"],
    ),
}


@pytest.mark.parametrize(("base", "revision", "words"), EDITS.values(), ids=EDITS)
def test_one_edit_is_one_finding_in_words_of_the_document(
    base: Any, revision: Any, words: list[str], tmp_path: Path
) -> None:
    found = changes(report(tmp_path, base, revision))
    assert [finding.message for finding in found] == words
