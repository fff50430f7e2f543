"""Reasons why a value does not fit a schema: one for each cause."""

from __future__ import annotations

import json
from typing import Any

import pytest

from specwright.document.schemas.instances import Instances
from specwright.document.sources.load import load
from specwright.samples.non_validating import CONTENT, FORMATS


def instances(schema: dict[str, Any]) -> Instances:
    """The validators of a document with one schema."""
    info = {"title": "Things", "version": "1"}
    data = {"openapi": "3.1.0", "info": info, "components": {"schemas": {"Thing": schema}}}
    content = json.dumps(data).encode()
    return Instances(load("openapi.json", read=lambda _: content))


@pytest.mark.parametrize(
    ("schema", "value", "keywords"),
    [
        ({"type": "string", "enum": ["new", "sent"]}, None, ["type"]),
        ({"enum": ["new", "sent"], "type": "string"}, "lost", ["enum"]),
        ({"type": "integer", "const": 1}, "1", ["type"]),
        ({"allOf": [{"type": "string"}, {"type": "string"}], "enum": ["new"]}, None, ["type"]),
        ({"type": "string", "minLength": 3, "pattern": "^a"}, "b", ["minLength", "pattern"]),
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "enum": ["new"]}, 1, ["anyOf", "enum"]),
    ],
)
def test_a_value_of_the_wrong_type_has_no_other_problem(
    schema: dict[str, Any], value: object, keywords: list[str]
) -> None:
    problems = instances(schema).problems("/components/schemas/Thing", value)
    assert sorted(problem.keyword for problem in problems) == keywords


@pytest.mark.parametrize(
    ("schema", "value", "keywords"),
    [
        ({"format": "byte", "contentEncoding": "base64"}, "***", 1),
        ({"contentEncoding": "base64", "contentMediaType": "application/json"}, "***", 1),
        ({"contentMediaType": "application/json", "contentSchema": {}}, "[", 1),
        ({"contentEncoding": "base64", "maxLength": 1}, "***", 2),
    ],
)
def test_a_text_that_is_encoded_wrongly_has_one_problem(
    schema: dict[str, Any], value: object, keywords: int
) -> None:
    document = instances({"type": "string", **schema}).document
    problems = Instances(document, CONTENT, FORMATS).problems("/components/schemas/Thing", value)
    assert len(list(problems)) == keywords


def test_members_of_the_wrong_type_have_a_problem_each() -> None:
    state = {"type": "string", "enum": ["new"]}
    schema = {"type": "object", "properties": {"one": state, "other": state}}
    problems = instances(schema).problems("/components/schemas/Thing", {"one": None, "other": 1})
    assert sorted(problem.pointer for problem in problems) == ["/one", "/other"]
