"""The page of a comparison shows both documents side by side, without a network."""

from pathlib import Path

from specwright.compare.table import BY_ID
from specwright.report.formats import FORMATS
from tests.browser import Browser, Page

from .documents import parts, report

SIDES = "[...document.querySelectorAll('article')].find(each => " + (
    "each.innerText.includes('maximum 20 -> 10')).querySelectorAll('figure')"
)


def opened(browser: Browser, directory: Path) -> Page:
    found = report(directory, *parts(BY_ID["range-narrowed"].description.bad))
    path = directory / "report.html"
    path.write_text(FORMATS["html"](found), "utf-8")
    return browser.open(path)


def test_both_places_stand_side_by_side(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path)
    page.resize(1200)
    shown = page.evaluate(f"[...{SIDES}].map(each => each.innerText)")
    assert ["base.json" in shown[0], "revision.json" in shown[1]] == [True, True]
    assert ['"maximum": 20' in shown[0], '"maximum": 10' in shown[1]] == [True, True]
    left, right = page.evaluate(
        f"[...{SIDES}].map(each => each.getBoundingClientRect()).map(each => [each.x, each.y])"
    )
    assert left[0] < right[0]
    assert left[1] == right[1]
    assert len(page.happened("Network.requestWillBeSent")) == 1


def test_on_a_narrow_screen_one_is_below_the_other(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path)
    page.resize(360)
    places = page.evaluate(
        f"[...{SIDES}].map(each => each.getBoundingClientRect()).map(each => [each.x, each.y])"
    )
    assert places[0][0] == places[1][0]
    assert places[0][1] < places[1][1]
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
