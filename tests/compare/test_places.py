"""The places of a change in both documents, and its wording."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.validate.documents import whole

from .documents import breaking, changes, document, report

DONE: dict[str, Any] = {"responses": {"200": {"description": "Done."}}}
TEXT = {"type": "string"}
CONTENT = {"application/json": {"schema": TEXT}}
A, B = ({"name": name, "in": "query", "schema": TEXT} for name in "ab")
HEADER = {"name": "Id", "in": "header", "schema": TEXT}
AS_CONTENT = {"name": "a", "in": "query", "content": CONTENT}
KEY = {"type": "apiKey", "in": "header", "name": "Key"}
GET = "/paths/~1a/get"


def operation(path: str = "/a", **fields: Any) -> dict[str, Any]:
    return whole("{}") | {"paths": {path: {"get": {**DONE, **fields}}}}


def asking(*parameters: Any, path: str = "/a") -> dict[str, Any]:
    return operation(path, parameters=list(parameters))


def taking(*media_types: str) -> dict[str, Any]:
    body = {"content": {name: {"schema": TEXT} for name in media_types}}
    return operation(requestBody=body)


def answering(*statuses: str) -> dict[str, Any]:
    return operation(responses={status: {"description": "Done."} for status in statuses})


def described(**fields: Any) -> dict[str, Any]:
    return {**operation(), **fields}


def in_path(name: str) -> dict[str, Any]:
    parameter = {"name": name, "in": "path", "required": True, "schema": TEXT}
    return asking(parameter, path=f"/a/{{{name}}}")


def schemes(**fields: Any) -> dict[str, Any]:
    schemes = {"securitySchemes": {"key": {**KEY, **fields}}}
    return described(components=schemes, security=[{"key": []}])


def sending(*properties: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict.fromkeys(("z", *properties), TEXT)}
    return operation(requestBody={"content": {"application/json": {"schema": schema}}})


# Both documents; the rule, the place in the base (None: the base has none) and in the revision,
# and the words.
CHANGES: dict[str, tuple[Any, Any, tuple[str, str | None, str, str]]] = {
    "an operation is deprecated": (
        operation(),
        operation(deprecated=True),
        ("deprecation", GET, f"{GET}/deprecated", "GET /a is now deprecated"),
    ),
    "a parameter is deprecated": (
        asking(A),
        asking({**A, "deprecated": True}),
        (
            "deprecation",
            f"{GET}/parameters/0",
            f"{GET}/parameters/0/deprecated",
            "query parameter 'a' is now deprecated",
        ),
    ),
    "parameters change places": (
        asking(A, B),
        asking(B, A),
        (
            "parameter-order-changed",
            f"{GET}/parameters",
            f"{GET}/parameters",
            "order of parameters: a, b -> b, a",
        ),
    ),
    "a path parameter is renamed": (
        in_path("id"),
        in_path("key"),
        (
            "parameter-renamed",
            "/paths/~1a~1{id}/get/parameters/0/name",
            "/paths/~1a~1{key}/get/parameters/0/name",
            "path parameter id -> key",
        ),
    ),
    "a parameter becomes content": (
        asking(A),
        asking(AS_CONTENT),
        (
            "serialisation-changed",
            f"{GET}/parameters/0",
            f"{GET}/parameters/0",
            "its serialisation changed between `schema` and `content`",
        ),
    ),
    "a response is new": (
        answering("200"),
        answering("200", "404"),
        ("added", None, f"{GET}/responses/404", "response 404 was added"),
    ),
    "a media type is new": (
        taking("application/json"),
        taking("application/json", "text/csv"),
        (
            "added",
            None,
            f"{GET}/requestBody/content/text~1csv",
            "media type text/csv was added",
        ),
    ),
    "a media type is gone": (
        taking("application/json", "text/csv"),
        taking("application/json"),
        (
            "media-type-removed",
            f"{GET}/requestBody/content/text~1csv",
            f"{GET}/requestBody/content",
            "media type text/csv was removed",
        ),
    ),
    "a scheme is asked for": (
        operation(),
        operation(security=[{"key": ["read", "all"]}, {"b": [], "c": []}]),
        (
            "security-tightened",
            GET,
            f"{GET}/security",
            "security none -> key (all, read) or b and c",
        ),
    ),
    "a scheme is sent elsewhere": (
        schemes(),
        schemes(name="Api-Key"),
        (
            "security-scheme-changed",
            "/components/securitySchemes/key/name",
            "/components/securitySchemes/key/name",
            "security scheme 'key': name Key -> Api-Key",
        ),
    ),
    "a server is gone": (
        described(servers=[{"url": "https://a"}, {"url": "https://b"}]),
        described(servers=[{"url": "https://a"}]),
        ("server-removed", "/servers", "/servers", "server https://b was removed"),
    ),
    "a property is gone": (
        sending("a"),
        sending(),
        (
            "property-removed",
            f"{GET}/requestBody/content/application~1json/schema/properties/a",
            f"{GET}/requestBody/content/application~1json/schema",
            "property 'a' was removed",
        ),
    ),
}


@pytest.mark.parametrize(("base", "revision", "expected"), CHANGES.values(), ids=CHANGES)
def test_a_change_is_placed_in_both_documents(
    base: Any, revision: Any, expected: tuple[str, str | None, str, str], tmp_path: Path
) -> None:
    [found] = changes(report(tmp_path, base, revision))
    rule, old, new, message = expected
    assert (found.rule, found.pointer, found.message) == (rule, new, message)
    assert found.counterexample is None
    before = document(tmp_path, "base.json", base)
    assert found.related == (None if old is None else before.locate(old))


BODY = f"{GET}/requestBody/content/application~1json/schema"
# The schemas before and after, and the places of the change.
KEYWORDS: dict[str, tuple[Any, Any, str, str]] = {
    "a constant": ({"const": "a"}, {"const": "b"}, "/const", "/const"),
    "a new constant": ({}, {"const": "b"}, "", "/const"),
    "a constant that is gone": ({"const": "a"}, {}, "/const", ""),
    "a constant of a member": (
        {"allOf": [{"type": "string"}, {"const": "a"}]},
        {"allOf": [{"type": "string"}, {"const": "b"}]},
        "/allOf/1/const",
        "/allOf/1/const",
    ),
    "a constant that was a list of values": (
        {"enum": ["a", "b"]},
        {"const": "a"},
        "/enum",
        "/const",
    ),
    "a constant that becomes a list of values": (
        {"const": "a"},
        {"enum": ["b"]},
        "/const",
        "/enum",
    ),
    "a type beside null": ({"type": "string"}, {"type": ["null", "string"]}, "/type", "/type/0"),
    "a type without null": ({"type": ["string", "null"]}, {"type": "string"}, "/type/1", "/type"),
    "a type beside null in one of two parts": (
        {"allOf": [{"type": "string"}, {"maxLength": 5}]},
        {"allOf": [{"type": ["string", "null"]}, {"maxLength": 5}]},
        "/allOf/0/type",
        "/allOf/0/type",
    ),
    "a constant that becomes null as well": (
        {"const": "a"},
        {"enum": ["a", None]},
        "/const",
        "/enum",
    ),
}


@pytest.mark.parametrize(("before", "after", "old", "new"), KEYWORDS.values(), ids=KEYWORDS)
def test_a_change_of_a_keyword_is_placed_at_the_keyword(
    before: Any, after: Any, old: str, new: str, tmp_path: Path
) -> None:
    base, revision = (
        operation(requestBody={"content": {"application/json": {"schema": schema}}})
        for schema in (before, after)
    )
    [found] = changes(report(tmp_path, base, revision))
    assert (found.related_pointer, found.pointer) == (BODY + old, BODY + new)


def test_null_of_3_0_is_placed_at_its_own_field(tmp_path: Path) -> None:
    base, revision = (
        {**operation(requestBody={"content": {"application/json": {"schema": schema}}})}
        | {"openapi": "3.0.3"}
        for schema in (TEXT, {**TEXT, "maxLength": 5, "nullable": True})
    )
    at = {
        finding.message: finding.location for finding in changes(report(tmp_path, base, revision))
    }["null is now allowed"]
    line = (tmp_path / "revision.json").read_text("utf-8").splitlines()[at.line - 1]
    assert line[at.column - 1 :].startswith('"nullable"')


def test_acceptances_of_constants_are_apart(tmp_path: Path) -> None:
    accepted = {
        finding.fingerprint
        for value in ("b", "c", None)
        for finding in changes(
            report(
                tmp_path,
                *(
                    operation(requestBody={"content": {"application/json": {"schema": schema}}})
                    for schema in ({"const": "a"}, {"const": value})
                ),
            )
        )
    }
    assert len(accepted) == 3


@pytest.mark.parametrize("servers", [[], [{"url": "/"}], [{"url": ""}]], ids=str)
def test_without_servers_the_api_is_where_its_document_is(
    servers: list[Any], tmp_path: Path
) -> None:
    sides = described(), described(servers=servers)
    for base, revision in (sides, sides[::-1]):
        assert changes(report(tmp_path, base, revision)) == []


def test_an_address_takes_the_place_of_that_of_the_document(tmp_path: Path) -> None:
    found = changes(report(tmp_path, described(), described(servers=[{"url": "https://a"}])))
    assert {finding.message for finding in found} == {
        "server / was removed",
        "server https://a was added",
    }


@pytest.mark.parametrize("own", [None, [{"b": []}]])
def test_requirements_of_the_document_are_one_change(own: Any, tmp_path: Path) -> None:
    """Of all operations that have no others, however many these are."""

    def secured(*requirements: str) -> dict[str, Any]:
        paths = {f"/{name}": {"get": dict(DONE)} for name in "abc"}
        if own is not None:
            paths["/c"]["get"]["security"] = own
        return described(paths=paths, security=[{name: []} for name in requirements])

    [change] = breaking(report(tmp_path, secured("key", "b"), secured("key")).findings)
    assert (change.rule, change.pointer) == ("security-tightened", "/security")
    without_own = ("GET /a", "GET /b") if own else ("GET /a", "GET /b", "GET /c")
    assert change.operations == without_own
