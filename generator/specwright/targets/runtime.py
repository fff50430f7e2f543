"""The runtime's own source; every generated package carries a copy."""

from __future__ import annotations

import ast
from pathlib import Path

import specwright


def runtime_sources() -> dict[str, str]:
    """Return the runtime's modules, and their licence, by path, sorted."""
    top = _directory()
    # The licence has to accompany each copy: section 4 (a) of Apache-2.0.
    paths = sorted([*top.rglob("*.py"), top / "LICENSE"])
    return {path.relative_to(top).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def runtime_errors() -> list[str]:
    """Return the names of the exceptions of the runtime's client, in the order of definition."""
    source = (_directory() / "client" / "errors.py").read_text(encoding="utf-8")
    return [
        node.name
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef) and node.name.endswith("Error")
    ]


def _directory() -> Path:
    return Path(specwright.__file__).resolve().parent / "runtime"
