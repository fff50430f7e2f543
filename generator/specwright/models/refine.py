"""What the document says of a type that the model generator has no word for.

Statements are found by name, which the generator's metadata gives, and by position, which the
parsed source gives; no text is searched.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from specwright.document import schemas
from specwright.document.model import Document
from specwright.models.dialect import Dialect
from specwright.pointer import resolve

CONSTRAINTS = {"pattern": "pattern", "minLength": "min_length", "maxLength": "max_length"}


@dataclass(frozen=True, slots=True)
class Refined:
    """The source after the changes, and which of its names are classes."""

    source: str
    classes: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Edit:
    node: ast.expr
    text: str


def refine(source: str, metadata: list[dict[str, Any]], dialect: Dialect) -> Refined:
    """Put decimals, open unions and values shown once into the generated source."""
    tree = ast.parse(source)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    aliases = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
        and len(node.value.args) == 2
    }
    names = {_key(entry): entry for entry in metadata}
    edits: list[_Edit] = []
    for key, pointer in dialect.origins.items():
        entry = names.get(key)
        schema = resolve(dialect.document.data, pointer)
        if entry is None or not isinstance(schema, dict):
            continue
        name = entry["class_name"]
        if name in aliases and is_decimal(schema):
            edits.append(_Edit(aliases[name].args[1], _decimal(schema)))
        elif name in aliases and key in dialect.open_unions:
            members = [
                names[dialect.names[dialect.document.target(ref)]]["class_name"]
                for ref in _union(schema)
            ]
            fallback = names[dialect.open_unions[key]]["class_name"]
            edits.append(_Edit(aliases[name].args[1], _open_union(schema, members, fallback)))
        elif name in classes:
            edits.extend(_once(dialect.document, schema, entry, classes[name]))
    return Refined(_apply(source, edits), frozenset(classes))


def is_decimal(schema: dict[str, Any]) -> bool:
    """Whether a schema is a decimal number in a string."""
    return schema.get("type") == "string" and schema.get("format") == "decimal"


def _key(entry: dict[str, Any]) -> str:
    return str(entry["source_ref"]).partition("#/components/schemas/")[2]


def _union(schema: dict[str, Any]) -> list[str]:
    members = schema.get("oneOf") or schema.get("anyOf") or []
    return [ref for ref in map(schemas.reference, members) if ref is not None]


def _decimal(schema: dict[str, Any]) -> str:
    arguments = ", ".join(
        f"{argument}={schema[keyword]!a}"
        for keyword, argument in CONSTRAINTS.items()
        if keyword in schema
    )
    return f"Annotated[Decimal, DecimalString({arguments})]"


def _open_union(schema: dict[str, Any], members: list[str], fallback: str) -> str:
    tag = schema["discriminator"]["propertyName"]
    return f"Annotated[{' | '.join([*members, fallback])}, OpenUnion({tag!a})]"


def _once(
    document: Document, schema: dict[str, Any], entry: dict[str, Any], node: ast.ClassDef
) -> Iterator[_Edit]:
    shown_once = {
        field["name"]
        for field in entry["fields"]
        if _is_once(document, schema.get("properties", {}).get(field["original_name"]))
    }
    for statement in node.body:
        if (
            isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and statement.target.id in shown_once
        ):
            yield _Edit(
                statement.annotation, f"Annotated[{ast.unparse(statement.annotation)}, Once()]"
            )


def _is_once(document: Document, schema: Any) -> bool:
    return isinstance(schema, dict) and (
        schema.get("x-contract-once") is True
        or document.follow(schema).get("x-contract-once") is True
    )


def _apply(source: str, edits: list[_Edit]) -> str:
    if not edits:
        return source
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    data = source.encode()
    for edit in sorted(edits, key=lambda e: (e.node.lineno, e.node.col_offset), reverse=True):
        assert edit.node.end_lineno is not None and edit.node.end_col_offset is not None
        begin = starts[edit.node.lineno - 1] + edit.node.col_offset
        end = starts[edit.node.end_lineno - 1] + edit.node.end_col_offset
        data = data[:begin] + edit.text.encode() + data[end:]
    future = b"from __future__ import annotations\n"
    imports = (
        b"from decimal import Decimal\nfrom typing import Annotated\n"
        b"from ._runtime.types import DecimalString, Once, OpenUnion\n"
    )
    return data.replace(future, future + imports, 1).decode()
