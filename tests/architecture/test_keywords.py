"""A key of the x-contract vocabulary is spelled in its own module and nowhere else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from specwright.vocabulary.table import KEYWORDS

ROOT = Path(__file__).parents[2]
TOOLKIT = ROOT / "generator" / "specwright"
KEYWORDS_OF_IT = TOOLKIT / "vocabulary" / "keywords"
KEYS = re.compile("|".join(rf"{re.escape(name)}\b" for name in {each.name for each in KEYWORDS}))


def strings(source: str) -> Iterator[tuple[int, str]]:
    """The strings of a module with their lines, without those that only people read."""
    tree = ast.parse(source)
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in documentation
        ):
            yield node.lineno, node.value


def test_no_module_spells_the_key_of_another() -> None:
    spelled = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted(TOOLKIT.rglob("*.py"))
        if path.parent != KEYWORDS_OF_IT
        for line, text in strings(path.read_text("utf-8"))
        if KEYS.search(text)
    ]
    assert not spelled


def test_no_template_spells_a_key() -> None:
    templates = sorted((ROOT / "templates").rglob("*.jinja"))
    assert templates
    assert not [path.name for path in templates if KEYS.search(path.read_text("utf-8"))]


def test_a_key_is_spelled_once() -> None:
    for keyword in {each.name for each in KEYWORDS}:
        modules = [
            path.name
            for path in KEYWORDS_OF_IT.glob("*.py")
            if any(text == keyword for _, text in strings(path.read_text("utf-8")))
        ]
        assert len(modules) == 1, keyword
