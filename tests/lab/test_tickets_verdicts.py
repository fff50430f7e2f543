"""What counts as finding a bug, and the first verdicts, which stay."""

from __future__ import annotations

import pytest

from lab.tickets.verdicts import Finding, Runs, Verdict, page


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


def test_a_rule_is_kept_with_its_first_message() -> None:
    runs = Runs(clean={"plain": []})
    runs.enter("trim", "plain", [finding("order"), finding("order", message="second")])
    assert runs.last["trim"]["plain"] == {"order": "first"}


def note(rule: str) -> Finding:
    return Finding(rule, "info", "/paths/~1tickets", "a note")


def test_notes_are_kept_apart_and_begin_anew_with_the_plain_document() -> None:
    runs = Runs(clean={"plain": [note("slowness")], "declared": []})
    runs.enter("trim", "plain", [note("round-trip"), note("slowness"), finding("filter")])
    assert runs.last["trim"] == {"plain": {"filter": "first"}, "noted": {"round-trip": "a note"}}
    runs.enter("trim", "plain", [])
    runs.enter("trim", "declared", [note("order")])
    assert runs.last["trim"] == {"plain": {}, "declared": {}, "noted": {"order": "a note"}}


def test_notes_without_a_bug_blame_no_server() -> None:
    runs = Runs(clean={"plain": [note("slowness")]}, last={"trim": {"plain": {}}})
    assert runs.blamed() == []


def test_without_findings_the_declarations_count() -> None:
    runs = Runs(clean={"plain": [], "declared": []})
    runs.enter("trim", "declared", [finding("filter")])
    runs.enter("trim", "plain", [])
    assert runs.last["trim"] == {"plain": {}, "declared": {"filter": "first"}}


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ({}, "not run"),
        ({"plain": {}}, "**missed** (plain only)"),
        ({"plain": {}, "declared": {}}, "**missed**"),
        ({"plain": {}, "declared": {"filter": "why"}}, "`filter` (declared)"),
        ({"plain": {"order": "why", "filter": "why"}}, "`filter`, `order`"),
        ({"plain": {}, "declared": {}, "noted": {"round-trip": "why"}}, "`round-trip` (a note)"),
        ({"plain": {"order": "why"}, "noted": {"round-trip": "why"}}, "`order`"),
    ],
)
def test_a_row_says_what_has_found_a_bug(verdict: Verdict, words: str) -> None:
    runs = Runs(clean={"plain": []}, first={"trim": {"plain": {}}}, last={"trim": verdict})
    lines = page({"tickets": runs}, "today").splitlines()
    row = next(line for line in lines if line.startswith("| `trim`"))
    assert row.endswith(f"| values | **missed** (plain only) | {words} | not run |")


def test_the_total_counts_first_and_last_verdicts_by_kind() -> None:
    plain, declared = {"plain": {"order": "why"}}, {"plain": {}, "declared": {"order": "why"}}
    checks = {"plain": {}, "alone": {"status_code_conformance": ""}}
    runs = Runs(
        clean={"plain": [finding("order")], "declared": [finding("order"), finding("filter")]},
        first={"trim": declared, "money": {"plain": {}}},
        last={"trim": plain, "money": declared, "unicode": checks},
    )
    text = page({"tickets": runs}, "today")
    assert "| A ticket system in Flask | 29 | 0 | 1 | 1 | 2 | 0 | 1 | 2 |" in text
    assert "- `filter` at `/paths/~1tickets`: first" in text


def test_the_total_counts_bugs_with_notes_only() -> None:
    runs = Runs(
        clean={"plain": []},
        last={
            "trim": {"plain": {}, "noted": {"round-trip": "why"}},
            "money": {"plain": {"round-trip": "why"}, "noted": {"order": "why"}},
        },
    )
    text = page({"tickets": runs}, "today")
    assert "| A ticket system in Flask | 29 | 0 | 0 | 1 | 1 | 1 | not run | 0 |" in text


def test_the_total_says_what_has_not_run() -> None:
    runs = Runs(clean={"plain": []}, first={"trim": {"plain": {}}}, last={"trim": {"plain": {}}})
    text = page({"tickets": runs}, "today")
    assert "| A ticket system in Flask | 29 | 0 | 0 | 0 | 0 | 0 | not run | 0 |" in text
