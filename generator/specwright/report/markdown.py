"""A report as Markdown, for the comment on a pull request or the page of a job."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import NamedTuple, TypeVar

from specwright.findings import WORST_FIRST, Finding, Level, Report, Table
from specwright.report.verdict import counted, verdict
from specwright.text import visible

# What GitHub takes as a comment.
LIMIT = 65_535
# Room for what is not a finding; these have the rest.
_FACTS, _TABLES, _TABLE, _WAIVED = 8_000, 16_000, 8_000, 8_000
# Room for saying that findings other than errors have none.
_OTHERS = 1_000
# How much of a text is shown in a cell and as evidence.
_CELL, _EVIDENCE = 500, 4_000
# Room for the note on what is left out.
_NOTE = 200

_Value = TypeVar("_Value")


class _Written(NamedTuple):
    """A row, and what supports it."""

    row: str
    support: str = ""


def marker(command: str) -> str:
    """How a bot knows the comment that it wrote before, and not the one of another command."""
    return f"<!-- specwright {command} -->"


def render(report: Report) -> str:
    """The verdict, then HTML in which Markdown is not read, as far as there is room."""
    outcome = "failed" if report.has_errors else "passed"
    title = f"specwright {report.command} {outcome}: {verdict(report)}"
    head = f"### {title} {marker(report.command)}\n"
    facts = [("document", report.document), *report.facts]
    before = _block("<table>", facts, _fact, "</table>", _FACTS, "fact")
    after = _tables(report) + _all_waived(report)
    room = LIMIT - len(head) - len(before) - len(after)
    return head + before + _findings(report, room) + after


def _findings(report: Report, room: int) -> str:
    """Errors with all that supports them; the others folded below, in the room that is left."""
    table = f"<table>\n{_headings('Level', 'Rule', 'Place', 'Message')}"
    errors = [each for each in report.findings if each.level is Level.ERROR]
    others = sorted(
        (each for each in report.findings if each.level is not Level.ERROR),
        key=lambda each: WORST_FIRST.index(each.level),
    )
    written, closing = "", "</table>"
    if errors:
        share = room - (_OTHERS if others else 0)
        written = _block(table, errors, _finding, closing, share, "finding")
        folded = f"<details><summary>{counted(len(others), 'other finding')}</summary>\n"
        table, closing = f"{folded}{table}", f"{closing}\n</details>"
    if others:
        written += _block(table, others, _finding, closing, room - len(written), "finding")
    return written


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
    write: Callable[[_Value], _Written],
    closing: str,
    room: int,
    noun: str,
) -> str:
    """All rows, then their support as far as there is room, and how many there is none for.

    A blank line begins a block and none lies within it: there Markdown would be read again.
    """
    room -= len(opening) + len(closing) + _NOTE
    kept: list[_Written] = []
    for written in map(write, values):
        if len(written.row) < room:
            room -= len(written.row) + 1
            kept.append(written)
    lines, shortened = [opening], 0
    for row, support in kept:
        lines.append(row)
        if len(support) < room:
            room -= len(support) + 1
            lines.append(support)
        else:
            shortened += 1
    lines.append(closing)
    missing = []
    if len(kept) < len(values):
        missing.append(f"{counted(len(values) - len(kept), noun)} left out")
    if shortened:
        missing.append(f"{counted(shortened, noun)} without evidence")
    if missing:
        lines.append(f"<p><em>No room here: {', '.join(missing)}.</em></p>")
    return "\n" + "\n".join(filter(None, lines)) + "\n"


def _finding(finding: Finding) -> _Written:
    row = _row(finding.level, _code(finding.rule), _place(finding), _code(finding.message))
    support = "".join(_folded(finding))
    return _Written(row, f'<tr><td colspan="4">{support}</td></tr>' if support else "")


def _folded(finding: Finding) -> Iterator[str]:
    """What supports a finding, each behind its label."""
    if finding.counterexample is not None:
        yield _details("counterexample", finding.counterexample)
    for each in finding.evidence:
        yield _details(each.label, each.text)


def _waived(finding: Finding) -> _Written:
    reason = _code(finding.waived or "")
    return _Written(_row(_code(finding.rule), _place(finding), _code(finding.message), reason))


def _fact(fact: tuple[str, str]) -> _Written:
    return _Written(_row(*map(_code, fact)))


def _table(table: Table) -> _Written:
    headings = _headings(*map(_code, table.columns))
    written = _block(
        f"<details><summary>{_code(table.title)}</summary>\n<table>\n{headings}",
        table.rows,
        _cells,
        f"</table>{_code(table.note) if table.note else ''}</details>",
        _TABLE,
        "row",
    )
    return _Written(written.strip("\n"))


def _cells(row: tuple[str, ...]) -> _Written:
    return _Written(_row(*map(_code, row)))


def _headings(*titles: str) -> str:
    return f"<tr>{''.join(f'<th>{title}</th>' for title in titles)}</tr>"


def _row(*cells: str) -> str:
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _place(finding: Finding) -> str:
    pointer = f"<br>{_code(finding.pointer)}" if finding.pointer else ""
    related = f"<br>see also {_code(str(finding.related))}" if finding.related else ""
    return f"{_code(str(finding.location))}{pointer}{related}"


def _details(label: str, text: str) -> str:
    # A line of its own could be blank, or a command to the server.
    lines = "&#10;".join(escape(visible(line)) for line in _cut(text, _EVIDENCE).split("\n"))
    return f"<details><summary>{_code(label)}</summary><pre>{lines}</pre></details>"


def _code(text: str) -> str:
    """Text where mentions, references, links and emoji are not looked for."""
    return f"<code>{escape(visible(_cut(text, _CELL)))}</code>"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most} more characters)"
