"""The page of a large document asks little of a browser: counts and ratios, and no seconds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser, Page
from tests.reference.shop import page, shop

OPERATIONS = 900
_IN_A_GROUP = 10
_LOADS = 3
_PAINTED = "new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))"


def large() -> dict[str, Any]:
    """A shop with many counters, which all have the same operations."""
    document = shop()
    get, post = (
        next(iter(item.values()))
        for item in (document["paths"]["/items/{id}"], document["paths"]["/items"])
    )
    for number in range(OPERATIONS // 2):
        tags = [f"counter {number * 2 // _IN_A_GROUP}"]
        document["paths"] |= {
            f"/counters/{number}/{{id}}": {
                "get": {**get, "operationId": f"getItem{number}", "tags": tags}
            },
            f"/counters/{number}": {
                "post": {**post, "operationId": f"createItem{number}", "tags": tags}
            },
        }
    return document


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the large shop."""
    place = tmp_path_factory.mktemp("large")
    (place / "reference.html").write_text(page(place, large()), "utf-8")
    return place / "reference.html"


def counts(page: Page) -> Mapping[str, float]:
    """What the browser has counted since the page was opened; times are those of its thread."""
    return {row["name"]: row["value"] for row in page.call("Performance.getMetrics")["metrics"]}


def loaded(browser: Browser, file: Path) -> Page:
    page = browser.blank()
    page.call("Performance.enable", timeDomain="threadTicks")
    page.resize(1280)
    page.go(file)
    page.evaluate(_PAINTED)
    return page


def test_what_is_folded_is_not_laid_out(browser: Browser, file: Path) -> None:
    count = counts(loaded(browser, file))
    assert count["Nodes"] < 300 * OPERATIONS
    assert count["LayoutObjects"] < 10 * OPERATIONS
    assert count["JSEventListeners"] < 100
    assert count["LayoutCount"] < 10


def test_the_script_takes_less_time_than_the_rest(browser: Browser, file: Path) -> None:
    loads = [counts(loaded(browser, file)) for _ in range(_LOADS)]
    assert min(count["ScriptDuration"] / count["TaskDuration"] for count in loads) < 0.5


def test_a_key_in_the_search_is_quicker_than_loading(browser: Browser, file: Path) -> None:
    page = loaded(browser, file)
    loading = counts(page)
    page.evaluate("document.querySelector('.find').click()")
    for text in "item":
        before = counts(page)
        page.call("Input.insertText", text=text)
        page.evaluate(_PAINTED)
        after = counts(page)
        assert after["TaskDuration"] - before["TaskDuration"] < loading["TaskDuration"] / 4
        assert after["LayoutCount"] - before["LayoutCount"] < 10
    assert page.evaluate("document.getElementById('search').value") == "item"
    assert page.evaluate("document.querySelectorAll('#results li').length") > 1
