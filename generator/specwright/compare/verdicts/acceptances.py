"""`review.toml`: the changes that a project accepts, each with a reason and a last day."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from specwright.compare.verdicts.rule_table import BY_ID, EXPIRED, UNUSED
from specwright.config import read_toml
from specwright.errors import InputError, Location, did_you_mean
from specwright.findings import Finding

FILE_NAME = "review.toml"
_TABLE = "[[accepted]]"
_TEXTS = ("rule", "where", "reason")


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Changes that break one rule and are accepted until a day.

    Attributes:
        where: a glob for JSON pointers, or for operations such as `GET /orders`.
    """

    rule: str
    where: str
    reason: str
    expires: date
    location: Location

    def covers(self, finding: Finding, operations: Collection[str]) -> bool:
        """Whether a finding, which affects these operations, is what was accepted."""
        places = (*operations, finding.pointer or "")
        return finding.rule == self.rule and any(fnmatchcase(each, self.where) for each in places)


def load(file: str) -> tuple[Acceptance, ...]:
    """Read the accepted changes; an `InputError` says what in the file has no meaning."""
    text, data = read_toml(Path(file))
    entries = data.get("accepted", [])
    if set(data) - {"accepted"} or not isinstance(entries, list):
        raise InputError(
            f"it holds something else than a list of {_TABLE}", Location(file, 1, 1), _ADVICE
        )
    lines = [n for n, line in enumerate(text.splitlines(), 1) if line.strip().startswith(_TABLE)]
    return tuple(
        _entry(each, Location(file, lines[n] if n < len(lines) else 1, 1))
        for n, each in enumerate(entries)
    )


_ADVICE = f"each {_TABLE} has rule, where, reason (texts) and expires (a date, such as 2027-01-31)"


def _entry(entry: Any, place: Location) -> Acceptance:
    if (
        not isinstance(entry, dict)
        or set(entry) != {*_TEXTS, "expires"}
        or not all(isinstance(entry[name], str) and entry[name].strip() for name in _TEXTS)
        or type(entry["expires"]) is not date
    ):
        raise InputError("an acceptance is not complete", place, _ADVICE)
    if entry["rule"] not in BY_ID:
        hint = did_you_mean(entry["rule"], BY_ID, "`specwright rules` lists them")
        raise InputError(f"unknown rule '{entry['rule']}'", place, hint)
    return Acceptance(entry["rule"], entry["where"], entry["reason"], entry["expires"], place)


def apply(
    acceptances: Sequence[Acceptance],
    findings: Sequence[tuple[Finding, Collection[str]]],
    today: date,
) -> tuple[list[Finding], list[Finding]]:
    """The findings that are left, with those about acceptances, and the accepted ones."""
    kept: list[Finding] = []
    accepted: list[Finding] = []
    needed: set[Acceptance] = set()
    for finding, operations in findings:
        fitting = [each for each in acceptances if each.covers(finding, operations)]
        needed.update(fitting)
        valid = next((each for each in fitting if today <= each.expires), None)
        if valid is None:
            kept.append(finding)
        else:
            accepted.append(replace(finding, waived=valid.reason))
    for each in acceptances:
        if each not in needed:
            message = f"no change breaks '{each.rule}' at '{each.where}': remove the acceptance"
            kept.append(Finding(UNUSED.id, UNUSED.recommended, each.location, None, message))
        elif each.expires < today:
            message = f"'{each.rule}' at '{each.where}' was accepted until {each.expires}"
            kept.append(Finding(EXPIRED.id, EXPIRED.recommended, each.location, None, message))
    return kept, accepted
