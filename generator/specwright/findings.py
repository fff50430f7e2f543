"""What a check has to say, and the report of all of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from specwright.errors import Location
from specwright.pointer import Pointer


class Level(StrEnum):
    """How much a finding matters; `off` is for rules only."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that one place of the document does not follow."""

    rule: str
    level: Level
    location: Location
    pointer: Pointer
    message: str


@dataclass(frozen=True, slots=True)
class Waived:
    """A finding that the project accepts, and why."""

    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of all checks of one document."""

    document: str
    findings: tuple[Finding, ...]
    waived: tuple[Waived, ...] = ()

    def count(self, level: Level) -> int:
        return sum(finding.level is level for finding in self.findings)

    @property
    def has_errors(self) -> bool:
        return any(finding.level is Level.ERROR for finding in self.findings)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """By place, each once."""
    unique = dict.fromkeys(findings)
    return tuple(
        sorted(unique, key=lambda each: (each.location, each.rule, each.pointer, each.message))
    )
