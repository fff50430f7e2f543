"""One walker yields the parts of an API, to checks and to generated code alike."""

from pathlib import Path
from typing import Any

import yaml

from specwright.document.model import Document
from specwright.document.operations.sites import (
    Direction,
    Site,
    examples,
    is_json,
    operations,
    parameters,
)
from specwright.document.operations.sites import responses as responses_of
from specwright.document.sources.load import load
from tests.validate.documents import whole, write


def loaded(directory: Path, part: str) -> Document:
    return load(write(directory, part))


def found(document: Document) -> list[tuple[Direction, str, str, str]]:
    return [
        (operation.direction, operation.method, operation.key, operation.pointer)
        for operation in operations(document)
    ]


def test_operations_come_in_the_order_of_the_document(tmp_path: Path) -> None:
    document = loaded(
        tmp_path,
        """
        webhooks:
          changed: {post: {responses: {"200": {description: Received.}}}}
        paths:
          /b: {post: {responses: {}}, get: {responses: {}}}
          /a: {delete: {responses: {}}}
        """,
    )
    assert [
        (operation.direction.value, operation.method, operation.key)
        for operation in operations(document)
    ] == [
        ("path", "GET", "/b"),
        ("path", "POST", "/b"),
        ("path", "DELETE", "/a"),
        ("webhook", "POST", "changed"),
    ]


def test_a_path_item_elsewhere_gives_its_operations_to_every_path(tmp_path: Path) -> None:
    document = loaded(
        tmp_path,
        """
        paths:
          /a: {$ref: "#/components/pathItems/Shared"}
          /b: {$ref: "#/components/pathItems/Shared"}
        webhooks:
          made: {$ref: "#/components/pathItems/Shared"}
        components:
          pathItems:
            Shared: {get: {responses: {}}}
        """,
    )
    place = "/components/pathItems/Shared/get"
    assert found(document) == [
        (Direction.PATH, "GET", "/a", place),
        (Direction.PATH, "GET", "/b", place),
        (Direction.WEBHOOK, "GET", "made", place),
    ]


def test_callbacks_are_found_once_even_in_a_circle(tmp_path: Path) -> None:
    document = loaded(
        tmp_path,
        """
        paths:
          /a:
            post:
              responses: {}
              callbacks:
                done: {$ref: "#/components/callbacks/Done"}
        components:
          callbacks:
            Done:
              "{$request.body#/url}":
                post:
                  responses: {}
                  callbacks:
                    done: {$ref: "#/components/callbacks/Done"}
        """,
    )
    assert [operation.direction for operation in operations(document)] == [
        Direction.PATH,
        Direction.CALLBACK,
    ]


def test_extensions_beside_paths_and_responses_are_not_taken_for_them(tmp_path: Path) -> None:
    document = loaded(
        tmp_path,
        """
        paths:
          x-note: {get: {responses: {}}}
          /a: {get: {responses: {x-note: {description: No.}, "200": {description: Yes.}}}}
        """,
    )
    (operation,) = operations(document)
    assert [status for status, _ in responses_of(document, operation)] == ["200"]


def test_additional_operations_are_operations(tmp_path: Path) -> None:
    file = tmp_path / "openapi.yaml"
    part: dict[str, Any] = whole(
        """
        paths:
          /a: {additionalOperations: {COPY: {responses: {"204": {description: Copied.}}}}}
        """
    )
    file.write_text(yaml.safe_dump({**part, "openapi": "3.2.0"}))
    assert found(load(file)) == [
        (Direction.PATH, "COPY", "/a", "/paths/~1a/additionalOperations/COPY")
    ]


def test_a_header_overrides_one_in_other_case_and_a_query_parameter_does_not(
    tmp_path: Path,
) -> None:
    document = loaded(
        tmp_path,
        """
        paths:
          /a:
            parameters:
              - {name: X-Foo, in: header, schema: {type: string}}
              - {name: Foo, in: query, schema: {type: string}}
            get:
              parameters:
                - {name: x-foo, in: header, schema: {type: integer}}
                - {name: foo, in: query, schema: {type: integer}}
              responses: {}
        """,
    )
    (operation,) = operations(document)
    types = {
        key: each.value["schema"]["type"] for key, each in parameters(document, operation).items()
    }
    assert types == {
        ("header", "x-foo"): "integer",
        ("query", "Foo"): "string",
        ("query", "foo"): "integer",
    }


def test_an_example_elsewhere_is_placed_where_it_is_used(tmp_path: Path) -> None:
    document = loaded(
        tmp_path,
        """
        paths:
          /a:
            parameters:
              - name: size
                in: query
                schema: {type: integer}
                examples: {here: {value: 1}, there: {$ref: "#/components/examples/There"}}
        components:
          examples: {There: {value: 2}}
        """,
    )
    parameter = document.data["paths"]["/a"]["parameters"][0]
    place = "/paths/~1a/parameters/0"
    assert list(examples(document, Site(place, parameter))) == [
        (f"{place}/examples/here/value", 1),
        (f"{place}/examples/there", 2),
    ]


def test_json_is_told_by_the_media_type() -> None:
    json = ["application/json", "Application/JSON; charset=utf-8", "text/json", "*/*"]
    json += ["application/*", "application/problem+json", "application/geo+json;x=y"]
    others = [
        "text/plain",
        "text/*",
        "application/xml",
        "application/json-seq",
        "application/jsonl",
    ]
    assert [each for each in json if not is_json(each)] == []
    assert [each for each in others if is_json(each)] == []
