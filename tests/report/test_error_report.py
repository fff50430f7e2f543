"""Formats for programs are valid when a command cannot use its input, too."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from specwright.cli import cli
from specwright.report.formats import FORMATS
from tests.report import junit, published, sarif

COMMANDS = (
    ("validate", "missing.json"),
    ("diff", "missing.json", "other.json"),
    ("review", "--base", "HEAD", "--document", "missing.json"),
    ("test", "http://127.0.0.1:9", "--document", "missing.json"),
    ("check-traffic", "missing.har", "--base-url", "http://127.0.0.1:9"),
    ("test-receiver", "http://127.0.0.1:9", "--document", "missing.json"),
)


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 2, result.output
    return result


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_the_error_is_the_only_finding(command: tuple[str, ...]) -> None:
    result = run(*command, "--format", "json")
    (finding,) = published.read(result.stdout)["findings"]
    assert (finding["rule"], finding["level"]) == ("unusable-input", "error")
    first, *others = result.stderr.removeprefix("error: ").splitlines()
    assert first.endswith(finding["message"].partition(";")[0])
    assert all(each.removeprefix("hint: ") in finding["message"] for each in others)


def test_it_has_the_place_and_the_hint() -> None:
    Path("openapi.json").write_text('{"openapi": "3.1.1",}', "utf-8")
    read = published.read(run("validate", "--format", "json").stdout)
    assert read["document"] == "openapi.json"
    assert read["summary"]["errors"] == 1
    (finding,) = read["findings"]
    assert (finding["file"], finding["line"], finding["column"]) == ("openapi.json", 1, 21)
    assert finding["message"].startswith("not valid JSON") and "; " in finding["message"]


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_says_it(format_: str) -> None:
    result = run("validate", "missing.json", "--format", format_)
    assert result.stderr == "error: missing.json:1:1: no such file\nhint: check the path\n"
    assert ("no such file" in result.stdout) == (format_ != "text")


def test_sarif_and_junit_are_valid() -> None:
    (found,) = sarif.read(run("validate", "--format", "sarif").stdout)["runs"][0]["results"]
    assert found["ruleId"] == "unusable-input"
    assert "there is no document here" in found["message"]["text"]
    suites = junit.read(run("validate", "--format", "junit").stdout)
    (failure,) = suites.iter("failure")
    assert "there is no document here" in (failure.text or "")
