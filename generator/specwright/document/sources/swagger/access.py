"""Servers and security schemes of Swagger 2.0."""

from __future__ import annotations

from jsonschema_rs.canonical.schema import clone

from specwright.document.moves import Moves
from specwright.json_values import JsonObject, JsonValue, mapping, texts
from specwright.pointer import Pointer, join

_FLOWS = {"application": "clientCredentials", "accessCode": "authorizationCode"}
_OF_FLOWS = ("authorizationUrl", "tokenUrl", "scopes")


def servers(data: JsonObject, schemes: JsonValue, at: Pointer, moves: Moves) -> list[JsonValue]:
    """Return a server for each scheme, in the order in which they are listed.

    Without a scheme, the server has that of the document's address; without a host, its host.

    Args:
        data: the document, with its host and base path.
        schemes: those of the document, or of one operation.
        at: the place of the object that lists them.
    """
    host, base = data.get("host"), data.get("basePath")
    base = base.rstrip("/") if isinstance(base, str) else ""
    if isinstance(host, str):
        urls = [
            (f"{scheme}://{host}{base}", at + join("schemes", index))
            for index, scheme in enumerate(texts(schemes))
        ] or [(f"//{host}{base}", join("host"))]
    else:
        urls = [(base, join("basePath"))] if base and not at else []
    for index, (_, place) in reversed([*enumerate(urls)]):
        for new in (join("servers"), join("servers", index), join("servers", index, "url")):
            moves.add_inner(at + new, place)
    return [{"url": url} for url, _ in urls]


def security_scheme(moves: Moves, declared: JsonObject, new: Pointer, old: Pointer) -> JsonObject:
    """Return a security scheme as OpenAPI 3 has it."""
    kind = declared.get("type")
    if kind == "basic":
        return {**clone(declared), "type": "http", "scheme": "basic"}
    if kind != "oauth2":
        return mapping(clone(declared))
    flow = str(declared.get("flow"))
    kept = declared.keys() - {"flow", *_OF_FLOWS}
    moves.add_inner(new + join("flows"), old + join("flow"))
    moves.add_inner(new + join("flows", _FLOWS.get(flow, flow)), old)
    return {
        **{name: clone(value) for name, value in declared.items() if name in kept},
        "flows": {
            _FLOWS.get(flow, flow): {
                "scopes": {},
                **{name: clone(declared[name]) for name in _OF_FLOWS if name in declared},
            }
        },
    }
