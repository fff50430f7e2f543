"""Calls recorded as HAR 1.2, without credentials, and transports that replay them."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from difflib import SequenceMatcher
from os import PathLike
from pathlib import Path
from time import perf_counter, time
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qsl, quote_plus, urlencode

from pydantic import JsonValue

from ..shared.auth.scheme import Scheme
from ..shared.media.table import essence
from ..shared.operation import Operation
from .options import MAX_RESPONSE_BYTES
from .transport.base import Headers, Request, Response
from .transport.http import AsyncHTTPTransport, HTTPTransport

if TYPE_CHECKING:
    import httpx2

_REDACTED = "[redacted]"
_FORM = "application/x-www-form-urlencoded"
# What the client sends itself; any other header that the document does not declare is redacted.
_PLAIN = frozenset(
    {"accept", "accept-encoding", "content-type", "host", "if-match", "if-none-match", "user-agent"}
)
_COOKIES = frozenset({"cookie", "set-cookie"})
# The members of requests for tokens, and of their responses, that are not secret (RFC 6749).
_OF_TOKENS = frozenset({"error", "expires_in", "grant_type", "interval", "scope", "token_type"})
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Privacy:
    """The parts of requests and responses that are recorded.

    Attributes:
        headers: lower-case names of the headers of requests that are.
        secret_headers: lower-case names of the headers of responses that are not.
        secret_query: the names of the query parameters that are not.
    """

    headers: frozenset[str]
    secret_headers: frozenset[str]
    secret_query: frozenset[str]

    @classmethod
    def of(cls, operations: Iterable[Operation[object]], schemes: Iterable[Scheme]) -> Privacy:
        """Return that of a document."""
        names = {"header": set[str](), "query": set[str](), "cookie": set[str]()}
        for scheme in schemes:
            names.setdefault(scheme.location, set()).add(scheme.name)
        secret = {name.lower() for name in names["header"]}
        declared = {
            name.lower()
            for operation in operations
            for name in (
                *(slot.wire for slot in operation.parameters if slot.location == "header"),
                *([operation.key_header] if operation.key_header else []),
            )
        }
        shown = (_PLAIN | declared) - secret
        return cls(shown, frozenset(secret), frozenset(names["query"]))

    def request(self, request: Request) -> tuple[str, Headers, str | None]:
        """Return the URL, the headers and the body of a request; None if it is not text."""
        address, mark, query = request.url.partition("?")
        pairs = [pair.partition("=") for pair in query.split("&")]
        kept = "&".join(
            f"{name}={quote_plus(_REDACTED)}" if name in self.secret_query else name + equals + text
            for name, equals, text in pairs
        )
        headers = [
            (name, text if name.lower() in self.headers else _hidden(name, text))
            for name, text in request.headers
        ]
        body = _text(request.content or b"") if request.chunks is None else None
        if body is not None and _is_of_tokens(request):
            form = parse_qsl(body, keep_blank_values=True)
            body = urlencode([(name, _member(name, text)) for name, text in form])
        return address + mark + kept, headers, body

    def response(self, request: Request, response: Response) -> tuple[Headers, bytes]:
        """Return the headers and the body of a response."""
        headers = [
            (name, _hidden(name, text) if self._is_secret(name) else text)
            for name, text in response.headers
        ]
        if not _is_of_tokens(request):
            return headers, response.content
        try:
            value: JsonValue = json.loads(response.content)
        except ValueError:
            return headers, _REDACTED.encode()
        members = value.items() if isinstance(value, dict) else ()
        return headers, json.dumps({name: _member(name, part) for name, part in members}).encode()

    def _is_secret(self, name: str) -> bool:
        return name.lower() in _COOKIES or name.lower() in self.secret_headers


def _hidden(name: str, text: str) -> str:
    if name.lower() not in _COOKIES:
        return _REDACTED
    # The attributes of a cookie that is set are left out.
    pairs = text.split(";") if name.lower() == "cookie" else [text]
    return "; ".join(f"{pair.partition('=')[0].strip()}={_REDACTED}" for pair in pairs)


def _member(name: str, value: Any) -> Any:
    return value if name in _OF_TOKENS else _REDACTED


def _is_of_tokens(request: Request) -> bool:
    """Return whether a request is for a token or for a code (RFC 6749, 4; RFC 8628, 3.1)."""
    media_type = next((t for name, t in request.headers if name.lower() == "content-type"), "")
    if request.method != "POST" or essence(media_type) != _FORM:
        return False
    names = {name for name, _ in parse_qsl((request.content or b"").decode("latin-1"))}
    # The client sends all of its own requests for tokens by their whole URL.
    return bool(names & {"grant_type", "client_id"}) and request.route == request.url


def _text(data: bytes) -> str | None:
    try:
        return data.decode()
    except ValueError:
        return None


@dataclass(slots=True)
class RecordedCall:
    """A recorded call.

    Attributes:
        body: that of the request; None if it is not a text.
        content: the body of the response, in the parts in which it arrived.
        sent_at: in seconds since 1970.
    """

    method: str
    url: str
    request_headers: Headers
    body: str | None
    status: int
    headers: Headers
    content: list[bytes]
    sent_at: float = 0.0
    seconds: float = 0.0

    @property
    def place(self) -> str:
        """The request in words."""
        body = "" if not self.body else f" {self.body[:_LONGEST]}"
        return f"{self.method} {self.url}{body}"

    def response(self) -> Response:
        """Return the response, as a complete one."""
        return Response(self.status, self.headers, b"".join(self.content))

    def entry(self) -> dict[str, object]:
        """Return the entry of HAR 1.2."""
        data = b"".join(self.content)
        sent = datetime.fromtimestamp(self.sent_at, UTC).isoformat(timespec="milliseconds")
        milliseconds = round(self.seconds * 1000, 3)
        headers = {name.lower(): text for name, text in self.headers}
        types = [text for name, text in self.request_headers if name.lower() == "content-type"]
        query = parse_qsl(self.url.partition("?")[2], keep_blank_values=True)
        request: dict[str, object] = {
            "method": self.method,
            "url": self.url,
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": _named(self.request_headers),
            "queryString": _named(query),
            "headersSize": -1,
            "bodySize": -1,
        }
        if self.body:
            request["postData"] = {"mimeType": "".join(types), "text": self.body}
        text = _text(data)
        encoded = {"text": b64encode(data).decode(), "encoding": "base64"}
        return {
            "startedDateTime": sent,
            "time": milliseconds,
            "request": request,
            "response": {
                "status": self.status,
                "statusText": "",
                "httpVersion": "HTTP/1.1",
                "cookies": [],
                "headers": _named(self.headers),
                "content": {
                    "size": len(data),
                    "mimeType": headers.get("content-type", ""),
                    **(encoded if text is None else {"text": text}),
                },
                "redirectURL": headers.get("location", ""),
                "headersSize": -1,
                "bodySize": len(data),
            },
            "cache": {},
            "timings": {"send": 0, "wait": milliseconds, "receive": 0},
        }


def _named(pairs: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": text} for name, text in pairs]


def _headers(message: Mapping[str, Any]) -> Headers:
    return [(str(header["name"]), str(header["value"])) for header in message["headers"]]


def _call(entry: Mapping[str, Any]) -> RecordedCall:
    """Return the call of an entry of HAR 1.2."""
    request, response = entry["request"], entry["response"]
    text = str(response["content"].get("text", ""))
    is_encoded = response["content"].get("encoding") == "base64"
    return RecordedCall(
        str(request["method"]),
        str(request["url"]),
        _headers(request),
        str(request["postData"]["text"]) if "text" in request.get("postData", {}) else "",
        int(response["status"]),
        _headers(response),
        [b64decode(text) if is_encoded else text.encode()],
    )


class CallRecorder:
    """The recorded calls of a client, and the file for them."""

    def __init__(self, path: str | PathLike[str], privacy: Privacy) -> None:
        self._path = Path(path)
        self._privacy = privacy
        self._calls: list[RecordedCall] = []

    def _add(self, request: Request, response: Response, sent_at: float, began: float) -> Response:
        """Record a call; the body of a streamed response is recorded while it is read."""
        url, sent, body = self._privacy.request(request)
        headers, content = self._privacy.response(request, response)
        call = RecordedCall(request.method, url, sent, body, response.status, headers, [content])
        call.sent_at, call.seconds = sent_at, perf_counter() - began
        self._calls.append(call)
        match response.chunks:
            case None:
                return response
            case AsyncIterator():
                return replace(response, chunks=_copied_async(response.chunks, call.content))
            case _:
                return replace(response, chunks=_copied(response.chunks, call.content))

    def _write(self) -> None:
        log = {
            "version": "1.2",
            "creator": {"name": "specwright", "version": ""},
            "entries": [call.entry() for call in self._calls],
        }
        self._path.write_text(json.dumps({"log": log}, indent=1) + "\n", "utf-8")


def _copied(chunks: Iterator[bytes], content: list[bytes]) -> Iterator[bytes]:
    try:
        for chunk in chunks:
            content.append(chunk)
            yield chunk
    finally:
        cast("Any", chunks).close()


async def _copied_async(chunks: AsyncIterator[bytes], content: list[bytes]) -> AsyncIterator[bytes]:
    try:
        async for chunk in chunks:
            content.append(chunk)
            yield chunk
    finally:
        await cast("Any", chunks).aclose()


class RecordingTransport(CallRecorder):
    """A transport that records calls over HTTP; the file is written when it is closed."""

    def __init__(
        self,
        path: str | PathLike[str],
        privacy: Privacy,
        http_client: httpx2.Client | None = None,
    ) -> None:
        super().__init__(path, privacy)
        self._transport = HTTPTransport("", MAX_RESPONSE_BYTES, http_client=http_client)

    def send(self, request: Request) -> Response:
        """Send a request, and record it with its response."""
        sent_at, began = time(), perf_counter()
        return self._add(request, self._transport.send(request), sent_at, began)

    def close(self) -> None:
        """Write the file, and close all connections."""
        self._write()
        self._transport.close()


class AsyncRecordingTransport(CallRecorder):
    """The asynchronous counterpart of `RecordingTransport`."""

    def __init__(
        self,
        path: str | PathLike[str],
        privacy: Privacy,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        super().__init__(path, privacy)
        self._transport = AsyncHTTPTransport("", MAX_RESPONSE_BYTES, http_client=http_client)

    async def send(self, request: Request) -> Response:
        """Send a request, and record it with its response."""
        sent_at, began = time(), perf_counter()
        return self._add(request, await self._transport.send(request), sent_at, began)

    async def close(self) -> None:
        """Write the file, and close all connections."""
        self._write()
        await self._transport.close()


class UnrecordedRequestError(LookupError):
    """A request is not in the recording, or was already replayed as often as it is."""


class CallReplay:
    """The calls of a HAR, each of which is replayed once, in the order of equal requests.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is not a HAR.
    """

    def __init__(self, path: str | PathLike[str], privacy: Privacy) -> None:
        self._name = Path(path).name
        self._privacy = privacy
        try:
            entries: Sequence[Any] = json.loads(Path(path).read_text("utf-8"))["log"]["entries"]
            self._calls = [_call(entry) for entry in entries]
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ValueError(f"{self._name} is not a HAR") from None
        self._left = list(self._calls)

    def respond(self, request: Request) -> Response:
        """Return the recorded response to a request.

        Raises:
            UnrecordedRequestError: there is none.
        """
        url, headers, body = self._privacy.request(request)
        asked = RecordedCall(request.method, url, headers, body, 0, [], [])
        for index, call in enumerate(self._left):
            # A body that is not a text is not recorded.
            is_same_body = body is None or call.body == body
            if (call.method, call.url) == (asked.method, url) and is_same_body:
                return self._left.pop(index).response()
        raise UnrecordedRequestError(self._problem(asked))

    def _problem(self, asked: RecordedCall) -> str:
        if not self._calls:
            return f"{asked.place} is not in {self._name}, which is empty"
        similar = [SequenceMatcher(None, asked.place, call.place).ratio() for call in self._calls]
        index = max(range(len(similar)), key=similar.__getitem__)
        nearest = self._calls[index]
        if nearest.place == asked.place:
            return f"{asked.place} is in {self._name} fewer times than it was sent"
        return (
            f"{asked.place} is not in {self._name}; the nearest is {nearest.place} "
            f"(log.entries[{index}])"
        )


class ReplayTransport(CallReplay):
    """A transport that replays a recording."""

    def send(self, request: Request) -> Response:
        """Return the recorded response to a request."""
        return self.respond(request)

    def close(self) -> None:
        """Do nothing."""


class AsyncReplayTransport(CallReplay):
    """The asynchronous counterpart of `ReplayTransport`."""

    async def send(self, request: Request) -> Response:
        """Return the recorded response to a request."""
        return self.respond(request)

    async def close(self) -> None:
        """Do nothing."""
