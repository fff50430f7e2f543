"""The mock says which examples it does not send, and which lists have no end."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from specwright.document.sources.load import load
from specwright.pointer import join
from tests.conftest import Run
from tests.generate_cli.running import running
from tests.mock.serving import success
from tests.mock.test_pages import ITEMS, described, listed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT for one process")

NUMBER = {"type": "integer"}
OTHER = "; another value is sent"
SECRET = {"properties": {"key": {"type": "string", "writeOnly": True}}}
# The usual way to keep undeclared properties out.
CLOSED = {"type": "object", "oneOf": [SECRET], "unevaluatedProperties": False}


def of_media_type(media_type: str, **content: Any) -> dict[str, Any]:
    return {"responses": {"200": {"description": "Done.", "content": {media_type: content}}}}


def with_header(name: str = "X-It", **header: Any) -> dict[str, Any]:
    return {"responses": {"200": {"description": "Done.", "headers": {name: header}}}}


def of_page(following: dict[str, Any], **page: str) -> dict[str, Any]:
    example = {"items": ITEMS, "next": "c_2", **dict.fromkeys(page, True)}
    properties = {**described(example)["properties"], "next": following}
    operation = listed({"cursor": "after", "next": "/next", **page}, example, properties)
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    schema["required"] = ["next"]
    return operation


CURSOR = {"type": "string", "pattern": "^c_"}
# Path: an operation, the place of a value in its only response, and what is said of it.
Rows = dict[str, tuple[dict[str, Any], str, str]]
UNUSED: Rows = {
    "/elsewhere": (
        success({"schema": NUMBER, "examples": {"it": {"externalValue": "it.json"}}}),
        "content/application~1json/examples/it",
        "the example is elsewhere, and is not read" + OTHER,
    ),
    "/form": (
        of_media_type(
            "application/x-www-form-urlencoded", schema={"type": ["object", "array"]}, example=[1]
        ),
        "content/application~1x-www-form-urlencoded/example",
        "the example cannot be sent as application/x-www-form-urlencoded" + OTHER,
    ),
    "/form/null": (
        of_media_type(
            "application/x-www-form-urlencoded",
            schema={"required": ["a"], "properties": {"a": {"type": ["string", "null"]}}},
            example={"a": None},
        ),
        "content/application~1x-www-form-urlencoded/example",
        "the example cannot be sent as application/x-www-form-urlencoded" + OTHER,
    ),
    "/header": (
        with_header(schema={"type": "string"}, example="a\nb"),
        "headers/X-It/example",
        "the example cannot be sent as the header X-It" + OTHER,
    ),
    "/secret": (
        success({"schema": CLOSED, "example": {"key": "k"}}),
        "content/application~1json/example",
        "the example has a property that only requests have" + OTHER,
    ),
}
ENDLESS: Rows = {
    "/endless": (
        of_page(CURSOR),
        "content/application~1json",
        "its schema accepts no last page: the list has no end",
    ),
}
INVALID: Rows = {
    "/body": (
        success({"schema": {"properties": {"n": NUMBER}}, "example": {"n": "12"}}),
        "content/application~1json/example/n",
        'the example does not fit at /n: the value is not of type "integer"' + OTHER,
    ),
    "/item": (
        of_media_type("application/jsonl", schema=NUMBER, example=[1, "2"]),
        "content/application~1jsonl/example/1",
        'the example does not fit: the value is not of type "integer"' + OTHER,
    ),
    "/shown": (
        with_header(schema=NUMBER, example="abc"),
        "headers/X-It/example",
        'the example does not fit: the value is not of type "integer"' + OTHER,
    ),
    "/content": (
        with_header(content={"application/json": {"schema": NUMBER, "example": "1"}}),
        "headers/X-It/content/application~1json/example",
        'the example does not fit: the value is not of type "integer"' + OTHER,
    ),
    "/deep": (
        success({"schema": {"items": {"oneOf": [{**NUMBER, "examples": [1, "1"]}]}}}),
        "content/application~1json/schema/items/oneOf/0/examples/1",
        'the example does not fit: the value is not of type "integer"' + OTHER,
    ),
}
# Operations that are as they should be, or the examples of which are no concern of a mock.
SILENT: dict[str, dict[str, Any]] = {
    "/valid": success({"schema": NUMBER, "example": 1}),
    "/xml": of_media_type("application/xml", schema={"type": "object"}, example="<a/>"),
    "/own": with_header("Date", schema={"type": "string"}, example="a\nb"),
    "/last": of_page(CURSOR, more="/more"),
    "/requests": {
        "parameters": [{"name": "q", "in": "query", "schema": NUMBER, "example": "one"}],
        "requestBody": {"content": {"application/json": {"schema": NUMBER, "example": "one"}}},
        "responses": {"200": {"description": "Done."}},
    },
    "/error": {
        **(ended := of_page({"type": ["string", "null"]})),
        "responses": {**ended["responses"], "404": of_page(CURSOR)["responses"]["200"]},
    },
}


def document(operations: dict[str, dict[str, Any]]) -> dict[str, Any]:
    paths = {path: {"post": operation} for path, operation in operations.items()}
    unused = {"Unused": {**NUMBER, "examples": ["1"]}}
    webhook = success({"schema": NUMBER, "example": "1"})
    return {"paths": paths, "webhooks": {"w": {"post": webhook}}, "components": {"schemas": unused}}


def said(directory: Path, operations: dict[str, dict[str, Any]]) -> list[str]:
    """What the mock says after its URL."""
    content = {"openapi": "3.1.1", "info": {"title": "Mocked", "version": "1"}}
    text = json.dumps({**content, **document(operations)}, indent=1)
    (directory / "openapi.json").write_text(text, "utf-8")
    with running(directory, "mock", "--watch", "openapi.json") as command:
        assert command.line().endswith(" serves openapi.json until Ctrl-C")
        lines = [command.line()]
        while not lines[-1].startswith("watching "):
            lines.append(command.line())
        return lines[:-1]


def placed(directory: Path, rows: Rows) -> list[str]:
    """The messages of a table with their places in the document."""
    read = load(directory / "openapi.json")
    return [
        f"{read.locate(f'{response}/{place}')}: {words}".removeprefix(f"{directory}/")
        for path, (_, place, words) in rows.items()
        for response in [join("paths", path, "post", "responses", "200")]
    ]


@pytest.mark.parametrize("rows", [UNUSED, ENDLESS, INVALID])
def test_what_is_not_sent_is_said_with_its_place(tmp_path: Path, rows: Rows) -> None:
    lines = said(tmp_path, {path: operation for path, (operation, _, _) in rows.items()})
    assert lines == placed(tmp_path, rows)


def test_what_is_sent_or_not_asked_for_is_not_said(tmp_path: Path) -> None:
    assert said(tmp_path, SILENT) == []


def test_invalid_examples_are_the_findings_of_validate(specwright: Run, tmp_path: Path) -> None:
    number = 7
    operation = success({"schema": NUMBER, "example": "1"})
    lines = said(tmp_path, {f"/{n}": operation for n in range(number)})
    assert lines[5:] == ["and 2 more, which specwright validate openapi.json names"]
    done = specwright("validate", "openapi.json", "--format", "json", cwd=tmp_path)
    findings = [f for f in json.loads(done.stdout)["findings"] if f["rule"] == "example-valid"]
    # The webhook and the unused schema have one each.
    assert len(findings) == number + 2
    shown = [f"{f['file']}:{f['line']}:{f['column']}: {f['message']}" for f in findings]
    assert [line.removesuffix(OTHER) for line in lines[:5]] == shown[:5]


def test_others_are_counted(tmp_path: Path) -> None:
    (operation, _, words) = UNUSED["/form"]
    lines = said(tmp_path, {f"/{n}": operation for n in range(6)})
    assert [line.partition(": ")[2] for line in lines[:5]] == [words] * 5
    assert lines[5:] == ["and 1 more"]
