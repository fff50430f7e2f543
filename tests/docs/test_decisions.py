"""Each decision has a number, a date and a status; one that was replaced names its successor."""

import re
from pathlib import Path

import pytest

from tests.derived.pages import DECISION, DECISIONS

PAGES = sorted(DECISIONS.glob("[0-9]*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_decision_begins_with_its_number_date_and_status(page: Path) -> None:
    head = DECISION.match(page.read_text("utf-8"))
    assert head is not None
    assert head["number"] == page.name[:4]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_replaces_a_decision_is_newer_and_both_name_the_other(page: Path) -> None:
    text = page.read_text("utf-8")
    head = DECISION.match(text)
    assert head is not None
    if head["replaced"]:
        [successor] = re.findall(r"\(([^)]+)\)", head["replaced"])
        assert successor > page.name
        assert head["number"] in (DECISIONS / successor).read_text("utf-8")
    replaced = re.findall(r"replaces [^.]*?\b(\d{4})\b", text)
    for number in replaced:
        [older] = DECISIONS.glob(f"{number}-*.md")
        assert f"by [{head['number']}]" in older.read_text("utf-8").partition("## Context")[0]
