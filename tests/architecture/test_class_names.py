"""Each public class has a name of its own, and loops name their items."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = (ROOT / "generator" / "specwright", ROOT / "service" / "esim_service")
# Names from before the rule. The list may only become shorter.
STILL_SHARED = frozenset(
    {
        "Event",
        "Outcome",
        "Part",
        "Section",
        "Verdict",
    }
)
EACH = re.compile(r"\bfor each in\b")


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


def test_the_name_of_a_new_public_class_is_not_taken(shared_names: set[str]) -> None:
    assert shared_names - STILL_SHARED == set()


def test_shared_names_are_listed_only_while_they_are_shared(shared_names: set[str]) -> None:
    assert STILL_SHARED - shared_names == set()


def test_loops_name_their_items() -> None:
    assert [path for path in sources() if EACH.search(path.read_text("utf-8"))] == []
