"""Names for classes that the model generator has created on its own.

It combines the alternatives of a schema with the keywords beside them, which results in a class
for each that has not been named. Such a class is named after its place, like all others.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from specwright.document.normalise import COMPONENTS
from specwright.document.operations.naming import free
from specwright.models.dialect import Dialect
from specwright.models.edits import Edit, applied

_WORD = re.compile(r"\w+")


def renamed(
    source: str, metadata: list[dict[str, Any]], dialect: Dialect
) -> tuple[str, list[dict[str, Any]]]:
    """Return source and metadata with classes named after their places."""
    names = _names(metadata, dialect)
    if not names:
        return source, metadata
    entries = [{**e, "class_name": names.get(e["class_name"], e["class_name"])} for e in metadata]
    return applied(source, [e for n in ast.parse(source).body for e in _edits(n, names)]), entries


def _names(metadata: list[dict[str, Any]], dialect: Dialect) -> dict[str, str]:
    taken = {entry["class_name"] for entry in metadata}
    found: dict[str, str] = {}
    for entry in metadata:
        key, _, inner = str(entry["source_ref"]).partition("#" + COMPONENTS + "/")[2].partition("/")
        place = dialect.words.get(f"{dialect.origins.get(key)}/{inner}")
        if place is not None:
            found[entry["class_name"]] = name = free(place, taken)
            taken.add(name)
    return found


def _edits(node: ast.AST, names: Mapping[str, str]) -> Iterator[Edit]:
    """Yield the edits of the names in a statement, except for those of fields and in values."""
    match node:
        case ast.ClassDef(name) if name in names:
            begin = node.col_offset + len("class ")
            at = (node.lineno, begin), (node.lineno, begin + len(name))
            yield Edit(*at, names[name])
        case ast.Name(name) if name in names:
            yield Edit.of(node, names[name])
        case ast.Constant(str(text)):
            changed = _WORD.sub(lambda word: names.get(word[0], word[0]), text)
            if changed != text:
                yield Edit.of(node, repr(changed))
    for child in _searched(node):
        yield from _edits(child, names)


def _searched(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.AnnAssign(_, annotation):
            yield annotation
        case ast.Subscript(ast.Name("Literal")) | ast.Call(ast.Name("Field")):
            return
        case ast.Expr(ast.Constant()):
            return
        case _:
            yield from ast.iter_child_nodes(node)
