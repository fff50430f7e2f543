"""The findings of a report in reading order: the worst first, changes grouped by operation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from specwright.findings import WORST_FIRST, Finding, Level, Report, RuleDescription

_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """Findings about the same operations, or of the same rule.

    Attributes:
        operations: the operations that changes affect; empty for the whole API.
        rule: the rule of findings that name their operation in the message or have none; else None.
    """

    findings: Sequence[Finding]
    operations: tuple[str, ...] = ()
    rule: RuleDescription | None = None


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter of a report.

    Attributes:
        folded: whether it is folded at first.
    """

    title: str
    level: Level
    groups: Sequence[FindingGroup]
    folded: bool

    @property
    def count(self) -> int:
        return sum(len(group.findings) for group in self.groups)


@dataclass(frozen=True, slots=True)
class RuleCount:
    """The errors of one rule of changes, as a line of an overview.

    Attributes:
        operations: the operations that they affect, each once.
    """

    rule: RuleDescription
    findings: Sequence[Finding]

    @property
    def operations(self) -> Sequence[str]:
        named = (name for finding in self.findings for name in finding.operations)
        return tuple(dict.fromkeys(named))


# The titles of the chapters, by level and whether they are about changes.
_TITLES = {
    (Level.ERROR, True): "Breaking changes",
    (Level.ERROR, False): "Errors",
    (Level.WARNING, True): "Changes to review",
    (Level.INFO, True): "Compatible changes",
    (Level.WARNING, False): "Warnings",
    (Level.INFO, False): "Notes",
}


def in_reading_order(report: Report) -> Sequence[Finding]:
    """Return the findings by level: changes first, by rule and the number of operations.

    Other findings are sorted by the weight of their rule.
    """
    order = {rule.id: number for number, rule in enumerate(report.rules)}
    weights = {rule.id: rule.weight for rule in report.rules}

    def rank(finding: Finding) -> tuple[int, int, int, int]:
        level = WORST_FIRST.index(finding.level)
        if finding.affected is None:
            return level, 1, -weights.get(finding.rule, 0), -len(finding.operations)
        return level, 0, order.get(finding.rule, len(order)), -len(finding.affected.operations)

    return sorted(report.findings, key=rank)


def chapters(report: Report) -> Sequence[Chapter]:
    """Return the chapters of a report that have findings.

    In a comparison, the errors are open and everything else is folded below them.
    """
    groups = _by(
        in_reading_order(report), lambda finding: (finding.level, finding.affected is not None)
    )
    compared = any(is_change for _, is_change in groups)
    rules = {rule.id: rule for rule in report.rules}
    return [
        Chapter(
            title,
            key[0],
            _groups(groups[key], rules),
            folded=compared and key[0] is not Level.ERROR,
        )
        for key, title in _TITLES.items()
        if key in groups
    ]


def by_operation(report: Report) -> dict[str, list[Finding]]:
    """Return the changes that are errors by operation, operations with the most errors first."""
    changes: dict[str, list[Finding]] = {}
    for finding in in_reading_order(report):
        if finding.affected is not None and finding.level is Level.ERROR:
            for operation in finding.affected.operations:
                changes.setdefault(operation, []).append(finding)
    return dict(sorted(changes.items(), key=lambda item: -len(item[1])))


def rule_counts(report: Report) -> Sequence[RuleCount]:
    """Return one line for each rule of changes that has errors, in the order of the rules."""
    rules = {rule.id: rule for rule in report.rules}
    changes = (
        finding
        for finding in in_reading_order(report)
        if finding.affected and finding.level is Level.ERROR
    )
    return [
        RuleCount(rules.get(rule) or _unknown(rule), findings)
        for rule, findings in _by(changes, lambda finding: finding.rule).items()
    ]


def causes(report: Report) -> Sequence[Finding]:
    """Return the findings of a test, the first to fix first."""
    return [finding for finding in in_reading_order(report) if finding.occurrences]


def _groups(
    findings: Sequence[Finding], rules: dict[str, RuleDescription]
) -> Sequence[FindingGroup]:
    return [
        FindingGroup(members, key)
        if isinstance(key, tuple)
        else FindingGroup(members, rule=rules.get(key) or _unknown(key))
        for key, members in _by(findings, _concern).items()
    ]


def _concern(finding: Finding) -> tuple[str, ...] | str:
    """Return the operations of a change unless its message names them, or else the rule."""
    if finding.affected is None:
        return finding.rule
    operations = finding.affected.operations
    return finding.rule if operations and operations[0] in finding.message else operations


def _by(findings: Iterable[Finding], key: Callable[[Finding], _Key]) -> dict[_Key, list[Finding]]:
    groups: dict[_Key, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(key(finding), []).append(finding)
    return groups


def _unknown(rule: str) -> RuleDescription:
    """Return a description of a rule that the report does not describe."""
    return RuleDescription(rule, "", "", "", "", Level.ERROR, Level.ERROR)
