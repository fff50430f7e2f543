"""Proofs that a schema accepts every value of another, or counterexamples."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from jsonschema_rs.canonical import Containment

from specwright.compare.proofs.inclusion import UndecidedError, text_outside
from specwright.compare.schemas.pairs import Schema
from specwright.compare.schemas.steps import UnprovenStep
from specwright.samples.compiled import UNUSABLE, Compiled
from specwright.samples.sampler import Sampler
from specwright.samples.sides import Side

_LONGEST = 20_000


class Outcome(Enum):
    """The result of checking a claim."""

    SAFE = "all that is sent is taken"
    SAME = "and the other way round"
    READ = "all that is sent is taken as text, and is of another type"
    BREAKS = "something is sent that is not taken"
    UNPROVEN = "neither is known"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a claim, with a counterexample as JSON text.

    Attributes:
        reason: why the outcome is unknown.
    """

    outcome: Outcome
    counterexample: str | None = None
    reason: str = ""


class Ends(NamedTuple):
    """The whole schemas of the sender and of the receiver.

    Attributes:
        union: the sender's union if `sent` is an alternative; `taken` is then the receiver's union.
    """

    sent: Schema
    taken: Schema
    union: Schema | bool = True


# Without slots, as cached properties need a `__dict__`.
@dataclass(frozen=True)
class Prover:
    """Proofs about schemas that may refer to either document."""

    sides: tuple[Side, Side]

    @cached_property
    def _compiled(self) -> Compiled:
        return Compiled(self.sides)

    @cached_property
    def _samples(self) -> Sampler:
        return Sampler(self._compiled)

    def covers(self, taken: Schema, sent: Schema) -> bool:
        """Return whether a schema is known to accept every value of another."""
        # A counterexample is found sooner than a proof.
        return not self._is_refuted(taken, sent) and self._covers(taken, sent) is True

    def _is_refuted(self, taken: Schema, sent: Schema) -> bool:
        try:
            sends, takes = self._compiled.validator(sent), self._compiled.validator(taken)
        except UNUSABLE:
            return False
        return any(
            sends.is_valid(witness) and not takes.is_valid(witness)
            for witness in self._samples.witnesses(sent)
        )

    def alone(self, claim: UnprovenStep) -> Verdict | None:
        """Return the verdict on the keywords that differ, regardless of the others."""
        if claim.applies_to is not None:
            return Verdict(Outcome.BREAKS)
        if claim.by_example:
            return Verdict(Outcome.SAFE)
        names = [
            name
            for name in claim.sent.keys() | claim.taken.keys()
            if claim.sent.get(name) != claim.taken.get(name)
        ]
        sent, taken = (
            {name: schema[name] for name in names if name in schema}
            for schema in (claim.sent, claim.taken)
        )
        is_taken = self._covers(taken, sent)
        return None if is_taken is None else Verdict(Outcome.SAFE if is_taken else Outcome.BREAKS)

    def verdicts(self, claims: tuple[UnprovenStep, ...], ends: Ends) -> tuple[Verdict, ...]:
        """Return the verdicts on all steps between two schemas.

        Without a counterexample, the steps may still be safe together: one step may restore the
        values that another removes, or the schemas below may exclude them. For an alternative, this
        is decided later, when all alternatives that may accept its values are known.
        """
        verdicts = tuple(self._verdict(claim, ends) for claim in claims)
        if ends.union is not True:
            return verdicts
        doubtful = [
            found.outcome not in (Outcome.SAFE, Outcome.SAME)
            and found.counterexample is None
            and claim.applies_to is None
            for claim, found in zip(claims, verdicts, strict=True)
        ]
        if not any(doubtful) or not self._covers(ends.taken, ends.sent):
            return verdicts
        return tuple(
            Verdict(Outcome.SAFE) if is_doubtful else found
            for is_doubtful, found in zip(doubtful, verdicts, strict=True)
        )

    def _verdict(self, claim: UnprovenStep, ends: Ends) -> Verdict:
        stepped = claim.stepped
        if claim.by_example:
            value = next(self._refused(claim, ends), None)
            return Verdict(Outcome.SAFE if value is None else Outcome.BREAKS, value)
        if claim.applies_to is None:
            is_taken = self._covers(claim.taken, stepped)
            if is_taken is None:
                is_taken = _is_wider_pattern(claim.taken, claim.sent)
        else:
            is_taken = self._covers({"not": {"type": claim.applies_to}}, stepped) or None
        if is_taken:
            is_same = claim.applies_to is None and (
                self._covers(claim.sent, claim.taken) or _is_wider_pattern(claim.sent, claim.taken)
            )
            return Verdict(Outcome.SAME if is_same else Outcome.SAFE)
        if (
            claim.read is not None
            and claim.applies_to is None
            and self._covers(claim.read, stepped)
        ):
            return Verdict(Outcome.READ)
        value = next(self._refused(claim, ends), None)
        if is_taken is False or claim.applies_to or value is not None:
            return Verdict(Outcome.BREAKS, value)
        return Verdict(Outcome.UNPROVEN)

    def _covers(self, taken: Schema, sent: Schema) -> bool | None:
        """Return whether one schema accepts every value of another; None if that is unknown."""
        try:
            found = self._compiled.canonical(taken).covers(self._compiled.canonical(sent))
        except UNUSABLE:
            return None
        return None if found == Containment.UNKNOWN else found == Containment.YES

    def _refused(self, claim: UnprovenStep, ends: Ends) -> Iterator[str]:
        """Yield values that one side sends and the other rejects, in this step and overall."""
        # The step first, as its schemas are smaller.
        asked = (
            *((claim.stepped, True), (claim.taken, False), (claim.read or False, False)),
            *((ends.sent, True), (ends.union, True), (ends.taken, False)),
        )
        try:
            checks = [(self._compiled.validator(each), expected) for each, expected in asked]
        except UNUSABLE:
            return
        for value in self._candidates(claim, ends.sent):
            if all(each.is_valid(value) is expected for each, expected in checks):
                text = json.dumps(value, ensure_ascii=False)
                if len(text) <= _LONGEST:
                    yield text

    def _candidates(self, claim: UnprovenStep, sent: Schema) -> Iterator[Any]:
        """Yield candidates: first values between both ends of the step, completed to valid ones."""
        difference = self._difference(claim)
        absent = _absent(difference)
        yield from _texts_outside(claim.taken, claim.sent)
        objects = [
            witness for witness in self._samples.witnesses(sent) if isinstance(witness, dict)
        ]
        tried: set[tuple[int, str]] = set()
        for value in chain(self._samples.of(difference), self._samples.of(claim.taken)):
            for number, whole in enumerate(objects if isinstance(value, dict) else ()):
                more = {name: each for name, each in value.items() if name not in whole}
                # Most values differ only in members that the whole object has anyway.
                if (number, key := repr(more)) not in tried:
                    tried.add((number, key))
                    joined = {**more, **whole}
                    yield {name: each for name, each in joined.items() if name not in absent}
            yield value
        yield from self._samples.of(sent)

    def _difference(self, claim: UnprovenStep) -> Any:
        canonical = self._compiled.canonical
        try:
            return canonical(claim.stepped).subtract(canonical(claim.taken)).to_json_schema()
        except UNUSABLE:
            return False


def _is_wider_pattern(taken: Schema, sent: Schema) -> bool | None:
    """Return whether two schemas differ only in a pattern, and one matches all texts of the other.

    None if that is unknown: other keywords may rule out the remaining texts.
    """
    names = {name for name in taken.keys() | sent.keys() if taken.get(name) != sent.get(name)}
    with suppress(UndecidedError):
        if names == {"pattern"} and text_outside(*_patterns(sent, taken)) is None:
            return True
    return None


def _texts_outside(taken: Schema, sent: Schema) -> Iterator[str]:
    """Yield a text that matches the sender's pattern but not the receiver's."""
    with suppress(UndecidedError):
        if "pattern" in taken and (text := text_outside(*_patterns(sent, taken))) is not None:
            yield text


def _patterns(*schemas: Schema) -> Iterator[str]:
    return (str(schema.get("pattern", "")) for schema in schemas)


def _absent(schema: Any) -> frozenset[str]:
    """Return the properties that a schema forbids."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return frozenset(name for name, each in (properties or {}).items() if each is False)
