"""Hostile text is visible on a terminal and in a log, and has no effect there."""

import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click import unstyle
from click.testing import CliRunner, Result

from specwright.cli import cli
from specwright.errors import Location
from specwright.findings import Finding, Level, Report
from specwright.report.formats import FORMATS
from specwright.report.terminal import live, progress
from specwright.text import visible
from tests.report import published, samples, sarif
from tests.report.acting import acting

COMMAND = Path(sys.executable).with_name("specwright")
PETS = Path(__file__).parents[1] / "golden" / "pets" / "input.json"

# Controls of ASCII and of ISO 6429, direction of text, what has no width, separators, private use.
ACTING = (
    "\0\a\b\x1b]0;title\a\x1b[31m\r\n\x7f\x85\x9b31m\u200b\u202e\u2028\u2029\u2066\ue000\U000e0041"
)
COMMANDS = "\n::set-env name=PATH::/evil\n::error::forged\r::stop-commands::x"
HOSTILE = f"a{ACTING}b{COMMANDS}"
HOSTILE_NAME = HOSTILE.replace("\0", "").replace("/", "")
HOSTILE_NAMES = pytest.mark.skipif(
    sys.platform == "win32", reason="names of files hold fewer characters"
)


def without_colours(rendered: str) -> str:
    for ours in ("\x1b[31m", "\x1b[33m", "\x1b[36m", "\x1b[1m", "\x1b[0m"):
        rendered = rendered.replace(ours, "")
    return rendered


def run(*arguments: str, color: bool = False) -> Result:
    return CliRunner().invoke(cli, arguments, color=color)


@pytest.mark.parametrize(("value", "is_coloured"), [(None, True), ("", True), ("1", False)])
def test_no_color_is_obeyed(tmp_path: Path, value: str | None, is_coloured: bool) -> None:
    path = tmp_path / "openapi.json"
    path.write_text('{"openapi": "3.1.1", "info": {}}', "utf-8")
    environment = {"NO_COLOR": value}
    result = CliRunner().invoke(cli, ["validate", str(path)], color=True, env=environment)
    assert result.exit_code == 1
    assert ("\x1b[31m" in result.stdout) == is_coloured


