"""The version that the changes of an API call for (Semantic Versioning 2.0.0)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from specwright.compare.verdicts.change_rule import (
    BREAKING,
    DIFF_INCOMPLETE,
    DIFF_UNPROVEN,
    ChangeCategory,
    ChangeRule,
)
from specwright.document.model import Document
from specwright.errors import Location
from specwright.findings import Finding, Level

_VERSION = re.compile(r"(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(-.*)?(?:\+.*)?")
_POINTER = "/info/version"
# It is unknown whether these break clients.
_UNKNOWN = (DIFF_UNPROVEN, DIFF_INCOMPLETE)

Number = tuple[int, int, int]


class _Version(NamedTuple):
    number: Number
    is_prerelease: bool


VERSION_TOO_LOW = ChangeRule(
    "version-too-low",
    ChangeCategory.REVIEW,
    (
        "The version of the API is lower than the changes call for (Semantic Versioning; before "
        "1.0.0, the minor version is raised instead of the major one)."
    ),
    level=Level.WARNING,
)
VERSION_SUGGESTED = ChangeRule(
    "version-suggested",
    ChangeCategory.REVIEW,
    "The version that the changes call for.",
    level=Level.INFO,
)


class VersionPart(IntEnum):
    """The part of a version number that changes raise."""

    PATCH = 2
    MINOR = 1
    MAJOR = 0

    def raised_in(self, number: Number) -> VersionPart:
        """Return the part that is raised in a version; before 1.0.0, it is the one below."""
        return self if number[0] else VersionPart(min(self + 1, VersionPart.PATCH))

    def after(self, version: _Version) -> Number:
        """Return the next version with this part raised, which a pre-release may prepare."""
        number = version.number
        if version.is_prerelease and not any(number[self + 1 :]):
            return number
        raised = (*number[:self], number[self] + 1, 0, 0)
        return raised[0], raised[1], raised[2]


class VersionVerdict(NamedTuple):
    """The finding about a version, the same in short, and the least version if known."""

    finding: Finding
    short: str
    least: str = ""


def version_verdict(
    base: Document, revision: Document, rules: Sequence[ChangeRule]
) -> VersionVerdict:
    """Return the verdict on the version of a revision that differs from its base.

    Args:
        rules: the rule of each finding.
    """
    texts = [_text(document) for document in (base, revision)]
    place = revision.locate(_POINTER)
    before, now = (_version(text) for text in texts)
    is_early = before is not None and before.number[0] == 0
    part, reason = _required_part(rules, " before 1.0.0" if is_early else "")
    if before is not None:
        part = part.raised_in(before.number)
    words = f"the changes call for a {part.name.lower()} version ({reason})"
    if before is None or now is None:
        unreadable = texts[0] if before is None else texts[1]
        finding = _finding(
            VERSION_SUGGESTED, place, f"{words}; '{unreadable}' is not of the form 1.2.3"
        )
        return VersionVerdict(finding, f"a {part.name.lower()} version")
    least = part.after(before)
    number = ".".join(map(str, least))
    if now.number < least:
        short = f"at least {number}, not {texts[1]}"
        return VersionVerdict(_finding(VERSION_TOO_LOW, place, f"{words}: {short}"), short, number)
    message = f"{words}: {texts[0]} -> {number}, and it is {texts[1]}"
    finding = _finding(VERSION_SUGGESTED, place, message)
    return VersionVerdict(finding, f"{texts[1]}, as the changes call for", number)


def _finding(rule: ChangeRule, place: Location, message: str) -> Finding:
    return Finding(rule, rule.level, place, _POINTER, message)


def _required_part(rules: Sequence[ChangeRule], when: str) -> tuple[VersionPart, str]:
    """Return the part that is raised from 1.0.0 on, and the reason, with its time."""

    def counted(what: str, of_kind: Sequence[ChangeRule]) -> str:
        plural = "" if len(of_kind) == 1 else "s"
        return f"{len(of_kind)} {what}{plural}{when}, such as {of_kind[0]}"

    breaking = [rule for rule in rules if rule.category in BREAKING]
    if breaking:
        return VersionPart.MAJOR, counted("breaking change", breaking)
    unknown = [rule for rule in rules if rule in _UNKNOWN]
    if unknown:
        return VersionPart.MAJOR, counted("change", unknown) + ", which may break"
    others = [rule for rule in rules if rule.category is not ChangeCategory.REVIEW]
    if others:
        return VersionPart.MINOR, counted("compatible change", others)
    return VersionPart.PATCH, "only texts changed"


def _text(document: Document) -> str:
    info = document.data.get("info")
    return str(info.get("version")) if isinstance(info, dict) else "none"


def _version(text: str) -> _Version | None:
    match = _VERSION.fullmatch(text)
    if match is None:
        return None
    return _Version((int(match[1]), int(match[2]), int(match[3])), match[4] is not None)
