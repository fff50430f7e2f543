"""The comparison of pages measures what it says, and our page keeps its points."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.docs_pages import measure, pictures
from lab.docs_pages.__main__ import build
from lab.docs_pages.documents import POINTS
from lab.docs_pages.points import POINTS as CHECKS
from lab.docs_pages.points import TITLE, Subject
from lab.docs_pages.tools import OURS, PAGE, TOOLS
from tests.browser import Browser
from tests.in_process import tasks_in_this_process

__all__ = ["tasks_in_this_process"]

# It works for some time, which begins 200 ms after loading.
_WORKING = """<!doctype html><title>a</title><h1>The aviary</h1><script src="a.js"></script>
<script>
fetch("http://cdn.example/font");
setTimeout(() => { for (let i = 0, sum = 0; i < 2e8; i++) sum += i; }, 200);
</script>"""


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory, tasks_in_this_process: None) -> Path:
    """The directory of our page."""
    place = tmp_path_factory.mktemp("pages")
    build([OURS], [POINTS], place, place)
    return place / OURS / POINTS.name


def has(point: str, directory: Path) -> bool:
    with measure.served(directory) as address, measure.browsing() as browser:
        return CHECKS[point](Subject(browser, f"{address}/{PAGE}", directory, TOOLS[OURS]))


@pytest.mark.parametrize(
    "point",
    [
        "webhooks in the contents",
        "models in the contents",
        "shared errors in the contents",
        "copying of samples",
        "named examples to choose from",
        "a link to an operation opens it",
        "readable without scripts",
        "opens as a file, without a server",
        "prints everything",
    ],
)
def test_our_page_keeps_its_points(point: str, browser: Browser, ours: Path) -> None:
    assert has(point, ours)


@pytest.mark.parametrize("point", CHECKS)
def test_a_page_with_the_title_alone_has_no_point(
    point: str, browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / PAGE).write_text(f"<!doctype html><title>a</title><h1>{TITLE}</h1>", "utf-8")
    assert not has(point, tmp_path)


def test_work_size_and_other_hosts_are_measured(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "RUNS", 1)
    (tmp_path / PAGE).write_text(_WORKING, "utf-8")
    (tmp_path / "a.js").write_text("// ".ljust(1_000_000), "utf-8")
    with measure.served(tmp_path) as address:
        found = measure.figures(f"{address}/{PAGE}", tmp_path, TITLE)
    assert found.ready >= 0.25
    assert found.busy >= 0.05
    assert found.size == 1.0
    assert found.compressed < 0.1
    assert found.elsewhere == ("cdn.example",)


def test_violations_are_counted_by_impact(browser: Browser, tmp_path: Path, axe_core: str) -> None:
    page = tmp_path / PAGE
    page.write_text(
        '<!doctype html><html lang="en"><title>a</title><main><h1>a</h1><img src="a"><img src="a">'
    )
    found = measure.violations(browser.open(page), axe_core)
    assert found.elements == {"critical": 2, "serious": 0, "moderate": 0, "minor": 0}
    assert found.rules == ["image-alt"]


def test_a_picture_has_all_screens(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / PAGE).write_text("<!doctype html><body style='background: #123456'>")
    page = browser.open(tmp_path / PAGE)
    page.resize(1280, 800)
    screen = pictures.first_screen(page, "desktop")
    pictures.side_by_side(browser, dict.fromkeys("abcd", screen), "desktop", tmp_path / "a.webp")
    shown = browser.open(tmp_path / "a.webp")
    width, height = shown.evaluate(
        "[document.images[0].naturalWidth, document.images[0].naturalHeight]"
    )
    assert (width, height > 800) == (1316, True)
