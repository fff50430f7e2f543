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
from specwright.policy import Settings, unknown_rule

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

LEVELS_PENDING = ChangeRule(
    "levels-pending",
    ChangeCategory.REVIEW,
    (
        "With `--accepted-in-base`, levels and waivers of `lint.toml` apply once they are part of "
        "the base, so that the author of a change does not turn a rule off for it."
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

    def covers(self, finding: Finding) -> bool:
        """Return whether a finding is accepted in all operations that it affects."""
        if self.change:
            return (finding.rule, finding.fingerprint) == (self.rule, self.change)
        return self.covers_in(finding.pointer or "", finding)

    def covers_in(self, place: str, finding: Finding) -> bool:
        """Return whether a finding is accepted in one of the places that it affects."""
        return finding.rule == self.rule and fnmatchcase(place, self.where)


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
    lacking = [name for name in (*_TEXTS, "expires") if name not in entry]
    if lacking or not any(name in entry for name in _ABOUT):
        name = lacking[0] if lacking else " or ".join(_ABOUT)
        raise InputError(f"the acceptance lacks {name}", place, _ADVICE)
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


def levels_pending(settings: Settings, base: Settings, file: str) -> list[Finding]:
    """Return a finding if the levels of rules, or waivers, are not those of the base.

    Args:
        file: the file with the settings that are not in the base.
    """
    if settings.matches(base):
        return []
    message = "its changes do not apply until they are in the base"
    return [Finding(LEVELS_PENDING, LEVELS_PENDING.level, Location(file, 1, 1), None, message)]


def apply(
    acceptances: Sequence[Acceptance],
    findings: Sequence[tuple[Finding, Collection[str]]],
    today: date,
) -> tuple[list[Finding], list[Finding]]:
    """Return the remaining findings, with those about acceptances, and the accepted ones.

    A finding that is accepted in some of the operations that it affects is in both.
    """
    remaining: list[Finding] = []
    accepted: list[Finding] = []
    needed: set[Acceptance] = set()
    for finding, operations in findings:
        everywhere = [acceptance for acceptance in acceptances if acceptance.covers(finding)]
        reasons: dict[str, str | None] = dict.fromkeys(operations, _reason(everywhere, today))
        needed.update(everywhere)
        for operation in operations:
            matching = [entry for entry in acceptances if entry.covers_in(operation, finding)]
            needed.update(matching)
            reasons[operation] = reasons[operation] or _reason(matching, today)
        for reason in dict.fromkeys(reasons.values() or [_reason(everywhere, today)]):
            part = _in(finding, [name for name in operations if reasons[name] == reason])
            if reason is None:
                remaining.append(part)
            else:
                accepted.append(replace(part, waived=reason))
    for acceptance in acceptances:
        if acceptance not in needed:
            message = f"no finding matches {acceptance.about}: remove the acceptance"
            remaining.append(_finding(ACCEPTANCE_UNUSED, acceptance, message))
        elif acceptance.expires < today:
            message = f"{acceptance.about} was accepted until {acceptance.expires}"
            remaining.append(_finding(ACCEPTANCE_EXPIRED, acceptance, message))
    return remaining, accepted


def _reason(acceptances: Sequence[Acceptance], today: date) -> str | None:
    """Return the reason of the first one that has not expired."""
    return next((entry.reason for entry in acceptances if today <= entry.expires), None)


def _in(finding: Finding, operations: Sequence[str]) -> Finding:
    """Return a finding as far as it affects these operations."""
    if finding.affected is None:
        return finding
    return replace(finding, affected=replace(finding.affected, operations=tuple(operations)))


def _finding(rule: ChangeRule, acceptance: Acceptance, message: str) -> Finding:
    values = values_of(acceptance.rule, acceptance.where, acceptance.change)
    return Finding(rule, rule.level, acceptance.location, None, message, values=values)
