"""The steps of a workflow, run as GitHub runs them, in a checkout on this machine.

What `uses` names is there already: the checkout, the clone of the toolkit, and Python.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[2]
# Of them, `pip` checks what it is asked for, and installs nothing.
PROGRAMS = (ROOT / "tests" / "docs" / "bin", Path(sys.executable).parent)
_EXPRESSION = re.compile(r"\$\{\{ *([\w.]+) *\}\}")
_CONDITION = re.compile(r"([\w.]+) != ''")


class Step(NamedTuple):
    run: str
    code: int
    output: str


def jobs_of(file: Path) -> Mapping[str, Any]:
    workflow = yaml.safe_load(file.read_text("utf-8"))
    # YAML 1.1 reads the key `on` as a truth value.
    assert workflow[True] == "pull_request"
    jobs: Mapping[str, Any] = workflow["jobs"]
    return jobs


def runs(job: Mapping[str, Any], contexts: Mapping[str, str]) -> bool:
    """Return whether the condition of a job holds."""
    condition = job.get("if")
    if condition is None:
        return True
    match = _CONDITION.fullmatch(condition)
    assert match is not None, condition
    return contexts.get(match[1], "") != ""


def steps(job: Mapping[str, Any], checkout: Path, contexts: Mapping[str, str]) -> Iterator[Step]:
    """Yield the steps that run; the one that fails is the last."""

    def value(text: str) -> str:
        return _EXPRESSION.sub(lambda match: contexts.get(match[1], ""), text)

    for step in job["steps"]:
        if "run" not in step:
            assert step["uses"].startswith("actions/")
            continue
        variables = {**job.get("env", {}), **step.get("env", {})}
        path = os.pathsep.join([*map(str, PROGRAMS), os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", value(step["run"])],
            cwd=checkout / step.get("working-directory", "."),
            env={
                **os.environ,
                "PATH": path,
                "GITHUB_ACTIONS": "true",
                **{name: value(text) for name, text in variables.items()},
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        yield Step(step["run"], done.returncode, done.stdout)
        if done.returncode:
            return
