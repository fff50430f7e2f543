"""Templates contain loops and conditions; what they write is worked out before."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from specwright.render.environment import _FILTERS

TEMPLATES = Path(__file__).parents[2] / "templates"
NAMES = sorted(path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.jinja"))
# Those that write a value, and not those that choose, sort, group or collect values.
WRITING = {
    *_FILTERS,
    "indent",
    "join",
    "length",
    "lower",
    "replace",
    "first",
    "upper",
    "capitalize",
}
# Lookups; nothing that changes a value.
METHODS = {"accepted", "argument", "arguments_for", "index", "items", "values"}


def faults(source: str) -> Iterator[str]:
    """Yield the expressions that work something out, each with its line."""
    tree = Environment().parse(source)
    macros = {macro.name for macro in tree.find_all(nodes.Macro)}
    imported = {imported.target for imported in tree.find_all(nodes.Import)}
    for node in tree.find_all(nodes.Filter):
        if node.name not in WRITING:
            yield f"{node.lineno}: filter {node.name}"
    for node in tree.find_all(nodes.Call):
        called = node.node
        if isinstance(called, nodes.Getattr):
            is_macro = isinstance(called.node, nodes.Name) and called.node.name in imported
            if not is_macro and called.attr not in METHODS:
                yield f"{node.lineno}: call of {called.attr}()"
        elif isinstance(called, nodes.Name) and called.name not in macros:
            yield f"{node.lineno}: call of {called.name}()"
    for node in tree.find_all(nodes.List):
        yield f"{node.lineno}: a list"
    for node in tree.find_all(nodes.Dict):
        yield f"{node.lineno}: a dictionary"


@pytest.mark.parametrize("name", NAMES)
def test_templates_hold_no_logic(name: str) -> None:
    assert list(faults((TEMPLATES / name).read_text("utf-8"))) == []


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("{% set all = [] %}", "a list"),
        ("{{ all.append(1) }}", "call of append()"),
        ("{{ api.operations | selectattr('security') }}", "filter selectattr"),
        ("{{ dict(a=1) }}", "call of dict()"),
    ],
)
def test_logic_in_a_template_is_a_fault(source: str, fault: str) -> None:
    assert [found.partition(": ")[2] for found in faults(source)] == [fault]
