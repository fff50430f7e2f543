"""The faults that contract tests are judged by are real ones, and some of them are found."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from esim_service.store.tables import orders
from lab.faults.changes import ANY
from lab.faults.judge import DOCUMENT, judge, serving
from lab.faults.seeding import in_statements, substitute
from lab.faults.table import FAULTS, Fault
from lab.faults.verdicts import load
from lab.faults_by_others import table as by_others

KINDS = {
    *("shape", "validation", "authentication", "isolation", "state"),
    *("idempotency", "lists", "limits", "webhooks", "robustness"),
}


class Counted(pytest.MonkeyPatch):
    """A monkeypatch that counts its changes."""

    changes = 0

    def setattr(self, *args: Any, **options: Any) -> None:
        self.changes += 1
        super().setattr(*args, **options)

    def setitem(self, *args: Any) -> None:
        self.changes += 1
        super().setitem(*args)


@pytest.fixture
def promises(corpus: Path) -> str:
    """The source text, the decisions about its gaps, and all texts of the document on both,
    without line breaks."""
    shared = corpus.parent
    pages = [*(shared / "source").glob("*.md"), shared / "design" / "contract.md"]
    if not all(page.is_file() for page in pages):
        pytest.skip("the source text is not there")
    texts: list[str] = [page.read_text("utf-8") for page in pages]
    json.loads(DOCUMENT.read_text("utf-8"), object_hook=lambda found: texts.extend(_strings(found)))
    return " ".join(" ".join(texts).split())


def _strings(found: dict[str, object]) -> list[str]:
    return [value for value in found.values() if isinstance(value, str)]


@pytest.fixture(params=[*FAULTS.values(), *by_others.FAULTS.values()], ids=lambda fault: fault.name)
def fault(request: pytest.FixtureRequest) -> Fault:
    return request.param


def test_each_class_has_at_least_five_faults() -> None:
    counts = Counter(fault.kind for fault in FAULTS.values())
    assert counts.keys() == KINDS
    assert min(counts.values()) >= 5
    assert counts.total() >= 60


def test_a_fault_says_what_it_is(fault: Fault) -> None:
    assert fault.says.endswith(".")
    assert fault.quotes


def test_a_fault_breaks_what_is_promised(promises: str) -> None:
    invented = {
        fault.name: quote
        for fault in (*FAULTS.values(), *by_others.FAULTS.values())
        for quote in fault.quotes
        if quote not in promises
    }
    assert not invented


def test_a_fault_changes_the_service(fault: Fault) -> None:
    patch = Counted()
    try:
        fault.seed(patch)
        assert patch.changes
    finally:
        patch.undo()


def test_a_fault_in_a_function_that_nothing_uses_is_an_error() -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(LookupError):
        substitute(patch, judge, judge)


def test_a_fault_in_a_statement_that_stays_as_it_is_is_an_error() -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(LookupError):
        in_statements(patch, orders.find, str.strip)(ANY, "ord_any")


def test_every_fault_was_judged() -> None:
    assert load().keys() == FAULTS.keys(), "run: nox -s faults"


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("order-of-anybody", "isolation"),
        pytest.param("float-money", "response-schema", marks=pytest.mark.exhaustive),
        pytest.param("replay-is-not-marked", "idempotency-replay", marks=pytest.mark.exhaustive),
    ],
)
def test_a_fault_is_found(name: str, rule: str) -> None:
    with serving(name) as served:
        # The key whose limits are used up takes a third of the time, and finds other faults.
        two = replace(served, keys=served.keys[:2])
        # However slow the machine is, no step is cut short.
        found = judge(two, 1, patience=900, more=("--max-time", "600"))
    assert rule in found


def test_nothing_is_found_where_moments_are_the_same() -> None:
    with serving("whole-seconds") as served:
        assert judge(replace(served, keys=served.keys[:2]), seed=1) == ()
