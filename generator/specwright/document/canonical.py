"""The canonical form of a JSON document: one content, one text."""

from __future__ import annotations

import json
from typing import Any

from specwright.document.model import JsonObject
from specwright.document.shape import OBJECTS


def canonical(data: JsonObject) -> str:
    """Return text: two spaces, fields in specification order, component names sorted, LF."""
    return json.dumps(_object(data, "document"), indent=2, ensure_ascii=False) + "\n"


def _object(value: Any, kind: str) -> Any:
    if not isinstance(value, dict):
        return value
    fields = OBJECTS[kind]
    rest = fields.get("*")
    if rest is not None:
        # Maps (paths, responses) keep the order in which people read them.
        return {name: _field(name, inner, fields.get(name, rest)) for name, inner in value.items()}
    known = [name for name in fields if name in value]
    others = sorted(name for name in value if name not in fields)
    ordered = {name: _field(name, value[name], fields.get(name, "")) for name in [*known, *others]}
    if kind == "components":
        return {name: _sorted(inner) for name, inner in ordered.items()}
    return ordered


def _sorted(value: Any) -> Any:
    return dict(sorted(value.items())) if isinstance(value, dict) else value


def _field(name: str, value: Any, spec: str) -> Any:
    if not spec or name.startswith("x-"):
        return value
    kind = spec.rstrip("[]{}")
    if spec.endswith("[]"):
        return [_object(item, kind) for item in value] if isinstance(value, list) else value
    if spec.endswith("{}"):
        if not isinstance(value, dict):
            return value
        return {key: _object(item, kind) for key, item in value.items()}
    return _object(value, kind)
