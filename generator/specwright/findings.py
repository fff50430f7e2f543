"""What checks have to say, in the one form that every command makes and every format shows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from specwright.errors import Location
from specwright.pointer import Pointer


class Level(StrEnum):
    """How much a finding matters; `off` is for rules only."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    OFF = "off"


# The levels that findings have.
WORST_FIRST = (Level.ERROR, Level.WARNING, Level.INFO)


@dataclass(frozen=True, slots=True)
class RuleDescription:
    """A rule in words.

    Attributes:
        bad: a part of a document in YAML that does not follow it, or empty.
        good: the same as it should be, or empty.
        instead: what to do, if that is not plain from what is good.
        weight: how much a finding matters among others of its level.
        example: what breaks it, in words, of a rule that is not about a document.
        advice: what to do about a finding.
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


# The label of what the document asks for, beside what came.
EXPECTED = "expected"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Text that shows what was found, such as a request and its response.

    Attributes:
        http: the same as JSON text, if it is a message of HTTP.
    """

    label: str
    text: str
    http: str | None = None


@dataclass(frozen=True, slots=True)
class Affected:
    """What a change is about, and whom it concerns.

    Attributes:
        subject: the part in words, such as "count in the request body"; empty for all of it.
        operations: those that have it, as people call them; none for the whole API.
    """

    subject: str
    operations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One of the operations where a finding was made.

    Attributes:
        id: the name of the failure in the result of the run, such as `F1`.
        operation: as people call it, such as `POST /orders`; empty for the whole API.
        message: the finding with the values that this operation was sent or answered.
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
    """One rule that one place does not follow, or one cause for which many do not.

    Attributes:
        pointer: the place as a JSON pointer, if it lies in a document.
        related: a second place that belongs to it, such as the same one in an older document.
        evidence: what shows that the finding is true.
        counterexample: a value that proves it, as JSON text.
        waived: why the project accepts it, if it does.
        related_pointer: the second place as a JSON pointer, if it lies in a document.
        affected: whom it concerns, if it is about a change.
        cause: what is wrong in words that are the same for every operation, value and run; empty
            if the message is.
        occurrences: the operations that have this cause, in the order in which they were found;
            location, pointer and evidence are those of the first one.
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
    cause: str = ""
    occurrences: tuple[Occurrence, ...] = ()

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations that it is about, each once; none for the whole API."""
        named = (each.operation for each in self.occurrences if each.operation)
        return tuple(dict.fromkeys(named)) if self.affected is None else self.affected.operations

    @property
    def words(self) -> str:
        """The message, with the part of the API that a change is about."""
        if self.affected is None or not self.affected.subject:
            return self.message
        return f"{self.affected.subject}: {self.message}"

    @property
    def fingerprint(self) -> str:
        """The same for the same finding in every run, wherever its line is: 16 hex digits.

        A cause is the same whichever operations have it.
        """
        place = "" if self.cause else self.pointer or self.location.file
        said = "\n".join((self.rule, place, self.cause or self.message))
        return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers that belong to the findings, such as the coverage of a contract; cells are text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"every row of {self.title!r} needs {len(self.columns)} cells")


@dataclass(frozen=True, slots=True)
class Visit:
    """An operation, and how often it was called with success.

    Attributes:
        outcome: the last answer in a word, if none was a success.
        hint: what would help.
        evidence: the last request and its answer.
    """

    operation: str
    successes: int
    outcome: str = ""
    hint: str = ""
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """A rule that was tried on an operation, or was not.

    Attributes:
        subject: the operation as people call it; empty for the whole API.
        skipped: why it was not tried; empty if it was.
        seconds: how long it took.
    """

    subject: str
    rule: str
    skipped: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Clock:
    """When and where something was tried: seconds since 1970, how many it took, and the host."""

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
        findings: those that count, in order.
        waived: those that the project accepts.
        rules: the rules that were applied.
        line: gives the text of the line at a location, if it is known.
        facts: labels and values that tell this run from others, such as its target or its seed.
        tables: what was measured.
        breaking: how many changes break somebody, of a comparison.
        version: the least one that they call for, if that is known.
        headline: the outcome in words, beside how many findings of each level there are.
        command: which one made it, so that reports of several can be told apart.
        trials: which rules were tried on what, of a report about behaviour.
        clock: when it was made, of the same.
        visits: the operations of the API, of the same.
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
    trials: tuple[Trial, ...] = ()
    clock: Clock | None = None
    visits: tuple[Visit, ...] = ()

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
    """By place, each once."""
    unique = dict.fromkeys(findings)
    return tuple(
        sorted(
            unique, key=lambda each: (each.location, each.rule, each.pointer or "", each.message)
        )
    )


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """By level, then by place, each once."""
    return tuple(sorted(in_order(findings), key=lambda each: WORST_FIRST.index(each.level)))
