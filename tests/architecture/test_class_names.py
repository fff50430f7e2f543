"""Each public class has a name of its own; loops and variables are named for what they hold."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = (ROOT / "generator" / "specwright", ROOT / "service" / "esim_service")
EACH = re.compile(r"\bfor each in\b")
# What was done to a value is not its name.
PARTICIPLES = frozenset({"found", "given", "made", "said", "taken", "told"})


def sources() -> list[Path]:
    return sorted(path for package in PACKAGES for path in package.rglob("*.py"))


@pytest.fixture(scope="module")
def shared_names() -> set[str]:
    """The names of public classes that more than one module defines."""
    names = Counter(
        statement.name
        for path in sources()
        for statement in ast.parse(path.read_text("utf-8")).body
        if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_")
    )
    return {name for name, count in names.items() if count > 1}


def test_public_classes_have_names_of_their_own(shared_names: set[str]) -> None:
    assert shared_names == set()


def test_loops_name_their_items() -> None:
    assert [path for path in sources() if EACH.search(path.read_text("utf-8"))] == []


def variables(path: Path) -> set[str]:
    """The names of variables, parameters and attributes in a file."""
    return {
        node.arg if isinstance(node, ast.arg) else node.id
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.arg)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    }


def test_variables_are_nouns() -> None:
    wrong = {path: names for path in sources() if (names := variables(path) & PARTICIPLES)}
    assert wrong == {}
