"""The names in annotations of the generated module."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set


def names_in(annotation: ast.AST) -> set[str]:
    """Return the names in an annotation, including those in its strings."""
    plain = {type_.id for type_ in _types(annotation) if isinstance(type_, ast.Name)}
    return plain | quoted_in(annotation)


def quoted_in(annotation: ast.AST) -> set[str]:
    """Return the names in the strings of an annotation."""
    strings = [type_.value for type_ in _types(annotation) if isinstance(type_, ast.Constant)]
    parsed = (ast.parse(string, mode="eval") for string in strings if isinstance(string, str))
    return {name for inner in parsed for name in names_in(inner)}


def unquoted(annotation: ast.expr) -> ast.expr:
    """Return the annotation that a string contains, or another one as it is."""
    match annotation:
        case ast.Constant(str(text)):
            return ast.parse(text, mode="eval").body
    return annotation


def reached(name: str, named: Mapping[str, Set[str]]) -> set[str]:
    """Return all names that a name refers to, directly or through others.

    Args:
        named: the names that each name refers to.
    """
    names: set[str] = set()
    pending = [name]
    while pending:
        new = named.get(pending.pop(), frozenset()) - names
        names |= new
        pending += new
    return names


def _types(annotation: ast.AST) -> Iterator[ast.AST]:
    """Walk through an annotation, except for the values of literals and marks such as `Field`."""
    pending = [annotation]
    while pending:
        node = pending.pop()
        match node:
            case ast.Call() | ast.Subscript(ast.Name("Literal")):
                continue
        yield node
        pending.extend(ast.iter_child_nodes(node))
