"""Exchanges: requests to an implementation, and their responses."""

from __future__ import annotations

import json
import shlex
from base64 import b64encode
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from http import HTTPStatus

from specwright.http_messages import Headers
from specwright.json_values import JsonValue
from specwright.pointer import Pointer, resolve

# The sources of requests that invent values.
SCENARIOS, FUZZING = "scenarios", "fuzzing"
# The failure of a response whose body is not as its Content-Encoding says.
UNDECODABLE = "the body cannot be decoded"
# The most bytes of a body in a report for people.
_SHOWN = 4_000
_WITH_LENGTH = ("PATCH", "POST", "PUT")
# Characters that curl expands in a URL, and a length that Linux takes as one argument.
_GLOBBED = frozenset("[]{}")
_LONGEST_ARGUMENT = 100_000


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request. The URL is absolute; `body` may be None."""

    method: str
    url: str
    headers: Headers = field(repr=False)
    body: bytes | None = field(default=None, repr=False)

    def header(self, name: str) -> str | None:
        """Return the first value of a header field; names are case-insensitive (RFC 9110, 5.1)."""
        return _first(self.headers, name)

    @property
    def json_or_none(self) -> JsonValue:
        """The body as JSON; None if it is not JSON."""
        return None if self.body is None else json_or_none(self.body)

    @property
    def curl(self) -> str:
        """The command line that sends the same bytes again, quoted for a POSIX shell.

        It suppresses the default headers of curl, and patterns in the URL.
        """
        method = ["--head"] if self.method == "HEAD" else ["--request", self.method]
        parts = ["curl", *method, *(["--globoff"] if set(self.url) & _GLOBBED else []), self.url]
        for name in ("Accept", *(["Content-Type"] if self.body is not None else [])):
            if self.header(name) is None:
                parts += ["--header", f"{name}:"]
        for name, value in self.headers:
            parts += ["--header", f"{name}: {value}" if value else f"{name};"]
        if self.body is None:
            # Unlike curl, the test announces that these methods have no body (RFC 9110, 8.6).
            if self.method in _WITH_LENGTH and self.header("Content-Length") is None:
                parts += ["--header", "Content-Length: 0"]
            return shlex.join(parts)
        text = self._plain_body
        if text is not None:
            return shlex.join([*parts, "--data-raw", text])
        packed = b64encode(self.body).decode()
        return f"printf %s {packed} | base64 -d | {shlex.join([*parts, '--data-binary', '@-'])}"

    @property
    def _plain_body(self) -> str | None:
        """The body as an argument of a command; None if it cannot be one."""
        try:
            text = (self.body or b"").decode()
        except UnicodeDecodeError:
            return None
        return None if "\0" in text or len(text) > _LONGEST_ARGUMENT else text


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A complete response."""

    status: int
    headers: Headers = field(repr=False)
    body: bytes = field(repr=False)

    def header(self, name: str) -> str | None:
        """Return the first value of a header field; names are case-insensitive (RFC 9110, 5.1)."""
        return _first(self.headers, name)

    @property
    def is_success(self) -> bool:
        """Whether the status is 2xx (RFC 9110, 15.3)."""
        return 200 <= self.status < 300

    @property
    def json(self) -> JsonValue:
        """The body as JSON.

        Raises:
            ValueError: it is not JSON in UTF-8.
        """
        value: JsonValue = json.loads(self.body.decode())
        return value

    @property
    def json_or_none(self) -> JsonValue:
        """The body as JSON; None if it is not JSON."""
        return json_or_none(self.body)

    def at(self, pointer: Pointer) -> JsonValue:
        """Return the value at a pointer of the JSON body; None if it is missing."""
        return value_at(self.json_or_none, pointer)

    @property
    def shown(self) -> str:
        """Status, headers and the beginning of the body, for people."""
        known = {status.value: status.phrase for status in HTTPStatus}
        head = [f"{self.status} {known.get(self.status, '')}".rstrip()]
        head += [f"{name}: {value}" for name, value in self.headers]
        body = self.body[:_SHOWN].decode("utf-8", "replace")
        more = f"\n… {len(self.body):,} bytes in all" if len(self.body) > _SHOWN else ""
        return "\n".join(head) + (f"\n\n{body}{more}" if body else "")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request with its source, its operation and its outcome.

    Attributes:
        number: its position in the run, from 1.
        source: the name of its sender, such as `scenarios`.
        role: the role of the credentials it carried; empty without credentials.
        operation: pointer of the operation it was made for; None if it fits none.
        response: None if no response came; `failure` then says why.
        sent_at: seconds since 1970.
        seconds: until the response was read to its end.
    """

    number: int
    source: str
    role: str
    operation: Pointer | None
    request: HttpRequest
    response: HttpResponse | None
    failure: str | None
    sent_at: float
    seconds: float

    @property
    def succeeded(self) -> bool:
        """Whether there is a response with a status of success."""
        return self.response is not None and self.response.is_success

    @property
    def is_unconnected(self) -> bool:
        """Whether there was no connection, so that the request did not cause the failure."""
        return (self.failure or "").startswith("ConnectError")

    @property
    def is_undecodable(self) -> bool:
        """Whether there is a response with a body that is not as its Content-Encoding says."""
        return (self.failure or "").startswith(UNDECODABLE)

    @property
    def is_busy(self) -> bool:
        """Whether the server cannot handle requests for the moment (503: RFC 9110, 15.6.4)."""
        return self.response is not None and self.response.status == 503


def _first(headers: Headers, name: str) -> str | None:
    wanted = name.lower()
    return next((value for key, value in headers if key.lower() == wanted), None)


def json_or_none(body: bytes) -> JsonValue:
    """Return a body as JSON; None if it is not JSON."""
    try:
        value: JsonValue = json.loads(body.decode())
    except (ValueError, RecursionError):
        return None
    return value


def readings(text: str) -> list[JsonValue]:
    """Return the possible values of a text in a header or a query: itself, and parsed as JSON."""
    values: list[JsonValue] = [text]
    with suppress(ValueError, RecursionError):
        values.append(json.loads(text))
    return values


def value_at(value: JsonValue, pointer: Pointer) -> JsonValue:
    """Return the value at a pointer; None if it is missing."""
    try:
        part: JsonValue = resolve(value, pointer)
    except (KeyError, ValueError):
        return None
    return part


def text_of(value: JsonValue) -> str:
    """Return a value as it is written in a header or a query."""
    return value if isinstance(value, str) else json.dumps(value)


def seconds_of(value: JsonValue) -> float | None:
    """Return a date-time (RFC 3339) in seconds since 1970; None for any other value.

    Without an offset it is in UTC, as is the midnight that a date begins with.
    """
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def decimal_of(value: JsonValue) -> Decimal | None:
    """Return a number, also one that is written as a text; None for any other value."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
