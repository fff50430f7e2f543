"""The public names of a generated package, read from its source.

Renaming a schema does not change requests or responses, but breaks code that imports the class:
only the generated code shows it. Nothing is imported or written. A name is public if its module and
all its parts are; `__all__` adds imported names. Members inherited from the runtime are not listed,
as the runtime is the same on both sides. Neither are the keys of typed dictionaries: they are those
of the models of the same names.

griffe is not used: it reports breaks but not additions, treats a changed default or constant as a
break, and does not support code that is implemented instead of called.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

_PARAMS = "params"
# The typed dictionary that stands beside the model of its name in an annotation.
_BESIDE = re.compile(rf" \| {_PARAMS}\.\w+")


@dataclass(frozen=True, slots=True)
class SurfaceParameter:
    """A parameter of a function, as its callers see it.

    Attributes:
        annotation: its type, without typed dictionaries beside models.
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
    names: dict[str, Name] = {}
    for path, content in files.items():
        parts = PurePosixPath(path).with_suffix("").parts
        if path.endswith(".py") and not any(_is_private(part) for part in parts):
            module = ".".join(part for part in parts if part != "__init__")
            body = ast.parse(content).body
            names |= {f"{module}.{name}": Name("", None, (path, 1)) for name in _exported(body)}
            names |= dict((_typed if is_params(module) else _names)(module, path, body))
            names |= dict(_old_names(module, path, body, names))
    return names


def is_params(name: str) -> bool:
    """Return whether a name is the module of typed dictionaries, or in it."""
    return name.split(".")[1:2] == [_PARAMS]


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


def _typed(module: str, path: str, body: list[ast.stmt]) -> Iterator[tuple[str, Name]]:
    """Yield the names of typed dictionaries, without their keys and types."""
    for node in body:
        name = _name_of(node)
        if name is not None:
            yield f"{module}.{name}", Name("", None, (path, node.lineno))


def _old_names(
    module: str, path: str, body: list[ast.stmt], names: Surface
) -> Iterator[tuple[str, Name]]:
    """Yield the old names of a module, with the content of their new names."""
    for node in body:
        match node:
            case ast.If(ast.Name("TYPE_CHECKING"), aliases):
                for alias in aliases:
                    old, new = _name_of(alias), getattr(alias, "value", None)
                    if old is None or not isinstance(new, ast.Name):
                        continue
                    before = f"{module}.{new.id}"
                    for name, value in names.items():
                        if name == before or name.startswith(f"{before}."):
                            there = f"{module}.{old}{name.removeprefix(before)}"
                            yield there, replace(value, place=(path, alias.lineno))


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
        case ast.FunctionDef(returns=ast.expr() as expression):
            return ast.unparse(expression)
        case ast.AsyncFunctionDef(returns=ast.expr() as expression):
            return ast.unparse(expression)
        # For an alias, the value is the type.
        case ast.AnnAssign(annotation=ast.Name("TypeAlias"), value=ast.expr() as expression):
            return ast.unparse(expression)
        # Of what is defined later, the type is a string.
        case ast.AnnAssign(annotation=ast.Constant(value=str(text))):
            return text
        case ast.AnnAssign(annotation=expression) | ast.Assign(value=expression):
            return ast.unparse(expression)
    return ""


def _parameters(node: ast.stmt) -> dict[str, SurfaceParameter] | None:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    names = {
        parameter.arg: SurfaceParameter(
            _annotation(parameter),
            position,
            parameter not in arguments.posonlyargs,
            default is None,
        )
        for position, (parameter, default) in enumerate(zip(positional, defaults, strict=True))
        if parameter.arg != "self"
    }
    for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        names[parameter.arg] = SurfaceParameter(_annotation(parameter), None, True, default is None)
    for stars, collector in (("*", arguments.vararg), ("**", arguments.kwarg)):
        if collector is not None:
            names[stars + collector.arg] = SurfaceParameter(
                _annotation(collector), None, False, False
            )
    return names


def _annotation(argument: ast.arg) -> str:
    return _BESIDE.sub("", ast.unparse(argument.annotation)) if argument.annotation else ""
