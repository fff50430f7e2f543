"""Proofs that a schema accepts every value of another, or counterexamples."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from jsonschema_rs.canonical import Containment

from specwright.compare.schemas.pairs import Schema
from specwright.compare.schemas.steps import UnprovenStep
from specwright.document.schemas.validators import UNUSABLE
from specwright.json_values import JsonValue, declared_mapping, mapping
from specwright.samples.compiled import Compiled
from specwright.samples.expressions import text_outside
from specwright.samples.languages import UndecidedError
from specwright.samples.sampler import Sampler
from specwright.samples.sides import Side

_LONGEST = 20_000


class StepOutcome(Enum):
    """The result of a proof about a step, or of a counterexample."""

    SAFE = "all that is sent is accepted"
    SAME = "and the other way round"
    ACCEPTED_AS_TEXT = "all that is sent is accepted as text, and is of another type"
    BREAKS = "something is sent that is not accepted"
    UNPROVEN = "neither is known"


@dataclass(frozen=True, slots=True)
class StepVerdict:
    """The outcome of a step, with a counterexample as JSON text.

    Attributes:
        reason: why the outcome is unknown.
    """

    outcome: StepOutcome
    counterexample: str | None = None
    reason: str = ""


class WholeSchemas(NamedTuple):
    """The whole schemas of the sender and of the receiver.

    Attributes:
        union: the sender's union if `sender` is an alternative; `receiver` is then the receiver's
            union.
        tag: the property, and a value of it, that say that an object is meant for `sender`.
    """

    sender: Schema | bool
    receiver: Schema | bool
    union: Schema | bool = True
    tag: tuple[str, str] | None = None


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

    def covers(self, receiver: Schema | bool, sender: Schema | bool) -> bool:
        """Return whether a schema is known to accept every value of another."""
        # A counterexample is found sooner than a proof.
        return not self._is_refuted(receiver, sender) and self._covers(receiver, sender) is True

    def _is_refuted(self, receiver: Schema | bool, sender: Schema | bool) -> bool:
        try:
            sends, accepts = self._compiled.validator(sender), self._compiled.validator(receiver)
        except UNUSABLE:
            return False
        return any(
            sends.is_valid(witness) and not accepts.is_valid(witness)
            for witness in self._samples.witnesses(sender)
        )

    def verdict_on_keywords(self, step: UnprovenStep) -> StepVerdict | None:
        """Return the verdict on the keywords that differ, regardless of the others."""
        if step.applies_to is not None:
            return StepVerdict(StepOutcome.BREAKS)
        if step.by_example:
            return StepVerdict(StepOutcome.SAFE)
        names = [
            name
            for name in step.sender.keys() | step.receiver.keys()
            if step.sender.get(name) != step.receiver.get(name)
        ]
        sender, receiver = (
            {name: schema[name] for name in names if name in schema}
            for schema in (step.sender, step.receiver)
        )
        is_covered = self._covers(receiver, sender)
        if is_covered is None:
            return None
        return StepVerdict(StepOutcome.SAFE if is_covered else StepOutcome.BREAKS)

    def verdicts(
        self, steps: tuple[UnprovenStep, ...], schemas: WholeSchemas
    ) -> tuple[StepVerdict, ...]:
        """Return the verdicts on all steps between two schemas.

        Without a counterexample, the steps may still be safe together: one step may restore the
        values that another removes, or the schemas below may exclude them. For an alternative, this
        is decided later, when all alternatives that may accept its values are known.
        """
        verdicts = tuple(self._verdict(step, schemas) for step in steps)
        if schemas.union is not True:
            return verdicts
        doubtful = [
            verdict.outcome not in (StepOutcome.SAFE, StepOutcome.SAME)
            and verdict.counterexample is None
            and step.applies_to is None
            for step, verdict in zip(steps, verdicts, strict=True)
        ]
        if not any(doubtful) or not self._covers(schemas.receiver, schemas.sender):
            return verdicts
        return tuple(
            StepVerdict(StepOutcome.SAFE) if is_doubtful else verdict
            for is_doubtful, verdict in zip(doubtful, verdicts, strict=True)
        )

    def _verdict(self, step: UnprovenStep, schemas: WholeSchemas) -> StepVerdict:
        sender = step.sender_values
        if step.by_example:
            value = next(self._rejected_values(step, schemas), None)
            return StepVerdict(StepOutcome.SAFE if value is None else StepOutcome.BREAKS, value)
        if step.applies_to is None:
            is_covered = self._covers(step.receiver, sender)
            if is_covered is None:
                is_covered = _is_wider_pattern(step.receiver, step.sender)
        else:
            is_covered = self._covers({"not": {"type": step.applies_to}}, sender) or None
        if is_covered:
            is_same = step.applies_to is None and (
                self._covers(step.sender, step.receiver)
                or _is_wider_pattern(step.sender, step.receiver)
            )
            return StepVerdict(StepOutcome.SAME if is_same else StepOutcome.SAFE)
        if (
            step.receiver_of_text is not None
            and step.applies_to is None
            and self._covers(step.receiver_of_text, sender)
        ):
            return StepVerdict(StepOutcome.ACCEPTED_AS_TEXT)
        value = next(self._rejected_values(step, schemas), None)
        if is_covered is False or step.applies_to or value is not None:
            return StepVerdict(StepOutcome.BREAKS, value)
        return StepVerdict(StepOutcome.UNPROVEN)

    def _covers(self, receiver: Schema | bool, sender: Schema | bool) -> bool | None:
        """Return whether one schema accepts every value of another; None if that is unknown."""
        try:
            containment = self._compiled.canonical(receiver).covers(
                self._compiled.canonical(sender)
            )
        except UNUSABLE:
            return None
        return None if containment == Containment.UNKNOWN else containment == Containment.YES

    def _rejected_values(self, step: UnprovenStep, schemas: WholeSchemas) -> Iterator[str]:
        """Yield values that one side sends and the other rejects, in this step and overall."""
        # The step first, as its schemas are smaller.
        expectations = (
            *(
                (step.sender_values, True),
                (step.receiver, False),
                (step.receiver_of_text or False, False),
            ),
            *((schemas.sender, True), (schemas.union, True), (schemas.receiver, False)),
        )
        try:
            checks = [
                (self._compiled.validator(schema), expected) for schema, expected in expectations
            ]
        except UNUSABLE:
            return
        candidates = self._candidates(step, schemas.sender)
        for value in chain.from_iterable(_tagged(value, schemas.tag) for value in candidates):
            if all(validator.is_valid(value) is expected for validator, expected in checks):
                text = json.dumps(value, ensure_ascii=False)
                if len(text) <= _LONGEST:
                    yield text

    def _candidates(self, step: UnprovenStep, sender: Schema | bool) -> Iterator[JsonValue]:
        """Yield candidates: first the values that a step concerns, completed to valid ones."""
        difference = self._difference(step)
        forbidden = _forbidden_properties(difference)
        yield from _texts_outside(step.receiver, step.sender)
        objects = [
            witness for witness in self._samples.witnesses(sender) if isinstance(witness, dict)
        ]
        tried: set[tuple[int, str]] = set()
        for value in chain(self._samples.of(difference), self._samples.of(step.receiver)):
            for number, whole in enumerate(objects if isinstance(value, dict) else ()):
                members = mapping(value).items()
                more = {name: member for name, member in members if name not in whole}
                # Most values differ only in members that the whole object has anyway.
                if (number, key := repr(more)) not in tried:
                    tried.add((number, key))
                    yield {
                        name: member
                        for name, member in {**more, **whole}.items()
                        if name not in forbidden
                    }
            yield value
        yield from self._samples.of(sender)

    def _difference(self, step: UnprovenStep) -> Schema | bool:
        canonical = self._compiled.canonical
        try:
            difference = canonical(step.sender_values).subtract(canonical(step.receiver))
            schema = difference.to_json_schema()
        except UNUSABLE:
            return False
        return schema if isinstance(schema, bool) else mapping(schema)


def _tagged(value: JsonValue, tag: tuple[str, str] | None) -> Iterator[JsonValue]:
    """Yield an object with its tag, as receivers expect it, and then a value as it is."""
    if tag is not None and isinstance(value, dict):
        yield {**value, tag[0]: tag[1]}
    yield value


def _is_wider_pattern(receiver: Schema, sender: Schema) -> bool | None:
    """Return whether two schemas differ only in a pattern, and one matches all texts of the other.

    None if that is unknown: other keywords may rule out the remaining texts.
    """
    names = {
        name for name in receiver.keys() | sender.keys() if receiver.get(name) != sender.get(name)
    }
    with suppress(UndecidedError):
        if names == {"pattern"} and text_outside(*_patterns(sender, receiver)) is None:
            return True
    return None


def _texts_outside(receiver: Schema, sender: Schema) -> Iterator[str]:
    """Yield a text that matches the sender's pattern but not the receiver's."""
    with suppress(UndecidedError):
        if (
            "pattern" in receiver
            and (text := text_outside(*_patterns(sender, receiver))) is not None
        ):
            yield text


def _patterns(*schemas: Schema) -> Iterator[str]:
    return (str(schema.get("pattern", "")) for schema in schemas)


def _forbidden_properties(schema: JsonValue) -> frozenset[str]:
    properties = declared_mapping(mapping(schema).get("properties"))
    return frozenset(name for name, member in properties.items() if member is False)
