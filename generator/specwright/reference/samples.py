"""Example calls of operations: of the generated client, and as requests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote, urlencode

from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.sites import Site
from specwright.document.schemas.inspection import is_binary
from specwright.ir.calls import Calls
from specwright.ir.examples import Examples
from specwright.ir.model.api import Api, OperationGroup
from specwright.ir.model.operations import OperationDefinition, ServerDefinition
from specwright.ir.model.parameters import ParameterDefinition, ParameterLocation
from specwright.ir.model.values import Kind
from specwright.json_values import JsonValue
from specwright.reference.request import (
    SampleBody,
    SamplePart,
    SampleRequest,
    Variable,
    Words,
)
from specwright.render.calls import imports, statement
from specwright.runtime.shared import operation as wire
from specwright.runtime.shared import querystring
from specwright.runtime.shared.styles import pairs, text

# A longer body is a file.
_LONGEST_BODY = 4_000
_VARIABLE = re.compile(r"\{([^{}]*)\}")
_MISSING = "…"
_SCHEMES = "securitySchemes"
_SCALARS = frozenset({Kind.STRING, Kind.INTEGER, Kind.NUMBER, Kind.BOOLEAN, Kind.ANY})


@dataclass(frozen=True, slots=True)
class SampleCredential:
    """A security scheme as a request carries it.

    Attributes:
        kind: `bearer`, `basic`, `digest`, `header`, `query`, `cookie`; empty for others.
        name: the name of the header, parameter or cookie.
        variable: the environment variable of the client for it; empty if no operation asks for it.
    """

    key: str
    kind: str
    name: str
    variable: str


class Samples:
    """Example calls with the examples of a document.

    Args:
        normal: the normalised document, which the operations of `api` lead into.
    """

    def __init__(self, normal: Document, api: Api) -> None:
        self._document = normal
        self._api = api
        self._examples = Examples(normal)
        self._calls = Calls(normal, self._examples, self._api.classes)

    @cached_property
    def credentials(self) -> Mapping[str, SampleCredential]:
        """The security schemes by their names."""
        declared = dict(sites.members(self._document, sites.components(self._document), _SCHEMES))
        variables = {
            scheme.key.raw: f"{self._api.names.env_prefix}_{scheme.argument.upper()}"
            for scheme in self._api.credentials
        }
        return {
            key: SampleCredential(key, *_carried(site.value), variables.get(key, ""))
            for key, site in declared.items()
        }

    def python(self, group: OperationGroup, operation: OperationDefinition) -> str:
        """Return a call of the generated client."""
        names = self._api.names
        call = self._calls.of(group, operation)
        lines = [
            *imports(names, [call]),
            "",
            f"with {names.client}() as client:",
        ]
        return "\n".join([*lines, *(f"    {line}" for line in statement(call))]) + "\n"

    def request(self, operation: OperationDefinition) -> SampleRequest:
        """Return the required parts of a request."""
        carried = [*self._credentials(operation)]
        user = next((c for c in carried if c.kind in ("basic", "digest")), None)
        body = operation.body.usual if operation.body is not None else None
        is_multipart = body is not None and body.medium.is_multipart
        sent = self.body(operation)
        is_short = sent is not None and len(sent[1]) <= _LONGEST_BODY
        return SampleRequest(
            method=operation.method,
            url=[*self._url(operation, carried)],
            headers=[*self._headers(operation, carried)],
            cookies=[*self._cookies(operation, carried)],
            user=Variable(user.variable) if user else None,
            is_digest=user is not None and user.kind == "digest",
            body=SampleBody(sent[1], body.medium.is_json) if body and sent and is_short else None,
            is_file=body is not None and not is_multipart and not is_short,
            parts=[*self._parts(operation)] if is_multipart else [],
        )

    def base(self, operation: OperationDefinition) -> str:
        """Return the URL of an operation's own server; empty if it has none."""
        return address(operation.servers[0]) if operation.servers else ""

    def shown(self, parameter: ParameterDefinition) -> str:
        """Return an example of a parameter, as text for a form."""
        value = self._value(parameter)
        if parameter.content is not None:
            return "&".join(self._query_string(parameter))
        if form(parameter) == "raw":
            return "&".join("=".join(pair) for pair in pairs(_sent(parameter), value))
        if isinstance(value, list):
            return ",".join(item if isinstance(item, str) else json.dumps(item) for item in value)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    def body(self, operation: OperationDefinition) -> tuple[str, str] | None:
        """Return the media type and an example of a body that is text; None without one."""
        if operation.body is None:
            return None
        content = operation.body.usual
        media_type, value = content.media_type.raw, self._content(operation)
        medium = content.medium
        if value is None:
            return None
        if medium.is_json:
            return media_type, json.dumps(value[0], indent=2, ensure_ascii=False)
        if medium.has_parts and not medium.is_multipart and isinstance(value[0], dict):
            return media_type, urlencode(value[0], doseq=True)
        return None

    def _url(
        self, operation: OperationDefinition, carried: Sequence[SampleCredential]
    ) -> Iterator[str | Variable]:
        base, path = self._base(operation), self._path(operation)
        if base.lower().startswith(("http://", "https://")):
            yield base + path
        else:
            yield Variable(f"{self._api.names.env_prefix}_BASE_URL")
            yield path
        for number, credential in enumerate(c for c in carried if c.kind == "query"):
            yield f"{'&' if number or '?' in path else '?'}{quote(credential.name)}="
            yield Variable(credential.variable)

    def _path(self, operation: OperationDefinition) -> str:
        values = {
            parameter.wire.raw: text(_sent(parameter), self._value(parameter))
            for parameter in _required(operation, ParameterLocation.PATH)
        }
        path = _VARIABLE.sub(lambda match: values.get(match[1], match[0]), operation.path.raw)
        query = [
            "=".join(pair)
            for parameter in _required(operation, ParameterLocation.QUERY)
            for pair in pairs(_sent(parameter), self._value(parameter))
        ]
        for parameter in _required(operation, ParameterLocation.QUERYSTRING):
            query += self._query_string(parameter)
        return path + ("?" + "&".join(query) if query else "")

    def _base(self, operation: OperationDefinition) -> str:
        servers = operation.servers or self._api.servers
        return address(servers[0]) if servers else ""

    def _headers(
        self, operation: OperationDefinition, carried: Sequence[SampleCredential]
    ) -> Iterator[tuple[str, Words]]:
        for credential in carried:
            if credential.kind == "bearer":
                yield "Authorization", ["Bearer ", Variable(credential.variable)]
            if credential.kind == "header":
                yield credential.name, [Variable(credential.variable)]
        for header in _required(operation, ParameterLocation.HEADER):
            yield header.wire.raw, [text(_sent(header), self._value(header))]
        body = operation.body.usual if operation.body is not None else None
        if body is not None and not body.medium.is_multipart:
            yield "Content-Type", [body.media_type.raw]

    def _cookies(
        self, operation: OperationDefinition, carried: Sequence[SampleCredential]
    ) -> Iterator[tuple[str, Words]]:
        for credential in carried:
            if credential.kind == "cookie":
                yield credential.name, [Variable(credential.variable)]
        for parameter in _required(operation, ParameterLocation.COOKIE):
            for name, value in pairs(_sent(parameter), self._value(parameter)):
                yield name, [value]

    def _parts(self, operation: OperationDefinition) -> Iterator[SamplePart]:
        value = self._content(operation)
        site = self._body_site(operation)
        schema = sites.schema(self._document, site) if site is not None else Site("", {})
        properties = dict(sites.members(self._document, schema, "properties"))
        for name, member in value[0].items() if value and isinstance(value[0], dict) else ():
            shown = member if isinstance(member, str) else json.dumps(member, ensure_ascii=False)
            is_file = name in properties and is_binary(properties[name].value)
            yield SamplePart(name, shown, is_file)

    def _content(self, operation: OperationDefinition) -> tuple[JsonValue] | None:
        """Return an example of the usual body, which may be null; None without an example."""
        site = self._body_site(operation)
        return None if site is None else next(((v,) for v in self._examples.of(site)), None)

    def _body_site(self, operation: OperationDefinition) -> Site | None:
        if operation.body is None:
            return None
        holder = sites.at(self._document, operation.body.pointer)
        contents = dict(sites.contents(self._document, holder))
        return contents.get(operation.body.usual.media_type.raw)

    def _query_string(self, parameter: ParameterDefinition) -> list[str]:
        declared = sites.at(self._document, parameter.pointer)
        content = sites.query_content(self._document, declared)
        assert content is not None
        try:
            return querystring.parts(content, self._value(parameter))
        except ValueError:
            # There is no example that is an object.
            return [_MISSING]

    def _value(self, parameter: ParameterDefinition) -> JsonValue:
        declared = sites.at(self._document, parameter.pointer)
        holder = sites.described(self._document, declared)
        return next(self._examples.of(holder), _MISSING)

    def _credentials(self, operation: OperationDefinition) -> Iterator[SampleCredential]:
        for scheme in operation.security[0] if operation.security else ():
            if scheme.raw in self.credentials:
                yield self.credentials[scheme.raw]


