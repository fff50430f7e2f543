"""Findings of checks, in the one form that all commands produce and all formats render."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from specwright.errors import Location
from specwright.http_messages import RequestMessage, ResponseMessage
from specwright.pointer import ROOT, Pointer


class Level(StrEnum):
    """The severity of a finding; `off` is for rules only."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    OFF = "off"


# The levels that findings can have.
WORST_FIRST = (Level.ERROR, Level.WARNING, Level.INFO)


@dataclass(frozen=True, slots=True)
class RuleDescription:
    """A rule in words.

    Attributes:
        bad: a part of a document in YAML that breaks the rule, or empty.
        good: the same part as it should be, or empty.
        instead: the remedy, if `good` does not make it plain.
        weight: the importance of a finding among others of its level.
        example: a violation in words, for a rule that is not about a document.
        advice: advice about a finding.
    """

    id: str
    category: str
    why: str
    bad: str
    good: str
    recommended: Level
    strict: Level
    instead: str = field(default="", kw_only=True)
    example: str = field(default="", kw_only=True)
    advice: str = field(default="", kw_only=True)
    weight: int = field(default=0, kw_only=True)


# The label of the data that the document requires, beside the actual data.
EXPECTED = "expected"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Text that supports a finding, such as a request and its response.

    Attributes:
        http: the same as data, if it is an HTTP message.
    """

    label: str
    text: str
    http: RequestMessage | ResponseMessage | None = None


@dataclass(frozen=True, slots=True)
class Affected:
    """The part of the API that a change affects.

    Attributes:
        subject: the part in words, such as "count in the request body"; empty for all of it.
        operations: the display names of the affected operations; empty for the whole API.
    """

    subject: str
    operations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One operation in which a finding was made.

    Attributes:
        id: the name of the failure in the result of the run, such as `F1`.
        operation: its display name, such as `POST /orders`; empty for the whole API.
        message: the finding with the values that this operation received or returned.
        evidence: the first requests that show it there.
    """

    id: str
    operation: str
    location: Location
    pointer: Pointer
    message: str
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation of a rule in one place, or one cause of violations in many places.

    Attributes:
        pointer: the place as a JSON pointer, if it is in a document.
        related: a second place that belongs to it, such as the same place in an older document.
        evidence: the evidence of the finding.
        counterexample: a value that proves it, as JSON text.
        waived: the reason why the project accepts it, if it does.
        related_pointer: the second place as a JSON pointer, if it is in a document.
        affected: the affected part of the API, if it is about a change.
        values: the values that it is about, as JSON texts, where rule and place do not identify it.
        cause: the defect in words that are the same for every operation, value and run; empty if
            those of the message are.
        occurrences: the operations with this cause, in the order in which they were found;
            location, pointer and evidence are those of the first one.
        upgraded: its places in the upgraded document, and those that it concerns, if that is not
            the written one alone.
    """

    rule: str
    level: Level
    location: Location
    pointer: Pointer | None
    message: str
    related: Location | None = None
    evidence: tuple[Evidence, ...] = ()
    counterexample: str | None = None
    waived: str | None = None
    related_pointer: Pointer | None = None
    affected: Affected | None = None
    values: tuple[str, ...] = ()
    cause: str = ""
    occurrences: tuple[Occurrence, ...] = ()
    upgraded: tuple[Pointer, ...] = ()

    @property
    def places(self) -> tuple[Pointer, ...]:
        """The places as JSON pointers in the document that is used: upgraded, if it was."""
        return self.upgraded or (self.pointer or ROOT,)

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations with this finding, each once; empty for the whole API."""
        named = (occurrence.operation for occurrence in self.occurrences if occurrence.operation)
        return tuple(dict.fromkeys(named)) if self.affected is None else self.affected.operations

    def by_operation(self) -> Iterator[tuple[str, Finding]]:
        """Yield each operation, with the finding reduced to it; "" for one of no operation."""
        for occurrence in self.occurrences:
            yield (
                occurrence.operation,
                replace(
                    self,
                    location=occurrence.location,
                    pointer=occurrence.pointer,
                    message=occurrence.message,
                    evidence=occurrence.evidence,
                    occurrences=(occurrence,),
                ),
            )
        if not self.occurrences:
            yield "", self

    @property
    def words(self) -> str:
        """The message, after the part of the API that a change affects."""
        if self.affected is None or not self.affected.subject:
            return self.message
        return f"{self.affected.subject}: {self.message}"

    @property
    def fingerprint(self) -> str:
        """The id of a finding: 16 hex digits, made of its rule, its place and its values.

        It does not depend on the run, on line numbers or on the words of the message. The
        operations that have a cause do not change its id.
        """
        place = "" if self.cause else self.pointer or self.location.file
        identity = "\n".join((self.rule, place, *self.values))
        return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def values_of(*members: object) -> tuple[str, ...]:
    """Return the values that identify a finding, as JSON texts in a normal form."""
    return tuple(json.dumps(member, sort_keys=True, default=str) for member in members)


