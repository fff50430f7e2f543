"""The operations that a path is for (OpenAPI 3.1.1, 4.8.8.2: Path Templating Matching)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar
from urllib.parse import unquote

from specwright.runtime.shared.templates import PathTemplate

T = TypeVar("T")


class PathIndex(Generic[T]):
    """Values by path templates."""

    def __init__(self, entries: Iterable[tuple[str, T]]) -> None:
        templates = ((PathTemplate(unquote(template)), value) for template, value in entries)
        self._entries = sorted(templates, key=lambda entry: entry[0].rank)

    def matches(self, path: str) -> Iterator[tuple[T, Sequence[str]]]:
        """Yield the values of the templates that a path of a URL matches, the most specific first.

        With each come the values of its variables, decoded.
        """
        segments = [unquote(segment) for segment in path.split("/")]
        for template, value in self._entries:
            variables = template.values(segments)
            if variables is not None:
                yield value, variables
