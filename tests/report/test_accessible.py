"""axe-core finds nothing on the pages of reports, on any screen and with everything unfolded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from specwright.findings import Report
from specwright.report.formats import FORMATS
from tests import axe
from tests.browser import Browser
from tests.report import samples, test_outline, test_page_of_a_test

# A report of each command that has pages of its own form, one with all parts, and one without any.
REPORTS = {
    "check": samples.REPORT,
    # With the lines of both documents side by side.
    "diff": replace(test_outline.REPORT, line=lambda location: "  maximum: 10"),
    "test": test_page_of_a_test.REPORT,
    "odd": samples.saying("أ <b>"),
    "empty": Report("openapi.json", ()),
}
UNFOLDED = "document.querySelectorAll('details').forEach(details => { details.open = true })"
VIEWS = {"desktop": (1280, "light"), "phone": (390, "light"), "dark": (1280, "dark")}


def violations(
    report: Report, view: str, browser: Browser, directory: Path, code: str, damage: str = "0"
) -> list[str]:
    """The violations of a report as it opens and with everything unfolded."""
    path = directory / "report.html"
    path.write_text(FORMATS["html"](report), "utf-8")
    width, scheme = VIEWS[view]
    violations = []
    for state in ("0", UNFOLDED):
        page = browser.open(path)
        page.resize(width)
        page.show_as(scheme)
        page.evaluate(damage)
        page.evaluate(state)
        violations += map(str, axe.violations(page, code))
    return violations


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_has_no_violation(
    name: str, view: str, browser: Browser, tmp_path: Path, axe_core: str
) -> None:
    assert violations(REPORTS[name], view, browser, tmp_path, axe_core) == []


@pytest.mark.parametrize("part", [".message", "article details pre"])
def test_a_violation_is_found_also_in_what_is_folded(
    part: str, browser: Browser, tmp_path: Path, axe_core: str
) -> None:
    damage = f"document.querySelector({part!r}).setAttribute('role', 'unknown')"
    found = violations(samples.REPORT, "desktop", browser, tmp_path, axe_core, damage)
    assert {text.split()[1] for text in found} == {"aria-roles:"}
