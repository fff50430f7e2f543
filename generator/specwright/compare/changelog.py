"""The changelog of an API: the changes of each version of its document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

from specwright.compare.document.operations import (
    OPERATION_ADDED,
    OPERATION_ID_CHANGED,
    OPERATION_REMOVED,
)
from specwright.compare.schemas.annotations import DEFAULT_CHANGED
from specwright.compare.table import BY_ID
from specwright.compare.verdicts.announcements import DEPRECATION, SUNSET_OPERATION_REMOVED
from specwright.compare.verdicts.change_rule import ADDED, DIFF_UNPROVEN, ChangeCategory
from specwright.document.model import Document
from specwright.document.operations.descriptions import beside, subject
from specwright.findings import Finding, Report
from specwright.pointer import Pointer, resolve, split
from specwright.text import code_span


class ChangelogSection(StrEnum):
    """The sections of an entry, in order; a comparison cannot detect fixes."""

    ADDED = "Added"
    CHANGED = "Changed"
    DEPRECATED = "Deprecated"
    REMOVED = "Removed"
    SECURITY = "Security"


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """A document at a commit; `day` is the date of the commit, empty for a working tree."""

    document: Document
    day: str = ""

    @property
    def version(self) -> str:
        info = self.document.data.get("info")
        return str(info.get("version")) if isinstance(info, dict) else ""


# The first pattern that matches a rule decides; all other rules are in `Changed`.
_SECTIONS: Mapping[str, ChangelogSection] = {
    OPERATION_ADDED: ChangelogSection.ADDED,
    ADDED: ChangelogSection.ADDED,
    DEPRECATION: ChangelogSection.DEPRECATED,
    SUNSET_OPERATION_REMOVED: ChangelogSection.REMOVED,
    "sunset-*": ChangelogSection.DEPRECATED,
    "*-removed": ChangelogSection.REMOVED,
    "security-*": ChangelogSection.SECURITY,
}
_SENTENCES: Mapping[str, str] = {
    OPERATION_ADDED: "A new operation{summary}.",
    OPERATION_REMOVED: "The operation was removed.",
    SUNSET_OPERATION_REMOVED: "The operation was removed, as announced.",
    ADDED: "{subject} was added.",
    "*-removed": "{holder}{message}.",
    "*-required": "{subject} is now required.",
    "*-narrowed": "{subject} accepts less than before: {message}.",
    "*-widened": "{subject} may contain more than before: {message}.",
    DEFAULT_CHANGED: "{subject} has another meaning when omitted: {message}.",
    OPERATION_ID_CHANGED: "The operation has another name in code: {message}.",
}
_SENTENCE = "{subject}: {message}."
_MARKS: Mapping[str, str] = {
    ChangeCategory.WIRE: "**Breaking:** ",
    ChangeCategory.CLIENT_SOURCE: "**Breaking in source code:** ",
}
_MARK_UNPROVEN = "**Perhaps breaking:** "
_VERSION = "/info/version"
_UNRELEASED = "Unreleased"
_NOT_IN_VERSION = re.compile(r"[^0-9A-Za-z.+-]")


@dataclass(frozen=True, slots=True)
class ChangelogSentence:
    """A change in words.

    Attributes:
        operations: the display names of the affected operations; empty for the whole API.
        text: Markdown.
        fingerprint: the id of the finding, which its rule and its place decide.
    """

    operations: tuple[str, ...]
    text: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class ChangelogEntry:
    """The changes of a version of the document.

    Attributes:
        version: the version; `Unreleased` if it has not changed.
        day: its release date, such as `2026-11-22`; empty if it is not known.
        sections: the sections that are not empty, in order.
    """

    version: str
    day: str
    sections: Mapping[ChangelogSection, Sequence[ChangelogSentence]]


def version_steps(
    states: Sequence[DocumentVersion],
) -> Iterator[tuple[DocumentVersion, DocumentVersion]]:
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


def changelog_entry(
    report: Report, base: Document, revision: Document, day: str = ""
) -> ChangelogEntry:
    """Return the changes that a comparison found, in words.

    Args:
        day: the release date of the revision, if known.
    """
    sections: dict[ChangelogSection, list[ChangelogSentence]] = {
        title: [] for title in ChangelogSection
    }
    seen: set[tuple[Pointer | None, str]] = set()
    for finding in sorted(report.findings, key=_severity):
        if BY_ID[finding.rule].category == ChangeCategory.REVIEW and finding.rule != DIFF_UNPROVEN:
            continue
        # One change may break requests and be compatible in responses; it is listed once.
        if (finding.pointer, finding.message) not in seen:
            seen.add((finding.pointer, finding.message))
            section = _section(finding, base, revision)
            sentence = _sentence(finding, section, revision)
            sections[section].append(
                ChangelogSentence(_operations(finding), sentence, finding.fingerprint)
            )
    version = _heading(base, revision)
    return ChangelogEntry(
        version,
        "" if version == _UNRELEASED else day,
        {section: sentences for section, sentences in sections.items() if sentences},
    )


def _severity(finding: Finding) -> int:
    return list(ChangeCategory).index(BY_ID[finding.rule].category)


def _heading(base: Document, revision: Document) -> str:
    before, now = (str(_value(document, _VERSION)) for document in (base, revision))
    # An unchanged version was released without these changes.
    return _UNRELEASED if before == now else _NOT_IN_VERSION.sub("_", now)


def _section(finding: Finding, base: Document, revision: Document) -> ChangelogSection:
    if _is_new_property(finding, base, revision):
        return ChangelogSection.ADDED
    for pattern, section in _SECTIONS.items():
        if fnmatchcase(finding.rule, pattern):
            is_over = section is ChangelogSection.DEPRECATED and not _value(
                revision, finding.places[0]
            )
            return ChangelogSection.CHANGED if is_over else section
    return ChangelogSection.CHANGED


def _is_new_property(finding: Finding, base: Document, revision: Document) -> bool:
    return (
        BY_ID[finding.rule].category == ChangeCategory.COMPATIBLE
        and split(finding.places[0])[-2:-1] == ("properties",)
        and _value(base, finding.places[0]) is None
        and _value(revision, finding.places[0]) is not None
    )


def _value(document: Document, pointer: Pointer) -> object:
    try:
        return resolve(document.data, pointer)
    except (KeyError, ValueError):
        return None


def _operations(finding: Finding) -> tuple[str, ...]:
    return finding.affected.operations if finding.affected else ()


def _sentence(finding: Finding, section: ChangelogSection, revision: Document) -> str:
    category = BY_ID[finding.rule].category
    mark = _MARK_UNPROVEN if finding.rule == DIFF_UNPROVEN else _MARKS.get(category, "")
    holder = beside(finding.message, finding.places[0], revision, code_span)
    words = _template(finding, section).format(
        holder=f"{holder}: " if holder and finding.affected and finding.affected.subject else "",
        subject=subject(finding.places[0], revision, code_span),
        message=code_span(finding.message),
        summary=_summary(finding, revision),
    )
    return f"{mark}{words[:1].upper()}{words[1:]}"


def _template(finding: Finding, section: ChangelogSection) -> str:
    if section is ChangelogSection.DEPRECATED and split(finding.places[0])[-1:] == ("deprecated",):
        return "{subject} is deprecated."
    if section is ChangelogSection.ADDED and finding.rule not in _SENTENCES:
        return _SENTENCES[ADDED]
    return next(
        (words for pattern, words in _SENTENCES.items() if fnmatchcase(finding.rule, pattern)),
        _SENTENCE,
    )


def _summary(finding: Finding, revision: Document) -> str:
    operation = _value(revision, finding.places[0])
    summary = operation.get("summary") if isinstance(operation, dict) else None
    return f": {code_span(summary)}" if isinstance(summary, str) else ""
