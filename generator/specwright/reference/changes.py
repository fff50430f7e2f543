"""The changes of versions, with an anchor for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from specwright.compare.changelog import ChangelogEntry, ChangelogSentence
from specwright.reference.anchors import anchors
from specwright.reference.markdown import prose

_DIGITS = 8


@dataclass(frozen=True, slots=True)
class ChangeEntry:
    """A change; its anchor is empty if an earlier one has its id."""

    anchor: str
    text: Markup


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """The changes of the same operations.

    Attributes:
        operations: display names and anchors; no anchor if the document does not have it any more.
    """

    operations: Sequence[tuple[str, str]]
    changes: Sequence[ChangeEntry]


@dataclass(frozen=True, slots=True)
class VersionEntry:
    """The changes of a version by the titles of their sections.

    Attributes:
        day: its release date; empty if it is not known.
    """

    anchor: str
    version: str
    day: str
    sections: Sequence[tuple[str, Sequence[ChangeGroup]]]


def version_entries(
    entries: Sequence[ChangelogEntry], places: Mapping[str, str]
) -> list[VersionEntry]:
    """Return the changes of versions.

    Args:
        places: the anchors of operations by their display names.
    """
    versions = {
        f"{entry.version} {entry.day} {number}": entry.version
        for number, entry in enumerate(entries)
    }
    result = []
    for entry, anchor in zip(entries, anchors(versions, "version-").values(), strict=True):
        seen: set[str] = set()
        sections = [
            (section.value, [*_groups(sentences, anchor, places, seen)])
            for section, sentences in entry.sections.items()
        ]
        result.append(VersionEntry(anchor, entry.version, entry.day, sections))
    return result


def _groups(
    sentences: Sequence[ChangelogSentence],
    version: str,
    places: Mapping[str, str],
    seen: set[str],
) -> Iterator[ChangeGroup]:
    groups: defaultdict[tuple[str, ...], list[ChangeEntry]] = defaultdict(list)
    for sentence in sentences:
        anchor = f"{version}/{sentence.fingerprint[:_DIGITS]}"
        group = groups[sentence.operations]
        group.append(ChangeEntry("" if anchor in seen else anchor, prose(sentence.text)))
        seen.add(anchor)
    for operations, changes in groups.items():
        yield ChangeGroup([(name, places.get(name, "")) for name in operations], changes)
