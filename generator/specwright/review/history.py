"""The versions of a document since a commit, and the changes from each to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from specwright.document.model import Document


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """A document at a commit; `day` is the date of the commit, empty for a working tree."""

    document: Document
    day: str = ""

    @property
    def version(self) -> str:
        info = self.document.data.get("info")
        return str(info.get("version")) if isinstance(info, dict) else ""


def steps(states: Sequence[DocumentVersion]) -> Iterator[tuple[DocumentVersion, DocumentVersion]]:
    """Yield the last states of each two consecutive versions, the newest first.

    Changes before a new version number belong to the new version, if there is one.

    Args:
        states: in chronological order, starting with the base of the comparison.
    """
    first, *later = states
    ends: list[DocumentVersion] = []
    for state in later:
        if ends and ends[-1].version in (state.version, first.version):
            ends.pop()
        ends.append(state)
    pairs = list(zip((first, *ends), ends, strict=False))
    yield from reversed(pairs)
