"""Comments show the findings, fit the limit, and hold text of others only as text."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from specwright.findings import Affected, Evidence, Level, Report, Table
from specwright.report.formats import FORMATS
from specwright.report.markdown import LIMIT, marker
from tests.report.samples import REPORT, RULES, SHAPE, SLOW, STATUS, WAIVED, saying

HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(1)> </code></pre></table>",
    "[click](https://evil.example) https://evil.example www.evil.example a@evil.example",
    "@everyone @org/team #1 org/repo#1 :tada: GH-1 ~~x~~ **x** `x` $x$ | a | b |\\| \\",
    "\n\n# heading\n\n- list\n\n/close\n/merge\n\n```\n",
    "-->\n\n<!-- ",
    "\r\r\x0b\x0c\x85\u2028\u2029\u202e\u200b\0",
)


class Fragment(HTMLParser):
    """The elements of HTML, and the text in and outside of code."""

    CODE = ("code", "pre")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.code: list[str] = []
        self.prose: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        if tag in self.CODE:
            self.code.append("")
        if tag != "br":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in self.CODE:
            self.code[-1] += data
        else:
            self.prose.append(data)


def markdown(report: Report) -> str:
    return FORMATS["markdown"](report)


def blocks(text: str) -> Iterator[str]:
    """The blocks of HTML behind the verdict, and nothing else, as Markdown is read."""
    heading, title, closed, *others = MarkdownIt("commonmark").enable("table").parse(text)
    assert (heading.type, title.type, closed.type) == ("heading_open", "inline", "heading_close")
    for token in others:
        assert token.type == "html_block"
        yield token.content


def html(report: Report) -> Fragment:
    return Fragment("".join(blocks(markdown(report))))


def test_the_first_line_is_the_verdict_and_the_mark_of_the_comment() -> None:
    first = markdown(REPORT).splitlines()[0]
    counts = "2 errors, 1 warning, 1 info (1 waived)"
    assert first == f"### specwright report failed: {counts} {marker('report')}"
    passed = markdown(Report("f", (), command="test"))
    assert passed.startswith("### specwright test passed: no findings <!-- specwright test -->\n")


def test_everything_of_a_report_is_there() -> None:
    found = html(REPORT)
    for text in (
        *("Target", "4711", "spec/openapi.json:17:11", SHAPE.message, SHAPE.pointer),
        *("spec/old.json:16:9", '{"plan": "none"}', "curl", SHAPE.evidence[1].text),
        *("GET /plans answered 503", "GET /esims is slow", WAIVED.waived),
        *("Coverage", "Operation", "3 of 5", "16 of 16 operations succeeded."),
    ):
        assert text in found.code


def test_a_comment_is_one_block_after_the_other() -> None:
    proven = replace(SLOW, evidence=(Evidence("F1", "GET /a"), Evidence("answer", "200")))
    steps = Table("Steps", ("Step",), (("explore",),))
    _, *rest = markdown(Report("f", (proven, SLOW), tables=(steps,))).split("\n\n")
    document = (
        "<p>\n<code>document</code> <b><code>f</code></b><br>\n<code>not checked</code> "
        "<b><code>whether the server does what the document says</code></b><br>\n</p>"
    )
    row = (
        "<tr><td><code>GET /esims is slow</code><br>"
        "<sub><code>spec/openapi.json:1:1</code></sub></td></tr>\n"
    )
    assert rest == [
        document,
        f'<table>\n<tr><th align="left"><code>slow</code></th></tr>\n{row}'
        "<tr><td><details><summary><code>F1</code></summary><pre>GET /a</pre></details>"
        "<details><summary><code>answer</code></summary><pre>200</pre></details></td></tr>\n"
        f"{row}</table>",
        "<details><summary><code>Steps</code></summary>\n"
        "<table>\n<tr><th><code>Step</code></th></tr>\n"
        "<tr><td><code>explore</code></td></tr>\n</table></details>\n",
    ]
    without = markdown(Report("f", ()))
    assert without.split("\n\n")[1:] == [f"{document}\n"]


def test_evidence_tables_and_waived_findings_are_folded() -> None:
    text = markdown(REPORT)
    assert text.count("<details>") == 2 * 3 + 2 + 1 + 1
    assert "<summary>Warnings (1)</summary>" in text
    assert "<summary>Notes (1)</summary>" in text
    assert "<summary><code>curl</code></summary><pre>curl -X POST" in text
    assert "<summary>1 waived finding</summary>" in text


CHANGED = replace(
    SHAPE,
    rule="replay",
    message="is gone",
    evidence=(),
    affected=Affected("Order.total", ("GET /a", "GET /b", "GET /c", "GET /d")),
)


def test_a_change_stands_below_its_operations_with_its_value_and_its_name() -> None:
    rule = replace(RULES[2], instead="Keep it, `deprecated`.")
    report = Report(
        "f", (CHANGED,), rules=(rule,), headline="1 breaking change in 4 of 9 operations"
    )
    text = markdown(report)
    shown = "<code>GET /a</code>, <code>GET /b</code>, <code>GET /c</code>"
    assert text.startswith(
        "### specwright report failed: 1 breaking change in 4 of 9 operations <!--"
    )
    assert (
        "<tr><td><b>1 change</b>: <code>replay</code><br>A request that is repeated does its work "
        f"once.</td><td>{shown} and 1 more</td><td>Keep it, <code>deprecated</code>.</td></tr>"
    ) in text
    assert (
        '<tr><th align="left"><code>GET /a</code>, <code>GET /b</code>, <code>GET /c</code>'
        " and 1 more</th></tr>\n"
        "<tr><td><code>Order.total</code>: <code>is gone</code><br>"
        "for example <code>{&quot;plan&quot;: &quot;none&quot;}</code><br>"
        "<sub><code>spec/openapi.json:17:11</code> · was <code>spec/old.json:16:9</code> · "
        f"<code>replay</code> · change <code>{CHANGED.fingerprint}</code></sub></td></tr>"
    ) in text


def test_four_hundred_findings_keep_operations_and_value_of_each_error() -> None:
    """The errors come first in any case; findings without room are counted."""
    errors = [
        replace(CHANGED, pointer=f"/{n}", affected=Affected("a.b", (f"GET /{n}",)))
        for n in range(120)
    ]
    others = [replace(error, level=Level.INFO, message="m" * 300) for error in errors * 2]
    lint = [replace(STATUS, pointer=f"/{n}") for n in range(40)]
    text = markdown(Report("f", (*lint, *others, *errors), rules=RULES))
    list(blocks(text))
    opened, *folded = text.split("<details>")
    assert opened.count("for example <code>") == opened.count('<th align="left"><code>GET /') == 120
    assert [each.partition("</summary>")[0] for each in folded] == [
        "<summary>Compatible changes (240)",
        "<summary>Warnings (40)",
    ]
    assert len(text) < LIMIT
    assert "findings left out" in text


def test_every_row_has_a_cell_below_each_heading() -> None:
    text = markdown(replace(REPORT, facts=()))
    headed = [table.split("</tr>") for table in text.split("<table>") if "<tr><th>" in table]
    assert len(headed) == 2
    for heading, *rows in headed:
        counts = [row.count("<td>") for row in rows if "<td>" in row]
        assert counts
        assert set(counts) == {heading.count("<th>")}


def test_a_waived_finding_stands_below_its_headings() -> None:
    waived = markdown(Report("f", (), (WAIVED,)))
    headings = "<tr><th>Rule</th><th>Place</th><th>Message</th><th>Reason</th></tr>"
    assert (
        f"{headings}\n<tr><td><code>{WAIVED.rule}</code></td><td><code>{WAIVED.location}" in waived
    )
    assert waived.count("<td>") == 4


def test_a_place_leads_to_another_one_only_if_there_is_one() -> None:
    assert markdown(Report("f", (SHAPE,))).count("see also") == 1
    assert "see also" not in markdown(Report("f", (SLOW,)))


def test_errors_come_first() -> None:
    text = markdown(replace(REPORT, findings=(SLOW, SHAPE)))
    assert text.index(SHAPE.message) < text.index(SLOW.message)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_text(text: str) -> None:
    _harmless(text)


@settings(max_examples=100)
@given(st.text(alphabet=st.sampled_from("<>&|`*_[]()@#:/\\-!$~'\" \t\n\raw.")))
def test_markup_is_text(text: str) -> None:
    _harmless(text)


def _harmless(text: str) -> None:
    nothing, found = html(saying("q")), html(saying(text or "b"))
    assert found.tags == nothing.tags
    assert set(found.attributes) == {("align", "left")}
    assert found.prose == nothing.prose
    rendered = markdown(saying(text or "b")).splitlines()[1:]
    assert all(line.startswith("<") or not line for line in rendered)


def test_a_comment_is_no_longer_than_github_takes() -> None:
    assert LIMIT < 65_536
    lengths = [
        len(markdown(replace(REPORT, findings=(replace(SHAPE, message="m" * width),) * 300)))
        for width in range(50)
    ]
    assert LIMIT - 500 < max(lengths) <= LIMIT


@pytest.mark.parametrize("count", [100, 300, 10_000])
def test_what_there_is_no_room_for_is_counted(count: int) -> None:
    text = markdown(replace(REPORT, findings=(SHAPE,) * count))
    assert 60_000 < len(text) < 65_536
    shown = text.count(f"<code>{SHAPE.location}</code>")
    folded = text.count("<summary><code>curl</code>")
    left_out = f"{count - shown} findings left out" if count > shown else "Not enough room: "
    assert left_out in text
    assert f" {shown - folded} findings without evidence" in text
    assert "16 of 16 operations succeeded." in text
    list(blocks(text))


@pytest.mark.parametrize("text", ["\U000e0041", "<", "x", "\n"])
def test_nothing_is_so_long_that_it_does_not_fit(text: str) -> None:
    long = text * 100_000
    report = saying(long)
    full = replace(
        report,
        findings=report.findings * 50,
        waived=report.waived * 50,
        facts=report.facts * 50,
        tables=(*report.tables * 50, Table("t", ("c",), (("1",),) * 5_000)),
    )
    written = markdown(full)
    assert len(written) < 65_536
    for noun in ("finding", "waived finding", "fact", "table"):
        assert re.search(rf"\d+ {noun}s? left out", written)
    list(blocks(written))


def test_a_table_without_rows_still_has_its_note() -> None:
    found = html(Report("f", (), tables=(Table("Coverage", ("Operation",), (), "No server."),)))
    assert {"Coverage", "Operation", "No server."} <= set(found.code)


def test_two_long_tables_with_long_notes_have_room() -> None:
    rows = (("1",),) * 5_000
    text = markdown(
        Report("f", (), tables=tuple(Table(title, ("c",), rows, "<" * 500) for title in "AB"))
    )
    assert text.count("rows left out") == 2
    assert "table left out" not in text


def test_long_evidence_says_how_much_is_missing() -> None:
    finding = replace(SHAPE, evidence=(Evidence("response", "x" * 5_000),))
    assert "x… (1000 more characters)</pre>" in markdown(Report("f", (finding,)))
