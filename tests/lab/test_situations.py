"""The page of situations shows the current behaviour of our SDK, and where it is behind."""

from __future__ import annotations

from pathlib import Path

from lab.benchmarks.measurement import OURS
from lab.benchmarks.workshop import Workshop
from lab.situations import outcomes
from lab.situations.outcomes import Outcome, verdict
from lab.situations.runs import STAGED, generated, staged
from lab.situations.table import NOT_OFFERED, SITUATIONS, Fewer, ranked

# Each goes with the change that mends it; nothing may be added.
BEHIND = {"second-signature"}


def test_our_sdk_does_what_the_page_says(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, tmp_path / "peers", rounds=1)
    found = staged(OURS, STAGED, workshop, generated(workshop, [OURS]))
    kept = outcomes.load().rows
    for name, outcome in found.items():
        rule, said = SITUATIONS[name].rule, kept[name][OURS].word
        same = not rule.is_better(said, outcome.word) and not rule.is_better(outcome.word, said)
        assert same, f"{name}: {outcome}; the page says {said!r}: run `nox -s situations`"


def test_the_page_is_behind_where_it_is_known() -> None:
    kept = outcomes.load()
    assert {name for name in kept.rows if kept.verdict(name) == "worse"} == BEHIND


def test_every_situation_is_on_the_page() -> None:
    assert set(outcomes.load().rows) == set(SITUATIONS)


def test_a_verdict_compares_with_those_who_offer_the_thing() -> None:
    rule = ranked("good", ("fair", "also fair"), "bad")

    def judged(ours: str, *peers: str) -> str:
        row = {str(number): Outcome(each) for number, each in enumerate(peers)}
        return verdict(rule, {OURS: Outcome(ours), **row})

    assert judged("good", "fair", "bad") == "better"
    assert judged("fair", "also fair", "bad") == "equal"
    assert judged("fair", "bad", NOT_OFFERED) == "better"
    assert judged("bad", "fair", "bad") == "worse"
    assert judged("bad", "hangs") == "better"
    assert judged(NOT_OFFERED, "bad") == "worse"


def test_numbers_within_the_tolerance_are_equal() -> None:
    rule = Fewer(1.1)
    assert not rule.is_better("100", "109")
    assert rule.is_better("100", "111")
