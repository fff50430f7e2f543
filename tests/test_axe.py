"""axe-core runs in the browser of the tests, with the rules that the project keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import axe
from tests.browser import Browser

_PAGE = '<!doctype html><html lang="en"><title>a</title><main><h1>a</h1>{}</main>'
_SMALL = (
    "<style>button { display: block; border: 0; padding: 0; width: 9px; height: 9px }</style>"
    + ('<button aria-label="b"></button>' * 2)
)


@pytest.mark.parametrize(
    ("markup", "rules"),
    [
        ("<p>b</p>", []),
        ('<img src="a">', ["critical image-alt"]),
        (_SMALL, ["serious target-size"] * 2),
    ],
    ids=["nothing", "of WCAG 2.0", "of WCAG 2.2"],
)
def test_violations_have_their_impact_rule_and_element(
    markup: str, rules: list[str], browser: Browser, tmp_path: Path, axe_core: str
) -> None:
    (tmp_path / "a.html").write_text(_PAGE.format(markup))
    page = browser.open(tmp_path / "a.html")
    for _ in range(2):
        violations = axe.violations(page, axe_core)
        assert [f"{violation.impact} {violation.rule}" for violation in violations] == rules
        assert all(violation.html in markup for violation in violations)


@pytest.mark.parametrize(("visibility", "rules"), [("hidden", []), ("visible", ["image-alt"])])
def test_what_is_folded_counts_if_it_is_shown_all_the_same(
    visibility: str, rules: list[str], browser: Browser, tmp_path: Path, axe_core: str
) -> None:
    style = f"<style>details::details-content {{ content-visibility: {visibility} }}</style>"
    markup = f'{style}<details><summary>b</summary><img src="a"></details>'
    (tmp_path / "a.html").write_text(_PAGE.format(markup))
    page = browser.open(tmp_path / "a.html")
    assert [violation.rule for violation in axe.violations(page, axe_core)] == rules
    assert page.evaluate("document.images.length") == len(rules)


def test_the_version_is_that_of_the_code(axe_core: str) -> None:
    assert axe.version(axe_core).startswith("4.")
    assert axe.version("/*! axe v4.12.1\n * Copyright v1") == "4.12.1"
