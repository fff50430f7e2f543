"""The canonical form of a file in JSON, and the order of fields that it shares with YAML."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from specwright.document.shape import DocumentShape, shape_of
from specwright.json_values import JsonValue, mapping
from specwright.pointer import ROOT, Pointer, parents, split

# What a value holds is written as in the table of objects: the name of an object, with [] for a
# list and {} for a map of them, or nothing for a plain value.
DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class FileContent:
    """The content of a file.

    Attributes:
        holds: that of its value, as in the table of objects.
        shape: the table.
    """

    holds: str
    shape: DocumentShape

    @classmethod
    def of_document(cls, data: JsonValue) -> FileContent:
        """Return the content of the file of a document."""
        return cls(DOCUMENT, shape_of(mapping(data)))

    @classmethod
    def of_parts(cls, parts: Mapping[Pointer, str], shape: DocumentShape) -> FileContent:
        """Return the content of a file with parts of a document, among values of any kind.

        Args:
            parts: the names of their objects, by their places in the file.
        """
        if ROOT in parts:
            return cls(parts[ROOT], shape)
        # The values on the way to a part are objects of their own, named by their places.
        ways: dict[str, dict[str, str]] = {}
        for pointer, kind in parts.items():
            if parts.keys().isdisjoint(parents(pointer)):
                holds = kind
                for above, token in zip(parents(pointer), split(pointer)[::-1], strict=True):
                    ways.setdefault(f"#{above}", {"*": ""})[token] = holds
                    holds = f"#{above}"
        return cls("#", replace(shape, objects={**shape.objects, **ways}))


def canonical(data: JsonValue, content: FileContent | None = None) -> str:
    """Return text: two spaces, fields in specification order, component names sorted, LF.

    Args:
        content: the content of the file, if it is not a document.
    """
    content = content or FileContent.of_document(data)
    ordered = _ordered(data, content.holds, content.shape)
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
