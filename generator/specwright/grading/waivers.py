"""Findings accepted by waivers, and findings about the waivers themselves."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from specwright.findings import Finding, Level, RuleDescription
from specwright.grading.settings import Settings, Waiver

UNUSED = RuleDescription(
    "waiver-unused",
    "Checks",
    "A waiver that no longer matches a finding would hide the next one.",
    "",
    "",
    Level.WARNING,
    Level.ERROR,
)
EXPIRED = RuleDescription(
    "waiver-expired",
    "Checks",
    "A waiver applies until its expiry date; then the finding is reported again.",
    "",
    "",
    Level.WARNING,
    Level.ERROR,
)


@dataclass(slots=True)
class Waivers:
    """The waivers of a project for some rules, and those of them that were needed.

    Attributes:
        rules: the ids of the rules that were applied; waivers of others are ignored.
    """

    settings: Settings
    rules: Collection[str]
    _needed: set[Waiver] = field(default_factory=set)

    def reason(self, rule: str, places: Sequence[str]) -> str | None:
        """Return the reason why a finding at a place is accepted; None if it is not."""
        fitting = [waiver for waiver in self.settings.waivers if waiver.covers(rule, places)]
        self._needed.update(fitting)
        valid = (waiver.reason for waiver in fitting if not waiver.is_over(self.settings.today))
        return next(valid, None)

    def findings(self) -> Iterator[Finding]:
        """Yield the problems of waivers, once all findings were checked."""
        for waiver in self.settings.waivers:
            about = f"'{waiver.rule}' at '{waiver.where}'"
            if waiver.rule not in self.rules:
                continue
            if waiver not in self._needed:
                yield self._finding(
                    UNUSED, waiver, f"no finding matches {about}: remove the waiver"
                )
            elif waiver.is_over(self.settings.today):
                yield self._finding(EXPIRED, waiver, f"{about} was accepted until {waiver.expires}")

    def _finding(self, rule: RuleDescription, waiver: Waiver, message: str) -> Finding:
        level = self.settings.level(rule)
        return Finding(rule.id, level, waiver.location, waiver.where, message)
