"""The page of validators says what `validate` finds now, and each fault is one finding."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lab.measured import records
from lab.validators import page, published
from lab.validators.__main__ import PAGE
from lab.validators.faults import BROKEN, DOCUMENT, KINDS, Fault, faults
from lab.validators.judge import found
from lab.validators.tools import OURS, TOOLS, Message, Messages, Tool
from tests.in_process import tasks_in_this_process

__all__ = ["tasks_in_this_process"]

FAULTS = faults()
# Name, fault, section, and the cells of the tools, ours first.
_ROW = re.compile(r"^\| (?P<name>[^|]+) \| [^|]+ \| [^|]+ \| (?P<ours>[^|]+) \|([^|]+\|){3}$", re.M)


@pytest.fixture(scope="module")
def ours(tasks_in_this_process: None) -> Mapping[str, Sequence[Message]]:
    return found(FAULTS, OURS)


@pytest.fixture(scope="module")
def controls(tasks_in_this_process: None, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The messages about documents without a fault."""
    files = [tmp_path_factory.mktemp(fault.name) / DOCUMENT for fault in FAULTS]
    for fault, file in zip(FAULTS, files, strict=True):
        file.write_bytes(fault.control)
    messages = TOOLS[OURS].run(files)
    return [f"{file}: {message.text}" for file in files for message in messages[file]]


def test_each_fault_is_one_finding_at_its_line(ours: Mapping[str, Sequence[Message]]) -> None:
    lines = {fault.name: [message.line for message in ours[fault.name]] for fault in FAULTS}
    assert lines == {fault.name: [] if fault.missed else [fault.line] for fault in FAULTS}


def test_a_document_without_its_fault_has_no_finding(controls: list[str]) -> None:
    assert controls == []


def test_the_page_has_our_findings(ours: Mapping[str, Sequence[Message]]) -> None:
    table = PAGE.read_text("utf-8").partition(f"## {KINDS[0].capitalize()}")[2]
    rows = {match["name"]: match["ours"] for match in _ROW.finditer(table)}
    rows = {name: cell for name, cell in rows.items() if name not in ("fault", "---")}
    assert rows == {name: page.cell(messages) for name, messages in ours.items()}


def test_no_fault_that_two_other_tools_find_is_missed() -> None:
    assert "of which two others find 0:" in PAGE.read_text("utf-8")


def test_there_are_at_least_sixty_faults() -> None:
    assert len(FAULTS) >= 60


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_described(fault: Fault) -> None:
    text = fault.broken.decode("latin-1")
    assert text.count(fault.wrong) == 1
    assert fault.control != fault.broken
    assert 0 < fault.line <= text.count("\n")
    assert fault.about.endswith(".")
    assert set(fault.unrelated) <= set(TOOLS)
    assert {file.name for file in (BROKEN / fault.name).iterdir()} == {DOCUMENT, "fault.toml"}


def test_advice_about_both_documents_and_unrelated_rules_do_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(files: Sequence[Path]) -> Messages:
        return {
            file: [
                Message(number, "", rule, "text", is_error=True)
                for number, line in enumerate(file.read_text().splitlines(), 1)
                for rule in ("advice", *(("wrong", "unused") if "x-wrong" in line else ()))
            ]
            for file in files
        }

    monkeypatch.setattr("lab.validators.judge.TOOLS", {"fake": Tool("Fake", "1", run)})
    monkeypatch.setattr(Fault, "broken", b"openapi: 3.1.1\nx-wrong: 1\n")
    monkeypatch.setattr(Fault, "control", b"openapi: 3.1.1\nx-right: 1\n")
    fault = replace(FAULTS[0], unrelated={})
    assert [each.rule for each in found([fault], "fake")[fault.name]] == ["unused", "wrong"]
    fault = replace(FAULTS[0], unrelated={"fake": ["unused"]})
    assert [each.rule for each in found([fault], "fake")[fault.name]] == ["wrong"]


def message(pointer: str, rule: str, *, is_error: bool = True) -> Message:
    return Message(1, pointer, rule, "text", is_error)


def of(*others: Message, ours: Sequence[Message] = ()) -> dict[str, Sequence[Message]]:
    by_tool: dict[str, Sequence[Message]] = dict.fromkeys(TOOLS, ())
    by_tool[OURS] = ours
    return by_tool | dict(zip(list(TOOLS)[1:], ([other] for other in others), strict=False))


def test_errors_that_two_others_share_are_listed_unless_we_have_them() -> None:
    one, other = message("/a/b", "struct"), message("/a/b/c", "oas3-schema", is_error=False)
    (shared,) = published.shared("x.yaml", of(one, other))
    assert shared.rules == ("redocly struct", "spectral oas3-schema")
    assert not list(published.shared("x.yaml", of(one, other, ours=[message("/a", "ours")])))
    assert list(published.shared("x.yaml", of(one, other, ours=[message("/b", "ours")])))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (message("/a", "struct"), message("/b", "oas3-schema")),
        (message("/a", "struct"), message("/a/b/c", "oas3-schema")),
        (message("", "struct"), message("/a", "oas3-schema")),
        (message("/a", "info-license"), message("/a", "oas3-schema")),
        (message("/a", "a", is_error=False), message("/a", "b", is_error=False)),
    ],
    ids=["apart", "far below", "of no place", "advice", "warnings"],
)
def test_errors_that_are_not_shared_are_not_listed(one: Message, other: Message) -> None:
    assert not list(published.shared("x.yaml", of(one, other)))


def test_the_page_says_which_faults_are_missed_and_by_whom() -> None:
    first, second = FAULTS[:2]
    messages = {tool: {first.name: [message("/a", "r")], second.name: []} for tool in TOOLS}
    text = page.page([first, second], messages, {}, [], [])
    assert records.words("validators") in text
    assert f"| all | 2 |{' 1 |' * len(TOOLS)}" in text
    assert "Specwright misses 1, of which two others find 0:" in text
    assert f"| {second.name} | {second.missed} | none |" in text


def test_what_was_not_read_is_marked_on_the_page() -> None:
    entry = published.Shared("x.yaml", ("redocly a", "spectral b"))
    opinion = published.Opinion(entry.document, entry.rules, "It is advice.")
    messages = {tool: dict[str, list[Message]]() for tool in TOOLS}
    row = "| x.yaml | `redocly a`, `spectral b` | 2 |"
    assert f"{row} **not read** |" in page.page([], messages, {}, [entry, entry], [])
    assert f"{row} It is advice. |" in page.page([], messages, {}, [entry, entry], [opinion])


def test_each_opinion_is_about_errors_on_the_page() -> None:
    text = PAGE.read_text("utf-8")
    for opinion in published.opinions():
        assert f"| {opinion.document} | `{opinion.rules[0]}`, `{opinion.rules[1]}` |" in text
    assert "**not read**" not in text
