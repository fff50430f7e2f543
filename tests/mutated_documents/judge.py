"""The faults of a generated package, found by importing all modules and building all classes."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import BaseModel, TypeAdapter

from tests.names.used import wrong_names


def faults(tree: Path, package: str) -> Iterator[str]:
    """Everything wrong with the package in a directory; it is imported, and forgotten."""
    yield from wrong_names(tree).splitlines()
    for path in sorted(tree.rglob("*.py")):
        for fault in _faults_in_text(path.read_text("utf-8")):
            yield f"{path.relative_to(tree)}: {fault}"
    sys.path.insert(0, str(tree))
    try:
        yield from _faults_in_use(package, tree / package)
    finally:
        sys.path.remove(str(tree))
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            del sys.modules[name]


@functools.cache
def _faults_in_text(source: str) -> tuple[str, ...]:
    """The faults of a module as it is written; packages have most modules in common."""
    module = ast.parse(source)
    return (*bound_twice(module), *shadowed(module))


def bound_twice(module: ast.Module) -> Iterator[str]:
    """Names of a module that mean two things."""
    bound: list[str] = []
    for node in module.body:
        match node:
            case ast.FunctionDef(decorator_list=[ast.Name("overload")]):
                pass
            case ast.ClassDef(name) | ast.FunctionDef(name) | ast.AnnAssign(ast.Name(name)):
                bound.append(name)
            case ast.Assign([ast.Name(name)]):
                bound.append(name)
            case ast.Import(names) | ast.ImportFrom(names=names):
                bound += {name.asname or name.name for name in names}
    yield from (f"{name} is bound twice" for name, count in Counter(bound).items() if count > 1)


def shadowed(module: ast.Module) -> Iterator[str]:
    """Names that a class gives to its own members and means otherwise where it names types."""
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef):
            read = {
                name.id
                for part in _read(node)
                for name in ast.walk(part)
                if isinstance(name, ast.Name)
            }
            for name in sorted(read & set(_members(node))):
                yield f"{node.name} reads {name}, which is a member of it"


def _members(node: ast.ClassDef) -> Iterator[str]:
    for statement in node.body:
        match statement:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                yield name
            case ast.AnnAssign(ast.Name(name)) | ast.Assign([ast.Name(name)]):
                yield name


def _read(node: ast.ClassDef) -> Iterator[ast.expr]:
    """Annotations, decorators and defaults, which are looked up in the class."""
    for statement in node.body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                arguments = statement.args
                yield from statement.decorator_list
                yield from filter(None, [*arguments.defaults, *arguments.kw_defaults])
                yield from filter(
                    None, (a.annotation for a in [*arguments.args, *arguments.kwonlyargs])
                )
                yield from filter(None, [statement.returns])
            case ast.AnnAssign(annotation=annotation, value=value):
                yield from filter(None, [annotation, value])


def _faults_in_use(package: str, directory: Path) -> Iterator[str]:
    modules: dict[str, ModuleType] = {}
    for path in sorted(directory.glob("*.py")):
        name = f"{package}.{path.stem}".removesuffix(".__init__")

        def load(stem: str = path.stem, name: str = name) -> None:
            modules[stem] = importlib.import_module(name)

        yield from _tried(f"import {name}", load)
    for name in _defined(directory / "models.py"):
        if "models" in modules:
            yield from _tried(f"models.{name}", lambda name=name: _build(modules["models"], name))
    if modules.keys() >= {"client", "async_client", "server", "testing"}:
        yield from _tried("client", lambda: client(modules, directory, "client"))
        yield from _tried("async_client", lambda: client(modules, directory, "async_client"))
        yield from _tried("create_app", lambda: application(modules["server"]))


def client(modules: dict[str, ModuleType], directory: Path, module: str) -> Any:
    """Make a client with a fake transport; its class is the first of the module."""
    transports = modules["testing"]
    fake = transports.FakeTransport if module == "client" else transports.AsyncFakeTransport
    made = getattr(modules[module], next(_defined(directory / f"{module}.py")))
    keys = {"api_key": "key"} if "api_key" in inspect.signature(made).parameters else {}
    return made(**keys, base_url="http://127.0.0.1:1", transport=fake())


def application(server: ModuleType) -> Any:
    """Make an application in which no group is implemented."""
    taken = inspect.signature(server.create_app).parameters.values()
    needed = [
        parameter.name
        for parameter in taken
        if parameter.default is parameter.empty and parameter.kind is parameter.KEYWORD_ONLY
    ]
    return server.create_app(**dict.fromkeys(needed), unimplemented="501")


def _build(models: ModuleType, name: str) -> None:
    model = getattr(models, name)
    if inspect.isclass(model) and issubclass(model, BaseModel):
        model.model_rebuild(force=True)
    else:
        # The adapter of a type that is not fully defined fails at its first use.
        assert TypeAdapter(model).validator.title


def _defined(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_text("utf-8")).body:
        match node:
            case ast.ClassDef(name) | ast.AnnAssign(ast.Name(name)) | ast.Assign([ast.Name(name)]):
                yield name


def _tried(what: str, action: Callable[[], object]) -> list[str]:
    try:
        action()
    except Exception as error:
        return [f"{what}: {type(error).__name__}: {error}"]
    return []
