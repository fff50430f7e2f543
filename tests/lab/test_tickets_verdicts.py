"""What counts as finding a bug, and the first verdicts, which stay."""

from __future__ import annotations

from lab.tickets.verdicts import Finding, Runs


def finding(rule: str, place: str = "/paths/~1tickets", message: str = "first") -> Finding:
    return Finding(rule, "error", place, message)


def test_what_is_found_without_a_bug_does_not_count() -> None:
    runs = Runs(clean={"plain": [finding("order")]})
    runs.enter("trim", "plain", [finding("order", message="other words"), finding("filter")])
    assert runs.last == {"trim": {"plain": {"filter": "first"}}}


def test_the_same_rule_counts_at_another_place() -> None:
    runs = Runs(clean={"plain": [finding("order")]})
    runs.enter("trim", "plain", [finding("order", place="/paths/~1labels")])
    assert list(runs.last["trim"]["plain"]) == ["order"]


def test_the_first_verdict_stays() -> None:
    runs = Runs(clean={"plain": []})
    runs.enter("trim", "plain", [])
    runs.enter("trim", "plain", [finding("filter")])
    assert runs.first["trim"]["plain"] == {}
    assert list(runs.last["trim"]["plain"]) == ["filter"]


def test_what_the_plain_document_shows_needs_no_declarations() -> None:
    runs = Runs(clean={"plain": [], "declared": []})
    runs.enter("trim", "declared", [finding("filter")])
    runs.enter("trim", "plain", [finding("filter")])
    assert "declared" not in runs.last["trim"]
