"""The rooms of the runtime: the client side and the server side do not import each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import specwright.runtime

TOP = Path(specwright.runtime.__file__).parent
MODULES = {path.relative_to(TOP).with_suffix("").parts: path for path in TOP.rglob("*.py")}
MAY_IMPORT = {"client": {"client", "shared"}, "server": {"server", "shared"}, "shared": {"shared"}}


def imported(module: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The modules of the runtime that a module of it imports."""
    for node in ast.walk(ast.parse(MODULES[module].read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield (*module[: -node.level], *(node.module or "").split("."))


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_no_more_than_it_may(room: str) -> None:
    modules = [module for module in MODULES if module[0] == room]
    assert modules
    assert {found[0] for module in modules for found in imported(module)} <= MAY_IMPORT[room]


def test_every_module_is_in_a_room() -> None:
    assert {module[0] for module in MODULES if module != ("__init__",)} == MAY_IMPORT.keys()


def test_no_module_imports_itself_by_way_of_others() -> None:
    TopologicalSorter({module: set(imported(module)) for module in MODULES}).prepare()
