"""The requests that the document allows."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema_rs
from flask import Request

from lab.tickets.document import DOCUMENT

_INTEGER = re.compile("-?[0-9]{1,18}")


class RefusedError(Exception):
    """A request that gets an error response."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


class Operation:
    """An operation with the checks of its requests."""

    def __init__(self, path: str, method: str, declared: Mapping[str, Any], shared: Any) -> None:
        self.id: str = declared["operationId"]
        self.path = path
        self.method = method.upper()
        parameters = map(_resolved, [*shared, *declared.get("parameters", ())])
        # Those of the path are a matter of routes.
        self._parameters = [
            (parameter, _validator(parameter["schema"]))
            for parameter in parameters
            if parameter["in"] != "path"
        ]
        [(self._media_type, content)] = (
            declared.get("requestBody", {}).get("content") or {"": {}}
        ).items()
        self._body = _validator(content.get("schema"))

    def parameters(self, request: Request) -> dict[str, Any]:
        """Return the parameters of a request, with their defaults."""
        given = {}
        for parameter, validator in self._parameters:
            name, schema = parameter["name"], parameter["schema"]
            holder = request.args if parameter["in"] == "query" else request.headers
            values = holder.getlist(name)
            if len(values) > 1:
                raise RefusedError(400, "invalid_parameter", f"{name} is repeated")
            if values:
                given[name] = _number(values[0], schema)
                _check(validator, given[name], f"{name}: ", "invalid_parameter")
            else:
                given[name] = schema.get("default")
        return given

    def body(self, request: Request) -> Any:
        """Return the body of a request, as it was sent."""
        if not self._media_type:
            return None
        sent = request.get_data()
        if sent and request.mimetype != self._media_type:
            raise RefusedError(415, "media_type", f"The body must be {self._media_type}")
        try:
            body = json.loads(sent.decode(), parse_constant=_refuse_constant)
            # Half of a surrogate pair is not a character.
            json.dumps(body, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise RefusedError(400, "invalid_json", "The body is not JSON") from error
        return body

    def check(self, body: Any) -> None:
        """Refuse a body that does not have its schema."""
        if self._media_type:
            _check(self._body, body, "", "invalid_body")


def operations() -> Iterator[Operation]:
    """Yield the operations of the document."""
    for path, item in DOCUMENT["paths"].items():
        shared = item.get("parameters", ())
        for method, declared in item.items():
            if method != "parameters":
                yield Operation(path, method, declared, shared)


def _check(
    validator: jsonschema_rs.Draft202012Validator, value: Any, where: str, code: str
) -> None:
    try:
        validator.validate(value)
    except jsonschema_rs.ValidationError as error:
        raise RefusedError(400, code, f"{where}{error.message}") from error


def _validator(schema: Any) -> jsonschema_rs.Draft202012Validator:
    whole = {"allOf": [schema or True], "components": _REQUESTS}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


def _resolved(parameter: Mapping[str, Any]) -> Any:
    name = parameter.get("$ref", "").rpartition("/")[2]
    return DOCUMENT["components"]["parameters"][name] if name else parameter


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _number(text: str, schema: Mapping[str, Any]) -> Any:
    is_number = schema.get("type") == "integer" and _INTEGER.fullmatch(text)
    return int(text) if is_number else text


def _of_requests(components: Any) -> Any:
    """Return schemas without the members that only responses have."""
    schemas = copy.deepcopy(components)
    for schema in schemas["schemas"].values():
        members = schema.get("properties", {})
        only_read = {name for name, member in members.items() if member.get("readOnly")}
        for name in only_read:
            del members[name]
        if "required" in schema:
            schema["required"] = [name for name in schema["required"] if name not in only_read]
    return schemas


_REQUESTS = _of_requests({"schemas": DOCUMENT["components"]["schemas"]})
