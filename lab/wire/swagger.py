"""A second reading of Swagger 2.0, written from its specification, for the judge."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

_VALUE = frozenset(
    "type format items default maximum exclusiveMaximum minimum exclusiveMinimum maxLength "
    "minLength pattern maxItems minItems uniqueItems enum multipleOf x-nullable".split()
)
_JSON = "application/json"
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_STYLES = {"csv": ("form", False), "multi": ("form", True), "ssv": ("spaceDelimited", False)}
_STYLES["pipes"] = ("pipeDelimited", False)
_FLOWS = {"accessCode": "authorizationCode", "application": "clientCredentials"}
_SECTIONS = {
    "#/definitions/": "#/components/schemas/",
    "#/parameters/": "#/components/parameters/",
    "#/responses/": "#/components/responses/",
}


def as_openapi(old: dict[str, Any]) -> dict[str, Any]:
    """Return what a document says in OpenAPI 3.0; media types are those that it lists, or JSON."""
    host = old.get("host", "")
    new = {
        "openapi": "3.0.4",
        "info": old["info"],
        "servers": [
            {"url": f"{scheme}://{host}{old.get('basePath', '')}"}
            for scheme in old.get("schemes", ["https"])
        ],
        "paths": {path: _item(old, item) for path, item in old["paths"].items()},
        "components": {
            "schemas": deepcopy(old.get("definitions", {})),
            "securitySchemes": {
                name: _scheme(scheme) for name, scheme in old.get("securityDefinitions", {}).items()
            },
        },
        **({"security": old["security"]} if "security" in old else {}),
    }
    _rewrite(new)
    return new


def _item(old: dict[str, Any], item: dict[str, Any]) -> dict[str, Any]:
    shared = item.get("parameters", [])
    return {
        method: _operation(old, operation, shared)
        for method, operation in item.items()
        if method != "parameters"
    }


def _operation(
    old: dict[str, Any], operation: dict[str, Any], shared: list[dict[str, Any]]
) -> dict[str, Any]:
    found = [_end(old, parameter) for parameter in (*shared, *operation.get("parameters", []))]
    by_place: dict[str, list[dict[str, Any]]] = {}
    for parameter in {(each["in"], each["name"]): each for each in found}.values():
        by_place.setdefault(parameter["in"], []).append(parameter)
    forms, bodies = by_place.pop("formData", []), by_place.pop("body", [])
    produces = operation.get("produces", old.get("produces")) or [_JSON]
    new = {
        name: value
        for name, value in operation.items()
        if name in ("operationId", "security", "tags", "deprecated")
    }
    new["parameters"] = [_parameter(each) for group in by_place.values() for each in group]
    new["responses"] = {
        status: _response(_end(old, response), produces)
        for status, response in operation["responses"].items()
    }
    listed = operation.get("consumes", old.get("consumes")) or [_JSON]
    if bodies:
        content = {"schema": deepcopy(bodies[0]["schema"])}
        new["requestBody"] = {
            "required": bodies[0].get("required", False),
            "content": {name: deepcopy(content) for name in listed},
        }
    elif forms:
        new["requestBody"] = _form(forms, [name for name in listed if name in _FORMS])
    return new


def _form(fields: list[dict[str, Any]], media_types: list[str]) -> dict[str, Any]:
    required = [field["name"] for field in fields if field.get("required")]
    content = {
        "schema": {
            "type": "object",
            "properties": {field["name"]: _schema(field) for field in fields},
            **({"required": required} if required else {}),
        },
        "encoding": {
            field["name"]: dict(zip(("style", "explode"), _style(field), strict=True))
            for field in fields
            if field["type"] == "array"
        },
    }
    return {
        "required": bool(required),
        "content": {name: deepcopy(content) for name in media_types},
    }


def _parameter(old: dict[str, Any]) -> dict[str, Any]:
    new = {name: old[name] for name in old if name not in _VALUE and name != "collectionFormat"}
    new["schema"] = _schema(old)
    if old["type"] == "array" and old["in"] == "query":
        new["style"], new["explode"] = _style(old)
    return new


def _style(old: dict[str, Any]) -> tuple[str, bool]:
    return _STYLES[old.get("collectionFormat", "csv")]


def _schema(old: dict[str, Any]) -> dict[str, Any]:
    return {name: deepcopy(value) for name, value in old.items() if name in _VALUE}


def _response(old: dict[str, Any], produces: list[str]) -> dict[str, Any]:
    new: dict[str, Any] = {"description": old["description"]}
    if "headers" in old:
        new["headers"] = {
            name: {"schema": _schema(header)} for name, header in old["headers"].items()
        }
    if "schema" in old:
        # An error beside an image is JSON.
        is_file = old["schema"].get("type") == "file"
        names = produces if is_file or "image/png" not in produces else [_JSON]
        new["content"] = {name: {"schema": deepcopy(old["schema"])} for name in names}
    return new


def _scheme(old: dict[str, Any]) -> dict[str, Any]:
    match old:
        case {"type": "basic"}:
            return {"type": "http", "scheme": "basic"}
        case {"type": "oauth2", "flow": flow}:
            fields = ("authorizationUrl", "tokenUrl", "scopes")
            flows = {_FLOWS.get(flow, flow): {n: old[n] for n in fields if n in old}}
            return {"type": "oauth2", "flows": flows}
    return old


def _end(old: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in value:
        _, section, name = value["$ref"].split("/")
        value = old[section][name]
    return value


def _rewrite(value: Any) -> None:
    """Give schemas the words of OpenAPI 3, in place."""
    if isinstance(value, list):
        for item in value:
            _rewrite(item)
    elif isinstance(value, dict):
        for inner in value.values():
            _rewrite(inner)
        if isinstance(ref := value.get("$ref"), str):
            for before, after in _SECTIONS.items():
                value["$ref"] = value["$ref"].replace(before, after)
            assert value["$ref"] != ref or not ref.startswith("#/def")
        if value.get("type") == "file":
            value.update({"type": "string", "format": "binary"})
        if "x-nullable" in value:
            value["nullable"] = value.pop("x-nullable")
        if isinstance(name := value.get("discriminator"), str):
            value["discriminator"] = {"propertyName": name}
