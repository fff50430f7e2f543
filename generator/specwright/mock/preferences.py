"""The response that a client prefers: its status and example by `Prefer`, its type by `Accept`.

The preferences `code` and `example` are those of Prism, in the syntax of RFC 7240, or in a query
such as `?__code=404`, for requests whose headers a page cannot set. `wait` is a pause.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from specwright.document.operations.headers import TOKEN
from specwright.mock.responses import WITHOUT_BODY, MockResponse
from specwright.runtime.shared.media.accept import quality

_PREFERENCE = re.compile(rf'\s*({TOKEN})\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^",;]*))?\s*(?:[,;]|$)')
_ESCAPED = re.compile(r"\\(.)")
_CODE = re.compile("[2-5][0-9]{2}")
# Of responses that no one asks for: a success, a redirect, any other.
_PRECEDENCE = {2: 0, 3: 1}


_WAIT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
LONGEST_WAIT = 30.0


class UnsupportedPreferenceError(Exception):
    """A client has a preference that the mock cannot keep."""


class NoSuchResponseError(Exception):
    """An operation does not declare the response that a client prefers."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """The preferences of a request.

    Attributes:
        code: a status.
        example: the name of an example of the body.
        accept: the media types.
        wait: the seconds to wait before the response.
    """

    code: str | None = None
    example: str | None = None
    accept: str = "*/*"
    wait: float = 0.0

    @classmethod
    def of(cls, headers: Mapping[str, str], query: Mapping[str, str]) -> Preferences:
        """Read the query of a request, and its headers by names in lower case, which precede.

        Raises:
            UnsupportedPreferenceError: one of them cannot be kept.
        """
        preferences: dict[str, str] = {}
        for name, value in _PREFERENCE.findall(headers.get("prefer", "")):
            text = _ESCAPED.sub(r"\1", value[1:-1]) if value[:1] == '"' else value.strip()
            # Of several preferences of one name, only the first counts (RFC 7240, 2).
            preferences.setdefault(name.lower(), text)
        for name in ("code", "example", "dynamic", "wait"):
            if f"__{name}" in query:
                preferences.setdefault(name, query[f"__{name}"])
        if preferences.get("dynamic", "false") != "false":
            raise UnsupportedPreferenceError(
                "the mock has no dynamic values: a response is an example, or a value of its "
                "schema that stays the same"
            )
        wait = preferences.get("wait", "0")
        if not _WAIT.fullmatch(wait):
            raise UnsupportedPreferenceError("the preference wait is a number of seconds")
        return cls(
            preferences.get("code"),
            preferences.get("example"),
            headers.get("accept", "*/*"),
            min(float(wait), LONGEST_WAIT),
        )

    def chosen(self, responses: Sequence[MockResponse]) -> MockResponse:
        """Return the preferred response; without a preference, the first success.

        Raises:
            NoSuchResponseError: there is none with the status, or none with the example.
        """
        if self.code is not None:
            patterns = [response.pattern for response in responses]
            responses = _with_status(responses, self.code)
            if not responses:
                raise NoSuchResponseError(_without(f"response {self.code}", patterns))
        if self.example is not None:
            names = [name for response in responses for name in response.named]
            responses = _with_example(responses, self.example)
            if not responses:
                raise NoSuchResponseError(_without(f"example '{self.example}'", names))
        first = min(responses, key=lambda response: _PRECEDENCE.get(response.status // 100, 2))
        return _accepted(
            [response for response in responses if response.status == first.status], self.accept
        )


def _with_status(responses: Sequence[MockResponse], code: str) -> list[MockResponse]:
    """Return the responses that describe a status (OpenAPI 3.1.1, 4.8.16)."""
    if not _CODE.fullmatch(code):
        return []
    for pattern in (code, f"{code[0]}XX", "default"):
        fitting = [
            replace(response, status=int(code))
            for response in responses
            if response.pattern.upper() == pattern.upper()
        ]
        if fitting:
            return [item.without_body() if int(code) in WITHOUT_BODY else item for item in fitting]
    return []


def _with_example(responses: Sequence[MockResponse], name: str) -> list[MockResponse]:
    return [
        replace(response, values=(response.named[name],), missing_body="")
        for response in responses
        if name in response.named
    ]


def _without(what: str, declared: Iterable[str]) -> str:
    others = ", ".join(dict.fromkeys(declared))
    return f"no {what}, only {others}" if others else f"no {what}"


def _accepted(responses: Sequence[MockResponse], accept: str) -> MockResponse:
    """Return the first response with the most preferred media type (RFC 9110, 12.5.1)."""
    return max(responses, key=lambda response: quality(accept, response.media_type or ""))
