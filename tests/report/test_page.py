"""The HTML report shows everything, runs nothing, and is read on any screen by any means."""

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specwright import __version__
from specwright.errors import Location
from specwright.findings import Evidence, Report, Table
from specwright.report.formats import FORMATS
from tests.browser import Browser, Page
from tests.report.samples import REPORT, SHAPE, STATUS, saying

HOSTILE = (
    "<script>window.hit = 1</script><img src=x onerror='window.hit = 1'>"
    '"\' autofocus onfocus=window.hit=1 x="</title></style></pre></code><!--'
    "{{ 7 * 7 }}&lt;b&gt;javascript:window.hit=1\0\x1b[31m\r\n\u202e\u2066\ud800"
)
LONG = "x" * 2_000
PLACE = re.compile(r"^#?(rule-.*|[0-9a-f]{16}(-\d+)?)$", re.DOTALL)


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


class Markup(HTMLParser):
    """The elements of a page with their attributes, its policy, its style and its script.

    The names of places differ with what is there.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.policy = self.style = self.script = ""
        self._open = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = [(name, PLACE.sub("#", value or "")) for name, value in attrs]
        self.elements.append((tag, named))
        self._open = tag
        members = dict(attrs)
        if members.get("http-equiv") == "Content-Security-Policy":
            self.policy = members["content"] or ""

    def handle_data(self, data: str) -> None:
        if self._open == "style":
            self.style += data
            self._open = ""
        if self._open == "script":
            self.script += data
            self._open = ""


def luminance(colour: str) -> float:
    """The relative luminance of a colour as WCAG 2 defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def html(report: Report) -> str:
    return FORMATS["html"](report)


def test_the_policy_allows_this_style_and_script_and_nothing_else() -> None:
    page = Markup(html(REPORT))
    assert page.policy == (
        f"default-src 'none'; style-src 'sha256-{digest(page.style)}'; "
        f"script-src 'sha256-{digest(page.script)}'; base-uri 'none'; form-action 'none'"
    )


def test_nothing_is_asked_of_a_network() -> None:
    page = html(replace(REPORT, facts=(), findings=(), waived=()))
    assert not re.search(r"https?:|//(?! )|url\(|@import|src=|<link|fetch|innerHTML", page)


def test_every_text_is_read_without_effort_in_light_and_dark() -> None:
    light, dark = (
        dict(re.findall(r"--(\w+): (#\w{6});", block))
        for block in re.findall(r":root \{(.*?)\}", Markup(html(REPORT)).style, re.DOTALL)
    )
    assert light.keys() == dark.keys()
    for colours in (light, dark):
        for name in ("text", "quiet", "error", "warning", "info", "passed"):
            for ground in ("page", "panel"):
                assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)


def test_findings_are_grouped_by_rule_and_errors_come_first() -> None:
    page = html(replace(REPORT, findings=(STATUS, *REPORT.findings)))
    rules = re.findall(r'class="rule (\w+)">\n<h3><code>([\w-]+)</code>', page)
    assert rules == [
        ("error", "response-shape"),
        ("warning", "status-documented"),
        ("info", "slow"),
    ]
    assert "A response is what its schema says." in page


def test_a_page_ends_with_the_version_and_a_newline() -> None:
    page = html(REPORT)
    assert f"<footer>specwright {__version__}</footer>\n<script>" in page
    assert page.endswith("</script>\n</body>\n</html>\n")


def test_hostile_text_makes_no_markup() -> None:
    assert Markup(html(saying(HOSTILE))).elements == Markup(html(saying("a"))).elements


@settings(max_examples=30)
@given(st.text("<>\"'&/=! ab-\n", min_size=1))
def test_text_makes_no_markup(text: str) -> None:
    assert Markup(html(saying(text))).elements == Markup(html(saying("a"))).elements


# The rest asks a browser.


@pytest.fixture
def show(browser: Browser, tmp_path: Path):
    """Open the page of a report."""

    def opened(report: Report) -> Page:
        path = tmp_path / "report.html"
        path.write_text(html(report), "utf-8")
        return browser.open(path)

    return opened


def test_everything_of_a_report_is_shown(show) -> None:
    page = show(REPORT)
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    shown = page.evaluate("document.body.innerText")
    for text in (
        *("2 errors, 1 warning, 1 info (1 waived)", "Target", "4711", SHAPE.message),
        *("spec/openapi.json:17:11", SHAPE.pointer, '"status": {"enum": ["paid"]}'),
        *("spec/old.json:16:9", '{"plan": "none"}', *SHAPE.evidence[1].text.split("\n")),
        *("The maintenance window is announced.", "Coverage", "3 of 5", "16 of 16 operations"),
    ):
        assert text in shown
    assert page.evaluate("document.querySelector('mark').textContent") == "s"


