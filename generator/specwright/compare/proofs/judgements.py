"""The verdicts on all pairs of schemas that differ, by proofs in a separate process."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from functools import partial

from specwright.compare.proofs.containment import Prover, StepOutcome, StepVerdict, WholeSchemas
from specwright.compare.schemas.alternatives import Alternative
from specwright.compare.schemas.pairs import Schema, directed
from specwright.compare.schemas.steps import UnprovenStep
from specwright.compare.schemas.transfer import ValueEncoding
from specwright.compare.schemas.walk import Difference, Walk
from specwright.document.schemas.polarity import Polarity
from specwright.isolation import Stopped, TaskLimits, isolated
from specwright.pointer import Pointer
from specwright.samples.sides import Side

# The limits of proofs: seconds, more for each pair of schemas, and bytes of memory.
_SECONDS, _SECONDS_PER_PAIR, _MEMORY = 8.0, 0.05, 512 * 1024 * 1024

# The verdicts on the steps of each difference that has any.
Judgements = Mapping[Difference, tuple[StepVerdict, ...]]


def judgements(walk: Walk, differences: Sequence[Difference]) -> Judgements:
    """Return the verdicts on the steps of each difference that has any, in their order."""
    prover = Prover(walk.sides)
    unproven = {
        difference: difference.unproven for difference in differences if difference.unproven
    }
    tags = _tags(walk)
    tasks = [
        partial(
            prover.verdicts,
            steps,
            _whole_schemas(difference, walk.sides)._replace(tag=tags.get(_sent(difference))),
        )
        for difference, steps in unproven.items()
    ]
    outcomes = isolated(tasks, _limits(tasks))
    judged = {
        difference: (
            _verdicts_on_keywords(prover, steps, outcome)
            if isinstance(outcome, Stopped)
            else outcome
        )
        for (difference, steps), outcome in zip(unproven.items(), list(outcomes), strict=True)
    }
    harmless = _harmless_alternatives(walk, prover, judged)
    if harmless:
        remaining = set(walk.reachable(walk.roots, harmless))
        for difference in judged.keys() - remaining:
            judged[difference] = (StepVerdict(StepOutcome.SAFE),) * len(judged[difference])
    return judged


def _tags(walk: Walk) -> dict[tuple[Polarity, Pointer], tuple[str, str]]:
    """Return the tag property of the sender's alternatives, with a tag of each."""
    tags: dict[tuple[Polarity, Pointer], tuple[str, str]] = {}
    for difference in walk.below:
        pair = difference.pair
        sender, _, _ = directed(pair.transfer.polarity, *pair.discriminators)
        if sender is not None:
            for pointer, names in sender.alternatives.items():
                # Values of a base may have the tags of its heirs.
                if not sender.is_inherited or pointer != _sent(difference)[1]:
                    tags.setdefault((pair.transfer.polarity, pointer), (sender.name, names[0]))
    return tags


def _sent(difference: Difference) -> tuple[Polarity, Pointer]:
    """Return the place of the sender's schema."""
    pair = difference.pair
    flat, _, _ = directed(pair.transfer.polarity, pair.base, pair.revision)
    return pair.transfer.polarity, flat.pointer


def _limits(tasks: Sequence[object]) -> TaskLimits:
    return TaskLimits(_SECONDS + len(tasks) * _SECONDS_PER_PAIR, _MEMORY)


def _verdicts_on_keywords(
    prover: Prover, steps: tuple[UnprovenStep, ...], reason: Stopped
) -> tuple[StepVerdict, ...]:
    """Return the verdicts on keywords alone, after whole schemas exceeded the limits."""
    tasks = [partial(prover.verdict_on_keywords, step) for step in steps]
    unknown = StepVerdict(StepOutcome.UNPROVEN, reason=f": {reason}")
    return tuple(
        unknown if isinstance(outcome, Stopped) or outcome is None else outcome
        for outcome in isolated(tasks, _limits(tasks))
    )


