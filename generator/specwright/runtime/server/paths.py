"""Routing of requests to operations by path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starlette.types import Scope

from ..shared.styles import MARKED, decoded
from ..shared.templates import PathTemplate
from .endpoint import Endpoint

_BUT_SLASHES = {mark: each for mark, each in MARKED.items() if each != "/"}


class Paths:
    """The path templates; those without variables take precedence (OpenAPI 3.1.1, 4.8.8)."""

    def __init__(self, endpoints: Sequence[Endpoint], prefix: str) -> None:
        self._prefix = prefix
        self._fixed: dict[str, dict[str, Endpoint]] = {}
        variable: dict[str, dict[str, Endpoint]] = {}
        for endpoint in endpoints:
            path = endpoint.operation.path
            paths = variable if PathTemplate(path).names else self._fixed
            paths.setdefault(path, {})[endpoint.operation.method] = endpoint
        self._variable: dict[int, list[tuple[PathTemplate, dict[str, Endpoint]]]] = {}
        for template in sorted(map(PathTemplate, variable), key=lambda template: template.rank):
            matching = self._variable.setdefault(template.length, [])
            matching.append((template, variable[template.path]))

    def find(self, scope: Scope) -> tuple[Mapping[str, Endpoint], Mapping[str, str]]:
        """Return the operations at a path by method, and the texts of its variables."""
        texts: str = scope["path"]
        raw: bytes = scope.get("raw_path") or b""
        if b"%" in raw:
            texts = decoded(raw.decode("latin-1"))
        # Encoded characters are equal to plain ones, except a slash within a segment.
        path = texts if texts.isascii() else texts.translate(_BUT_SLASHES)
        start = scope.get("root_path", "") + self._prefix
        if not path.startswith(start):
            return {}, {}
        path, texts = path[len(start) :], texts[len(start) :]
        if path in self._fixed:
            return self._fixed[path], {}
        segments, marked = path.split("/"), texts.split("/")
        for template, methods in self._variable.get(len(segments), ()):
            values = template.values(marked) or template.values(segments)
            if values is not None:
                return methods, dict(zip(template.names, values, strict=True))
        return {}, {}