def test_hostile_text_is_shown_and_does_nothing(show) -> None:
    report = saying(HOSTILE)
    page = show(replace(report, findings=(*report.findings, STATUS), tables=report.tables * 2))
    assert page.evaluate("typeof window.hit") == "undefined"
    assert page.evaluate("document.images.length") == 0
    assert (
        page.evaluate(
            "[...document.querySelectorAll('*')].flatMap(each => each.getAttributeNames())"
            ".filter(name => name.startsWith('on') || name == 'src' || name == 'autofocus')"
        )
        == []
    )
    assert len(page.happened("Network.requestWillBeSent")) == 1
    assert page.happened("Log.entryAdded") == page.happened("Runtime.consoleAPICalled") == []
    shown = page.evaluate("document.querySelector('article .message').innerText")
    visible = HOSTILE.replace("\0", "\\x00").replace("\x1b", "\\x1b").replace("\r", "\\r")
    for character in ("\u202e", "\u2066", "\ud800"):
        visible = visible.replace(character, f"\\u{ord(character):04x}")
    assert shown == visible.replace("\n", "\\n") + " 123"
    title = page.evaluate("document.title")
    assert title.startswith("2 errors, 1 warning (1 waived): <script>")


def test_the_policy_stops_what_would_be_written_in_by_hand(show) -> None:
    page = show(REPORT)
    page.evaluate(
        "document.body.innerHTML = '<img src=x onerror=\"window.hit = 1\">'"
        "; document.body.setAttribute('style', 'color: red')"
    )
    page.wait("Log.entryAdded")
    assert page.evaluate("typeof window.hit") == "undefined"
    assert page.evaluate("getComputedStyle(document.body).color") != "rgb(255, 0, 0)"


def test_dark_is_dark_and_light_is_light(show) -> None:
    page = show(REPORT)
    ground = "getComputedStyle(document.body).backgroundColor"
    page.show_as("light")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.show_as("dark")
    assert page.evaluate(ground) == "rgb(20, 23, 26)"


@pytest.mark.parametrize("width", [360, 1280])
def test_no_width_and_no_word_makes_the_page_scroll_sideways(width: int, show) -> None:
    evidence = (Evidence(LONG, LONG),)
    finding = replace(SHAPE, message=LONG, pointer=LONG, evidence=evidence, counterexample=LONG)
    long = saying(LONG)
    wide = Table("Wide", ("column",) * 40, (("a cell of words",) * 40,))
    page = show(
        replace(
            REPORT,
            findings=(*REPORT.findings, finding, *long.findings),
            waived=long.waived,
            facts=long.facts,
            tables=(*REPORT.tables, *long.tables, wide),
        )
    )
    page.resize(width)
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    root = "document.documentElement"
    assert page.evaluate("innerWidth") == width
    assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")


def test_the_keyboard_reaches_what_is_folded(show) -> None:
    page = show(replace(REPORT, findings=(SHAPE,), waived=()))
    page.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the findings"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    page.press("Enter")
    assert page.evaluate("location.hash") == "#findings"
    for label in ("counterexample", "curl", "response"):
        page.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == label
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    body = "document.activeElement.parentElement.querySelector('pre').checkVisibility()"
    assert not page.evaluate(body)
    page.press("Enter")
    assert page.evaluate(body)
    page.press("Tab")
    assert page.evaluate("document.activeElement.textContent").strip().startswith("Operation")


def test_levels_can_be_hidden_without_scripts(show) -> None:
    page = show(REPORT)
    shown = "[...document.querySelectorAll('.rule')].filter(each => each.checkVisibility()).length"
    assert page.evaluate(shown) == 4
    page.evaluate("document.getElementById('show-warning').focus()")
    page.press("Space")
    assert page.evaluate(shown) == 3
    assert not page.evaluate("document.querySelector('.rule.warning').checkVisibility()")


def test_one_level_needs_no_choice(show) -> None:
    page = show(replace(REPORT, findings=(SHAPE,)))
    assert page.evaluate("document.querySelectorAll('input').length") == 0


def test_paper_shows_what_a_screen_folds(show) -> None:
    page = show(REPORT)
    folded = "document.querySelector('details pre').checkVisibility()"
    assert not page.evaluate(folded)
    page.show_as(media="print")
    assert page.evaluate(folded)
    assert not page.evaluate("document.querySelector('.filter').checkVisibility()")


def test_a_place_without_a_line_is_shown_without_one(show) -> None:
    page = show(Report("f", (replace(SHAPE, location=Location("f", 1, 1)),)))
    assert page.evaluate("document.querySelectorAll('.source').length") == 0
