"""A pattern of a document has its ECMA-262 meaning in the models, or is left out of them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from pydantic_core import SchemaValidator, core_schema

from specwright.patterns import linear, parsed


def fits(pattern: str, text: str) -> bool:
    translated = linear(pattern)
    assert translated is not None
    return is_match(translated, text)


def is_match(translated: str, text: str) -> bool:
    validator = SchemaValidator(core_schema.str_schema(pattern=translated))
    try:
        validator.validate_python(text)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize(
    ("pattern", "text", "other"),
    [
        (r"^\d$", "7", "٣"),
        (r"^[\d]$", "7", "٣"),
        (r"^\D$", "٣", "7"),
        (r"^[^\D]$", "7", "٣"),
        (r"^\w$", "_", "é"),
        (r"^\W$", "é", "_"),
        (r"^[\W_]$", "_", "a"),
        (r"^\s$", "\ufeff", "\x85"),
        (r"^\S$", "\x85", "\ufeff"),
        (r"^[\s\S]$", "\n", ""),
        (r"\ba\b", "éa", "_a"),
        (r"\Ba", "_a", "éa"),
        (r"^[\b]$", "\x08", "b"),
        (r"^\/$", "/", "\\"),
        (r"^\<\>$", "<>", ""),
        (r"^\cJ$", "\n", "J"),
        (r"^\0$", "\x00", "0"),
        (r"^\x41\u0042$", "AB", "ab"),
        (r"^\uD83D\uDE00$", "😀", "?"),
        (r"^[\uD83D\uDE00-\uD83D\uDE0F]$", "😁", "🙏"),
        (r"^(?<year>[0-9]{4})$", "2026", "26"),
        (r"^\p{Lu}$", "É", "é"),
        (r"^{.*}$", "{}", ""),
        (r"^a{,2}$", "a{,2}", "aa"),
        (r"^a{1,2}$", "aa", "a{1,2}"),
        (r"^[^]$", "\n", ""),
        (r"^(a|[])$", "a", "]"),
        (r"^[[a]$", "[", "^"),
        (r"^[\[\]]$", "]", "\\"),
        (r"^[a&&b]$", "a", "!"),
        (r"^[!-~~]$", "a", " "),
        (r"^[a~~b]$", "~", "!"),
        (r"^[+--]$", ",", "."),
        (r"^[--/]$", ".", "0"),
        (r"^[-a]$", "-", "b"),
        (r"^[a-]$", "-", "b"),
        (r"^[\w-.]$", "-", ","),
        (r"^[a-c-e]$", "-", "d"),
        (r"^[\p{Lu}-z]$", "z", "y"),
        (r"^[(?=]$", "(", ":"),
        (r"^[\(?=]$", "?", ":"),
        (r"^\(?=$", "=", "?="),
        (r"^\\d$", "\\d", "7"),
        (r"^a$", "a", "a\n"),
    ],
)
def test_a_pattern_means_what_ecma_262_says(pattern: str, text: str, other: str) -> None:
    assert fits(pattern, text)
    assert not fits(pattern, other)


@pytest.mark.parametrize(
    "pattern",
    ["[?]", "^[0-9a-z-]{1,9}$", "^[!-~]*$", r"^-?(0|[1-9][0-9]{0,8})\.[0-9]{2,4}$", "a|b&&c~~d"],
)
def test_a_pattern_that_means_the_same_is_not_rewritten(pattern: str) -> None:
    assert linear(pattern) == pattern


@pytest.mark.parametrize(
    "pattern",
    [
        "^(?=a)b$",
        "(?!a)",
        "(?<=a+)b",
        "(?<!a)b",
        r"(a)\1",
        r"(?<n>a)\k<n>",
        "(?:a{1000}){1000}",
        "a" * 100_000,
        "([",
        r"\01",
        r"[\uD800-\uDBFF]",
        # Flags of Rust's engine, by which we tell patterns apart.
        "a(?-x)!b",
    ],
)
def test_a_pattern_that_may_take_longer_than_linear_time_is_left_out(pattern: str) -> None:
    assert linear(pattern) is None


@pytest.mark.parametrize("part", ["[", r"[\\", "[a-", "{", r"\\"])
def test_a_pattern_of_any_form_is_translated_in_a_moment(part: str) -> None:
    linear(part * 20_000)


LOOKS = (
    "(?!a)",
    "(?=.b)",
    "(?![)(]|b|$)",
    r"(?=\)|[^\]]+$)",
    "(?!^a*$)",
    "(?=(a|b)+$)",
    "(?!)",
    "",
)
RESTS = ("a", "(a|b)*$", r"[ab)|]+", "^a", ".*", "", "a{2}", "(?:a|b)b", r"\(")


@given(
    st.lists(st.sampled_from(LOOKS), max_size=3),
    st.sampled_from(RESTS),
    st.text("ab()]", max_size=5),
)
def test_look_aheads_at_the_start_are_patterns_of_their_own(
    looks: list[str], rest: str, text: str
) -> None:
    pattern = f"^{''.join(looks)}{rest}"
    found = parsed(pattern)
    assert found is not None
    fits_all = all(is_match(each, text) for each in (found.rest, *found.like))
    fits_none = not any(is_match(each, text) for each in found.unlike)
    # An engine that takes more than linear time is the judge.
    assert (fits_all and fits_none) is (re.search(pattern, text) is not None)


@pytest.mark.parametrize(
    "pattern",
    [
        "(?!a)b",
        "^a(?!b)",
        "^(?!a)b|c",
        "^(?!(?=a))b",
        "^(?!a",
        "^(?!a)(?<!b)c",
        "^(?!(?i)a)b",
        "^(?=a)" + "b" * 100_000,
    ],
)
def test_other_look_aheads_take_longer_than_linear_time(pattern: str) -> None:
    assert parsed(pattern) is None


def test_many_look_aheads_are_found_in_a_moment() -> None:
    parsed("^" + "(?=a)" * 9_000)
    parsed("^(?=" + "(" * 40_000)
