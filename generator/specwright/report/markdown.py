"""A report as Markdown, for a comment on a pull request or the summary of a job."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import NamedTuple, TypeVar

from specwright.findings import Finding, Level, Report, Table
from specwright.report.outline import Chapter, FindingGroup, RuleCount, chapters, rule_counts
from specwright.report.wording import counted, finding_counts, headline, unchecked
from specwright.text import visible

# The length limit of GitHub for a comment.
LIMIT = 65_535
# Room for the parts apart from findings, which get the rest.
_FACTS, _RULES, _TABLES, _TABLE, _WAIVED = 8_000, 16_000, 16_000, 8_000, 8_000
# Room for a note that there is not enough room, for each chapter after the first.
_OTHERS = 1_000
# The lengths of a text in a cell, of evidence, and of a counterexample.
_CELL, _EVIDENCE, _VALUE = 500, 4_000, 150
_SHOWN_OPERATIONS = 3
# Room for the note on omissions.
_NOTE = 200

_Value = TypeVar("_Value")


class _Entry(NamedTuple):
    """A row, and its details."""

    row: str
    support: str = ""


def marker(command: str) -> str:
    """Return the marker by which a bot recognises its earlier comment for the same command."""
    return f"<!-- specwright {command} -->"


def render(report: Report) -> str:
    """Return the verdict, then HTML in which Markdown is not parsed, as far as there is room."""
    outcome = "failed" if report.has_errors else "passed"
    title = f"specwright {report.command} {outcome}: {headline(report)}"
    head = f"### {title} {marker(report.command)}\n"
    counts = [("findings", finding_counts(report))] if report.headline else []
    limits = [("not checked", unchecked(report))]
    facts = [("document", report.document), *counts, *limits, *report.facts]
    before = _block("<p>", facts, _fact, "</p>", _FACTS, "fact") + _rules(report)
    after = _tables(report) + _all_waived(report)
    return head + before + _findings(report, LIMIT - len(head) - len(before) - len(after)) + after


def _rules(report: Report) -> str:
    """Return a table of the rules that changes break, with a way to avoid each break."""
    opening = f"<table>\n{_headings('What breaks', 'For whom', 'What to do instead')}"
    counts = rule_counts(report)
    return _block(opening, counts, _rule, "</table>", _RULES, "rule") if counts else ""


def _rule(entry: RuleCount) -> _Entry:
    count = counted(len(entry.findings), "change")
    what = f"<b>{count}</b>: {_code(entry.rule.id)}<br>{_ours(entry.rule.why)}"
    whom = _listed(entry.operations) if entry.operations else "every caller"
    return _Entry(_row(what, whom, _ours(entry.rule.instead)))


def _findings(report: Report, room: int) -> str:
    """Return the errors with their details, then the others folded, as far as there is room."""
    html = ""
    all_chapters = chapters(report)
    for number, chapter in enumerate(all_chapters, 1):
        share = room - len(html) - _OTHERS * (len(all_chapters) - number)
        html += _chapter(chapter, share, is_folded=chapter.folded or report.has_errors)
    return html


def _chapter(chapter: Chapter, room: int, *, is_folded: bool) -> str:
    opening, closing = "<table>", "</table>"
    if is_folded and chapter.level is not Level.ERROR:
        title = f"{chapter.title} ({chapter.count})"
        opening, closing = f"<details><summary>{title}</summary>\n<table>", "</table>\n</details>"
    rows = [row for group in chapter.groups for row in _rows(group)]
    return _block(opening, rows, _itself, closing, room, "finding")


def _rows(group: FindingGroup) -> Iterator[_Entry]:
    """Yield the findings of a group; the first one includes the heading."""
    heading = f'<tr><th align="left">{_heading(group)}</th></tr>\n'
    for finding in group.findings:
        row = _row(f"{_said(finding)}<br><sub>{_place(finding)}</sub>")
        support = "".join(_folded(finding))
        yield _Entry(f"{heading}{row}", _row(support) if support else "")
        heading = ""


def _heading(group: FindingGroup) -> str:
    if group.rule is not None:
        advice = f"<br><sub>{_ours(group.rule.advice)}</sub>" if group.rule.advice else ""
        return f"{_code(group.rule.id)}{advice}"
    if not group.operations:
        return "The whole API"
    return _listed(group.operations)


def _listed(operations: Sequence[str]) -> str:
    more = len(operations) - _SHOWN_OPERATIONS
    shown = ", ".join(map(_code, operations[:_SHOWN_OPERATIONS]))
    return f"{shown} and {more} more" if more > 0 else shown


def _said(finding: Finding) -> str:
    """Return the message of a finding; for a change, with the counterexample that proves it."""
    if finding.affected is None:
        return _code(finding.message)
    subject = f"{_code(finding.affected.subject)}: " if finding.affected.subject else ""
    value = finding.counterexample
    proof = "" if value is None else f"<br>for example {_code(_cut(value, _VALUE))}"
    return f"{subject}{_code(finding.message)}{proof}"


def _itself(row: _Entry) -> _Entry:
    return row


def _tables(report: Report) -> str:
    return _block("", report.tables, _table, "", _TABLES, "table") if report.tables else ""


def _all_waived(report: Report) -> str:
    if not report.waived:
        return ""
    opening = (
        f"<details><summary>{counted(len(report.waived), 'waived finding')}</summary>\n<table>\n"
        f"{_headings('Rule', 'Place', 'Message', 'Reason')}"
    )
    closing = "</table>\n</details>"
    return _block(opening, report.waived, _waived, closing, _WAIVED, "waived finding")


def _block(
    opening: str,
    values: Sequence[_Value],
    write: Callable[[_Value], _Entry],
    closing: str,
    room: int,
    noun: str,
) -> str:
    """Return all rows and their details, as far as there is room, and the number of omissions.

    A block starts with a blank line but does not contain one, as Markdown is parsed after it.
    """
    room -= len(opening) + len(closing) + _NOTE
    entries: list[_Entry] = []
    for entry in map(write, values):
        if len(entry.row) < room:
            room -= len(entry.row) + 1
            entries.append(entry)
    lines, shortened = [opening], 0
    for row, support in entries:
        lines.append(row)
        if len(support) < room:
            room -= len(support) + 1
            lines.append(support)
        else:
            shortened += 1
    lines.append(closing)
    missing = []
    if len(entries) < len(values):
        missing.append(f"{counted(len(values) - len(entries), noun)} left out")
    if shortened:
        missing.append(f"{counted(shortened, noun)} without evidence")
    if missing:
        lines.append(f"<p><em>Not enough room: {', '.join(missing)}.</em></p>")
    return "\n" + "\n".join(filter(None, lines)) + "\n"


def _folded(finding: Finding) -> Iterator[str]:
    """Yield the details of a finding, each folded behind its label."""
    if finding.counterexample is not None and finding.affected is None:
        yield _details("counterexample", finding.counterexample)
    for evidence in finding.evidence:
        yield _details(evidence.label, evidence.text)


def _waived(finding: Finding) -> _Entry:
    reason = _code(finding.waived or "")
    return _Entry(_row(_code(finding.rule), _place(finding), _code(finding.words), reason))


def _fact(fact: tuple[str, str]) -> _Entry:
    label, value = map(_code, fact)
    return _Entry(f"{label} <b>{value}</b><br>")


def _table(table: Table) -> _Entry:
    headings = _headings(*map(_code, table.columns))
    html = _block(
        f"<details><summary>{_code(table.title)}</summary>\n<table>\n{headings}",
        table.rows,
        _cells,
        f"</table>{_code(table.note) if table.note else ''}</details>",
        _TABLE,
        "row",
    )
    return _Entry(html.strip("\n"))


def _cells(row: tuple[str, ...]) -> _Entry:
    return _Entry(_row(*map(_code, row)))


def _headings(*titles: str) -> str:
    return f"<tr>{''.join(f'<th>{title}</th>' for title in titles)}</tr>"


def _row(*cells: str) -> str:
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _place(finding: Finding) -> str:
    """Return the location; for a change, also its rule and the fingerprint to accept it by."""
    words = [_code(str(finding.location))]
    if finding.affected is None:
        words += [f"in {_listed(finding.operations)}"] if len(finding.operations) > 1 else []
        words += [_code(finding.pointer)] if finding.pointer else []
        words += [f"see also {_code(str(finding.related))}"] if finding.related else []
    else:
        words += [f"was {_code(str(finding.related))}"] if finding.related else []
        words += [_code(finding.rule), f"change {_code(finding.fingerprint)}"]
    return " · ".join(words)


def _details(label: str, text: str) -> str:
    # A line on its own could be blank, or a command to the server.
    lines = "&#10;".join(escape(visible(line)) for line in _cut(text, _EVIDENCE).split("\n"))
    return f"<details><summary>{_code(label)}</summary><pre>{lines}</pre></details>"


def _code(text: str) -> str:
    """Return text as code, in which mentions, references, links and emoji have no effect."""
    return f"<code>{escape(visible(_cut(text, _CELL)))}</code>"


def _ours(text: str) -> str:
    """Return a text of the project as HTML; backticks mark code."""
    return "".join(
        _code(part) if number % 2 else escape(part) for number, part in enumerate(text.split("`"))
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most} more characters)"
