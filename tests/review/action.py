"""action.yml as a runner of GitHub follows it, with a stand-in for GitHub."""

import os
import re
import stat
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import COMMAND, ROOT

FILE = ROOT / "action.yml"
EXPRESSION = re.compile(r"\$\{\{ *(.*?) *\}\}")
INSTALL, REVIEW, SUMMARY, COMMENT = (
    "Install specwright",
    "Review the contract",
    "Write the summary of the job",
    "Comment on the pull request",
)
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


@dataclass
class Runner:
    """A machine on which steps of the action run, in a working tree."""

    temporary: Path
    tree: Path
    inputs: dict[str, str] = field(default_factory=dict)
    # Where a pull request or push began, and the head of a pull request.
    began: str = ""
    head: str = ""

    def __post_init__(self) -> None:
        for directory in ("specwright/bin", "bin", "comments"):
            (self.temporary / directory).mkdir(parents=True)
        # Installing needs the network, which tests do without.
        (self.temporary / "specwright" / "bin" / "specwright").symlink_to(COMMAND)
        client = self.temporary / "bin" / "gh"
        client.write_text(CLIENT, "utf-8")
        client.chmod(client.stat().st_mode | stat.S_IXUSR)

    @property
    def reports(self) -> Path:
        return self.temporary / "specwright-review"

    @property
    def summary(self) -> str:
        return (self.temporary / "summary").read_text("utf-8")

    @property
    def comments(self) -> list[str]:
        return [each.read_text("utf-8") for each in sorted((self.temporary / "comments").iterdir())]

    def run(self, name: str) -> subprocess.CompletedProcess[str]:
        """Run a step as the runner does: the script of a file, expressions in `env` filled in."""
        [step] = [each for each in action()["runs"]["steps"] if each["name"] == name]
        script = self.temporary / "step.sh"
        script.write_text(step["run"], "utf-8")
        path = f"{self.temporary / 'bin'}{os.pathsep}{Path(sys.executable).parent}"
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.tree,
            env={
                **os.environ,
                "PATH": f"{path}{os.pathsep}{os.environ['PATH']}",
                "GITHUB_OUTPUT": str(self.temporary / "output"),
                "GITHUB_STEP_SUMMARY": str(self.temporary / "summary"),
                "COMMENTS": str(self.temporary / "comments"),
                **{name: self._filled(text) for name, text in step.get("env", {}).items()},
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def _filled(self, text: str) -> str:
        return EXPRESSION.sub(lambda found: self._values[found[1]], text)

    @property
    def _values(self) -> Mapping[str, str]:
        defaults = {name: each.get("default", "") for name, each in action()["inputs"].items()}
        return {
            "runner.temp": str(self.temporary),
            "github.action_path": str(ROOT),
            "github.token": "none",
            "github.repository": "somebody/shop",
            "github.event.pull_request.number": "7",
            "github.event.pull_request.base.sha || github.event.before": self.began,
            "github.event.pull_request.head.sha": self.head,
            "inputs.accepted-in-base == 'true' && 'yes' || ''": (
                "yes" if self.inputs.get("accepted-in-base") == "true" else ""
            ),
            **{f"inputs.{name}": value for name, value in {**defaults, **self.inputs}.items()},
        }
