"""Proofs that a schema takes all that another one allows, or a value that it does not take."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import chain
from typing import Any

import jsonschema_rs
from jsonschema_rs.canonical import Containment

from specwright.compare.absolute import Side
from specwright.compare.counterexamples import Samples
from specwright.compare.steps import Claim, Schema

_LONGEST = 2_000


class Outcome(Enum):
    """What is known of a claim."""

    SAFE = "all that is sent is taken"
    BREAKS = "something is sent that is not taken"
    UNPROVEN = "neither is known"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a claim, and a value that shows a break, as JSON text."""

    outcome: Outcome
    counterexample: str | None = None


# Without slots: what it makes is kept.
@dataclass(frozen=True)
class Prover:
    """Proofs about schemas whose references lead into either side."""

    sides: tuple[Side, Side]

    @cached_property
    def _registry(self) -> jsonschema_rs.Registry:
        documents = [(side.address, side.document.data) for side in self.sides]
        return jsonschema_rs.Registry(documents, draft=jsonschema_rs.Draft202012)

    def verdicts(
        self, claims: tuple[Claim, ...], sent: Schema, taken: Schema
    ) -> tuple[Verdict, ...]:
        """The verdicts on all steps between two schemas.

        Where no value shows a break, the whole may be safe: what one step takes away, another
        gives back, or the schemas below leave nothing to it.
        """
        verdicts = tuple(self._verdict(each, sent, taken) for each in claims)
        doubtful = [
            found.outcome is not Outcome.SAFE
            and found.counterexample is None
            and not claim.presumed
            for claim, found in zip(claims, verdicts, strict=True)
        ]
        if not any(doubtful) or not self._covers(taken, sent):
            return verdicts
        return tuple(
            Verdict(Outcome.SAFE) if is_doubtful else found
            for is_doubtful, found in zip(doubtful, verdicts, strict=True)
        )

    def _verdict(self, claim: Claim, sent: Schema, taken: Schema) -> Verdict:
        is_taken = None if claim.presumed else self._covers(claim.taken, claim.sent)
        if is_taken:
            return Verdict(Outcome.SAFE)
        value = next(self._refused(claim, sent, taken), None)
        if is_taken is False or claim.presumed or value is not None:
            return Verdict(Outcome.BREAKS, value)
        return Verdict(Outcome.UNPROVEN)

    def _covers(self, taken: Schema, sent: Schema) -> bool | None:
        """Whether one schema takes all that another one allows; None if that is not known."""
        try:
            found = self._canonical(taken).covers(self._canonical(sent))
        except _UNUSABLE:
            return None
        return None if found == Containment.UNKNOWN else found == Containment.YES

    def _canonical(self, schema: Schema) -> jsonschema_rs.CanonicalSchema:
        return jsonschema_rs.canonicalize(
            _exclusive(schema),
            draft=jsonschema_rs.Draft202012,
            registry=self._registry,
            offline=True,
        )

    def _refused(self, claim: Claim, sent: Schema, taken: Schema) -> Iterator[str]:
        """Values that one side sends and the other refuses, for this step and as a whole."""
        try:
            accepting = [self._validator(each) for each in (sent, claim.sent)]
            refusing = [self._validator(each) for each in (taken, claim.taken)]
        except _UNUSABLE:
            return
        for value in self._candidates(claim, sent):
            if all(each.is_valid(value) for each in accepting) and not any(
                each.is_valid(value) for each in refusing
            ):
                text = json.dumps(value, ensure_ascii=False)
                if len(text) <= _LONGEST:
                    yield text

    def _candidates(self, claim: Claim, sent: Schema) -> Iterator[Any]:
        samples = Samples(self.sides)
        between = samples.of(self._difference(claim))
        wholes = list(samples.of(sent))
        yield from chain(between, wholes)
        # What the steps before it did not change decides whether a value is taken at all.
        for value in samples.of(claim.taken):
            yield value
            if isinstance(value, dict):
                yield from ({**whole, **value} for whole in wholes[:3] if isinstance(whole, dict))

    def _difference(self, claim: Claim) -> Any:
        try:
            return (
                self._canonical(claim.sent).subtract(self._canonical(claim.taken)).to_json_schema()
            )
        except _UNUSABLE:
            return False

    def _validator(self, schema: Schema) -> jsonschema_rs.Validator:
        return jsonschema_rs.Draft202012Validator(
            schema, registry=self._registry, validate_formats=True, offline=True
        )


# What the library says of schemas that it cannot reduce, compile or follow.
_UNUSABLE = (ValueError, TypeError, jsonschema_rs.ReferencingError)


def _exclusive(schema: Schema) -> Schema:
    """The schema with alternatives that are taken to exclude each other, as writers mean them."""
    if isinstance(schema.get("allOf"), list):
        schema = {**schema, "allOf": [_exclusive(each) for each in schema["allOf"]]}
    if "oneOf" not in schema:
        return schema
    others = {name: value for name, value in schema.items() if name != "oneOf"}
    return {"allOf": [others, {"anyOf": schema["oneOf"]}]}
