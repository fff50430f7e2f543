"""What a finding says of a change, and what it shows of values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .documents import breaking, changes, everywhere, report

A, B = {"^a": {"type": "string"}}, {"^b": {"type": "integer"}}
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
# The schemas before and after, and the words for the step from one to the other.
WORDS: dict[str, tuple[Any, Any, str]] = {
    "new": ({}, {"patternProperties": A}, "patternProperties is new"),
    "gone": ({"patternProperties": A}, {}, "patternProperties is gone"),
    "changed": (
        {"patternProperties": A},
        {"patternProperties": A | B},
        "patternProperties changed",
    ),
    "alternatives": (
        {"oneOf": [TEXT, NUMBER]},
        {"oneOf": [{**TEXT, "title": "Name"}, NUMBER, {"maximum": 3}]},
        "oneOf string, integer -> Name, integer, 2",
    ),
    "values": (
        {"enum": ["a", "b"]},
        {"enum": ["b", "c"]},
        "enum gains c and loses a",
    ),
}


@pytest.mark.parametrize(("before", "after", "words"), WORDS.values(), ids=WORDS)
def test_a_step_is_said_in_words(before: Any, after: Any, words: str, tmp_path: Path) -> None:
    found = changes(report(tmp_path, everywhere(before), everywhere(after)))
    assert {each.message for each in found} == {words}


@pytest.mark.parametrize("mark", ["x-contract-sensitive", "x-contract-once"])
def test_the_example_of_a_secret_is_not_shown(mark: str, tmp_path: Path) -> None:
    secret = {"type": "string", "minLength": 8, "example": "sk-12345", mark: True}
    found = breaking(
        report(tmp_path, everywhere(secret), everywhere({**secret, "minLength": 20})).findings
    )
    assert {each.counterexample for each in found} == {'"aaaaaaaa"'}


def test_what_one_step_allows_and_the_next_one_takes_back_breaks_none_who_send(
    tmp_path: Path,
) -> None:
    wider = {"type": ["string", "integer"], "minimum": 5}
    found = breaking(report(tmp_path, everywhere(TEXT), everywhere(wider)).findings)
    assert {(each.rule, each.counterexample) for each in found} == {("type-widened", "5")}
