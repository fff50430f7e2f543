"""The public names of a generated package, read from its source.

Renaming a schema does not change requests or responses, but breaks code that imports the class:
only the generated code shows it. Nothing is imported or written. A name is public if its module and
all its parts are; `__all__` adds imported names. Members inherited from the runtime are not listed,
as the runtime is the same on both sides.

griffe is not used: it reports breaks but not additions, treats a changed default or constant as a
break, and does not support code that is implemented instead of called.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class SurfaceParameter:
    """A parameter of a function, as its callers see it.

    Attributes:
        position: its index as a positional argument; None if it is keyword-only.
        is_named: whether it may be passed by name.
    """

    annotation: str
    position: int | None
    is_named: bool
    is_required: bool


@dataclass(frozen=True, slots=True)
class Name:
    """A public name.

    Attributes:
        value: the bases of a class, the type of a field or result, the value of a constant.
        parameters: the parameters of a function; None for everything else.
        place: the file in the package, and the line.
    """

    value: str
    parameters: Mapping[str, SurfaceParameter] | None
    place: tuple[str, int] = field(compare=False)


Surface = Mapping[str, Name]


def surface(files: Mapping[str, bytes]) -> Surface:
    """Return the public names of all public modules of a package, by full name."""
    found: dict[str, Name] = {}
    for path, content in files.items():
        parts = PurePosixPath(path).with_suffix("").parts
        if path.endswith(".py") and not any(_is_private(part) for part in parts):
            module = ".".join(part for part in parts if part != "__init__")
            body = ast.parse(content).body
            found |= {f"{module}.{name}": Name("", None, (path, 1)) for name in _exported(body)}
            found |= dict(_names(module, path, body))
    return found


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def _exported(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the names in `__all__`, which a module may have imported."""
    for node in body:
        match node:
            case ast.Assign([ast.Name("__all__")], ast.List(elements)):
                for element in elements:
                    match element:
                        case ast.Constant(str(name)):
                            yield name


def _names(scope: str, path: str, body: list[ast.stmt]) -> Iterator[tuple[str, Name]]:
    for node in body:
        name = _name_of(node)
        if name is None or _is_private(name) or name == "__all__":
            continue
        yield f"{scope}.{name}", Name(_value(node), _parameters(node), (path, node.lineno))
        if isinstance(node, ast.ClassDef):
            yield from _names(f"{scope}.{name}", path, node.body)


def _name_of(node: ast.stmt) -> str | None:
    match node:
        case ast.ClassDef(name) | ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
            return name
        case ast.AnnAssign(ast.Name(name)) | ast.Assign([ast.Name(name)]):
            return name
    return None


def _value(node: ast.stmt) -> str:
    match node:
        case ast.ClassDef():
            return ", ".join(map(ast.unparse, node.bases))
        case ast.FunctionDef(returns=ast.expr() as written):
            return ast.unparse(written)
        case ast.AsyncFunctionDef(returns=ast.expr() as written):
            return ast.unparse(written)
        # For an alias, the value is the type.
        case ast.AnnAssign(annotation=ast.Name("TypeAlias"), value=ast.expr() as written):
            return ast.unparse(written)
        case ast.AnnAssign(annotation=written) | ast.Assign(value=written):
            return ast.unparse(written)
    return ""


def _parameters(node: ast.stmt) -> dict[str, SurfaceParameter] | None:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    found = {
        each.arg: SurfaceParameter(
            _annotation(each), position, each not in arguments.posonlyargs, default is None
        )
        for position, (each, default) in enumerate(zip(positional, defaults, strict=True))
        if each.arg != "self"
    }
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found[each.arg] = SurfaceParameter(_annotation(each), None, True, default is None)
    for stars, collector in (("*", arguments.vararg), ("**", arguments.kwarg)):
        if collector is not None:
            found[stars + collector.arg] = SurfaceParameter(
                _annotation(collector), None, False, False
            )
    return found


def _annotation(argument: ast.arg) -> str:
    return ast.unparse(argument.annotation) if argument.annotation else ""
