"""Patterns have texts, and all of the texts match."""

from __future__ import annotations

import re
from itertools import product

import pytest

from specwright.samples.expressions import expression
from specwright.samples.languages import UndecidedError, shortest, some

# A pattern, and its first text.
PATTERNS = [
    ("^(a|b)c$", "ac"),
    ("^(?:ab){2}c$", "ababc"),
    ("^[a-z][0-9]{2}$", "a00"),
    (r"^\d\w\s\D\W\S$", "0a a-a"),
    (r"^[\d.]{2}$", "00"),
    (r"^[\-x]$", "-"),
    ("^[^a]$", "0"),
    ("^[^a-z0-9]$", "A"),
    ("^[^a0_ -]$", "A"),
    (r"^\.x+?$", ".x"),
    ("b", "b"),
    ("a^|$b|c", "c"),
    ("^(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])(?=.*[^A-Za-z0-9]).{8,64}$", "aaaaa0A_"),
    (r"^(?!.*\.$)[.]{0,2}[a-c]$", "a"),
    (r"^(?!0\d)\d+\.\d{2}$", "0.00"),
    ("^[a-c]{2}(?<!aa)x$", "abx"),
    (r"(?<=\$)[1-9]$", "$1"),
    (r"^\bcat\b.+\bdog\b$", "cat-dog"),
    (r"^a\Bb$", "ab"),
    (r"^(?<year>[0-9]{4})-Q[1-4]$", "0000-Q1"),
    (r"^(?:[a-f0-9]{2}:){5}[a-f0-9]{2}$", "aa:aa:aa:aa:aa:aa"),
    (r"^(?:a(?=b)|b)?b$", "b"),
    (r"^(?=[a-c]*$)[b-z]{2}(?!a)", "bb"),
    (r"^[^\W_]+(?:-x)?$", "a"),
]


@pytest.mark.parametrize(("pattern", "first"), PATTERNS)
def test_a_pattern_has_texts(pattern: str, first: str) -> None:
    texts = [*some(expression(pattern).language, 5)]
    assert texts[0] == first
    assert len({*texts}) == len(texts)
    read_by_python = pattern.replace("(?<year>", "(?P<year>")
    assert [text for text in texts if not re.search(read_by_python, text, re.ASCII)] == []


def test_letters_are_those_of_unicode() -> None:
    assert shortest(expression(r"^\p{Lu}[\p{L}\p{N}]{2}\P{L}$").language) == "Aaa0"


@pytest.mark.parametrize("pattern", PATTERNS)
def test_an_exact_language_has_all_texts(pattern: tuple[str, str]) -> None:
    read = expression(pattern[0])
    for letters in product("ab0._ x", repeat=3):
        language = read.language
        for letter in letters:
            language = language.after(ord(letter))
        matches = re.search(pattern[0].replace("?<y", "?P<y"), "".join(letters), re.ASCII)
        assert language.has_empty or not matches
        assert not read.is_exact or language.has_empty is bool(matches)


@pytest.mark.parametrize("pattern", ["(", "(" * 9_000, "a" * 2_001, r"(a)\1", "[b-", "a)"])
def test_a_pattern_that_is_broken_or_too_long_has_no_language(pattern: str) -> None:
    with pytest.raises(UndecidedError):
        expression(pattern)


@pytest.mark.parametrize("pattern", ["a{1500}b{1400}", "(((a{999}){999}){999}){999}", "^a$a"])
def test_a_text_that_is_too_long_is_not_searched(pattern: str) -> None:
    assert [*some(expression(pattern).language, 2)] == []