def _harmless_alternatives(walk: Walk, prover: Prover, judged: Judgements) -> list[Difference]:
    """Return the alternatives with values that the receiving union accepts in any case."""
    broken = {
        difference
        for difference, verdicts in judged.items()
        if any(
            verdict.outcome in (StepOutcome.BREAKS, StepOutcome.UNPROVEN) for verdict in verdicts
        )
    }
    doubtful = [
        difference
        for difference in walk.below
        if difference.pair.context
        and not _is_shown(difference, judged.get(difference, ()), walk.sides)
        and _may_be_harmless(difference, broken & {*walk.reachable([difference])})
    ]
    tasks = [
        partial(prover.covers, *_in_context(difference, walk.sides)) for difference in doubtful
    ]
    outcomes = isolated(tasks, _limits(tasks)) if tasks else ()
    return [
        difference
        for difference, outcome in zip(doubtful, outcomes, strict=True)
        if outcome is True
    ]


def _may_be_harmless(difference: Difference, broken: Set[Difference]) -> bool:
    """Return whether something in an alternative is broken, and proofs about it include that."""
    contents = [below.pair.transfer.encoding is ValueEncoding.CONTENT for below in broken]
    is_content = difference.pair.transfer.encoding is ValueEncoding.CONTENT
    return bool(contents) and (is_content or not any(contents))


def _is_shown(
    difference: Difference, verdicts: tuple[StepVerdict, ...], sides: tuple[Side, Side]
) -> bool:
    """Return whether the whole union also rejects a value that an alternative is meant for.

    Properties that are left open count only if the change is about them.
    """
    named = _sender_alternative(difference, sides).named_properties
    counterexamples = [
        (step, json.loads(verdict.counterexample))
        for step, verdict in zip(difference.unproven, verdicts, strict=False)
        if verdict.counterexample is not None
    ]
    return any(
        not isinstance(value, dict) or value.keys() <= named or _closes(step)
        for step, value in counterexamples
    )


def _closes(step: UnprovenStep) -> bool:
    name = "additionalProperties"
    return step.sender.get(name) != step.receiver.get(name)


def _sender_alternative(difference: Difference, sides: tuple[Side, Side]) -> Alternative:
    pair = difference.pair
    flat, _, _ = directed(pair.transfer.polarity, pair.base, pair.revision)
    sender, _, _ = directed(pair.transfer.polarity, *sides)
    return Alternative(sender.document, flat.places, pair.transfer.polarity)


def _in_context(
    difference: Difference, sides: tuple[Side, Side]
) -> tuple[Schema | bool, Schema | bool]:
    """Return the schema that accepts an alternative's values, and that of its intended values."""
    pair = difference.pair
    assert pair.context is not None
    sender, receiver, _ = directed(pair.transfer.polarity, *sides)
    accepting: Schema = {
        "anyOf": [receiver.whole(candidate) for candidate in pair.context.candidates]
    }
    return accepting, _sender_alternative(difference, sides).closed_schema(sender)


def _whole_schemas(difference: Difference, sides: tuple[Side, Side]) -> WholeSchemas:
    pair = difference.pair
    if pair.base.hidden or pair.revision.hidden:
        # The documents' schemas include properties that only the other side sends.
        sender, receiver, _ = directed(pair.transfer.polarity, *difference.schemas)
        return WholeSchemas(sender, receiver)
    whole_sender, whole_receiver, _ = directed(
        pair.transfer.polarity,
        sides[0].whole(pair.base.places),
        sides[1].whole(pair.revision.places),
    )
    if pair.context is None:
        return WholeSchemas(whole_sender, whole_receiver)
    sender_union, receiver_union, _ = directed(
        pair.transfer.polarity,
        sides[0].whole(pair.context.base),
        sides[1].whole(pair.context.revision),
    )
    return WholeSchemas(whole_sender, receiver_union, sender_union)
