"""Validators of OpenAPI, and their errors and warnings about a document in one form.

Each has the rules that it has without settings; Spectral has none, so it gets its rule set for
OpenAPI. What is only an information or a hint does not count, for no tool.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from specwright.pointer import join
from tests import command

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
HOME = ROOT / ".nox" / "validators-npm"
# Exact: another version has other rules.
PACKAGES = {"@redocly/cli": "2.77.0", "@stoplight/spectral-cli": "6.16.3"}
_NPM = HOME / "-".join(["npm", *PACKAGES.values()])
# A file in a complete installation; one may be interrupted.
_INSTALLED = _NPM / "installed"
_SECONDS = 600
_UNLIMITED = "1000000"
_SEVERITIES = ("error", "warning")
_QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
# Redocly stops at a file that it cannot read, such as `- unidentified alias "a" in "/a" (3:11)`.
_REFUSED = re.compile(
    r"^(?:Failed to parse|Something went wrong) .*?:\n\s*- (?P<text>.*)", re.M | re.S
)
_PLACE = re.compile(r"\((?P<line>\d+):\d+\)")


@dataclass(frozen=True, slots=True, order=True)
class Message:
    """An error or a warning of a tool.

    Attributes:
        line: the line, from 1; 0 if the tool does not name one.
        pointer: the place as a JSON Pointer.
        is_error: whether it is an error, and not a warning.
    """

    line: int
    pointer: str
    rule: str
    text: str
    is_error: bool


Messages = dict[Path, list[Message]]
Run = Callable[[Sequence[Path]], Messages]


@dataclass(frozen=True, slots=True)
class Tool:
    """A validator.

    Attributes:
        label: its name on the page.
        version: the version that is measured.
        run: returns its messages about each of some files.
    """

    label: str
    version: str
    run: Run


def install() -> None:
    """Install the tools of npm, unless these versions are installed."""
    if not _INSTALLED.exists():
        _NPM.mkdir(parents=True, exist_ok=True)
        packages = [f"{name}@{number}" for name, number in PACKAGES.items()]
        flags = ("--silent", "--no-audit", "--no-fund", "--prefix", str(_NPM))
        subprocess.run(["npm", "install", *flags, *packages], check=True)
        _INSTALLED.touch()


def _specwright(files: Sequence[Path]) -> Messages:
    return {file: list(_of_specwright(file)) for file in files}


def _of_specwright(file: Path) -> Iterator[Message]:
    done = command.run("validate", file, "--format", "json", cwd=file.parent)
    for finding in json.loads(done.stdout)["findings"]:
        if finding["level"] in _SEVERITIES:
            yield Message(
                finding.get("line") or 0,
                finding.get("pointer", ""),
                finding["rule"],
                finding["message"],
                finding["level"] == "error",
            )


def _redocly(files: Sequence[Path]) -> Messages:
    messages: Messages = {}
    options = ("--extends", "recommended", "--format", "json", "--max-problems", _UNLIMITED)
    while rest := files[len(messages) :]:
        done = _run("redocly", "lint", *map(str, rest), *options)
        reports = list(_documents(done.stdout))
        for file, report in zip(rest, reports, strict=False):
            messages[file] = [_of_redocly(problem) for problem in report["problems"]]
        if len(reports) < len(rest):
            failure = _REFUSED.search(done.stderr)
            text = " ".join((failure["text"] if failure else done.stderr[-300:]).split())
            place = _PLACE.search(text)
            line = int(place["line"]) if place else 0
            messages[rest[len(reports)]] = [Message(line, "", "refused", text, is_error=True)]
    return messages


def _documents(text: str) -> Iterator[Any]:
    """Yield JSON documents that follow each other."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        document, at = decoder.raw_decode(text, at)
        yield document


def _of_redocly(problem: Any) -> Message:
    place = problem["location"][0]
    return Message(
        place.get("start", {}).get("line", 0),
        place.get("pointer", "").removeprefix("#").removesuffix("/"),
        problem["ruleId"],
        problem["message"],
        problem["severity"] == "error",
    )


def _spectral(files: Sequence[Path]) -> Messages:
    options = ("--ruleset", str(HERE / "spectral.yaml"), "--format", "json", "--quiet")
    done = _run("spectral", "lint", *map(str, files), *options)
    messages: Messages = {file: [] for file in files}
    # Without any, it adds a sentence.
    for problem in next(_documents(done.stdout)):
        if problem["severity"] < len(_SEVERITIES):
            messages[Path(problem["source"])].append(
                Message(
                    problem["range"]["start"]["line"] + 1,
                    join(*problem["path"]),
                    problem["code"],
                    problem["message"],
                    problem["severity"] == 0,
                )
            )
    return messages


def _openapi_spec_validator(files: Sequence[Path]) -> Messages:
    run = [sys.executable, "-W", "ignore", "-m", "lab.validators.spec_validator", *map(str, files)]
    done = subprocess.run(
        run, capture_output=True, text=True, timeout=_SECONDS, cwd=HERE.parents[1]
    )
    messages: Messages = {file: [] for file in files}
    for line in done.stdout.splitlines():
        file, rule, pointer, text = json.loads(line)
        messages[Path(file)].append(Message(0, pointer, rule, text, is_error=True))
    return messages


def _run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(_NPM / "node_modules" / ".bin" / name), *arguments],
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        env={**os.environ, **_QUIET},
    )


OURS, REDOCLY, SPECTRAL, SPEC_VALIDATOR = "specwright", "redocly", "spectral", "spec-validator"
TOOLS: Mapping[str, Tool] = {
    OURS: Tool("Specwright", version("specwright"), _specwright),
    REDOCLY: Tool("Redocly CLI", PACKAGES["@redocly/cli"], _redocly),
    SPECTRAL: Tool("Spectral", PACKAGES["@stoplight/spectral-cli"], _spectral),
    SPEC_VALIDATOR: Tool(
        "openapi-spec-validator", version("openapi-spec-validator"), _openapi_spec_validator
    ),
}
