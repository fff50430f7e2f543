"""axe-core finds nothing on reference pages, on any screen and with everything unfolded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import axe
from tests.browser import Browser
from tests.conftest import ROOT
from tests.reference.shop import pages, shop

PARTNER = ROOT / "service" / "esim_service" / "data" / "reference.html"
# The width and the colour scheme.
VIEWS = {"desktop": (1280, "light"), "phone": (390, "light"), "dark": (1280, "dark")}
AS_IT_OPENS = "0"
# Scripts add buttons to what is unfolded, and forms behind some of these.
UNFOLDED = """(async () => {
  document.querySelectorAll("details%s").forEach(details => { details.open = true });
  while (document.querySelector("article[data-schemes]") && !document.querySelector(".trying")) {
    await new Promise(requestAnimationFrame);
  }
  document.querySelectorAll(".trying").forEach(button => button.click());
})()"""
EVERYTHING = UNFOLDED % ""
# Of a long page, an operation and a model.
SOME = UNFOLDED % ":is(.section, :has(#createOrder, #model-Order), article *)"

Violations = Callable[[Path], list[str]]


@pytest.fixture(params=VIEWS)
def violations(request: pytest.FixtureRequest, browser: Browser, axe_core: str) -> Violations:
    """Return the violations of a page in one of the views, in some states."""
    width, scheme = VIEWS[request.param]

    def violations(path: Path, *states: str) -> list[str]:
        violations = []
        for state in states:
            page = browser.open(path)
            page.resize(width)
            page.show_as(scheme)
            page.evaluate(state)
            violations += map(str, axe.violations(page, axe_core))
        return violations

    return violations


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the page of the shop, and with its site below `site`."""
    place = tmp_path_factory.mktemp("shop")
    (place / "site").mkdir()
    (place / "shop.html").write_text(pages(place, shop())["index.html"], "utf-8")
    for name, text in pages(place, shop(), is_site=True).items():
        (place / "site" / name).write_text(text, "utf-8")
    return place


def test_a_page_with_everything_has_no_violation(place: Path, violations: Violations) -> None:
    assert violations(place / "shop.html", AS_IT_OPENS, EVERYTHING) == []


def test_the_page_of_the_contract_has_no_violation(violations: Violations) -> None:
    assert violations(PARTNER, AS_IT_OPENS, SOME) == []


def test_no_page_of_a_site_has_a_violation(place: Path, violations: Violations) -> None:
    files = {path.name: path for path in (place / "site").iterdir()}
    assert files.keys() >= {"index.html", "items.html", "models.html", "webhooks.html"}
    assert {name: violations(path, EVERYTHING) for name, path in files.items()} == {
        name: [] for name in files
    }


@pytest.mark.parametrize("anchor", ["createItem", "model-Item", "response-Failed"])
def test_a_violation_is_found_in_what_is_unfolded(
    anchor: str, place: Path, violations: Violations
) -> None:
    grey = f"document.querySelectorAll('#{anchor} code').forEach(code => {{" + (
        "code.style.color = '#777'; code.style.backgroundColor = '#999' });"
    )
    rules = {text.split()[1] for text in violations(place / "shop.html", grey + EVERYTHING)}
    assert rules == {"color-contrast:"}