@dataclass(frozen=True, slots=True)
class Table:
    """A table that accompanies the findings, such as the coverage of a contract; cells are text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"every row of {self.title!r} needs {len(self.columns)} cells")


@dataclass(frozen=True, slots=True)
class OperationSummary:
    """An operation and the number of its successful calls.

    Attributes:
        outcome: the last response in a word, if there was no success.
        hint: advice that would help.
        evidence: the last request and its response.
    """

    operation: str
    successes: int
    outcome: str = ""
    hint: str = ""
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleRun:
    """A rule that was tried on an operation, or skipped.

    Attributes:
        subject: the display name of the operation; empty for the whole API.
        skipped: the reason why it was skipped; empty if it was tried.
        seconds: the duration.
    """

    subject: str
    rule: str
    skipped: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RunTime:
    """The start of a run in seconds since 1970, its duration in seconds, and its host."""

    started: float
    seconds: float
    host: str


def _no_line(location: Location) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of all checks of one document.

    Attributes:
        document: the document as the user named it.
        findings: the findings that count, in order.
        waived: the findings that the project accepts.
        rules: the rules that were applied.
        line: returns the text of the line at a location, if it is known.
        facts: labels and values that identify this run, such as its target or its seed.
        tables: the measurements.
        breaking: the number of breaking changes, for a comparison.
        version: the smallest version increment that the changes require, if it is known.
        headline: the outcome in words, beside the number of findings of each level.
        command: the command that made it, so that reports of several can be distinguished.
        rule_runs: the rules that were tried, and on what, for a report about behaviour.
        run_time: the time and host of the run, for the same.
        operation_summaries: the operations of the API, for the same.
        unchecked: the parts that the command left unchecked this time, in words.
    """

    document: str
    findings: tuple[Finding, ...]
    waived: tuple[Finding, ...] = ()
    rules: tuple[RuleDescription, ...] = ()
    line: Callable[[Location], str | None] = _no_line
    facts: tuple[tuple[str, str], ...] = ()
    tables: tuple[Table, ...] = ()
    command: str = "report"
    headline: str = ""
    breaking: int | None = None
    version: str = ""
    rule_runs: tuple[RuleRun, ...] = ()
    run_time: RunTime | None = None
    operation_summaries: tuple[OperationSummary, ...] = ()
    unchecked: tuple[str, ...] = ()

    def count(self, level: Level) -> int:
        return sum(finding.level is level for finding in self.findings)

    @property
    def has_errors(self) -> bool:
        return self.has(Level.ERROR)

    def has(self, least: Level) -> bool:
        """Return whether a finding is of this level or a worse one."""
        counted = WORST_FIRST[: WORST_FIRST.index(least) + 1]
        return any(finding.level in counted for finding in self.findings)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings by place, each once."""
    unique = dict.fromkeys(findings)
    return tuple(
        sorted(
            unique,
            key=lambda finding: (
                finding.location,
                finding.rule,
                finding.pointer or "",
                finding.message,
            ),
        )
    )


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings by level, then by place, each once."""
    return tuple(sorted(in_order(findings), key=lambda finding: WORST_FIRST.index(finding.level)))
