"""The results of a run, by operation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from specwright.findings import Finding, Level, Report


@dataclass(frozen=True, slots=True)
class OperationOutcome:
    """The result of a run for one operation.

    Attributes:
        name: method and path, such as `POST /items`.
        obstacle: its last request and response, if it never succeeded and so was not tested.
    """

    name: str
    findings: tuple[Finding, ...]
    obstacle: str | None = None

    @property
    def is_right(self) -> bool:
        """Whether the operation was tested without errors."""
        return not errors(self.findings) and self.obstacle is None

    def __str__(self) -> str:
        if self.is_right:
            return f"{self.name}: no findings"
        messages = [shown(finding) for finding in self.findings]
        if self.obstacle is not None:
            messages.append(f"{self.name} never succeeded:\n{self.obstacle}")
        return "\n\n".join(messages)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run.

    Attributes:
        operations: by their names, such as `POST /items`.
        others: the findings that belong to no operation.
        stopped: the reason why the run ended early; None for a complete run.
        report: the full report, which `specwright.report.formats` renders.
    """

    operations: Mapping[str, OperationOutcome]
    others: tuple[Finding, ...]
    stopped: str | None
    report: Report

    def raise_for_findings(self) -> None:
        """Raise an error unless every operation was tested without errors.

        Raises:
            AssertionError: there are errors, or something was not tested; the text lists them.
        """
        messages = [
            str(operation) for operation in self.operations.values() if not operation.is_right
        ]
        messages += [shown(error) for error in errors(self.others)]
        messages += [f"the run stopped: {self.stopped}"] if self.stopped is not None else []
        if messages:
            raise AssertionError("\n\n".join(messages))


def errors(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that fail a test; the report also has the others."""
    return [finding for finding in findings if finding.level is Level.ERROR]


def shown(finding: Finding) -> str:
    """Return a finding as text, with the requests that show it and their responses."""
    evidence = [piece.text for piece in finding.evidence if piece.label != "failure"]
    return "\n".join([f"{finding.rule}: {finding.message}", *evidence])
