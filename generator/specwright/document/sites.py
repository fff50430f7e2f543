"""Where in a document the operations, parameters, bodies and responses stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from specwright.document.model import Document
from specwright.pointer import Pointer, join

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")


@dataclass(frozen=True, slots=True)
class Site:
    """A value of the document after following references, and the pointer that it has itself."""

    pointer: Pointer
    value: dict[str, Any]

    def __truediv__(self, token: str) -> Pointer:
        return self.pointer + join(token)


@dataclass(frozen=True, slots=True)
class OperationSite:
    """An operation of `paths`, or of `webhooks` when `is_webhook`; `key` is its path or name."""

    key: str
    method: str
    item: Site
    operation: Site
    is_webhook: bool


def follow(document: Document, pointer: Pointer, value: Any) -> Site:
    """Follow references from a place to the value that they end in."""
    while isinstance(value, dict) and isinstance(value.get("$ref"), str):
        pointer = document.target(value["$ref"])
        value = document.resolve(value["$ref"])
    return Site(pointer, value if isinstance(value, dict) else {})


def members(document: Document, site: Site, name: str) -> Iterator[tuple[str, Site]]:
    """The members of an object- or array-valued field, references followed."""
    field = site.value.get(name)
    pairs = field.items() if isinstance(field, dict) else enumerate(field or ())
    for key, value in pairs:
        yield str(key), follow(document, site / name + join(key), value)


def operations(document: Document) -> Iterator[OperationSite]:
    """All operations in the order of the document: those of `paths`, then those of `webhooks`."""
    root = Site("", document.data)
    for field, is_webhook in (("paths", False), ("webhooks", True)):
        for key, item in members(document, root, field):
            for method in METHODS:
                if isinstance(item.value.get(method), dict):
                    operation = Site(item / method, item.value[method])
                    yield OperationSite(key, method, item, operation, is_webhook)


def parameters(document: Document, site: OperationSite) -> list[Site]:
    """Parameters of an operation: those of its path item, overridden by its own."""
    found: dict[tuple[str, str], Site] = {}
    for owner in (site.item, site.operation):
        for _, parameter in members(document, owner, "parameters"):
            location, name = str(parameter.value.get("in")), str(parameter.value.get("name"))
            # The names of header fields have no case (RFC 9110, 5.1).
            found[location, name.lower() if location == "header" else name] = parameter
    return list(found.values())


def is_json(media_type: str) -> bool:
    """Whether a media type carries JSON (RFC 6839, 3.1)."""
    essence = media_type.partition(";")[0].strip().lower()
    return essence.endswith("+json") or essence.endswith("/json") or essence == "*/*"
