"""`review.toml`: the changes that a project accepts, each with a reason and an expiry date."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path

from specwright.compare.verdicts.change_rule import ChangeCategory, ChangeRule
from specwright.config import file_beside, read_toml
from specwright.errors import InputError, Location
from specwright.findings import Finding, Level, values_of
from specwright.policy import unknown_rule

FILE_NAME = "review.toml"
_TABLE = "[[accepted]]"
_TEXTS = ("rule", "reason")
# An entry is about one change, or about all at a place.
_ABOUT = ("change", "where")

ACCEPTANCE_UNUSED = ChangeRule(
    "acceptance-unused",
    ChangeCategory.REVIEW,
    "An acceptance that no longer matches a change would hide the next one.",
    level=Level.WARNING,
)
ACCEPTANCE_EXPIRED = ChangeRule(
    "acceptance-expired",
    ChangeCategory.REVIEW,
    "An acceptance applies until its expiry date; then the change is reported again.",
    level=Level.WARNING,
)
ACCEPTANCE_PENDING = ChangeRule(
    "acceptance-pending",
    ChangeCategory.REVIEW,
    (
        "With `--accepted-in-base`, an acceptance applies once it is part of the base, so that the "
        "author of a change does not approve it."
    ),
    level=Level.WARNING,
)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Changes that break one rule and are accepted until a date.

    Attributes:
        where: a glob for JSON pointers, or for operations such as `GET /orders`; empty for a
            single change.
        change: the fingerprint of a single change.
    """

    rule: str
    where: str
    reason: str
    expires: date
    location: Location
    change: str = ""

    @property
    def about(self) -> str:
        """The accepted changes, in words."""
        return f"'{self.rule}' at '{self.where}'" if self.where else f"the change {self.change}"

    def matches(self, other: Acceptance) -> bool:
        """Return whether another entry is the same, apart from its location."""
        return replace(self, location=other.location) == other

    def covers(self, finding: Finding, operations: Collection[str]) -> bool:
        """Return whether a finding that affects these operations is accepted."""
        if self.change:
            return (finding.rule, finding.fingerprint) == (self.rule, self.change)
        places = (*operations, finding.pointer or "")
        return finding.rule == self.rule and any(fnmatchcase(place, self.where) for place in places)


def find(document: str) -> str | None:
    """Return the path of the `review.toml` beside a document; None without one."""
    return file_beside(document, FILE_NAME, "--accepted")


def load(file: str, rules: Collection[str]) -> tuple[Acceptance, ...]:
    """Read the accepted changes; an invalid file raises an `InputError` with the reason."""
    return entries(file, *read_toml(Path(file)), rules)


def entries(
    file: str, text: str, data: Mapping[str, object], rules: Collection[str]
) -> tuple[Acceptance, ...]:
    """Return the accepted changes that a file lists.

    Args:
        rules: the ids of all rules that a change may break.
    """
    accepted = data.get("accepted", [])
    if set(data) - {"accepted"} or not isinstance(accepted, list):
        raise InputError(
            f"it must contain nothing but a list of {_TABLE}", Location(file, 1, 1), _ADVICE
        )
    lines = [n for n, line in enumerate(text.splitlines(), 1) if line.strip().startswith(_TABLE)]
    return tuple(
        _entry(entry, Location(file, lines[n] if n < len(lines) else 1, 1), rules)
        for n, entry in enumerate(accepted)
    )


_ADVICE = (
    f"each {_TABLE} needs rule, reason and either change or where (strings), and expires (a date, "
    "such as 2027-01-31)"
)


def _entry(entry: object, place: Location, rules: Collection[str]) -> Acceptance:
    if not isinstance(entry, dict):
        raise InputError("invalid acceptance", place, _ADVICE)
    texts = [*_TEXTS, *(name for name in _ABOUT if name in entry)]
    if (
        len(texts) != len(_TEXTS) + 1
        or set(entry) != {*texts, "expires"}
        or not all(isinstance(entry[name], str) and entry[name].strip() for name in texts)
        or type(entry["expires"]) is not date
    ):
        raise InputError("invalid acceptance", place, _ADVICE)
    if entry.get("where", "-").strip("*") == "":
        raise InputError("an acceptance must not match everything", place, "name a place or change")
    if entry["rule"] not in rules:
        raise unknown_rule(entry["rule"], rules, place)
    about = entry.get("where", ""), entry.get("change", "")
    return Acceptance(entry["rule"], about[0], entry["reason"], entry["expires"], place, about[1])


def entries_in_base(
    entries: Sequence[Acceptance], base: Sequence[Acceptance]
) -> tuple[list[Acceptance], list[Finding]]:
    """Return the entries that the base also has, and a finding for each of the others."""
    known = [entry for entry in entries if any(entry.matches(other) for other in base)]
    pending = [
        _finding(
            ACCEPTANCE_PENDING,
            entry,
            f"{entry.about} is not accepted until the acceptance is in the base",
        )
        for entry in entries
        if entry not in known
    ]
    return known, pending


def apply(
    acceptances: Sequence[Acceptance],
    findings: Sequence[tuple[Finding, Collection[str]]],
    today: date,
) -> tuple[list[Finding], list[Finding]]:
    """Return the remaining findings, with those about acceptances, and the accepted ones."""
    remaining: list[Finding] = []
    accepted: list[Finding] = []
    needed: set[Acceptance] = set()
    for finding, operations in findings:
        matching = [
            acceptance for acceptance in acceptances if acceptance.covers(finding, operations)
        ]
        needed.update(matching)
        valid = next((acceptance for acceptance in matching if today <= acceptance.expires), None)
        if valid is None:
            remaining.append(finding)
        else:
            accepted.append(replace(finding, waived=valid.reason))
    for acceptance in acceptances:
        if acceptance not in needed:
            message = f"no finding matches {acceptance.about}: remove the acceptance"
            remaining.append(_finding(ACCEPTANCE_UNUSED, acceptance, message))
        elif acceptance.expires < today:
            message = f"{acceptance.about} was accepted until {acceptance.expires}"
            remaining.append(_finding(ACCEPTANCE_EXPIRED, acceptance, message))
    return remaining, accepted


def _finding(rule: ChangeRule, acceptance: Acceptance, message: str) -> Finding:
    values = values_of(acceptance.rule, acceptance.where, acceptance.change)
    return Finding(rule, rule.level, acceptance.location, None, message, values=values)
