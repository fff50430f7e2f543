"""Routing of requests to operations by path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from starlette.types import Scope

from ..shared.styles import MARKED, decoded
from ..shared.templates import PathTemplate
from .endpoint import Endpoint

_BUT_SLASHES = {mark: each for mark, each in MARKED.items() if each != "/"}


@dataclass(slots=True)
class _Path:
    """A path with variables, which operations may call by different names."""

    template: PathTemplate
    names: list[Sequence[str]] = field(default_factory=list[Sequence[str]])
    methods: dict[str, Endpoint] = field(default_factory=dict[str, Endpoint])


class Paths:
    """The path templates; those without variables take precedence (OpenAPI 3.1.1, 4.8.8)."""

    def __init__(self, endpoints: Sequence[Endpoint], prefix: str) -> None:
        self._prefix = prefix
        self._fixed: dict[str, dict[str, Endpoint]] = {}
        variable: dict[tuple[str, ...], _Path] = {}
        for endpoint in endpoints:
            template = PathTemplate(endpoint.operation.path)
            if not template.names:
                methods = self._fixed.setdefault(template.path, {})
            else:
                path = variable.setdefault(template.literals, _Path(template))
                path.names.append(template.names)
                methods = path.methods
            methods.setdefault(endpoint.operation.method, endpoint)
        self._variable: dict[int, list[_Path]] = {}
        for path in sorted(variable.values(), key=lambda path: path.template.rank):
            self._variable.setdefault(path.template.length, []).append(path)

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
        for candidate in self._variable.get(len(segments), ()):
            template = candidate.template
            values = template.values(marked) or template.values(segments)
            if values is not None:
                return candidate.methods, {
                    name: value
                    for names in candidate.names
                    for name, value in zip(names, values, strict=True)
                }
        return {}, {}
