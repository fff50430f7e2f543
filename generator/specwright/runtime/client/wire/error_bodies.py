"""The content of error bodies, at declared or else at common paths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from ...shared.operation import ErrorShape, at

Path = tuple[str, ...]

# The first path with a value wins. RFC 9457, 3.1, has `detail`, `title` and `type`;
# RFC 6749, 5.2, has `error_description` next to a code in `error`; FastAPI's `detail` is a string
# or a list of errors; `error` is an object or a string.
USUAL: Mapping[str, tuple[Path, ...]] = {
    "message": (
        ("detail",),
        ("error_description",),
        ("error", "message"),
        ("error", "reason"),
        ("error", "detail"),
        ("message",),
        ("msg",),
        ("error",),
        ("title",),
        ("errors",),
        ("error", "errors"),
        # Field names, each with a list of errors.
        (),
    ),
    "code": (("error", "code"), ("code",), ("error_code",), ("errorCode",), ("error",)),
    "type": (("error", "type"), ("type",)),
    "param": (("error", "param"), ("param",)),
    "request_id": (("request_id",), ("error", "request_id"), ("requestId",)),
    "details": (
        ("errors",),
        ("detail",),
        ("details",),
        ("error", "details"),
        ("error", "errors"),
    ),
}

_WORD = re.compile(r"\S{1,100}")
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The body of an error, read at its declared paths or else at common ones."""

    value: JsonValue
    shape: ErrorShape

    def code(self, status: int) -> str | None:
        """Return the error code: a word, or a number other than the status."""
        for code in self._at("code"):
            if isinstance(code, int) and not isinstance(code, bool) and code != status:
                return str(code)
            if isinstance(code, str) and (self.shape.code or _WORD.fullmatch(code)):
                return code
        return None

    def text(self, name: str) -> str | None:
        """Return the first string at the paths for `name`."""
        return next((value for value in self._at(name) if isinstance(value, str)), None)

    def message(self) -> str | None:
        """Return the human-readable message."""
        if self.shape.message:
            return self.text("message")
        texts = (_said(message) for message in self._at("message"))
        text = next((message for message in texts if message), None)
        return text and text[:_LONGEST]

    def details(self) -> Sequence[JsonValue]:
        """Return the individual errors that the body lists."""
        return next(
            (details for details in self._at("details") if isinstance(details, list)),
            list[JsonValue](),
        )

    def _at(self, name: str) -> Iterator[JsonValue]:
        declared: Path = getattr(self.shape, name)
        usual = () if self.shape.code else USUAL[name]
        return (at(self.value, place) for place in ((declared,) if declared else usual))


def _said(value: JsonValue) -> str:
    """Return a string itself, or the first of several errors."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        more = f" (and {len(value) - 1} more)" if len(value) > 1 else ""
        first = value[0]
        text = first if isinstance(first, str) else _fault(first)
        return text and text + more
    if isinstance(value, dict) and value and all(map(_is_texts, value.values())):
        name, texts = next(iter(value.items()))
        return f"{name}: {_said(texts)}"
    return ""


def _fault(value: JsonValue) -> str:
    """Return the message of one of several errors, after its location."""
    if not isinstance(value, dict):
        return ""
    names = ("msg", "message", "detail", "title", "code")
    text = next((member for member in map(value.get, names) if isinstance(member, str)), "")
    place = next(filter(None, map(value.get, ("loc", "field", "pointer", "path"))), None)
    if isinstance(place, list):
        place = ".".join(map(str, place))
    return f"{place}: {text}" if text and isinstance(place, str) else text


def _is_texts(value: JsonValue) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], str)