def address(server: ServerDefinition) -> str:
    """Return the URL of a server with the defaults of its variables."""
    url = server.url.raw
    for name, variable in server.variables.items():
        if variable.default is not None:
            url = url.replace(f"{{{name.raw}}}", variable.default.raw)
    return url.rstrip("/")


def form(parameter: ParameterDefinition) -> str:
    """Return the way from a text to a parameter: `text`, `list` or `raw`."""
    is_scalar = parameter.kind in _SCALARS
    if parameter.content is not None:
        return "raw"
    if is_scalar or parameter.location != ParameterLocation.QUERY:
        return "text"
    is_list = parameter.kind is Kind.ARRAY and parameter.style == "form" and parameter.explode
    return "list" if is_list else "raw"


def _carried(scheme: Mapping[str, JsonValue]) -> tuple[str, str]:
    """Return the kind and the name of a credential (OpenAPI 3.1.1, 4.8.27)."""
    match scheme.get("type"), str(scheme.get("scheme", "")).lower():
        case ("apiKey", _):
            return str(scheme.get("in")), str(scheme.get("name"))
        case ("http", ("bearer" | "basic" | "digest") as kind):
            return kind, ""
        case (("oauth2" | "openIdConnect"), _):
            return "bearer", ""
    return "", ""


def _required(
    operation: OperationDefinition, location: ParameterLocation
) -> Iterator[ParameterDefinition]:
    return (p for p in operation.parameters if p.required and p.location is location)


def _sent(parameter: ParameterDefinition) -> wire.Parameter:
    """Return a parameter as the client sends it."""
    return wire.Parameter(
        name=parameter.name,
        wire=parameter.wire.raw,
        location=parameter.location.value,
        kind=parameter.kind.value,
        style=parameter.style,
        explode=parameter.explode,
        allow_reserved=parameter.allow_reserved,
    )
