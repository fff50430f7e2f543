"""Every name that generated code and its runtime use for something of their own."""

from __future__ import annotations

import ast
import builtins
import keyword
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

LANGUAGE = {*keyword.kwlist, *keyword.softkwlist, *dir(object)}
# Nothing that is generated raises or catches errors of Python by name, but for one.
BUILTINS = {name for name in dir(builtins) if not name.endswith(("Error", "Warning"))}


def taken_names(tree: Path) -> set[str]:
    """The names of generated modules, of their runtime and of the language."""
    found = LANGUAGE | BUILTINS | set(dir(BaseModel))
    for path in tree.rglob("*.py"):
        module = ast.parse(path.read_text("utf-8"))
        found |= set(_visible(module) if path.parent.name == "_runtime" else _all(module))
    return found


def _visible(tree: ast.Module) -> Iterator[str]:
    """Yield the names of imports, definitions, arguments and attributes; no local variables."""
    for node in tree.body:
        yield from _targets(node)
    for node in ast.walk(tree):
        match node:
            case ast.arg(name):
                yield name
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                yield name
            case ast.Attribute(ast.Name("self"), name, ast.Store()):
                yield name
            case ast.ImportFrom(str(name)):
                yield from name.split(".")
            case ast.alias(name, other):
                yield from [*name.split("."), *([other] if other else [])]


def _targets(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.Assign([ast.Name(name)]) | ast.AnnAssign(ast.Name(name)):
            yield name


def _all(tree: ast.Module) -> Iterator[str]:
    yield from _visible(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Name(name) | ast.Attribute(_, name) | ast.keyword(str(name)):
                yield name
