"""Changes beyond values: directions, credentials, servers, tags, statuses, media types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specwright.findings import Affected, Level
from tests.validate.documents import whole

from .documents import breaking, changes, report

TEXT = {"type": "string"}
DONE: dict[str, Any] = {"responses": {"200": {"description": "Done."}}}
JSON = "application/json"
IN_PATH = {"in": "path", "name": "id", "required": True, "schema": TEXT}


def operation(*, method: str = "post", item: Any = None, **fields: Any) -> dict[str, Any]:
    return whole("{}") | {"paths": {"/a": {method: {**DONE, **fields}, **(item or {})}}}


def req(schema: Any, media_type: str = JSON, **content: Any) -> dict[str, Any]:
    return operation(requestBody={"content": {media_type: {"schema": schema, **content}}})


def resp(schema: Any, media_type: str = JSON, status: str = "200") -> dict[str, Any]:
    answer = {"description": "Done.", "content": {media_type: {"schema": schema}}}
    return operation(responses={status: answer})


def holding(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties}


def secured(schemes: dict[str, Any], *used: str) -> dict[str, Any]:
    return operation(security=[{name: [] for name in used}]) | {
        "components": {"securitySchemes": schemes}
    }


def oauth(**flows: Any) -> dict[str, Any]:
    return secured({"oauth": {"type": "oauth2", "flows": flows}}, "oauth")


def flow(url: str = "https://a.test/token", *scopes: str) -> dict[str, Any]:
    return {"tokenUrl": url, "scopes": dict.fromkeys(scopes, "May.")}


def at(*urls: str) -> dict[str, Any]:
    return {"servers": [{"url": url} for url in urls]}


CARD, IBAN = (holding(["kind"], kind=TEXT, **{name: TEXT}) for name in ("number", "iban"))


def tagged(make: Any, names: tuple[str, str] = ("Card", "Iban"), **mapping: str) -> dict[str, Any]:
    targets = {tag: f"#/components/schemas/{name}" for tag, name in mapping.items()}
    discriminator = {"propertyName": "kind", **({"mapping": targets} if mapping else {})}
    choices = [{"$ref": f"#/components/schemas/{name}"} for name in names]
    schemas = dict(zip(names, (CARD, IBAN), strict=True))
    return make({"oneOf": choices, "discriminator": discriminator}) | {
        "components": {"schemas": schemas}
    }


def dynamic(item: Any) -> dict[str, Any]:
    tree = {"type": "array", "items": {"$dynamicRef": "#item"}}
    return req(tree) | {"components": {"schemas": {"Item": {"$dynamicAnchor": "item", **item}}}}


def form(schema: Any, media_type: str = "multipart/form-data", **encoding: Any) -> dict[str, Any]:
    return req(schema, media_type, encoding={"a": encoding} if encoding else {})


def xml_of(component: str, **fields: Any) -> dict[str, Any]:
    return req({"$ref": f"#/components/schemas/{component}"}, "application/xml") | {
        "components": {"schemas": {component: {**holding([], a=TEXT), **fields}}}
    }


def parameter(**fields: Any) -> dict[str, Any]:
    return operation(parameters=[{"name": "q", "in": "query", "schema": TEXT, **fields}])


BASIC = {"type": "http", "scheme": "basic"}
KEY = {"type": "apiKey", "in": "header", "name": "X-Key"}
ID = {**TEXT, "readOnly": True}
SECRET = {**TEXT, "writeOnly": True}
A = holding([], a=TEXT)

BREAKS: dict[str, tuple[Any, Any, set[str]]] = {
    "a required property that clients have to send now": (
        req(holding(["id"], id=ID)),
        req(holding(["id"], id=TEXT)),
        {"property-required"},
    ),
    "a required property that is not sent any more": (
        resp(holding(["secret"], secret=TEXT)),
        resp(holding(["secret"], secret=SECRET)),
        {"property-not-sent"},
    ),
    "a property that clients may not send any more": (
        req(holding(["id"], id=TEXT)),
        req(holding(["id"], id=ID)),
        {"property-removed"},
    ),
    "a flow is gone": (
        oauth(clientCredentials=flow()),
        oauth(password=flow()),
        {"security-scheme-changed"},
    ),
    "a token comes from elsewhere": (
        oauth(clientCredentials=flow()),
        oauth(clientCredentials=flow("https://b.test/token")),
        {"security-scheme-changed"},
    ),
    "a scope is gone": (
        oauth(clientCredentials=flow("https://a.test", "read", "write")),
        oauth(clientCredentials=flow("https://a.test", "read")),
        {"security-scheme-changed"},
    ),
    "a server of an operation": (
        operation(**at("https://a.test")),
        operation(**at("https://b.test")),
        {"server-removed"},
    ),
    "a server of a path": (
        operation(item=at("https://a.test")),
        operation(item=at("https://b.test")),
        {"server-removed"},
    ),
    "an operation gets a server of its own": (
        operation() | at("https://a.test"),
        operation(**at("https://b.test")) | at("https://a.test"),
        {"server-removed"},
    ),
    "a tag is gone": (
        tagged(req, card="Card", iban="Iban"),
        tagged(req, iban="Iban"),
        {"discriminator-changed"},
    ),
    "two tags change places": (
        tagged(resp, card="Card", iban="Iban"),
        tagged(resp, card="Iban", iban="Card"),
        {"discriminator-changed"},
    ),
    "a component that is its own tag has another name": (
        tagged(resp),
        tagged(resp, ("CreditCard", "Iban")),
        {"discriminator-changed"},
    ),
    "the media type of a part": (
        form(A, contentType="image/png"),
        form(A, contentType="image/jpeg"),
        {"serialisation-changed"},
    ),
    "the style of a part": (
        form(A, "application/x-www-form-urlencoded", style="form", explode=True),
        form(A, "application/x-www-form-urlencoded", style="form", explode=False),
        {"serialisation-changed"},
    ),
    "a name in XML": (
        resp(holding([], a={**TEXT, "xml": {"name": "a"}}), "application/xml"),
        resp(holding([], a={**TEXT, "xml": {"name": "b"}}), "application/xml"),
        {"serialisation-changed"},
    ),
    "an element in XML becomes an attribute": (
        req(holding([], a=TEXT), "application/xml"),
        req(holding([], a={**TEXT, "xml": {"attribute": True}}), "application/xml"),
        {"serialisation-changed"},
    ),
    "a component that names the root in XML": (
        xml_of("Pet"),
        xml_of("Animal"),
        {"serialisation-changed"},
    ),
    "the target of a dynamic reference": (
        dynamic({**TEXT, "maxLength": 9}),
        dynamic({**TEXT, "maxLength": 8}),
        {"length-narrowed"},
    ),
    "true is not 1": (resp({"enum": [True]}), resp({"enum": [1]}), {"enum-widened"}),
    "the constant true is not 1": (req({"const": True}), req({"const": 1}), {"enum-narrowed"}),
    "the default true is not 1": (
        req({"default": 1}),
        req({"default": True}),
        {"default-changed"},
    ),
    "null is a constant": (resp({"const": None}), resp({"enum": ["y"]}), {"enum-widened"}),
    "a range of statuses has another body": (
        resp(TEXT),
        resp({"type": "integer"}, status="2XX"),
        {"type-widened"},
    ),
    "an empty value is refused": (
        parameter(allowEmptyValue=True),
        parameter(),
        {"serialisation-changed"},
    ),
    "any media type becomes one": (
        req(TEXT, "*/*"),
        req(TEXT, JSON),
        {"media-type-removed"},
    ),
}


def errors(directory: Path, base: Any, revision: Any) -> set[str]:
    found = changes(report(directory, base, revision))
    return {each.rule for each in found if each.level is Level.ERROR}


@pytest.mark.parametrize(("before", "after", "rules"), BREAKS.values(), ids=BREAKS)
def test_breaks(before: Any, after: Any, rules: set[str], tmp_path: Path) -> None:
    assert errors(tmp_path, before, after) == rules


SAFE: dict[str, tuple[Any, Any]] = {
    "the default serialisation of a query parameter is declared": (
        parameter(),
        parameter(style="form", explode=True),
    ),
    "the default serialisation of a delimited parameter is declared": (
        parameter(style="pipeDelimited"),
        parameter(style="pipeDelimited", explode=False),
    ),
    "another flow": (
        oauth(clientCredentials=flow()),
        oauth(clientCredentials=flow(), password=flow()),
    ),
    "a scheme of another name": (
        secured({"key": KEY}, "key"),
        secured({"apiKey": KEY}, "apiKey"),
    ),
    "a scheme that nobody uses": (
        secured({"key": KEY, "other": BASIC}, "key"),
        secured({"key": KEY, "other": {**BASIC, "scheme": "bearer"}}, "key"),
    ),
    "a header has no case": (
        secured({"key": KEY}, "key"),
        secured({"key": {**KEY, "name": "x-key"}}, "key"),
    ),
    "an operation says the servers of the document": (
        operation() | at("https://a.test"),
        operation(**at("https://a.test")) | at("https://a.test"),
    ),
    "one more tag in a request": (
        tagged(req, iban="Iban"),
        tagged(req, iban="Iban", card="Card"),
    ),
    "a component whose tag is mapped has another name": (
        tagged(resp, card="Card", iban="Iban"),
        tagged(resp, ("CreditCard", "Iban"), card="CreditCard", iban="Iban"),
    ),
    "names of XML in JSON": (
        resp(holding([], a={**TEXT, "xml": {"name": "a"}})),
        resp(holding([], a={**TEXT, "xml": {"name": "b"}})),
    ),
    "a node in XML in the words of 3.1": (
        req(holding([], a={**TEXT, "xml": {"nodeType": "attribute"}}), "application/xml"),
        req(holding([], a={**TEXT, "xml": {"attribute": True}}), "application/xml"),
    ),
    "a component with a name of its own in XML": (
        xml_of("Pet", xml={"name": "pet"}),
        xml_of("Animal", xml={"name": "pet"}),
    ),
    "an empty value is taken, too": (parameter(), parameter(allowEmptyValue=True)),
    "any media type is taken": (req(TEXT, JSON), req(TEXT, "*/*")),
    "one of any media types is sent": (resp(TEXT, "*/*"), resp(TEXT, JSON)),
    "a charset": (resp(TEXT, JSON), resp(TEXT, f"{JSON}; charset=utf-8")),
    "a path parameter that was not declared": (
        whole("{}") | {"paths": {"/a/{id}": {"get": DONE}}},
        whole("{}") | {"paths": {"/a/{id}": {"get": {"parameters": [IN_PATH], **DONE}}}},
    ),
    "a tag in another case": (operation(tags=["Branch Admin"]), operation(tags=["branch_admin"])),
    "bytes of 3.1 in the words of 3.0": (
        form({"type": "string", "format": "binary"}),
        form({"type": "string", "contentMediaType": "application/octet-stream"}),
    ),
    "text in base64 in the words of 3.0": (
        resp({"type": "string", "contentEncoding": "base64"}),
        resp({"type": "string", "format": "byte"}),
    ),
    "one status of a range": (resp(TEXT, status="2XX"), resp(TEXT)),
    "a range around a status": (resp(TEXT), resp(TEXT, status="2XX")),
    "formats that nobody knows": (
        resp({**TEXT, "format": "money"}),
        resp({**TEXT, "format": "cash"}),
    ),
    "a form is an object": (
        form({"properties": {"a": TEXT}}),
        form({"type": "object", "properties": {"a": TEXT}}),
    ),
    "the media type that a part has anyway": (form(A), form(A, contentType="text/plain")),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE)
def test_breaks_nobody(before: Any, after: Any, tmp_path: Path) -> None:
    found = changes(report(tmp_path, before, after))
    assert [(each.rule, each.message) for each in found if each.level is not Level.INFO] == []


def test_components_that_no_operation_refers_to_are_judged_in_both_directions(
    tmp_path: Path,
) -> None:
    def document(least: int) -> dict[str, Any]:
        event = holding(["at"], at=TEXT, size={"type": "integer", "minimum": least})
        return operation() | {"components": {"schemas": {"Event": event}}}

    assert errors(tmp_path, document(1), document(2)) == {"range-narrowed"}
    assert errors(tmp_path, document(2), document(1)) == {"range-widened"}
    [found] = breaking(report(tmp_path, document(2), document(1)).findings)
    assert found.affected == Affected("Event.size", ("no operation: the component Event",))


def test_an_answer_that_refers_elsewhere_is_one_finding(tmp_path: Path) -> None:
    schemas = {
        "User": holding(["id", "name"], id=TEXT, name=TEXT, mail=TEXT),
        "Order": holding(["total", "lines"], total=TEXT, lines=TEXT, at=TEXT),
    }
    base, revision = (
        resp({"$ref": f"#/components/schemas/{name}"}) | {"components": {"schemas": schemas}}
        for name in schemas
    )
    [found] = changes(report(tmp_path, base, revision))
    assert (found.rule, found.message) == ("union-widened", "it was User, and is now Order")
