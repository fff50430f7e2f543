"""Old names in the modules of a package, which work until a date.

They are read from the source and written into it, so that they have the signatures that templates
and models give to the new names.

- An old name of a module is an alias for type checkers, and an attribute that warns at run time. A
  class of its own would not be the class of what the client returns.
- An old method is the new one with another name and `@deprecated` (PEP 702), which type checkers
  report, too.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TypeAlias

from specwright.config import OldName
from specwright.errors import InputError, did_you_mean

_CLIENT, _ASYNC_CLIENT, _ASYNC = "client", "async_client", "Async"
_MODELS, _PARAMS = "models", "params"
_HINT = "correct it in [tool.specwright.deprecated], or remove it"
_PROPERTY = "cached_property"
_IMPORTS = """\
from typing import TYPE_CHECKING, TypeAlias
from ._runtime.shared.renamed import renamed as _renamed
"""

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Alias:
    """An old name in a module, with the new one.

    Attributes:
        owner: the class that has both; empty for names of the module.
        setting: the key of the setting.
    """

    module: str
    owner: str
    old: str
    new: str
    message: str
    setting: str


def with_aliases(
    sources: Mapping[str, str], package: str, names: Mapping[str, OldName]
) -> dict[str, str]:
    """Return the modules of a package with the old names that its project keeps.

    Args:
        sources: the source of each module by its path.
        names: old names by module, class and name, such as `client.Orders.create`; a name of
            `client` is one of `async_client`, too, and a class of `models` one of `params`, if a
            typed dictionary has its new name.

    Raises:
        InputError: the new name does not exist, or the old one still does.
    """
    written = dict(sources)
    typed = _top(sources.get(f"{package}/{_PARAMS}.py", ""))
    aliases = [alias for old, name in names.items() for alias in _aliases(old, name, typed)]
    for alias in aliases:
        path = f"{package}/{alias.module}.py"
        if path not in sources:
            modules = [name.rpartition("/")[2].removesuffix(".py") for name in sources]
            raise _error(
                alias, f"the package has no module {alias.module!r}", alias.module, modules
            )
        written[path] = _with_method(written[path], alias) if alias.owner else written[path]
    for path, source in written.items():
        module = path.removeprefix(f"{package}/").removesuffix(".py")
        own = [alias for alias in aliases if alias.module == module and not alias.owner]
        if own:
            written[path] = _with_names(source, own)
    return written


def _aliases(key: str, name: OldName, typed: Container[str]) -> Iterator[Alias]:
    """Yield the old names of a setting.

    Args:
        typed: the names of typed dictionaries.
    """
    module, _, rest = key.partition(".")
    owner, _, old = rest.rpartition(".")
    until = f"Use {name.use}: {old} will be removed on {name.removal}."
    yield Alias(module, owner, old, name.use, until, key)
    if module == _CLIENT and owner:
        yield Alias(_ASYNC_CLIENT, _ASYNC + owner, old, name.use, until, key)
    elif module == _CLIENT:
        new, old = _ASYNC + name.use, _ASYNC + old
        until = f"Use {new}: {old} will be removed on {name.removal}."
        yield Alias(_ASYNC_CLIENT, "", old, new, until, key)
    elif module == _MODELS and name.use in typed:
        yield Alias(_PARAMS, "", old, name.use, until, key)


def _with_names(source: str, aliases: Sequence[Alias]) -> str:
    """Return a module with old names of its own."""
    nodes = _top(source)
    for alias in aliases:
        _check(alias, nodes)
    typed = "\n".join(
        f"    {alias.old}: TypeAlias = {alias.new}"
        if _is_type(nodes[alias.new])
        else f"    {alias.old} = {alias.new}"
        for alias in aliases
    )
    names = {alias.old: (alias.new, alias.message) for alias in aliases}
    future = next(
        node.end_lineno or 0 for node in nodes.values() if isinstance(node, ast.ImportFrom)
    )
    lines = source.splitlines(keepends=True)
    head, rest = "".join(lines[:future]), "".join(lines[future:])
    return (
        f"{head}{_IMPORTS}{rest}\n\nif TYPE_CHECKING:\n{typed}\n"
        f"else:\n    __getattr__ = _renamed(__name__, {names!r})\n"
    )


def _with_method(source: str, alias: Alias) -> str:
    """Return a module with an old method or property of one of its classes."""
    tree = ast.parse(source)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if alias.owner not in classes:
        message = f"{alias.module} has no class {alias.owner!r}"
        raise _error(alias, message, alias.owner, list(classes))
    owner = classes[alias.owner]
    _check(alias, {name: node for node in owner.body for name in _defined(node)})
    functions = [
        node
        for node in owner.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == alias.new
    ]
    if not functions:
        raise InputError(f"deprecated: {alias.setting!r} is not a method or a group", hint=_HINT)
    last = max(node.end_lineno or 0 for node in functions)
    lines = source.splitlines(keepends=True)
    added = ast.Module([_old(function, alias) for function in functions], [])
    text = "".join(f"    {line}\n" if line else "\n" for line in ast.unparse(added).split("\n"))
    return "".join([*lines[:last], "\n", text, *lines[last:]])


def _old(function: Function, alias: Alias) -> Function:
    """Return a method under its old name."""
    old = deepcopy(function)
    old.name = alias.old
    names = [ast.unparse(decorator) for decorator in function.decorator_list]
    kept = ["property"] if _PROPERTY in names else ["overload"] if "overload" in names else []
    old.decorator_list = [
        ast.parse(text, mode="eval").body for text in (*kept, f"deprecated({alias.message!r})")
    ]
    if ast.get_docstring(function) is not None:
        start = ast.Expr(ast.Constant(f"The old name of `{alias.new}`."))
        old.body = [start, *old.body[1:]]
    if _PROPERTY in names:
        value = ast.Attribute(ast.Name("self"), alias.new)
        old.body = [*old.body[:1], ast.Return(value)]
    return ast.fix_missing_locations(old)


def _top(source: str) -> Mapping[str, ast.stmt]:
    """Return the statements at the top of a module by the names that they define."""
    return {name: node for node in ast.parse(source).body for name in _defined(node)}


def _defined(node: ast.stmt) -> tuple[str, ...]:
    match node:
        case ast.ClassDef(name) | ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
            return (name,)
        case ast.AnnAssign(ast.Name(name)) | ast.Assign([ast.Name(name)]):
            return (name,)
        case ast.ImportFrom(names=names):
            return tuple(imported.asname or imported.name for imported in names)
    return ()


def _is_type(node: ast.stmt) -> bool:
    match node:
        case ast.ClassDef() | ast.AnnAssign(annotation=ast.Name("TypeAlias")):
            return True
    return False


def _check(alias: Alias, nodes: Mapping[str, ast.stmt]) -> None:
    if alias.new not in nodes:
        scope = ".".join(filter(None, (alias.module, alias.owner)))
        raise _error(alias, f"{scope} has no {alias.new!r}", alias.new, list(nodes))
    if alias.old in nodes:
        message = f"{alias.setting!r} is not an old name: the document still has it"
        raise InputError(f"deprecated: {message}", hint=_HINT)


def _error(alias: Alias, problem: str, name: str, known: list[str]) -> InputError:
    message = f"deprecated: {problem}, which {alias.setting!r} names"
    return InputError(message, hint=did_you_mean(name, known, _HINT))