@pytest.fixture
def document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A document with findings that hold hostile text in messages, lines and pointers."""
    monkeypatch.chdir(tmp_path)
    tag = {"name": HOSTILE}
    data = {
        "openapi": "3.1.1",
        "info": {"title": "T", "version": "1"},
        "paths": {f"/{HOSTILE}{{a}}": {}, f"/{HOSTILE}{{b}}": {}},
        "tags": [tag, tag],
        HOSTILE: 1,
    }
    path = Path("openapi.json")
    path.write_text(json.dumps(data, ensure_ascii=False), "utf-8")
    return path


def test_a_character_is_spelled_out_as_python_would_write_it() -> None:
    text = "a\0\n\t\x85\u202e\ud800\U000e0041é b"
    assert visible(text) == r"a\x00\n\t\x85\u202e\ud800\U000e0041é b"
    assert visible(text, kept="\n\t") == "a\\x00\n\t" + r"\x85\u202e\ud800\U000e0041é b"


@pytest.mark.parametrize("color", [False, True], ids=["plain", "coloured"])
@pytest.mark.parametrize("name", FORMATS)
def test_a_document_cannot_act_through_a_report(name: str, color: bool, document: Path) -> None:
    result = run("validate", str(document), "--format", name, color=color)
    assert result.exit_code == 1
    assert "set-env" in result.stdout
    assert acting(without_colours(result.stdout)) == set()


def test_a_document_cannot_forge_a_line_of_a_report(document: Path) -> None:
    lines = run("validate", str(document)).stdout.splitlines()
    assert all(line.startswith(("openapi.json:", "    ")) for line in lines)


def test_a_document_cannot_forge_an_annotation(document: Path) -> None:
    lines = run("validate", str(document), "--format", "github").stdout.splitlines()
    assert lines
    for line in lines:
        command, _, properties = line.partition(" ")
        assert command in ("::error", "::warning", "::notice")
        assert properties.startswith("file=openapi.json,line=1,col=")


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_of_a_finding_acts(name: str) -> None:
    text = f"{HOSTILE}\ud800"
    report = samples.saying(text)
    value = json.dumps(text, ensure_ascii=False)
    finding = replace(report.findings[0], counterexample=value)
    rendered = FORMATS[name](replace(report, findings=(finding,)))
    assert acting(without_colours(rendered)) == set()
    rendered.encode("utf-8")


@pytest.mark.parametrize("name", ["json", "sarif"])
def test_formats_for_programs_need_no_encoding(name: str) -> None:
    finding = Finding("r", Level.ERROR, Location("é", 1, 1), "/é", "→\U0001f600")
    assert FORMATS[name](Report("é", (finding,))).isascii()


def test_programs_get_text_as_it_was() -> None:
    text = f"{HOSTILE}\ud800é"
    finding = Finding("r", Level.ERROR, Location("f", 1, 1), text, text)
    report = published.read(FORMATS["json"](Report("f", (finding,))))
    assert report["findings"][0]["message"] == text
    [result] = sarif.read(FORMATS["sarif"](Report("f", (finding,))))["runs"][0]["results"]
    assert result["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": text}]


def test_people_who_read_sarif_see_what_is_not_seen() -> None:
    finding = Finding("r", Level.ERROR, Location("f", 1, 1), "", HOSTILE)
    [result] = sarif.read(FORMATS["sarif"](Report("f", (finding,))))["runs"][0]["results"]
    assert acting(result["message"]["text"]) == set()


def test_the_caret_stands_below_the_place_when_characters_are_spelled_out() -> None:
    line = '"a\x1b\u202e": 1, "tags"'
    place = Location("f", 1, line.index('"tags"') + 1)
    report = Report("f", (Finding("r", Level.INFO, place, "", "m"),), line=lambda _: line)
    _, shown, caret, _ = unstyle(FORMATS["text"](report)).splitlines()
    assert '"a\\x1b\\u202e"' in shown
    assert shown[caret.index("^") :] == '"tags"'


def test_an_error_is_one_line_whatever_the_document_says(document: Path) -> None:
    # Every control character, as a key of YAML that is written twice.
    key = json.dumps(HOSTILE.replace("\U000e0041", ""))
    Path("openapi.yaml").write_text(f"openapi: 3.1.1\n{key}: 1\n{key}: 2\n", "utf-8")
    result = run("validate", "openapi.yaml")
    assert result.exit_code == 2
    assert acting(result.stderr) == set()
    error, hint = result.stderr.splitlines()
    assert error.startswith("error: openapi.yaml:3:1: duplicate key 'a\\x00\\x07\\x08\\x1b]0;title")
    assert hint.startswith("hint: ")


def test_what_generate_says_of_an_invalid_document_cannot_act(document: Path) -> None:
    data = json.loads(document.read_text("utf-8"))
    lost = {"name": HOSTILE, "in": HOSTILE, "schema": {}}
    answers = {"204": {"description": "Done."}}
    data["paths"][f"/{HOSTILE}"] = {"get": {"parameters": [lost], "responses": answers}}
    document.write_text(json.dumps(data, ensure_ascii=False), "utf-8")
    result = run("generate", "--document", str(document), "--output", "out")
    assert result.exit_code == 0
    assert "stop-commands" in result.stderr
    assert acting(result.stderr) == set()
    assert all(
        line.startswith(("openapi.json:", "    ", "error: ")) for line in result.stderr.splitlines()
    )


@HOSTILE_NAMES
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("stem", [HOSTILE_NAME, os.fsdecode(b"\xff\x80")], ids=["hostile", "bytes"])
def test_the_name_of_a_document_cannot_act(stem: str, name: str, document: Path) -> None:
    result = run("validate", str(document.rename(f"{stem}.json")), "--format", name)
    assert result.exit_code == 1
    assert acting(result.stdout) == set()


@HOSTILE_NAMES
def test_the_name_of_what_is_missing_cannot_act(tmp_path: Path) -> None:
    result = run("validate", f"{tmp_path}/{HOSTILE_NAME}\udcff.json")
    assert result.exit_code == 2
    assert acting(result.stderr) == set()
    assert [line.partition(":")[0] for line in result.stderr.splitlines()] == ["error", "hint"]


@HOSTILE_NAMES
def test_what_lies_in_the_output_cannot_act(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    generate = ("generate", "--document", str(PETS), "--output", "out")
    assert run(*generate).exit_code == 0
    (tmp_path / "out" / HOSTILE_NAME).write_text("x", "utf-8")
    [client] = (tmp_path / "out").glob("*/client.py")
    client.write_text(f"# {HOSTILE}\n\u2028x = 1\n\ttab\n{client.read_text('utf-8')}", "utf-8")

    check = run(*generate, "--check")
    assert check.exit_code == 1
    assert acting(check.stdout) == set()
    assert "out/a\\x07\\x08\\x1b]0;title" in check.stdout

    diff = run(*generate, "--diff")
    assert diff.exit_code == 1
    assert acting(diff.stdout) == set()
    assert "-# a\\x00\\x07\\x08\\x1b]0;title\\x07\\x1b[31m" in diff.stdout

    assert "-\ttab\n" in diff.stdout

    refused = run(*generate)
    assert refused.exit_code == 2
    assert acting(refused.stderr) == set()
    assert [line.partition(":")[0] for line in refused.stderr.splitlines()] == [
        "error",
        "  edited by hand",
        "  not generated",
        "hint",
    ]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
@pytest.mark.parametrize(("file", "expected"), [("openapi.json", 0), ("é→.json", 2)])
def test_no_encoding_of_the_output_is_too_small(
    encoding: str, file: str, expected: int, document: Path
) -> None:
    tag = '{"name": "é→\U0001f600"}'
    document.write_text(
        '{"openapi": "3.1.1", "info": {"title": "T", "version": "1"}, "paths": {},'
        f' "tags": [{tag}, {tag}]}}',
        "utf-8",
    )
    result = subprocess.run(
        [COMMAND, "validate", file],
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert result.returncode == expected
    assert b"Traceback" not in result.stderr


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "seen"), [(Terminal(), True), (io.StringIO(), False)])
def test_a_live_line_is_for_terminals_and_cannot_act(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, seen: bool
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("CI", raising=False)
    with live(lambda: "fuzzing\x1b]0;title\a: 7 requests"):
        pass
    assert ("7 requests" in stream.getvalue()) is seen
    assert "\x1b]0;" not in stream.getvalue()


@pytest.mark.parametrize("steps", [("reading",), ("reading", "comparing\x1b]0;title\a")])
@pytest.mark.parametrize("kind", [Terminal, io.StringIO])
def test_the_step_that_a_command_is_at_is_for_terminals_and_cannot_act(
    monkeypatch: pytest.MonkeyPatch, kind: type[io.StringIO], steps: tuple[str, ...]
) -> None:
    stream, (first, *later) = kind(), steps
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("CI", raising=False)
    with progress(dict.fromkeys([first, "another"], 1.0)) as begin:
        for step in later:
            begin(step)
    assert (steps[-1][:7] in stream.getvalue()) is (kind is Terminal)
    assert "\x1b]0;" not in stream.getvalue()
