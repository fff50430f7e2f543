"""action.yml as a runner of GitHub follows it, with a stand-in for the client of GitHub."""

import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import ROOT
from tests.review import loaded

FILE = ROOT / "action.yml"
EXPRESSION = re.compile(r"\$\{\{ *(.*?) *\}\}", re.DOTALL)
TOKEN = re.compile(r"\s*('[^']*'|&&|\|\||==|!=|!|[()]|[\w.-]+)")
INSTALL, REVIEW, SUMMARY, COMMENT = (
    "Install specwright",
    "Review the contract",
    "Write the summary of the job",
    "Comment on the pull request",
)
REPOSITORY = "somebody/shop"
# The client of GitHub: comments are files, called by their numbers.
CLIENT = """\
#!/usr/bin/env bash
set -eu
case " $* " in
  *" --paginate "*) cd "$COMMENTS"; grep -lrF "$MARKER" . || true ;;
  *" PATCH "*) cp "${7#body=@}" "$COMMENTS/${5##*/}" ;;
  *" POST "*) cp "${7#body=@}" "$COMMENTS/$(ls "$COMMENTS" | wc -l | tr -d ' ')" ;;
  *) exit 9 ;;
esac
"""


def action() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))
    return read


def pull_request(base: str, head: str, source: str = REPOSITORY) -> dict[str, Any]:
    """Return GitHub's event for a pull request between two commits, from a repository or a fork."""
    return {
        "pull_request": {
            "number": 7,
            "base": {"sha": base},
            "head": {"sha": head, "repo": {"full_name": source}},
        }
    }


def push(before: str) -> dict[str, Any]:
    """Return GitHub's event for a push; `before` is zeros for a new branch."""
    return {"before": before}


def evaluated(expression: str, contexts: Mapping[str, Any]) -> Any:
    """The value of an expression of GitHub Actions, of the operators that action.yml uses."""
    tokens: Iterator[str] = iter([*TOKEN.findall(expression), ""])
    token = next(tokens)

    def advance() -> str:
        nonlocal token
        before, token = token, next(tokens, "")
        return before

    def either() -> Any:
        value = both()
        while token == "||":
            advance()
            other = both()
            value = value or other
        return value

    def both() -> Any:
        value = equal()
        while token == "&&":
            advance()
            other = equal()
            value = value and other
        return value

    def equal() -> Any:
        value = single()
        while token in ("==", "!="):
            is_equal = advance() == "=="
            value = (value == single()) is is_equal
        return value

    def single() -> Any:
        first = advance()
        if first == "!":
            return not single()
        if first.startswith("'"):
            return first[1:-1]
        if token == "(":
            assert (first, advance(), advance()) == ("cancelled", "(", ")")
            return False
        value: Any = contexts
        for name in first.split("."):
            # What is not there is null.
            value = value.get(name) if isinstance(value, Mapping) else None
        return value

    return either()


@dataclass
class Runner:
    """A machine on which the action runs, in a working tree.

    Attributes:
        event: what made GitHub run it.
        starts_python: whether steps run in new processes, as they do there, and not in copies.
    """

    temporary: Path
    tree: Path
    inputs: dict[str, str] = field(default_factory=dict)
    event: dict[str, Any] = field(default_factory=dict)
    starts_python: bool = False
    # What steps have said, by their ids.
    steps: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for directory in ("specwright/bin", "bin", "comments"):
            (self.temporary / directory).mkdir(parents=True)
        # Installing needs the network, which tests do without.
        python = self.temporary / "specwright" / "bin" / "python"
        script = f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'
        self._program(python, script if self.starts_python else loaded.program())
        self._program(self.temporary / "bin" / "gh", CLIENT)

    @staticmethod
    def _program(file: Path, text: str) -> None:
        file.write_text(text, "utf-8")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)

    @property
    def reports(self) -> Path:
        return self.temporary / "specwright-review"

    @property
    def summary(self) -> str:
        return (self.temporary / "summary").read_text("utf-8")

    @property
    def comments(self) -> list[str]:
        return [path.read_text("utf-8") for path in sorted((self.temporary / "comments").iterdir())]

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs of the action for the workflow."""
        return {name: self._filled(each["value"]) for name, each in action()["outputs"].items()}

    def follow(self) -> list[str]:
        """Run all steps but the installation, as their conditions say; return those that ran."""
        ran: list[str] = []
        has_failed = False
        for step in action()["runs"]["steps"][1:]:
            condition = step.get("if")
            # Without a status function, a condition has `success()` before it.
            runs = not has_failed if condition is None else bool(self._filled_value(condition))
            if runs:
                ran.append(step["name"])
                has_failed |= self.run(step["name"]).returncode != 0
        return ran

    def run(self, name: str) -> subprocess.CompletedProcess[str]:
        """Run a step as the runner does: the script of a file, expressions in `env` filled in."""
        [step] = [each for each in action()["runs"]["steps"] if each["name"] == name]
        script, output = self.temporary / "step.sh", self.temporary / "output"
        script.write_text(step["run"], "utf-8")
        output.write_text("", "utf-8")
        path = f"{self.temporary / 'bin'}{os.pathsep}{Path(sys.executable).parent}"
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.tree / self._filled(step.get("working-directory", ".")),
            env={
                **os.environ,
                "PATH": f"{path}{os.pathsep}{os.environ['PATH']}",
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(self.temporary / "summary"),
                "COMMENTS": str(self.temporary / "comments"),
                **{name: self._filled(text) for name, text in step.get("env", {}).items()},
            },
            capture_output=True,
            text=True,
            check=False,
        )
        if "id" in step:
            lines = output.read_text("utf-8").splitlines()
            said = dict(line.split("=", 1) for line in lines)
            self.steps[step["id"]] = {"outputs": said}
        return done

    def _filled(self, text: str) -> str:
        return EXPRESSION.sub(lambda found: self._text(found[1]), text)

    def _filled_value(self, text: str) -> Any:
        found = EXPRESSION.fullmatch(text)
        assert found
        return evaluated(found[1], self._contexts)

    def _text(self, expression: str) -> str:
        value = evaluated(expression, self._contexts)
        return "" if value is None else str(value)

    @property
    def _contexts(self) -> Mapping[str, Any]:
        defaults = {name: each.get("default", "") for name, each in action()["inputs"].items()}
        return {
            "runner": {"temp": str(self.temporary)},
            "github": {
                "action_path": str(ROOT),
                "token": "none",
                "repository": REPOSITORY,
                "event": self.event,
            },
            "inputs": {**defaults, **self.inputs},
            "steps": self.steps,
        }
