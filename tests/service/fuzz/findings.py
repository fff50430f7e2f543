"""What schemathesis found, and which of it is wrong for this contract."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .page import EXPLAINED

ROOT = Path(__file__).parents[3]
# The check that valid requests get 2xx; everything that it reports wrongly is a row of the page.
CHECK = "positive_data_acceptance"
# Live keys cannot reset the sandbox.
NEVER_IN_LIVE_MODE = "POST /sandbox/reset"


@dataclass
class Run:
    """The outcome of one run.

    Attributes:
        explained: how often an operation answered with a code that the page explains.
        unexplained: findings beyond that, and requests that show them.
        reached: operations that answered with 2xx.
        ended: whether the run came to its end.
    """

    requests: int = 0
    explained: Counter[tuple[str, str]] = field(default_factory=Counter)
    unexplained: dict[str, str] = field(default_factory=dict)
    reached: set[str] = field(default_factory=set)
    ended: bool = False

    def troubles(self, mode: str) -> list[str]:
        """What must not be, in words."""
        found = [f"{finding}: {example}" for finding, example in sorted(self.unexplained.items())]
        missing = operations() - self.reached - ({NEVER_IN_LIVE_MODE} if mode == "live" else set())
        found += [f"{each} was never answered with 2xx" for each in sorted(missing)]
        return found if self.ended else [*found, "the run did not come to its end"]


def operations() -> set[str]:
    """The operations of the document."""
    paths = json.loads((ROOT / "spec" / "openapi.json").read_text("utf-8"))["paths"]
    methods = ("get", "post", "delete")
    return {f"{m.upper()} {path}" for path in paths for m in methods if m in paths[path]}


def read(lines: Iterable[str]) -> Run:
    """Read the events of a run, which schemathesis writes one per line."""
    run = Run()
    for line in lines:
        [(event, content)] = json.loads(line).items()
        if event == "ScenarioFinished":
            _add(run, content["recorder"])
        elif event in ("NonFatalError", "FatalError", "Interrupted"):
            run.unexplained[event] = line[:500]
        elif event == "EngineFinished":
            run.ended = True
    return run


def _add(run: Run, recorder: dict[str, Any]) -> None:
    for case_id, exchange in recorder.get("interactions", {}).items():
        case, answer = recorder["cases"][case_id]["value"], exchange["response"]
        operation = f"{case['method']} {case['path']}"
        run.requests += 1
        if answer and 200 <= answer["status_code"] < 300:
            run.reached.add(operation)
        for check in recorder.get("checks", {}).get(case_id, []):
            if check["status"] == "success":
                continue
            code = _code(answer)
            if check["name"] == CHECK and (operation, code) in EXPLAINED:
                run.explained[operation, code] += 1
            else:
                finding = f"{check['name']}, {operation}, {code or 'no code'}"
                run.unexplained.setdefault(finding, json.dumps(exchange["request"])[:500])


def _code(answer: dict[str, Any] | None) -> str:
    try:
        assert answer is not None
        code = json.loads(base64.b64decode(answer["content"]["$base64"]))["error"]["code"]
    except (AssertionError, KeyError, TypeError, ValueError):
        return ""
    return str(code)
