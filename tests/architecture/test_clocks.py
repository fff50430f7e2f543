"""Tests share the clock of their process, and must not replace it.

Servers of other tests run in threads of the same process: one that reads a clock that a test has
set waits for hours.
"""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]
CLOCKS = {"asyncio", "time"}


def test_no_test_replaces_the_clock_of_the_process() -> None:
    patched = [
        f"{path.relative_to(TESTS)}:{node.lineno}"
        for path in TESTS.rglob("*.py")
        if "setattr" in (source := path.read_text("utf-8"))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and _replaces_a_clock(node)
    ]
    assert not patched, "replace the name in the module that reads the clock instead"


def _replaces_a_clock(call: ast.Call) -> bool:
    match call:
        case ast.Call(ast.Attribute(attr="setattr"), [ast.Name(module), *_]):
            return module in CLOCKS
        case ast.Call(ast.Attribute(attr="setattr"), [ast.Constant(str(target)), *_]):
            return target.partition(".")[0] in CLOCKS
    return False
