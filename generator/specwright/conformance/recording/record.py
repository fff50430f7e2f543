"""The record of a run: the one thing that every source appends to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from specwright.conformance.recording.exchange import Exchange
from specwright.pointer import Pointer


@dataclass(frozen=True, slots=True)
class Violation:
    """What an implementation did that the document forbids.

    Attributes:
        rule: id of a rule of `rules`.
        pointer: the part of the document that it breaks.
        message: one sentence that names operation, value and status, and nothing that differs
            between two runs with the same seed.
        exchanges: what shows it, in the order in which it was sent; the last one is the proof.
        cause: what is wrong, in words that are the same for every operation and value; empty if
            it is the message without the operation at its beginning.
    """

    rule: str
    pointer: Pointer
    message: str
    exchanges: tuple[Exchange, ...] = ()
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Skip:
    """What a source could not look at, and why: silence is no pass."""

    rule: str
    pointer: Pointer
    reason: str


# An operation, and a parameter or a place of it.
Linked = tuple[str, str]
Monitor = Callable[[Exchange], "list[Violation]"]


@dataclass(slots=True)
class Record:
    """Exchanges, violations and skips of a run; sources may append from several threads.

    Attributes:
        monitors: look at every exchange as it comes, whichever source sent it.
        violations: each as often as it was seen.
        checked: pointers by rule that were looked at, and found right or wrong.
        linked: for parameters, the operation and the place that their values come from.
    """

    monitors: tuple[Monitor, ...] = ()
    exchanges: list[Exchange] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    checked: dict[str, set[Pointer]] = field(default_factory=dict)
    linked: dict[Linked, Linked] = field(default_factory=dict)
    _distinct: dict[tuple[object, ...], Violation] = field(default_factory=dict, repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    @property
    def failures(self) -> Mapping[str, Violation]:
        """The violations by their ids, `F1` first: of those of one cause at one place, the first.

        A place is a part of the document in the hands of one operation.
        """
        with self._lock:
            return {f"F{number}": each for number, each in enumerate(self._distinct.values(), 1)}

    def add(self, exchange: Exchange) -> Exchange:
        """Give an exchange its number, keep it, and let the monitors look at it."""
        with self._lock:
            numbered = self.keep(exchange)
            for monitor in self.monitors:
                for violation in monitor(numbered):
                    self._keep_violation(violation)
        return numbered

    def keep(self, exchange: Exchange) -> Exchange:
        """Give an exchange its number and keep it; no monitor is about what a receiver answers."""
        with self._lock:
            numbered = replace(exchange, number=len(self.exchanges) + 1)
            self.exchanges.append(numbered)
        return numbered

    def change(self, change: Callable[[Exchange], Exchange]) -> None:
        """Put what a function makes of each exchange in its place, in violations, too."""

        def changed(violation: Violation) -> Violation:
            return replace(violation, exchanges=tuple(map(change, violation.exchanges)))

        with self._lock:
            self.exchanges = list(map(change, self.exchanges))
            self.violations = list(map(changed, self.violations))
            self._distinct = {key: changed(each) for key, each in self._distinct.items()}

    def check(self, rule: str, pointer: Pointer) -> None:
        """Note that a rule was applied to a part of the document."""
        with self._lock:
            self.checked.setdefault(rule, set()).add(pointer)

    def violate(self, violation: Violation) -> None:
        """Note that a rule was broken."""
        with self._lock:
            self.check(violation.rule, violation.pointer)
            self._keep_violation(violation)

    def skip(self, rule: str, pointer: Pointer, reason: str) -> None:
        """Note that a rule could not be applied to a part of the document."""
        with self._lock:
            self.skips.append(Skip(rule, pointer, reason))

    def _keep_violation(self, violation: Violation) -> None:
        self.violations.append(violation)
        operation = violation.exchanges[-1].operation if violation.exchanges else None
        said = violation.cause or violation.message
        key = violation.rule, violation.pointer, operation, said
        self._distinct.setdefault(key, violation)
