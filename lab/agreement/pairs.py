"""The review of a change, judged by the old client and the mock of the new document."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from lab.agreement.checks import refusals, violations
from lab.agreement.subject import Subject
from lab.polarity.judge import is_confirmed
from lab.wire.judge import Judge, Meant, Sent
from specwright.compare.comparison import compare
from specwright.document.model import Document
from specwright.document.operations.sites import OperationSite
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.findings import Finding, Level
from specwright.mock.application import Mock
from specwright.mock.responses import MockResponse

TODAY = date(2026, 6, 1)
COMPATIBLE, BREAKING = "compatible", "breaking"
_UNKNOWN = (MockResponse("", 200),)


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two versions of a document.

    Attributes:
        expected: `compatible` or `breaking`; empty if nobody has said it.
    """

    name: str
    before: Path
    after: Path
    expected: str = ""


class _NewerMock(Mock):
    """A mock that has no responses for the operations that only an older document has."""

    def responses(self, operation: OperationSite) -> tuple[MockResponse, ...]:
        own = next(
            (site for site in self.routes.operations if site.pointer == operation.pointer), None
        )
        return _UNKNOWN if own is None else super().responses(own)


class _NewerJudge(Judge):
    """A judge of requests by a document that is newer than the client."""

    def complaints(self, meant: Meant, sent: Sent) -> list[str]:
        try:
            return [*super().complaints(meant, sent), *self._missing(meant)]
        except KeyError as error:
            return [f"not declared any more: {error}"]

    def _missing(self, meant: Meant) -> Iterator[str]:
        item = self.follow(self.data["paths"][meant.path])
        declared = self.parameters(item, self.operation(item, meant.method))
        for place, parameter in declared.items():
            if parameter.get("required") and place not in meant.arguments:
                yield f"{' '.join(place)} is missing"


def written(file: Path, place: Path) -> Pair:
    """Return the pair in a file of two YAML documents, whose first line says the verdict."""
    first, _, rest = file.read_text("utf-8").partition("\n---\n")
    place.mkdir(parents=True, exist_ok=True)
    before, after = place / "before.yaml", place / "after.yaml"
    before.write_text(first + "\n", "utf-8")
    after.write_text(rest, "utf-8")
    return Pair(file.stem, before, after, first.removeprefix("# ").partition(":")[0])


def judged(pair: Pair, place: Path) -> Iterator[str]:
    """Yield what contradicts the verdict of the review on a pair."""
    sides = [upgrade(load(file)) for file in (pair.before, pair.after)]
    findings = [
        finding
        for finding in compare(sides[0], sides[1], today=TODAY).findings
        if finding.level is Level.ERROR and not finding.rule.startswith("version-")
    ]
    verdict = BREAKING if findings else COMPATIBLE
    if pair.expected and verdict != pair.expected:
        yield f"is {verdict}: {', '.join(finding.rule for finding in findings) or 'no error'}"
    old, new = (
        Subject(file, place / side) for side, file in (("old", pair.before), ("new", pair.after))
    )
    proof = old.prove(_NewerMock(new.sound.document), _NewerJudge(pair.after))
    failures = [f"{name}: {reason}" for name, reason in proof.exceptions]
    if verdict == COMPATIBLE:
        yield from (f"compatible, but {failure}" for failure in failures)
    elif not (
        failures
        or any(_shows(finding, sides) for finding in findings)
        or _refused(new, old) - _refused(old, old)
        or any(violations(old, old.base_url, old.exchanges))
    ):
        yield f"breaking, but nothing fails: {findings[0].rule}: {findings[0].message}"


def _refused(subject: Subject, sender: Subject) -> set[str]:
    """Return the requests of a client that the stub of a document refuses."""
    found = refusals(subject, sender.base_url, sender.exchanges)
    return {words.partition(": ")[0] for words in found}


def _shows(finding: Finding, sides: Sequence[Document]) -> bool:
    """Return whether an independent validator accepts and refuses a counterexample."""
    return finding.counterexample is not None and any(
        is_confirmed(finding, sides, from_client=from_client) for from_client in (True, False)
    )
