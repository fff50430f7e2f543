"""The accessibility violations of a page, as axe-core finds them in a browser.

axe-core is JavaScript that runs in the page. The copy is that of axe-playwright-python, so that
the tests need neither Node nor Playwright (docs/decisions/0287).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tests.browser import Page

PACKAGE = "axe_playwright_python"
# From the worst.
IMPACTS = ("critical", "serious", "moderate", "minor")
# axe-core passes over what is folded, but asks the browser for the style of each element there,
# which takes minutes on a large page. What a closed `details` shows by its style is no part of it
# for axe-core.
_PRUNE = """for (const details of document.querySelectorAll("details:not([open])")) {
  const content = details.querySelectorAll(":scope > :not(summary)");
  if ([...content].some(element => element.checkVisibility())) details.open = true;
  else content.forEach(element => element.remove());
}"""
# All rules that are on without settings, and the one that WCAG 2.2 added.
_RUN = """axe.run({resultTypes: ["violations"], rules: {"target-size": {enabled: true}}})
  .then(result => result.violations.flatMap(rule => rule.nodes.map(node => [
    node.impact, rule.id, node.target.flat().join(" "), node.html.slice(0, 200),
  ])))"""


@dataclass(frozen=True, slots=True)
class Violation:
    """An element that breaks a rule of axe-core."""

    impact: str
    rule: str
    target: str
    html: str

    def __str__(self) -> str:
        return f"{self.impact} {self.rule}: {self.target}: {self.html}"


def source() -> str | None:
    """The code of axe-core; None if it is not installed."""
    # Importing the package would import Playwright.
    package = find_spec(PACKAGE)
    if package is None or package.origin is None:
        return None
    return Path(package.origin).with_name("axe.min.js").read_text("utf-8")


def version(code: str) -> str:
    """The version of axe-core in its first line."""
    return code.partition(" v")[2].partition("\n")[0]


def violations(page: Page, code: str) -> list[Violation]:
    """Return the violations of a page in its present state; the page loses what is folded."""
    page.evaluate(_PRUNE)
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(f"{code}\n;0")
    return [Violation(*row) for row in page.evaluate(_RUN)]
