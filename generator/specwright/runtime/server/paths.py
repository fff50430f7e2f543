"""Finds the operations at the path of a request."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import unquote

from starlette.types import Scope

from .endpoint import Endpoint

_VARIABLE = re.compile(r"\{([^}]*)\}")
# Stands for a slash within a segment (`%2F`) while paths are matched; no decoded text has it.
_INNER_SLASH = "\udc2f"


class Paths:
    """The path templates; one without variables goes before one with (OpenAPI 3.1.1, 4.8.8)."""

    def __init__(self, endpoints: Sequence[Endpoint], prefix: str) -> None:
        self._prefix = prefix
        self._fixed: dict[str, dict[str, Endpoint]] = {}
        variable: dict[str, dict[str, Endpoint]] = {}
        for endpoint in endpoints:
            path = endpoint.operation.path
            paths = variable if _VARIABLE.search(path) else self._fixed
            paths.setdefault(path, {})[endpoint.operation.method] = endpoint
        self._variable = [
            (_pattern(path), _VARIABLE.findall(path), variable[path])
            for path in sorted(variable, key=lambda path: ["{" in s for s in path.split("/")])
        ]

    def find(self, scope: Scope) -> tuple[Mapping[str, Endpoint], Mapping[str, str]]:
        """Return the operations at the path by method, and the texts of its variables."""
        path: str = scope["path"]
        raw: bytes = scope.get("raw_path") or b""
        if b"%" in raw and b"%2f" in raw.lower():
            segments = raw.decode("latin-1").split("/")
            path = "/".join(unquote(each).replace("/", _INNER_SLASH) for each in segments)
        start = scope.get("root_path", "") + self._prefix
        if not path.startswith(start):
            return {}, {}
        path = path[len(start) :]
        if path in self._fixed:
            return self._fixed[path], {}
        for pattern, names, methods in self._variable:
            if match := pattern.fullmatch(path):
                texts = [text.replace(_INNER_SLASH, "/") for text in match.groups()]
                return methods, dict(zip(names, texts, strict=True))
        return {}, {}


def _pattern(path: str) -> re.Pattern[str]:
    # Odd parts of the split are the names of variables.
    parts = _VARIABLE.split(path)
    texts = [r"([^/]+)" if i % 2 else re.escape(part) for i, part in enumerate(parts)]
    return re.compile("".join(texts))
