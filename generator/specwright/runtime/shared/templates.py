"""Path templates: matching of paths, and the values of their variables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_VARIABLE = re.compile(r"\{([^}]*)\}")


@dataclass(frozen=True, slots=True)
class PathTemplate:
    """A path with variables, `/plans/{plan_id}`; their values are not empty and have no slash."""

    path: str
    names: Sequence[str] = field(init=False)
    length: int = field(init=False)
    _fixed: Sequence[tuple[int, str]] = field(init=False)
    _variable: Sequence[tuple[int, Sequence[str]]] = field(init=False)

    def __post_init__(self) -> None:
        """Split the path into segments, and each segment at its variables."""
        segments = [segment.split("{}") for segment in _VARIABLE.sub("{}", self.path).split("/")]
        numbered = list(enumerate(segments))
        for name, value in {
            "names": _VARIABLE.findall(self.path),
            "length": len(segments),
            "_fixed": [(index, texts[0]) for index, texts in numbered if len(texts) == 1],
            "_variable": [(index, texts) for index, texts in numbered if len(texts) > 1],
        }.items():
            object.__setattr__(self, name, value)

    @property
    def literals(self) -> tuple[str, ...]:
        """The text around the variables; templates that have the same match the same paths."""
        return tuple(_VARIABLE.sub("{}", self.path).split("{}"))

    @property
    def rank(self) -> tuple[tuple[int, int], ...]:
        """The order of templates that match one path: the least is the most specific.

        From the left, segments without variables precede others (OpenAPI 3.1.1, 4.8.8), and those
        with more literal text precede others: `/files/{name}.json` precedes `/files/{name}`.
        """
        literals = [segment.split("{}") for segment in _VARIABLE.sub("{}", self.path).split("/")]
        return tuple((len(texts) - 1, -len("".join(texts))) for texts in literals)

    def values(self, segments: Sequence[str]) -> Sequence[str] | None:
        """Return the values of the variables; None if a path of these segments does not match.

        If it matches in several ways, the first variable is as long as possible, then the next.
        """
        if len(segments) != self.length:
            return None
        for index, text in self._fixed:
            if segments[index] != text:
                return None
        captured: list[str] = []
        for index, literals in self._variable:
            values = _values(literals, segments[index])
            if values is None:
                return None
            captured += values
        return captured


def _values(literals: Sequence[str], text: str) -> Sequence[str] | None:
    """Find the literals from the last to the first, each as far to the right as possible."""
    first, *between, last = literals
    start, end = len(first), len(text) - len(last)
    if end <= start or not text.startswith(first) or not text.endswith(last):
        return None
    values: list[str] = []
    for literal in reversed(between):
        position = text.rfind(literal, start + 1, end - 1)
        if position < 0:
            return None
        values.append(text[position + len(literal) : end])
        end = position
    return [text[start:end], *reversed(values)]
