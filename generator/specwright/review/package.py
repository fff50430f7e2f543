"""The generated package in a review: its drift, and its public names before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from specwright.compare.verdicts.change_rule import SDK_BROKEN
from specwright.emit.drift import FileDifference
from specwright.emit.manifest import LOCK
from specwright.errors import Location
from specwright.findings import Evidence, Finding, Level, RuleDescription, Table, values_of
from specwright.review.sdk import NameChange, distinct, sdk_changes
from specwright.review.surface import Surface, surface

_CATEGORY = "Generated package"


def _rule(id: str, level: Level, why: str) -> RuleDescription:
    return RuleDescription(id, _CATEGORY, why, "", "", level, level)


DRIFT = _rule(
    "generated-drift",
    Level.ERROR,
    "The generated package is out of date: its users and those of the API rely on different "
    "contracts.",
)
NOT_GENERATED = _rule(
    "not-generated",
    Level.ERROR,
    "The package can no longer be generated from the document; `specwright generate` fails, too.",
)
NOT_COMPARED = _rule(
    "sdk-not-compared",
    Level.WARNING,
    "The changes for users of the generated package are unknown, because it is missing on one "
    "side.",
)
DESCRIPTIONS = (DRIFT, NOT_GENERATED, NOT_COMPARED)


@dataclass(frozen=True, slots=True)
class PackageFailure:
    """The reason that no package can be generated from a document."""

    reason: str


# The content of each file by its path.
Files = Mapping[str, bytes]


@dataclass(frozen=True)
class RegeneratedPackage:
    """A package on both sides of a change.

    Attributes:
        output: the directory of the package.
        differences: the files there that differ from the package of the revision.
    """

    output: Path
    base: Files | PackageFailure
    revision: Files | PackageFailure
    differences: Sequence[FileDifference] = ()
    command: str = "specwright generate"

    def findings(self) -> Iterator[Finding]:
        """Yield the problems of the revision's package."""
        if isinstance(self.revision, PackageFailure):
            yield self._finding(NOT_GENERATED, f"cannot be generated: {self.revision.reason}")
            return
        if self.differences:
            message = f"{self._drift(self.revision)}; run: {self.command}"
            files = "\n".join(
                f"{difference.path}: {difference.state}" for difference in self.differences
            )
            yield self._finding(DRIFT, message, Evidence("files", files))
        if isinstance(self.base, PackageFailure):
            message = f"cannot be generated from the base: {self.base.reason}"
            yield self._finding(NOT_COMPARED, message)

    def broken(self) -> list[tuple[Finding, tuple[str]]]:
        """Return the names that fail if used as before, each with the name for an acceptance.

        One for each edit.
        """
        broken = distinct(change for change in self._changes if change.breaks)
        return [(self._broken(change), (change.name,)) for change in broken]

    @property
    def is_compared(self) -> bool:
        """Whether the package could be generated from both sides."""
        return not (
            isinstance(self.base, PackageFailure) or isinstance(self.revision, PackageFailure)
        )

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the state of the package, in a few words."""
        if isinstance(self.revision, PackageFailure):
            yield "Generated package", "cannot be generated"
            return
        yield "Generated package", self._drift(self.revision)
        counts = Counter(change.kind for change in self._changes)
        words = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
        if not isinstance(self.base, PackageFailure):
            yield "Public names", words or "unchanged"

    def table(self) -> Table | None:
        """Return the changes of the public names, if any."""
        rows = tuple((change.kind.value, change.name, change.words) for change in self._changes)
        columns = ("Change", "Name", "How")
        return Table("Public names of the generated package", columns, rows) if rows else None

    @cached_property
    def _surfaces(self) -> tuple[Surface, Surface]:
        base, revision = self.base, self.revision
        if (
            isinstance(base, PackageFailure)
            or isinstance(revision, PackageFailure)
            or base == revision
        ):
            return {}, {}
        return surface(base), surface(revision)

    @cached_property
    def _changes(self) -> tuple[NameChange, ...]:
        return sdk_changes(*self._surfaces)

    def _broken(self, change: NameChange) -> Finding:
        base, revision = self._surfaces
        path, line = revision[change.name].place if change.name in revision else ("", 1)
        place = Location((self.output / (path or base[change.name].place[0])).as_posix(), line, 1)
        message = f"{change.name}: {change.message}"
        values = (*values_of(change.kind, change.name), *change.values)
        return Finding(SDK_BROKEN, SDK_BROKEN.level, place, None, message, values=values)

    def _drift(self, files: Files) -> str:
        if not self.differences:
            return f"{len(files)} files are up to date"
        return f"{len(self.differences)} of {len(files)} files are out of date"

    def _finding(self, rule: RuleDescription, message: str, *evidence: Evidence) -> Finding:
        place = Location((self.output / LOCK).as_posix(), 1, 1)
        return Finding(rule.id, rule.recommended, place, None, message, None, evidence)
