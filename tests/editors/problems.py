"""The problem matchers of the page about editors, as VS Code applies them to lines."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tests.conftest import ROOT
from tests.docs.blocks import blocks

PAGE = ROOT / "docs" / "how-to" / "set-up-an-editor.md"


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem that the editor shows; severity and code are those of the matcher where None."""

    file: str
    line: int
    column: int
    severity: str | None
    code: str | None
    message: str


def matcher(label: str) -> Any:
    (tasks,) = (block for block in blocks(PAGE, PAGE.name) if block.file == ".vscode/tasks.json")
    (task,) = (task for task in json.loads(tasks.text)["tasks"] if task["label"] == label)
    return task["problemMatcher"]


def problem(line: str, pattern: Any) -> Problem | None:
    match = re.search(pattern["regexp"], line)
    if match is None:
        return None
    parts = {name: match[group] for name, group in pattern.items() if name != "regexp"}
    return Problem(**{**parts, "line": int(parts["line"]), "column": int(parts["column"])})
