"""The usual patterns have a text, and the text matches."""

from __future__ import annotations

import re

import pytest

from specwright.samples.matching import matching


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^(a|b)c$", "ac"),
        ("^(?:ab){2}c$", "ababc"),
        ("^[a-z][0-9]{2}$", "a00"),
        (r"^\d\w\s\D\W\S$", None),
        (r"^[\d.]{2}$", "00"),
        (r"^[\-x]$", "-"),
        ("^[^a]$", "0"),
        ("^[^a-z0-9]$", "_"),
        ("^[^a0_ -]$", "~"),
        (r"^\.x+?$", ".x"),
    ],
)
def test_a_text_matches_its_pattern(pattern: str, text: str | None) -> None:
    found = matching(pattern)
    assert found is not None
    assert re.search(pattern, found)
    assert text in (None, found)


@pytest.mark.parametrize("pattern", ["(", "a{1500}b{1500}", "(" * 9_000, "a" * 2_001])
def test_a_pattern_that_is_broken_or_too_long_has_none(pattern: str) -> None:
    assert matching(pattern) is None
