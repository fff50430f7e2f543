"""Changes of an operation beside its schemas, and whether they break clients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Data = dict[str, Any]
JSON = "application/json"
KEY = {"type": "apiKey", "in": "header", "name": "X-Key"}
BASIC = {"type": "http", "scheme": "basic"}
TEXT = {"type": "string"}


def _flow(url: str = "https://a.test/token", *scopes: str) -> Data:
    return {"tokenUrl": url, "scopes": dict.fromkeys(scopes, "May.")}


def _oauth(**flows: Any) -> Data:
    return {
        "security": [{"login": []}],
        "schemes": {"login": {"type": "oauth2", "flows": flows}},
    }


def _secured(schemes: Data, *names: str) -> Data:
    return {"security": [{name: [] for name in names}], "schemes": schemes}


def _at(*urls: str) -> Data:
    return {"servers": [{"url": url} for url in urls]}


def _asking(**fields: Any) -> Data:
    return {"parameters": [{"name": "brand_new", "in": "query", "schema": TEXT, **fields}]}


def _tagged(kinds: Mapping[str, str], names: tuple[str, ...] = ("NewCard", "NewIban")) -> Data:
    """A request of two components, told apart by a tag."""
    mapping = {tag: f"#/components/schemas/{name}" for tag, name in kinds.items()}
    schema = {
        "oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in names],
        "discriminator": {"propertyName": "kind", **({"mapping": mapping} if mapping else {})},
    }
    schemas = {
        name: {
            "type": "object",
            "required": ["kind", part],
            "properties": {"kind": TEXT, part: TEXT},
        }
        for name, part in zip(names, ("number", "iban"), strict=True)
    }
    return {"requestBody": {"content": {JSON: {"schema": schema}}}, "components": schemas}


def _form(media_type: str = "multipart/form-data", schema: Any = None, **encoding: Any) -> Data:
    given = schema or {"type": "object", "properties": {"a": TEXT}}
    content = {"schema": given, **({"encoding": {"a": encoding}} if encoding else {})}
    return {"requestBody": {"content": {media_type: content}}}


def _taking(*media_types: str) -> Data:
    return {"requestBody": {"content": {name: {"schema": TEXT} for name in media_types}}}


def _answering(*statuses: str, schema: Any = TEXT, media_type: str = JSON) -> Data:
    answer = {"description": "Done.", "content": {media_type: {"schema": schema}}}
    return {"responses": dict.fromkeys(statuses, answer)}


def _element(**xml: Any) -> Data:
    return {"type": "object", "properties": {"a": {**TEXT, **({"xml": xml} if xml else {})}}}


BOTH = {"card": "NewCard", "iban": "NewIban"}
SWAPPED = {"card": "NewIban", "iban": "NewCard"}
# Whether a change breaks clients, and the additions to the operation before and after it.
CHANGES: Mapping[str, tuple[bool, Data, Data]] = {
    "a scheme of another name": (False, _secured({"a": KEY}, "a"), _secured({"b": KEY}, "b")),
    "a header of another case": (
        False,
        _secured({"a": KEY}, "a"),
        _secured({"a": {**KEY, "name": "x-KEY"}}, "a"),
    ),
    "a scheme nobody uses": (
        False,
        _secured({"a": KEY, "b": BASIC}, "a"),
        _secured({"a": KEY, "b": KEY}, "a"),
    ),
    "another scheme": (True, _secured({"a": KEY}, "a"), _secured({"a": BASIC}, "a")),
    "another header": (
        True,
        _secured({"a": KEY}, "a"),
        _secured({"a": {**KEY, "name": "X-Token"}}, "a"),
    ),
    "one scheme more at once": (
        True,
        _secured({"a": KEY, "b": BASIC}, "a"),
        _secured({"a": KEY, "b": BASIC}, "a", "b"),
    ),
    "no scheme": (False, _secured({"a": KEY}, "a"), {}),
    "a scheme": (True, {"security": []}, _secured({"a": KEY}, "a")),
    "a token from elsewhere": (
        True,
        _oauth(clientCredentials=_flow()),
        _oauth(clientCredentials=_flow("https://b.test")),
    ),
    "a flow less": (
        True,
        _oauth(clientCredentials=_flow(), password=_flow()),
        _oauth(clientCredentials=_flow()),
    ),
    "a flow more": (
        False,
        _oauth(clientCredentials=_flow()),
        _oauth(password=_flow(), clientCredentials=_flow()),
    ),
    "a scope less": (
        True,
        _oauth(password=_flow("https://a.test", "read", "write")),
        _oauth(password=_flow("https://a.test", "write")),
    ),
    "a scope more": (
        False,
        _oauth(password=_flow("https://a.test", "read")),
        _oauth(password=_flow("https://a.test", "write", "read")),
    ),
    "another server": (True, _at("https://a.test"), _at("https://b.test")),
    "one more server": (False, _at("https://a.test"), _at("https://b.test", "https://a.test/")),
    "one server less": (True, _at("https://a.test", "https://b.test"), _at("https://b.test")),
    "a required parameter": (True, {}, _asking(required=True)),
    "an optional parameter": (False, {}, _asking()),
    "a parameter is required": (True, _asking(), _asking(required=True)),
    "a parameter is written otherwise": (
        True,
        _asking(schema={"type": "array"}),
        _asking(schema={"type": "array"}, explode=False),
    ),
    "a parameter is written as it was": (False, _asking(), _asking(style="form", explode=True)),
    "an empty parameter": (False, _asking(), _asking(allowEmptyValue=True)),
    "no empty parameter": (True, _asking(allowEmptyValue=True), _asking()),
    "a tag less": (True, _tagged(BOTH), _tagged({"iban": "NewIban"})),
    "a tag more": (False, _tagged(BOTH), _tagged({**BOTH, "account": "NewIban"})),
    "tags change places": (True, _tagged(BOTH), _tagged(SWAPPED)),
    "tags in another order": (False, _tagged(BOTH), _tagged(dict(reversed(BOTH.items())))),
    "a tag by another name": (True, _tagged({}), _tagged({}, ("NewCredit", "NewIban"))),
    "a component by another name": (
        False,
        _tagged(BOTH),
        _tagged({"card": "NewCredit", "iban": "NewIban"}, ("NewCredit", "NewIban")),
    ),
    "a part of another media type": (
        True,
        _form(contentType="image/png"),
        _form(contentType="image/jpeg"),
    ),
    "a part of more media types": (
        False,
        _form(contentType="text/plain"),
        _form(),
    ),
    "a part is written otherwise": (
        True,
        _form("application/x-www-form-urlencoded", explode=True),
        _form("application/x-www-form-urlencoded", explode=False),
    ),
    "a form says that it is an object": (
        False,
        _form(schema={"properties": {"a": TEXT}}),
        _form(),
    ),
    "another element": (
        True,
        _answering("200", schema=_element(name="b"), media_type="application/xml"),
        _answering("200", schema=_element(name="c"), media_type="application/xml"),
    ),
    "an attribute": (
        True,
        _answering("200", schema=_element(), media_type="application/xml"),
        _answering("200", schema=_element(attribute=True), media_type="application/xml"),
    ),
    "names of elements in JSON": (
        False,
        _answering("200", schema=_element(name="b")),
        _answering("200", schema=_element(name="c")),
    ),
    "any media type": (False, _taking(JSON), _taking("*/*")),
    "no longer any media type": (True, _taking("*/*"), _taking(JSON)),
    "a media type less": (True, _taking(JSON, "text/csv"), _taking("text/csv")),
    "a media type more": (False, _taking(JSON), _taking("text/csv", JSON)),
    "a charset": (False, _taking(JSON), _taking(f"{JSON};charset=UTF-8")),
    "a range for a status": (False, _answering("200"), _answering("2XX")),
    "a status of a range": (False, _answering("2XX"), _answering("200")),
    "another success": (True, _answering("200"), _answering("202")),
    "an error less": (False, _answering("200", "404"), _answering("200")),
    "a status more": (False, _answering("200"), _answering("404", "200")),
    "another body in a range": (
        True,
        _answering("200"),
        _answering("2XX", schema={"type": "integer"}),
    ),
    "another name of the method": (True, {"operationId": "newA"}, {"operationId": "newB"}),
    "words": (False, {"summary": "It."}, {"summary": "That.", "description": "Words."}),
    "deprecated": (False, {}, {"deprecated": True}),
}


def built(path: str, operation: Data) -> tuple[Data, Data, Data]:
    """Return the path item of an operation, and the schemas and schemes that it needs."""
    fields = {k: v for k, v in operation.items() if k not in ("schemes", "components")}
    done = {"responses": {"200": {"description": "Done."}}}
    return (
        {"post": {**done, **fields}},
        operation.get("components", {}),
        operation.get("schemes", {}),
    )
