"""The verdicts on all pairs of schemas that differ, by proofs in a separate process."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial

from specwright.compare.proofs.containment import Ends, Outcome, Prover, Verdict
from specwright.compare.schemas.alternatives import Alternative
from specwright.compare.schemas.pairs import Schema, directed
from specwright.compare.schemas.steps import UnprovenStep
from specwright.compare.schemas.walk import Difference, Walk
from specwright.isolation import Stopped, TaskLimits, isolated
from specwright.samples.sides import Side

# The limits of proofs: seconds, more for each pair of schemas, and bytes of memory.
_SECONDS, _SECONDS_PER_PAIR, _MEMORY = 8.0, 0.05, 512 * 1024 * 1024

# The verdicts on the claims of each difference that has any.
Judged = Mapping[Difference, tuple[Verdict, ...]]


def judgements(walk: Walk, differences: Sequence[Difference]) -> Judged:
    """Return the verdicts on the claims of each difference that has any, in their order."""
    prover = Prover(walk.sides)
    claims = {difference: difference.claims for difference in differences if difference.claims}
    tasks = [
        partial(prover.verdicts, found, _ends(each, walk.sides)) for each, found in claims.items()
    ]
    outcomes = isolated(tasks, _limits(tasks))
    judged = {
        each: _alone(prover, found, outcome) if isinstance(outcome, Stopped) else outcome
        for (each, found), outcome in zip(claims.items(), list(outcomes), strict=True)
    }
    excused = _excused(walk, prover, judged)
    if excused:
        counted = set(walk.reached(walk.roots, excused))
        for step in judged.keys() - counted:
            judged[step] = (Verdict(Outcome.SAFE),) * len(judged[step])
    return judged


def _limits(tasks: Sequence[object]) -> TaskLimits:
    return TaskLimits(_SECONDS + len(tasks) * _SECONDS_PER_PAIR, _MEMORY)


def _alone(
    prover: Prover, claims: tuple[UnprovenStep, ...], reason: Stopped
) -> tuple[Verdict, ...]:
    """Return the verdicts on keywords alone, after whole schemas exceeded the limits."""
    tasks = [partial(prover.alone, claim) for claim in claims]
    unknown = Verdict(Outcome.UNPROVEN, reason=f": {reason}")
    return tuple(
        unknown if isinstance(found, Stopped) or found is None else found
        for found in isolated(tasks, _limits(tasks))
    )


def _excused(walk: Walk, prover: Prover, judged: Judged) -> list[Difference]:
    """Return the alternatives with values that the receiving union accepts in any case."""
    broken = {
        each
        for each, found in judged.items()
        if any(verdict.outcome in (Outcome.BREAKS, Outcome.UNPROVEN) for verdict in found)
    }
    doubtful = [
        difference
        for difference in walk.below
        if difference.pair.frame
        and not _is_shown(difference, judged.get(difference, ()), walk.sides)
        and any(below in broken for below in walk.reached([difference]))
    ]
    tasks = [partial(prover.covers, *_framed(difference, walk.sides)) for difference in doubtful]
    outcomes = isolated(tasks, _limits(tasks)) if tasks else ()
    return [each for each, outcome in zip(doubtful, outcomes, strict=True) if outcome is True]


def _is_shown(
    difference: Difference, verdicts: tuple[Verdict, ...], sides: tuple[Side, Side]
) -> bool:
    """Return whether the whole union also rejects a value that an alternative is meant for.

    Properties that are left open count only if the change is about them.
    """
    named = _sent(difference, sides).named
    shown = [
        (claim, json.loads(found.counterexample))
        for claim, found in zip(difference.claims, verdicts, strict=False)
        if found.counterexample is not None
    ]
    return any(
        not isinstance(value, dict) or value.keys() <= named or _closes(claim)
        for claim, value in shown
    )


def _closes(claim: UnprovenStep) -> bool:
    name = "additionalProperties"
    return claim.sent.get(name) != claim.taken.get(name)


def _sent(difference: Difference, sides: tuple[Side, Side]) -> Alternative:
    pair = difference.pair
    flat, _, _ = directed(pair.way.polarity, pair.base, pair.revision)
    sender, _, _ = directed(pair.way.polarity, *sides)
    return Alternative(sender.document, flat.places, pair.way.polarity)


def _framed(difference: Difference, sides: tuple[Side, Side]) -> tuple[Schema, Schema]:
    """Return the schema that accepts an alternative's values, and that of its intended values."""
    pair = difference.pair
    assert pair.frame is not None
    sender, receiver, _ = directed(pair.way.polarity, *sides)
    taking = {"anyOf": [receiver.whole(taker) for taker in pair.frame.takers]}
    return taking, _sent(difference, sides).closed(sender)


def _ends(difference: Difference, sides: tuple[Side, Side]) -> Ends:
    pair = difference.pair
    if pair.base.hidden or pair.revision.hidden:
        # The documents' schemas include properties that only the other side sends.
        sent, taken, _ = directed(pair.way.polarity, *difference.ends)
        return Ends(sent, taken)
    base, revision = sides[0].whole(pair.base.places), sides[1].whole(pair.revision.places)
    sent, taken, _ = directed(pair.way.polarity, base, revision)
    if pair.frame is None:
        return Ends(sent, taken)
    sent_frame, taken_frame, _ = directed(
        pair.way.polarity, sides[0].whole(pair.frame.base), sides[1].whole(pair.frame.revision)
    )
    return Ends(sent, taken_frame, sent_frame)
