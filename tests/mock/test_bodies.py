"""Bodies and headers of the mock: examples, values of schemas, and places without a value."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.mock.serving import MockedDocument, mocked, responses, success

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT for one process")

PET = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "xml": {"attribute": True}},
        "tags": {"type": "array", "xml": {"wrapped": True}, "items": {"enum": ["tame"]}},
    },
    "required": ["id", "tags"],
    "xml": {"name": "pet"},
}
NEVER = {"allOf": [{"type": "string"}, {"type": "integer"}]}


def media(**content: Any) -> dict[str, Any]:
    """An operation whose success has these media types."""
    types = {name.replace("_", "/", 1): value for name, value in content.items()}
    return {"get": {"responses": {"200": {"description": "Done.", "content": types}}}}


def header(**fields: Any) -> dict[str, Any]:
    """An operation whose success has one header."""
    response = {"description": "Done.", "headers": {"X-It": {"required": True, **fields}}}
    return {"get": {"responses": {"200": response}}}


# Path: an operation, and its body.
EXAMPLES: dict[str, tuple[dict[str, Any], Any]] = {
    "/example": ({"get": success({"example": {"k": 1}})}, {"k": 1}),
    "/examples": ({"get": success({"examples": {"a": {"value": [7]}}})}, [7]),
    "/null": ({"get": success({"example": None})}, None),
    "/schema": ({"get": success({"schema": {}, "example": {"k": 1}})}, {"k": 1}),
    "/invalid": ({"get": success({"schema": {"const": 5}, "example": 4})}, 5),
    "/error": ({"get": {"responses": responses(_404={"examples": {"a": {"value": "no"}}})}}, "no"),
}
# Path: an operation, its Content-Type, and its body.
TEXTS: dict[str, tuple[dict[str, Any], str, bytes]] = {
    "/text": (media(text_plain={"example": "hello"}), "text/plain", b"hello"),
    "/number": (
        media(text_plain={"schema": {"type": "integer", "minimum": 7}}),
        "text/plain",
        b"7",
    ),
    "/pattern": (
        media(text_plain={"schema": {"type": "string", "pattern": "^note: "}}),
        "text/plain",
        b"note: ",
    ),
    "/csv": (media(text_csv={"schema": {"type": "string"}, "example": "a,b"}), "text/csv", b"a,b"),
    "/file": (media(application_pdf={"example": "%PDF"}), "application/pdf", b"%PDF"),
    "/xml": (
        media(application_xml={"schema": {"$ref": "#/components/schemas/Pet"}}),
        "application/xml",
        b'<?xml version="1.0" encoding="UTF-8"?>\n<pet id="1"><tags><tags>tame</tags></tags></pet>',
    ),
    "/xml/object": (
        media(application_xml={"schema": PET, "example": {"id": 5, "tags": []}}),
        "application/xml",
        b'<?xml version="1.0" encoding="UTF-8"?>\n<pet id="5"><tags/></pet>',
    ),
    "/xml/text": (media(text_xml={"schema": PET, "example": "<pet/>"}), "text/xml", b"<pet/>"),
    "/xml/any": (
        media(text_xml={}),
        "text/xml",
        b'<?xml version="1.0" encoding="UTF-8"?>\n<data><a>1</a></data>',
    ),
}
# Path: an operation, and its header.
HEADERS: dict[str, tuple[dict[str, Any], str | None]] = {
    "/h/schema": (header(schema={"type": "integer", "minimum": 30}), "30"),
    "/h/example": (header(schema={"type": "string"}, example="shown"), "shown"),
    "/h/examples": (header(schema={"type": "string"}, examples={"a": {"value": "shown"}}), "shown"),
    "/h/list": (header(schema={"type": "array", "items": {"enum": ["a"]}, "minItems": 2}), "a,a"),
    "/h/texts": (
        header(schema={"type": "array", "items": {"type": "string"}, "minItems": 2}),
        "a,a",
    ),
    "/h/content": (header(content={"application/json": {"example": {"a": 1}}}), '{"a":1}'),
    "/h/reference": (header(**{"$ref": "#/components/headers/It"}), "7"),
    "/h/latin": (header(schema={}, example="caf\u00e9"), "caf\u00e9"),
    "/h/optional": (header(required=False, schema={"type": "string"}), None),
    "/h/optional/example": (header(required=False, schema={}, example="shown"), "shown"),
    "/h/optional/line": (header(required=False, schema={"const": "a\n"}, example="a\n"), None),
    "/h/optional/examples": (
        header(required=False, schema={}, examples={"a": {"value": "shown"}}),
        "shown",
    ),
    "/h/optional/schema": (
        header(required=False, schema={"$ref": "#/components/schemas/Shown"}),
        "shown",
    ),
    "/h/optional/schemas": (
        header(required=False, schema={"type": "string", "examples": ["shown"]}),
        "shown",
    ),
    "/h/optional/default": (header(required=False, schema={"default": 5}), "5"),
    "/h/optional/content": (
        header(required=False, content={"application/json": {"example": {"a": 1}}}),
        '{"a":1}',
    ),
    "/h/login": (
        {
            "get": {
                "responses": {
                    "204": {
                        "description": "Signed in.",
                        "headers": {
                            "Set-Cookie": {
                                "schema": {"type": "string"},
                                "example": "sid=s3cr3t; Path=/; HttpOnly; SameSite=Lax",
                            },
                            "Access-Control-Allow-Origin": {"schema": {}, "example": "*"},
                            "Vary": {"schema": {}, "example": "Accept"},
                            "Date": {"schema": {}, "example": "Sat, 28 Nov 2026 12:00:00 GMT"},
                        },
                    }
                }
            }
        },
        None,
    ),
    "/h/elsewhere": ({"get": {"responses": responses(_302=None, _304=None)}}, None),
    "/h/redirect": (
        {
            "get": {
                "responses": {
                    "302": {
                        "description": "There.",
                        "headers": {
                            "location": {"required": True, "schema": {}, "example": "/there"}
                        },
                    }
                }
            }
        },
        None,
    ),
}
# Path: an operation, and the place without a value.
WITHOUT_VALUE: dict[str, tuple[dict[str, Any], str]] = {
    "/w/body": ({"get": success({"schema": NEVER})}, "the application/json body"),
    "/w/part": (
        {
            "get": success(
                {"schema": {"type": "object", "properties": {"a": NEVER}, "required": ["a"]}}
            )
        },
        "the application/json body",
    ),
    "/w/xml": (media(application_xml={"schema": NEVER}), "the application/xml body"),
    "/w/plain": (
        media(text_plain={"schema": {"type": "string", "pattern": r"^(x)\1{9}$"}}),
        "the text/plain body",
    ),
    "/w/form": (
        media(**{"application_x-www-form-urlencoded": {"schema": {"type": "integer"}}}),
        "the application/x-www-form-urlencoded body",
    ),
    # A form has no null, and a member that is null is left out.
    "/w/null": (
        media(
            **{
                "application_x-www-form-urlencoded": {
                    "schema": {
                        "type": "object",
                        "properties": {"a": {"enum": [None]}},
                        "required": ["a"],
                    }
                }
            }
        ),
        "the application/x-www-form-urlencoded body",
    ),
    "/w/multipart": (
        media(**{"multipart_form-data": {"schema": {"type": "array", "items": {}}}}),
        "the multipart/form-data body",
    ),
    "/w/header": (header(schema=NEVER), "the header X-It"),
    "/w/text": (header(schema={"type": "string", "pattern": "a\n"}), "the header X-It"),
}


@pytest.fixture(scope="module")
def mock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockedDocument]:
    tables: tuple[dict[str, Any], ...] = (EXAMPLES, TEXTS, HEADERS, WITHOUT_VALUE)
    paths = {path: row[0] for table in tables for path, row in table.items()}
    components = {
        "schemas": {"Pet": PET, "Shown": {"type": "string", "example": "shown"}},
        "headers": {"It": {"required": True, "schema": {"const": 7}}},
    }
    document = {"paths": paths, "components": components}
    with mocked(tmp_path_factory.mktemp("bodies"), document) as served:
        yield served


@pytest.mark.parametrize("path", EXAMPLES)
def test_examples_are_the_bodies(mock: MockedDocument, path: str) -> None:
    response = mock.request(path)
    assert response.headers["Content-Type"] == "application/json"
    assert response.json() == EXAMPLES[path][1]


@pytest.mark.parametrize("path", TEXTS)
def test_bodies_are_in_their_media_types(mock: MockedDocument, path: str) -> None:
    response = mock.request(path)
    assert (response.headers["Content-Type"], response.content) == TEXTS[path][1:]


@pytest.mark.parametrize("path", HEADERS)
def test_headers_are_sent_that_are_required_or_shown(mock: MockedDocument, path: str) -> None:
    assert mock.request(path).headers.get("X-It") == HEADERS[path][1]


def test_a_declared_location_is_sent(mock: MockedDocument) -> None:
    assert mock.request("/h/redirect").headers.get_list("Location") == ["/there"]


def test_a_cookie_is_set(mock: MockedDocument) -> None:
    response = mock.request("/h/login", headers={"Origin": "http://localhost:3000"})
    assert response.headers["Set-Cookie"] == "sid=s3cr3t; Path=/; HttpOnly; SameSite=Lax"
    assert response.cookies["sid"] == "s3cr3t"
    assert response.headers.get_list("Access-Control-Allow-Origin") == ["http://localhost:3000"]
    assert response.headers.get_list("Vary") == ["Accept, Origin"]
    assert len(response.headers.get_list("Date")) == 1


@pytest.mark.parametrize("status", [302, 304])
def test_a_location_is_sent_only_where_it_is_declared(mock: MockedDocument, status: int) -> None:
    response = mock.request("/h/elsewhere", headers={"Prefer": f"code={status}"})
    assert response.status_code == status
    assert "Location" not in response.headers


@pytest.mark.parametrize("path", WITHOUT_VALUE)
def test_a_missing_value_is_said_with_its_place(mock: MockedDocument, path: str) -> None:
    response = mock.request(path)
    assert response.status_code == 500
    assert response.headers["Content-Type"] == "application/problem+json"
    place, _, rest = response.json()["detail"].partition(": ")
    assert place.startswith("openapi.json:")
    assert rest == f"no value was found for {WITHOUT_VALUE[path][1]}; write an example there"


def test_missing_values_are_said_at_the_start(mock: MockedDocument) -> None:
    reasons = {
        f": no value was found for {what} of GET {path} 200, "
        "a 500 until an example is written there"
        for path, (_, what) in WITHOUT_VALUE.items()
    }
    # Requests of other tests may be logged between the lines.
    while reasons:
        line = mock.command.line()
        reasons = {reason for reason in reasons if not line.endswith(reason)}
