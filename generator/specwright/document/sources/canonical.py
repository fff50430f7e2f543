"""The canonical form of a JSON document, and the order of fields that it shares with YAML."""

from __future__ import annotations

import json
from collections.abc import Iterable

from specwright.document.shape import DocumentShape, shape_of
from specwright.json_values import JsonObject, JsonValue

# What a value holds is written as in the table of objects: the name of an object, with [] for a
# list and {} for a map of them, or nothing for a plain value.
DOCUMENT = "document"


def canonical(data: JsonObject) -> str:
    """Return text: two spaces, fields in specification order, component names sorted, LF."""
    ordered = _ordered(data, DOCUMENT, shape_of(data))
    return json.dumps(ordered, indent=2, ensure_ascii=False) + "\n"


def in_order(names: Iterable[str], holds: str, parent: str, shape: DocumentShape) -> list[str]:
    """Return the fields of an object, or the names of a map, in canonical order.

    Args:
        holds: what the object or the map is, such as `operation` or `schema{}`.
        parent: the same for the object around it.
    """
    if parent == shape.holder and holds.endswith("{}"):
        return sorted(names)
    fields = shape.objects.get(holds, {"*": ""})
    if "*" in fields:
        # Maps (paths, responses) keep the order in which people read them.
        return list(names)
    present = list(names)
    known = [name for name in fields if name in present]
    return [*known, *sorted(name for name in present if name not in fields)]


def inside(holds: str, name: str, shape: DocumentShape) -> str:
    """Return the content of a field of an object, or of a value of a map."""
    if holds.endswith("{}"):
        return holds.removesuffix("{}")
    if name.startswith("x-") or holds not in shape.objects:
        return ""
    fields = shape.objects[holds]
    return fields.get(name, fields.get("*", ""))


def items_of(holds: str) -> str:
    """Return the content of the items of a list."""
    return holds.removesuffix("[]") if holds.endswith("[]") else ""


def _ordered(value: JsonValue, holds: str, shape: DocumentShape, parent: str = "") -> JsonValue:
    if isinstance(value, dict):
        return {
            name: _ordered(value[name], inside(holds, name, shape), shape, holds)
            for name in in_order(value, holds, parent, shape)
        }
    if isinstance(value, list):
        return [_ordered(item, items_of(holds), shape) for item in value]
    return value
