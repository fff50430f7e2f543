"""Inclusion of one pattern in another, and counterexamples."""

import itertools
import random
import re
from pathlib import Path

import pytest

from specwright.findings import Level
from specwright.samples.expressions import text_outside
from specwright.samples.languages import UndecidedError

from .documents import affected, changes, everywhere, report

WIDER = (
    ("^[a-z]+$", "^[a-z0-9]+$"),
    (r"^[a-zA-Z0-9\-_.:]+$", r"^[a-zA-Z0-9\-_.:+]+$"),
    ("^[a-z]{1,5}$", "^[a-z]{1,9}$"),
    ("^[A-Z]{3}$", "^[A-Z]+$"),
    ("^(a|b)_[a-z]*$", "^(?:a|b|c)_[a-z]*$"),
    ("^v[0-9]$", "^v[0-9](-rc)?$"),
    ("^cus_", "cus"),
    ("^[^/]$", r"^[\s\S]$"),
    (r"^\x41\u0042$", "^[A-B]{2}$"),
    ("^(?:ab){2}$", "^(ab)+$"),
    ("^(?=a)[ab]+$", "^[ab]+$"),
    ("^(?!.*b$)[ab]+$", "^[ab]+$"),
    ("^[ab]+(?<!ab)c$", "^[ab]+c$"),
    ("^(a|b|c)(a|b|c)(a|b|c)(a|b|c)$", "^[a-c]{4}|d$"),
)
SAME = (
    *(("a^", "$a"), ("^(?=a)b$", "^(?!)$"), ("^(?:a|ab)(?=c)c$", "^ab?c$")),
    (r"^\d+$", "^[0-9]+$"),
    (r"^[\w-]+$", "^[-a-zA-Z0-9_]+$"),
    ("^a+?$", "^aa*$"),
)


@pytest.mark.parametrize(("narrow", "wide"), WIDER)
def test_a_wider_pattern_is_seen(narrow: str, wide: str) -> None:
    assert text_outside(narrow, wide) is None
    text = text_outside(wide, narrow)
    assert text is not None
    assert re.search(wide, text)
    assert not re.search(narrow, text)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_so_is_the_same_one_in_other_words(one: str, other: str) -> None:
    assert text_outside(one, other) is None
    assert text_outside(other, one) is None


@pytest.mark.parametrize(
    "pattern",
    [
        r"^(a)\1$",
        "[",
        "^(a",
        "a{,2}",
        r"^\bab\b$",
        r"^(?:a(?=b)|b)+$",
        r"^\p{L}$",
    ],
)
def test_what_says_more_is_not_decided(pattern: str) -> None:
    with pytest.raises(UndecidedError):
        text_outside(pattern, "^[a-c]*$")


def test_so_is_what_takes_too_many_states() -> None:
    with pytest.raises(UndecidedError):
        text_outside("^[ab]*a[ab]{20}$", "^(?:a|b)*a[ab]{20}$")


def test_no_text_contradicts_a_decision() -> None:
    chance = random.Random(16)
    parts = ("a", "b", "[ab]", "[^a]", ".", "(a|b)", "(?:ab|b)?", "a*", "b+", "[ab]{1,2}", "c?")
    texts = ["".join(each) for n in range(5) for each in itertools.product("abc", repeat=n)]
    for _ in range(300):
        one, other = (
            "".join(
                [chance.choice(["^", ""]), *chance.choices(parts, k=3), chance.choice([r"$", ""])]
            )
            for _ in range(2)
        )
        text = text_outside(one, other)
        # Python's `$` is before a line break at the end, too.
        searches = [re.compile(each.replace("$", r"\Z")) for each in (one, other)]
        outside = [t for t in texts if searches[0].search(t) and not searches[1].search(t)]
        assert (text is None) <= (not outside), (one, other)
        if text is not None:
            assert [bool(search.search(text)) for search in searches] == [True, False], (one, other)


@pytest.mark.parametrize(("narrow", "wide"), WIDER[:6])
def test_a_pattern_that_allows_more_breaks_those_who_receive_it(
    tmp_path: Path, narrow: str, wide: str
) -> None:
    base, revision = (everywhere({"type": "string", "pattern": each}) for each in (narrow, wide))
    findings = changes(report(tmp_path, base, revision))
    errors = [finding for finding in findings if finding.level is Level.ERROR]
    assert {error.rule for error in errors} == {"pattern-widened"}
    assert all(error.counterexample for error in errors)
    assert "POST /request" not in affected(errors)


def test_the_same_pattern_in_other_words_is_no_change(tmp_path: Path) -> None:
    base, revision = (everywhere({"type": "string", "pattern": each}) for each in SAME[0])
    assert changes(report(tmp_path, base, revision)) == []
