"""Values that are sent as text are read by another type as well, where the text allows it."""

from pathlib import Path
from typing import Any

import pytest

from tests.validate.documents import whole

from .documents import breaking, report

TEXTS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
# The place, the type of the base and of the revision, and the rules that this breaks.
CHANGES: list[tuple[str, Any, Any, list[str]]] = [
    ("query", {"type": "integer"}, {"type": "number"}, []),
    ("query", {"type": "integer"}, {"type": "string"}, ["text-type-changed"]),
    ("query", {"type": "string"}, {"type": "integer"}, ["type-narrowed"]),
    ("query", {"type": "integer"}, {"type": "string", "pattern": "^a"}, ["type-narrowed"]),
    ("query", {"type": "string"}, TEXTS, ["text-type-changed"]),
    ("query", {"type": "integer"}, TEXTS, ["text-type-changed"]),
    ("query", {"type": "string"}, {**TEXTS, "minItems": 1}, ["text-type-changed"]),
    ("query", {"type": "string"}, {**TEXTS, "minItems": 2}, ["type-narrowed"]),
    ("query", TEXTS, {"type": "string"}, ["type-narrowed"]),
    # A comma in a path separates items.
    ("path", {"type": "string"}, TEXTS, ["type-narrowed"]),
    ("header", {"type": "integer"}, {"type": "string"}, ["text-type-changed"]),
]


@pytest.mark.parametrize(("place", "before", "after", "rules"), CHANGES)
def test_a_parameter_is_read_as_text(
    place: str, before: Any, after: Any, rules: list[str], tmp_path: Path
) -> None:
    def document(schema: Any) -> dict[str, Any]:
        parameter = {"name": "q", "in": place, "required": True, "schema": schema}
        operation = {"parameters": [parameter], "responses": {}}
        return whole("{}") | {"paths": {"/a/{q}": {"get": operation}}}

    found = breaking(report(tmp_path, document(before), document(after)).findings)
    assert [finding.rule for finding in found] == rules


@pytest.mark.parametrize(
    ("written", "rule"),
    [
        ({}, "text-type-changed"),
        ({"explode": True}, "text-type-changed"),
        # A comma separates items.
        ({"explode": False}, "type-narrowed"),
        ({"style": "pipeDelimited"}, "type-narrowed"),
    ],
)
def test_one_text_in_a_query_is_a_list_of_one_where_each_item_has_its_name(
    written: dict[str, Any], rule: str, tmp_path: Path
) -> None:
    def document(schema: Any) -> dict[str, Any]:
        parameter = {"name": "q", "in": "query", "schema": schema, **written}
        operation = {"parameters": [parameter], "responses": {}}
        return whole("{}") | {"paths": {"/a": {"get": operation}}}

    found = breaking(report(tmp_path, document({"type": "string"}), document(TEXTS)).findings)
    assert [finding.rule for finding in found] == [rule]


def test_a_body_in_json_or_in_parts_has_types(tmp_path: Path) -> None:
    def document(media_type: str, kind: str) -> dict[str, Any]:
        schema: Any = {"type": kind}
        if "form" in media_type:
            schema = {"properties": {"a": schema}}
        body = {"content": {media_type: {"schema": schema}}}
        return whole("{}") | {"paths": {"/a": {"post": {"requestBody": body, "responses": {}}}}}

    for media_type, rule in (
        ("application/json", "type-narrowed"),
        ("text/plain", "text-type-changed"),
        ("application/x-www-form-urlencoded", "text-type-changed"),
        ("multipart/form-data", "type-narrowed"),
    ):
        sides = (document(media_type, kind) for kind in ("integer", "string"))
        assert [finding.rule for finding in breaking(report(tmp_path, *sides).findings)] == [rule]
