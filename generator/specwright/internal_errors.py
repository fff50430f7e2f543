"""Errors of this program, which cost a part of its work and are reported as bugs."""

from __future__ import annotations

import platform
import traceback
from importlib.metadata import version
from pathlib import Path

from specwright.findings import Level, RuleDescription

INTERNAL_ERROR = RuleDescription(
    "internal-error",
    "Checks",
    "`generate`, `scaffold` and `docs` do without a schema or an operation on which this program, "
    "or a library that it uses, fails, and `test` without the request or the step; the exit code "
    "is then 1. It is a bug unless the message names a limit: please report it, with the line "
    "that is printed for that.",
    "",
    "",
    Level.ERROR,
    Level.ERROR,
)

_PACKAGES = ("specwright", "datamodel-code-generator", "pydantic")
_FRAMES = 6


def bug_report(error: Exception) -> str:
    """Return the facts about an error for a bug report, without text of the document."""
    system = f"Python {platform.python_version()}, {platform.system()}"
    versions = [f"{name} {version(name)}" for name in _PACKAGES]
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    calls = " > ".join(
        f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames
    )
    return f"{type(error).__name__} at {calls} ({', '.join([*versions, system])})"
