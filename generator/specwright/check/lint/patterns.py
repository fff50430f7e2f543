"""The rule about patterns that models do not check."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from specwright.check.context import LintContext, mapping, sequence
from specwright.check.lint.rule import Category, Rule, Violation
from specwright.check.lint.schemas import compiles
from specwright.document.schemas.inspection import checked_pattern
from specwright.document.schemas.scalars import joined
from specwright.document.shape import Node
from specwright.findings import Level
from specwright.patterns import linear
from specwright.pointer import join
from specwright.text import shorten

_MOST_PARTS = 5_000


def unsupported_pattern(context: LintContext) -> Iterator[Violation]:
    # Invalid patterns are reported by `pattern-valid`.
    for node in context.of_kind("schema"):
        pattern = node.value.get("pattern")
        if isinstance(pattern, str) and checked_pattern(node.value) is None and compiles(pattern):
            yield Violation(f"{node.pointer}/pattern", f"models do not check '{shorten(pattern)}'")
        for name in mapping(node.value.get("patternProperties")):
            if linear(name) is None and compiles(name):
                yield Violation(
                    node.pointer + join("patternProperties", name),
                    f"models accept any property: they cannot match '{shorten(name)}'",
                )
        if "allOf" in node.value:
            yield from _joined(context, node)


def _joined(context: LintContext, node: Node) -> Iterator[Violation]:
    """Yield the places where the parts of a schema have several patterns for one value."""
    patterns: dict[tuple[str, ...], set[str]] = defaultdict(set)
    parts: list[tuple[tuple[str, ...], Any]] = [((), node.value)]
    seen: set[tuple[tuple[str, ...], int]] = set()
    while parts:
        place, part = parts.pop()
        schema = mapping(part)
        if (place, id(schema)) in seen:
            continue
        seen.add((place, id(schema)))
        if len(seen) > _MOST_PARTS:
            yield Violation(f"{node.pointer}/allOf", "too many parts to compare their patterns")
            return
        if isinstance(schema.get("pattern"), str):
            patterns[place].add(schema["pattern"])
        parts += [(place, member) for member in sequence(schema.get("allOf"))]
        if "$ref" in schema:
            parts.append((place, context.follow(schema)))
        if not place:
            parts += [((name,), each) for name, each in mapping(schema.get("properties")).items()]
    if joined(context.document, node.value) is not None:
        patterns.pop((), None)
    for place, several in sorted(patterns.items()):
        if len(several) > 1:
            whose = f" of '{place[0]}'" if place else ""
            yield Violation(
                f"{node.pointer}/allOf", f"models check one of the {len(several)} patterns{whose}"
            )


RULES = (
    Rule(
        "unsupported-pattern",
        Category.UNSUPPORTED,
        "Models match patterns in linear time. That excludes look-around except at the start, "
        "references to groups, patterns that are too large, and a "
        "second pattern for the same property of a class and its base.",
        """
        components:
          schemas:
            Code: {type: string, pattern: "^[0-9]+(?<!0)$"}
        """,
        """
        components:
          schemas:
            Code: {type: string, pattern: "^[0-9]*[1-9]$"}
        """,
        Level.WARNING,
        Level.ERROR,
        unsupported_pattern,
    ),
)
