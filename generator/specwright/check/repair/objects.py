"""Objects that break the official schema, read leniently or left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from specwright.check.repair.edits import Edit
from specwright.document.schemas.instances import SchemaMismatch
from specwright.document.shape import Node
from specwright.json_values import JsonValue, sequence
from specwright.pointer import ROOT, Pointer, join, resolve, split

# The default for a missing field, by the kind of the object that lacks it. An object that lacks
# another field is left out.
_DEFAULTS: dict[tuple[str, str], JsonValue] = {
    ("document", "info"): {"title": "API", "version": ""},
    ("document", "paths"): {},
    ("info", "title"): "API",
    ("info", "version"): "",
    ("license", "name"): "",
    ("oauthFlow", "scopes"): {},
    ("parameter", "required"): True,
    ("response", "description"): "",
    ("server", "url"): "/",
    ("serverVariable", "default"): "",
}
# Pairs of fields that exclude each other: the first one is left out.
_EXCLUSIVE: dict[str, tuple[str, str]] = {
    "example": ("externalValue", "value"),
    "header": ("content", "schema"),
    "license": ("identifier", "url"),
    "link": ("operationRef", "operationId"),
    "mediaType": ("example", "examples"),
    "parameter": ("content", "schema"),
}
_HOLDERS_OF_A_SCHEMA = frozenset({"header", "parameter"})
# A range of statuses that is written `4xx`.
_IN_LOWER = re.compile("[1-5]([Xx]x|xX)").fullmatch
_FOR_PEOPLE = frozenset(
    """
    $comment contact description example examples externalDocs license summary termsOfService title
    xml
    """.split()
)


def edit(problem: SchemaMismatch, nodes: Mapping[Pointer, Node], data: JsonValue) -> Edit | None:
    """Return an edit that makes an object readable; None if generated code does not need one.

    Args:
        nodes: all objects of the document by their places.
    """
    pointer = problem.pointer
    node = nodes.get(pointer)
    for holder in (node, nodes.get(pointer.rpartition("/")[0])):
        if holder is not None and holder.kind == "responses" and any(map(_IN_LOWER, holder.value)):
            ranges = {k.upper() if _IN_LOWER(k) else k: v for k, v in holder.value.items()}
            return Edit(holder.pointer, ranges, loses=False)
    match problem.keyword:
        case "propertyNames":
            return None
        case "unevaluatedProperties" | "additionalProperties":
            # Nothing reads a field that OpenAPI does not have.
            return Edit(pointer) if node else None
        case "type" if 'type "string"' in problem.message and _is_number(data, pointer):
            # YAML reads `version: 1.0` as a number.
            return Edit(pointer, json.dumps(resolve(data, pointer)), loses=False)
        case "uniqueItems":
            return Edit(pointer, _each_once(sequence(resolve(data, pointer))), loses=False)
    if node is not None:
        return next(_of_object(node, problem), None) or _without(pointer, nodes)
    return _without(pointer, nodes)


def is_loss(edit: Edit, nodes: Mapping[Pointer, Node]) -> bool:
    """Return whether generated code lacks the part that an edit removes."""
    holder, _, name = edit.pointer.rpartition("/")
    return edit.loses and not (holder in nodes and name in _FOR_PEOPLE)


def _of_object(node: Node, problem: SchemaMismatch) -> Iterator[Edit]:
    default = _DEFAULTS.get((node.kind, problem.missing or ""))
    if default is not None:
        yield Edit(node.pointer + join(problem.missing or ""), default, loses=False)
    first, second = _EXCLUSIVE.get(node.kind, ("", ""))
    if {first, second} <= node.value.keys():
        yield Edit(node.pointer + join(first))
    elif node.kind in _HOLDERS_OF_A_SCHEMA and not {first, second} & node.value.keys():
        yield Edit(node.pointer + join("schema"), {}, loses=False)


def _without(pointer: Pointer, nodes: Mapping[Pointer, Node]) -> Edit | None:
    if pointer == ROOT:
        return None
    if split(pointer)[:2] == ("components", "schemas") and pointer.count("/") == 3:
        return Edit(pointer, {})
    holder = nodes.get(pointer.rpartition("/")[0])
    # Without its scopes the requirement still names the scheme.
    if holder is not None and holder.kind == "securityRequirement":
        return Edit(pointer, [], loses=False)
    return Edit(pointer)


def _is_number(data: JsonValue, pointer: Pointer) -> bool:
    value = resolve(data, pointer)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _each_once(values: list[JsonValue]) -> list[JsonValue]:
    return [value for number, value in enumerate(values) if value not in values[:number]]
