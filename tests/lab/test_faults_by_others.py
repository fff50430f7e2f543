"""The faults by others are proven, and all of them were judged."""

from collections import Counter

import pytest

from lab.faults.table import FAULTS as BESIDE
from lab.faults_by_others import by_hand, prove
from lab.faults_by_others.table import CLASSES, FAULTS
from lab.faults_by_others.verdicts import MISSED, load


def test_each_class_has_at_least_five_faults() -> None:
    counts = Counter(fault.kind for fault in FAULTS.values())
    assert len(counts) == len(CLASSES)
    assert min(counts.values()) >= 5
    assert counts.total() >= 80


def test_a_fault_has_a_name_of_its_own() -> None:
    assert not FAULTS.keys() & BESIDE.keys()


def test_every_fault_has_a_proof() -> None:
    assert by_hand.PROOFS.keys() == FAULTS.keys()


def test_every_fault_was_judged() -> None:
    assert load().keys() == FAULTS.keys(), "run: nox -s faults_by_others"


def test_what_is_missed_has_a_reason() -> None:
    assert {name for name, each in load().items() if not each.last.is_found} == MISSED.keys()


@pytest.mark.parametrize(
    "name", ["days-cost-nothing", "key-in-the-query", "order-of-the-other-mode"]
)
def test_a_fault_is_proven(name: str) -> None:
    with prove.desks("none") as right:
        assert prove.is_kept(name, right)
    assert prove.is_active(name)
