"""Formats of numbers: the values that they have (OpenAPI format registry)."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from jsonschema_rs.canonical.schema import clone

from specwright.document.model import Document
from specwright.document.shape import walk
from specwright.json_values import JsonValue, sequence

# The largest finite number of single precision (IEEE 754).
_LARGEST_FLOAT = (2 - 2**-23) * 2.0**127
_INTEGERS = {f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)}
_UNSIGNED = {f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)}
# The least and the greatest value of each format.
RANGES: Mapping[str, tuple[float, float]] = {
    **_INTEGERS,
    **_UNSIGNED,
    "float": (-_LARGEST_FLOAT, _LARGEST_FLOAT),
    "double": (-sys.float_info.max, sys.float_info.max),
}


def with_ranges(document: Document) -> Document:
    """Return the document in which the formats of numbers are limits.

    Pointers stay as they are. JSON Schema has formats for strings only (2020-12, validation, 7.3),
    so that validators accept any number.
    """
    data = clone(document.data)
    for node in walk(data):
        range_ = RANGES.get(str(node.value.get("format"))) if node.kind == "schema" else None
        if range_ is not None:
            limits: JsonValue = dict(zip(("minimum", "maximum"), range_, strict=True))
            node.value["allOf"] = [*sequence(node.value.get("allOf")), limits]
    return document.with_data(data)
