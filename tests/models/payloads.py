"""Payloads to judge: the examples of a document, and each of them with one thing changed."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Path = tuple[str | int, ...]

# One value of each kind that a reader may mistake for another.
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 5, 10.0, 1.5, 10**12, 10**30),
    *("", "x", "5", "é", "a" * 2100, "1.00", "-0.00", "1.2", "01.00", "1e3"),
    *("2026-01-01T00:00:00Z", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z", "2026-01-01"),
    *([], ["x"], [None], {}, {"x": 1}),
)


def examples(document: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield names of component schemas with the examples that the document gives of them."""
    yield from _examples(document, document)
    for name, schema in document["components"]["schemas"].items():
        for example in schema.get("examples", ()):
            yield name, example


def _examples(document: dict[str, Any], node: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict):
        schema = node.get("schema")
        if isinstance(schema, dict) and "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            for example in (node.get("examples") or {}).values():
                if "$ref" in example:
                    key = example["$ref"].rpartition("/")[2]
                    example = document["components"]["examples"][key]
                yield name, example["value"]
            if "example" in node:
                yield name, node["example"]
        node = list(node.values())
    if isinstance(node, list):
        for each in node:
            yield from _examples(document, each)


def variants(payload: Any) -> Iterator[tuple[Path, Any]]:
    """Yield the payload, then the payload with one place replaced, removed or added to."""
    yield (), payload
    for path, value in list(_places(payload, ())):
        for other in VALUES:
            yield path, _changed(payload, path, other)
        if path and isinstance(path[-1], str):
            yield path, _without(payload, path)
        if isinstance(value, dict):
            yield (*path, "unheard_of"), _changed(payload, (*path, "unheard_of"), 1)
        if isinstance(value, list) and value:
            yield path, _changed(payload, path, value * 30)


def _places(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    yield path, value
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _places(member, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value[:2]):
            yield from _places(item, (*path, index))


def _changed(payload: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    result = copy.deepcopy(payload)
    _parent(result, path)[path[-1]] = value
    return result


def _without(payload: Any, path: Path) -> Any:
    result = copy.deepcopy(payload)
    del _parent(result, path)[path[-1]]
    return result


def _parent(value: Any, path: Path) -> Any:
    for step in path[:-1]:
        value = value[step]
    return value
