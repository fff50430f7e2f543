"""The record of a run, to which every source appends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from specwright.conformance.recording.exchange import Exchange
from specwright.findings import values_of
from specwright.internal_errors import INTERNAL_ERROR, bug_report
from specwright.pointer import Pointer


@dataclass(frozen=True, slots=True)
class Violation:
    """A violation of the document by an implementation.

    Attributes:
        rule: the id of the rule.
        pointer: the part of the document that it breaks.
        message: one sentence that names value and status, and nothing that differs between two
            runs with the same seed; the operation, too, if there is none in `operation`.
        exchanges: those that show it, in the order in which they were sent; the last is the proof.
        cause: the fault, in words that are the same for every operation and value; by default
            the message.
        operation: method and path of the operation, which its text begins with.
        values: the values that are the same in every run, as JSON texts, where the rule and the
            place, or the rule and a cause, do not identify the fault.
        inputs: the names of the inputs in the request, if the fault may be that of any of them;
            of requests that fail, those with the fewest inputs are failures of their own.
    """

    rule: str
    pointer: Pointer
    message: str
    exchanges: tuple[Exchange, ...] = ()
    cause: str = ""
    operation: str = ""
    values: tuple[str, ...] = field(default=(), kw_only=True)
    inputs: frozenset[str] = field(default=frozenset(), kw_only=True)

    @property
    def text(self) -> str:
        """The message with the operation, as reports show it."""
        return f"{self.operation}: {self.message}" if self.operation else self.message


@dataclass(frozen=True, slots=True)
class Skip:
    """A check that a source could not make, with the reason: silence does not mean success."""

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
        monitors: called with every exchange as it comes, from any source.
        violations: each as often as it was seen.
        checked: the pointers that were checked, by rule, with either result.
        linked: for parameters, the operation and the place that their values come from.
        bugs: the facts about errors of this program, for bug reports.
    """

    monitors: tuple[Monitor, ...] = ()
    exchanges: list[Exchange] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    checked: dict[str, set[Pointer]] = field(default_factory=dict)
    linked: dict[Linked, Linked] = field(default_factory=dict)
    bugs: list[str] = field(default_factory=list)
    _distinct: dict[tuple[object, ...], Violation] = field(default_factory=dict, repr=False)
    # The fewest inputs that showed a violation, by what else tells it from others.
    _inputs: dict[tuple[object, ...], set[frozenset[str]]] = field(default_factory=dict, repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    @property
    def failures(self) -> Mapping[str, Violation]:
        """The violations by their ids, from `F1`: the first one of each cause at each place.

        A place is a part of the document as one operation uses it.
        """
        with self._lock:
            return {
                f"F{number}": violation
                for number, violation in enumerate(self._distinct.values(), 1)
            }

    def add(self, exchange: Exchange) -> Exchange:
        """Give an exchange its number, keep it, and let the monitors look at it."""
        with self._lock:
            numbered = self.keep(exchange)
            for monitor in self.monitors:
                for violation in monitor(numbered):
                    self._keep_violation(violation)
        return numbered

    def keep(self, exchange: Exchange) -> Exchange:
        """Give an exchange its number and keep it; monitors do not judge a receiver's responses."""
        with self._lock:
            numbered = replace(exchange, number=len(self.exchanges) + 1)
            self.exchanges.append(numbered)
        return numbered

    def change(self, change: Callable[[Exchange], Exchange]) -> None:
        """Replace each exchange by the result of a function, also in violations."""

        def changed(violation: Violation) -> Violation:
            return replace(violation, exchanges=tuple(map(change, violation.exchanges)))

        with self._lock:
            self.exchanges = list(map(change, self.exchanges))
            self.violations = list(map(changed, self.violations))
            self._distinct = {key: changed(violation) for key, violation in self._distinct.items()}

    def check(self, rule: str, pointer: Pointer) -> None:
        """Note that a rule was applied to a part of the document."""
        with self._lock:
            self.checked.setdefault(rule, set()).add(pointer)

    def violate(self, violation: Violation) -> None:
        """Note that a rule was broken."""
        with self._lock:
            self.check(violation.rule, violation.pointer)
            self._keep_violation(violation)

    def fail(self, pointer: Pointer, error: Exception, cost: str) -> None:
        """Note an error of this program.

        Args:
            pointer: the operation at which it happened; empty if that is not known.
            cost: what is left out for that, in words.
        """
        kind = type(error).__name__
        message = f"specwright fails on this, which is a bug ({kind}); {cost}"
        with self._lock:
            self.bugs.append(bug_report(error))
            self.violate(Violation(INTERNAL_ERROR.id, pointer, message, values=values_of(kind)))

    def skip(self, rule: str, pointer: Pointer, reason: str) -> None:
        """Note that a rule could not be applied to a part of the document."""
        with self._lock:
            self.skips.append(Skip(rule, pointer, reason))

    def _keep_violation(self, violation: Violation) -> None:
        self.violations.append(violation)
        operation = violation.exchanges[-1].operation if violation.exchanges else None
        cause = violation.cause or violation.text
        key = violation.rule, violation.pointer, operation, cause
        known, inputs = self._inputs.setdefault(key, set()), violation.inputs
        if any(fewer <= inputs for fewer in known):
            return
        for more in [other for other in known if inputs < other]:
            known.remove(more)
            del self._distinct[*key, more]
        known.add(inputs)
        self._distinct[*key, inputs] = violation
