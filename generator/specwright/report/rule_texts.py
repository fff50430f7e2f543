"""Descriptions of rules, for readers of reports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import dedent, indent

from specwright.findings import RuleDescription


def by_category(rules: Iterable[RuleDescription]) -> Mapping[str, Sequence[RuleDescription]]:
    """Return the chapters of the list of rules."""
    chapters: defaultdict[str, list[RuleDescription]] = defaultdict(list)
    for rule in rules:
        chapters[rule.category].append(rule)
    return chapters


def overview(rules: Sequence[RuleDescription]) -> Iterator[str]:
    """Yield one line per rule below its category: the id, the levels, the first sentence."""
    width = max(len(rule.id) for rule in rules)
    for category, members in by_category(rules).items():
        yield f"{category:<{width + 2}}  recommended  strict"
        for rule in members:
            first = rule.why.partition(". ")[0].rstrip(".")
            yield f"  {rule.id:<{width}}  {rule.recommended:<11}  {rule.strict:<7}  {first}"


def paragraphs(rule: RuleDescription) -> Iterator[str]:
    """Yield the reason for a rule, an example, the advice, and the levels."""
    yield rule.why
    if rule.example:
        yield f"For example: {rule.example}."
    if rule.advice:
        yield f"What to do: {rule.advice}"
    yield f"Recommended: {rule.recommended}. Strict: {rule.strict}."


def examples(rule: RuleDescription) -> Iterator[tuple[str, str]]:
    """Yield the label of each example of a rule, and the example; it may be empty."""
    if rule.bad:
        yield "Found:", rule.bad
    if rule.instead:
        yield f"Non-breaking alternative: {rule.instead}", rule.good
    elif rule.good:
        yield "Better:", rule.good


def explanation(rule: RuleDescription) -> str:
    """Return the description of a rule: the reason, an example, and a better one."""
    parts = [f"{rule.id} ({rule.category})", *paragraphs(rule)]
    for label, example in examples(rule):
        parts += [label, indent(dedent(example).strip(), "    ")] if example else [label]
    return "\n\n".join(parts)
