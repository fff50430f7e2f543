"""Defaults from a document: those that models keep."""

from __future__ import annotations

from typing import Any

from specwright.document.schemas.instances import Instances
from specwright.models.keywords import BESIDE_TYPE
from specwright.pointer import Pointer


def without_needless_defaults(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without defaults of required properties, which are never left out."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return schema
    return {
        **schema,
        "properties": {
            name: {k: v for k, v in each.items() if k != "default"}
            if isinstance(each, dict) and name in required
            else each
            for name, each in properties.items()
        },
    }


def has_wrong_default(instances: Instances, pointer: Pointer, schema: Any) -> bool:
    """Return whether a schema has a default that no field of its type could have."""
    return (
        isinstance(schema, dict)
        and "default" in schema
        and any(
            problem.keyword not in BESIDE_TYPE
            for problem in instances.problems(pointer, schema["default"])
        )
    )
