"""The versions that a document had since a commit, and what changed from each to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from specwright.document.model import Document


@dataclass(frozen=True, slots=True)
class State:
    """A document as a commit left it; `day` is that of the commit, empty for a working tree."""

    document: Document
    day: str = ""

    @property
    def version(self) -> str:
        info = self.document.data.get("info")
        return str(info.get("version")) if isinstance(info, dict) else ""


def steps(states: Sequence[State]) -> Iterator[tuple[State, State]]:
    """Yield the last state of each version with that of the version before, the newest first.

    What changed before the version did belongs to the next version, unless there is none.

    Args:
        states: in the order of time, beginning with the one that all is compared with.
    """
    first, *later = states
    ends: list[State] = []
    for state in later:
        if ends and ends[-1].version in (state.version, first.version):
            ends.pop()
        ends.append(state)
    pairs = list(zip((first, *ends), ends, strict=False))
    yield from reversed(pairs)
