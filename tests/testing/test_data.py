"""Examples of one's own, instead of those of the document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.sources.load import load
from specwright.errors import InputError
from specwright.testing.data import read_data, with_data

DOCUMENT: Any = {
    "openapi": "3.1.0",
    "info": {"title": "Items", "version": "1"},
    "paths": {
        "/items/{id}": {
            "parameters": [{"$ref": "#/components/parameters/Id"}],
            "get": {"operationId": "getItem", "responses": {}},
            "put": {
                "requestBody": {"$ref": "#/components/requestBodies/Item"},
                "responses": {},
            },
        }
    },
    "components": {
        "parameters": {
            "Id": {"name": "id", "in": "path", "required": True, "example": 1, "schema": {}}
        },
        "requestBodies": {
            "Item": {"content": {"application/json": {"examples": {"a": {"value": {"n": 1}}}}}}
        },
    },
}


@pytest.fixture
def document(tmp_path: Path) -> Document:
    path = tmp_path / "items.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    return load(path)


def given(document: Document, method: str) -> tuple[list[Any], list[Any]]:
    """The examples of the id, and those of the body."""
    operation = next(each for each in sites.operations(document) if each.method == method)
    slot = sites.parameters(document, operation)["path", "id"]
    body = sites.request_body(document, operation)
    contents = [content for _, content in sites.contents(document, body)] if body else []
    return (
        [value for _, value in sites.examples(document, slot)],
        [value for content in contents for _, value in sites.examples(document, content)],
    )


def test_an_example_of_a_parameter_is_that_of_one_operation(document: Document) -> None:
    made = with_data(document, {"getItem": {"parameters": {"id": 7}}})
    assert given(made, "GET") == ([7], [])
    assert given(made, "PUT") == ([1], [{"n": 1}])
    assert given(document, "GET") == ([1], [])


def test_a_body_stands_in_for_all_examples(document: Document) -> None:
    made = with_data(document, {"PUT /items/{id}": {"body": {"n": 2}}})
    assert given(made, "PUT") == ([1], [{"n": 2}])
    assert given(document, "PUT") == ([1], [{"n": 1}])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"GET /item/{id}": {}}, "there is no operation 'GET /item/{id}'"),
        ({"getItem": {"parameters": {"ide": 1}}}, "getItem has no parameter 'ide'"),
        ({"getItem": {"body": {}}}, "getItem has no body"),
    ],
)
def test_what_the_document_does_not_have_is_said(document: Document, data: Any, said: str) -> None:
    with pytest.raises(InputError, match=said.replace("{", r"\{")):
        with_data(document, data)


def test_a_file_has_a_table_for_each_operation(tmp_path: Path) -> None:
    file = tmp_path / "data.toml"
    file.write_text('["GET /items/{id}"]\nparameters = { id = 7 }\n', "utf-8")
    assert read_data(file) == {"GET /items/{id}": {"parameters": {"id": 7}}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[getItem", "TOML"),
        ("getItem = 1", "'getItem' must be a table"),
        ("[getItem]\nquery = 1", "'getItem' must be a table of `parameters` and `body`"),
        ("[getItem]\nparameters = 1", "the parameters of 'getItem' must be a table"),
        (None, "cannot be read: no such file"),
    ],
)
def test_a_file_that_cannot_be_used_is_said(tmp_path: Path, text: str | None, said: str) -> None:
    file = tmp_path / "data.toml"
    if text is not None:
        file.write_text(text, "utf-8")
    with pytest.raises(InputError, match=said):
        read_data(file)
