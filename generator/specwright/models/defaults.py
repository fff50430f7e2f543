"""Defaults from a document: those that models keep, and their form."""

from __future__ import annotations

import ast
from typing import Any

from specwright.document.schemas.instances import Instances
from specwright.models.edits import Edit, applied
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


def with_typed_defaults(source: str) -> str:
    """Move `validate_default` into the assignment, where a default is the JSON of a model."""
    edits: list[Edit] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.AnnAssign(
                annotation=ast.Subscript(
                    slice=ast.Tuple([type_, ast.Call(ast.Name("Field"), [], keywords)])
                ),
                value=ast.expr() as value,
            ) if any(isinstance(node, ast.Dict) for node in ast.walk(value)):
                kept = [keyword for keyword in keywords if keyword.arg != "validate_default"]
                if len(kept) < len(keywords):
                    given = ", ".join(f"{each.arg}={ast.unparse(each.value)}" for each in kept)
                    text = ast.unparse(type_)
                    text = f"Annotated[{text}, Field({given})]" if kept else text
                    validated = f"Field({ast.unparse(value)}, validate_default=True)"
                    edits += Edit.of(node.annotation, text), Edit.of(value, validated)
    return applied(source, edits)
