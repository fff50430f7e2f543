"""Handlers for new operations, added to the modules of an implementation.

Only lines are inserted. The module that `scaffold` would write has the new lines; the syntax tree
of the existing one has their places.
"""

from __future__ import annotations

import ast
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_BASE = "Unimplemented"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Completion:
    """The comparison of an implementation with a new one.

    Attributes:
        lacking: the handlers that its classes lack.
        unknown: the handlers in its classes that are not operations.
        arguments: the arguments that its call of `create_app` lacks, which are not added.
        text: its source with the lacking handlers.
        obstacle: why they cannot be added, if so; `text` is then unchanged.
    """

    lacking: tuple[str, ...]
    unknown: tuple[str, ...]
    text: str
    obstacle: str = ""
    arguments: tuple[str, ...] = ()


def completed(existing: str, fresh: str) -> Completion:
    """Compare the module of an implementation with the one that `scaffold` would write.

    Args:
        existing: the source of the implementation.
        fresh: the source of a new implementation, which has all handlers.
    """
    wanted = ast.parse(fresh)
    try:
        tree = ast.parse(existing.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError) as error:
        return Completion((), (), existing, f"it is not Python: {error}")
    lines = list(io.StringIO(existing, newline=""))
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    inserted: dict[int, list[str]] = {}
    lacking: list[str] = []
    unknown: list[str] = []
    added: list[Function] = []
    for new in _implementations(wanted):
        old = _counterpart(tree, new)
        if old is None:
            return Completion((), (), existing, f"it has no class with the base {_base(new)}")
        handlers, own = _handlers(new), _defined(old)
        missing = [handler for name, handler in handlers.items() if name not in own]
        lacking += [handler.name for handler in missing]
        unknown += [name for name in _orphans(old) if name not in handlers]
        if missing and old.body[0].lineno == old.lineno:
            reason = f"the body of the class {old.name} is on the line of its name"
            return Completion(tuple(lacking), tuple(unknown), existing, reason)
        place, margin = old.end_lineno or 0, " " * old.body[0].col_offset
        for handler in missing:
            inserted.setdefault(place, []).extend(["", *_lines(fresh, handler, margin)])
        added += missing
    imports = _imports(wanted, added, _bound(tree))
    if imports:
        inserted.setdefault(_after_imports(tree), [])[:0] = imports
    # From the end, so that the numbers of earlier lines stay.
    for place in sorted(inserted, reverse=True):
        if place and not lines[place - 1].endswith(("\n", "\r")):
            lines[place - 1] += end
        lines[place:place] = [line + end for line in inserted[place]]
    arguments = tuple(_lacking_arguments(tree, wanted))
    return Completion(tuple(lacking), tuple(unknown), "".join(lines), arguments=arguments)


def _implementations(tree: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in tree.body if isinstance(node, ast.ClassDef) and _base(node))


def _base(node: ast.ClassDef) -> str:
    """Return the generated base of a class; empty if it has none."""
    names = (ast.unparse(base).rpartition(".")[2] for base in node.bases)
    return next((name for name in names if name.startswith(_BASE)), "")


def _counterpart(tree: ast.Module, new: ast.ClassDef) -> ast.ClassDef | None:
    """Return the class with the same generated base, or with the Protocol as its base."""
    bases = {_base(new), _base(new).removeprefix(_BASE)}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            names = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
            if names & bases:
                return node
    return None


def _lacking_arguments(tree: ast.Module, wanted: ast.Module) -> Iterator[str]:
    """Yield the arguments of a new application that an existing one does not pass."""
    passed = [keyword.arg for call in _applications(tree) for keyword in call.keywords]
    # `**groups` may have them all.
    if passed and None not in passed:
        for call in _applications(wanted):
            for keyword in call.keywords:
                if keyword.arg not in passed:
                    yield ast.unparse(keyword)


def _applications(tree: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("create_app"):
            yield node


def _handlers(node: ast.ClassDef) -> Mapping[str, Function]:
    functions = (part for part in node.body if isinstance(part, Function))
    return {function.name: function for function in functions}


def _defined(node: ast.ClassDef) -> set[str]:
    """Return the names in the body of a class, also those that are assigned or conditional."""
    names = set(_handlers(node))
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            names.add(part.id)
        elif isinstance(part, ast.If | ast.Try | ast.With):
            names |= {inner.name for inner in ast.walk(part) if isinstance(inner, Function)}
    return names


def _orphans(node: ast.ClassDef) -> Iterator[str]:
    """Yield the public handlers of a class: async methods with a `context`."""
    for name, function in _handlers(node).items():
        arguments = (*function.args.args, *function.args.kwonlyargs)
        has_context = any(argument.arg == "context" for argument in arguments)
        if isinstance(function, ast.AsyncFunctionDef) and has_context and name[0] != "_":
            yield name


def _lines(source: str, handler: Function, margin: str) -> Iterator[str]:
    """Yield the lines of a handler with another margin."""
    lines = source.split("\n")[handler.lineno - 1 : handler.end_lineno]
    for line in lines:
        yield margin + line[handler.col_offset :] if line else ""


def _bound(tree: ast.Module) -> set[str]:
    """Return the names that a module imports or defines, also within conditions."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(name.asname or name.name).partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ClassDef | Function):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def _imports(tree: ast.Module, handlers: list[Function], bound: set[str]) -> list[str]:
    """Return the imports that handlers need beside the names of the module."""
    used = {
        node.id for handler in handlers for node in ast.walk(handler) if isinstance(node, ast.Name)
    }
    lines: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [
                name
                for name in node.names
                if (bound_as := name.asname or name.name) in used and bound_as not in bound
            ]
            if names and isinstance(node, ast.Import):
                lines.append(ast.unparse(ast.Import(names)))
            elif names and isinstance(node, ast.ImportFrom):
                lines.append(ast.unparse(ast.ImportFrom(node.module, names, node.level)))
    return lines


def _after_imports(tree: ast.Module) -> int:
    """Return the line after which a module can import more."""
    place = 0
    for number, node in enumerate(tree.body):
        is_docstring = number == 0 and isinstance(node, ast.Expr)
        if is_docstring or isinstance(node, ast.Import | ast.ImportFrom):
            place = node.end_lineno or 0
        else:
            break
    return place
