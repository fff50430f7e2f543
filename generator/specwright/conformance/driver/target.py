"""The implementation under test: its address, and the credentials for it."""

from __future__ import annotations

import os
import socket
import ssl
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from specwright.conformance.driver.roles import MAIN
from specwright.conformance.driver.signing import Owner, Signer
from specwright.conformance.recording.exchange import (
    UNDECODABLE,
    Exchange,
    HttpRequest,
    HttpResponse,
)
from specwright.conformance.recording.record import Record
from specwright.document.operations.security import Credential
from specwright.extras import LazyLibrary
from specwright.http_messages import Headers
from specwright.pointer import Pointer
from specwright.runtime.shared.media.table import medium_of

if TYPE_CHECKING:
    import httpx2
else:
    httpx2 = LazyLibrary("httpx2")

TIMEOUT_SECONDS = 30.0
# The failure of an operation that is not called again.
HANGS = "no complete response in time"
# The environment variable with the file of trusted certificate authorities.
CA_VARIABLE = "SSL_CERT_FILE"
MAX_RESPONSE_BYTES = 16 * 1024 * 1024

# How long to wait for the first bytes of a stream.
_FIRST_BYTES_SECONDS = 1.0
# Requests in a row without a response, and their total time, after which the target is lost.
_LOST_AFTER = 8
_LOST_SECONDS = 60.0
# How long a supervisor may take to start a server that crashed, and the pause between probes.
_RESTART_SECONDS, _PROBE_PAUSE_SECONDS = 10.0, 0.25
# Other names of content codings, which the HTTP client does not know (RFC 9110, 8.4.1.3).
_ALIASES = {"x-gzip": "gzip"}
# Steps of a request, as the HTTP client names them.
_OPENED, _ANSWERED = "connection.connect_tcp.started", "http11.receive_response_headers.complete"


class TimeOver(Exception):  # noqa: N818 - it ends a step; earlier results count
    """The time of a step has run out."""


class TargetLost(Exception):  # noqa: N818 - it ends a run; earlier results are reported
    """The target no longer responds."""


@dataclass(slots=True)
class TargetServer:
    """A client for the implementation that records each request with its response.

    Attributes:
        base_url: without a trailing slash.
        base_urls: of the operations that have another one.
        keys: by role.
        main: the role that is recorded for MAIN.
        own: keys for one scheme of several, by role and scheme.
        headers: of every request.
        timeout: seconds for a response.
        signer: adds credentials to requests.
        hanging: operations that did not respond in time.
        ends: when the time of each source is over, by `time.monotonic`.
    """

    base_url: str
    credential: Credential | None
    record: Record
    keys: Mapping[str, str] = field(repr=False)
    base_urls: Mapping[Pointer, str] = field(default_factory=dict)
    main: str = MAIN
    own: Mapping[Owner, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = TIMEOUT_SECONDS
    signer: Signer = field(init=False, repr=False)
    hanging: set[Pointer] = field(default_factory=set, init=False)
    ends: dict[str, float] = field(default_factory=dict, init=False)
    _client: httpx2.Client = field(init=False, repr=False)
    _was_there: bool = field(default=False, repr=False)
    _unanswered: list[float] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        """Open the connection pool."""
        self.signer = Signer(self.credential, self.keys, self.own, self.headers)
        limits = httpx2.Limits(max_connections=32, max_keepalive_connections=32)
        # Python reads the variable; the client does so only together with proxies and passwords.
        named = CA_VARIABLE in os.environ
        self._client = httpx2.Client(
            timeout=self.timeout,
            limits=limits,
            # A session cookie of one response must not be sent with other requests.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            follow_redirects=False,
            trust_env=False,
            verify=ssl.create_default_context() if named else True,
        )

    def as_main(self, role: str) -> TargetServer:
        """Return a target of its own in which the tenant of a role is the main one."""
        keys = {MAIN: self.keys[role]} if role in self.keys else {}
        own = {(MAIN, name): key for (each, name), key in self.own.items() if each == role}
        target = replace(self, keys=keys, own=own, main=role)
        target.signer.sign_in, target.ends = self.signer.sign_in, self.ends
        return target

    def __enter__(self) -> TargetServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        role: str = MAIN,
        headers: Iterable[tuple[str, str]] = (),
        body: bytes | None = None,
        operation: Pointer | None = None,
    ) -> HttpRequest:
        """Return a request to a path below the base URL, with the credentials of a role.

        Args:
            operation: decides on base URL and credentials; without one, the usual ones are used.
        """
        sent: Headers = tuple(headers)
        url = self.base_urls.get(operation or "", self.base_url) + path
        return self.signer.sign(HttpRequest(method, url, sent, body), operation, role)

    def send(
        self, request: HttpRequest, source: str, operation: Pointer | None, role: str = MAIN
    ) -> Exchange:
        """Send a request; a transport error becomes the `failure` of the exchange.

        An operation that hangs is not called again, and an obtained credential that has expired
        is renewed. A request that a server missed while it was restarted is sent again.

        Raises:
            TargetLost: nothing listens any longer, or many requests in a row got no response.
            TimeOver: the time of the source is over.
        """
        until = self.ends.get(source)
        if until is not None and time.monotonic() > until:
            raise TimeOver
        if operation in self.hanging:
            return _unsent(request, source, operation, role)
        response, failure, sent_at, seconds = self._outcome(request, operation)
        if response is not None and response.status == 401:
            if self.signer.renewed(request, response, operation, role):
                request = self.signer.sign(self.signer.unsigned(request), operation, role)
                response, failure, sent_at, seconds = self._outcome(request, operation)
        elif response is not None:
            self.signer.trust(operation, role)
        noted = self.main if role == MAIN else role
        exchange = self.record.add(
            Exchange(0, source, noted, operation, request, response, failure, sent_at, seconds)
        )
        if exchange.is_unconnected and self._was_there and not self._comes_back():
            raise TargetLost(f"nothing listens at {self.base_url} any more{self._last_request()}")
        if len(self._unanswered) >= _LOST_AFTER or sum(self._unanswered) > _LOST_SECONDS:
            count = len(self._unanswered)
            raise TargetLost(f"{count} requests in a row got no response: {failure}")
        if exchange.is_unconnected and self._was_there:
            return self.send(request, source, operation, role)
        return exchange

    def _outcome(
        self, request: HttpRequest, operation: Pointer | None
    ) -> tuple[HttpResponse | None, str | None, float, float]:
        """Return the response or the failure of a request, its time, and its duration."""
        sent_at, started = time.time(), time.monotonic()
        response, failure, is_hanging, is_there = None, None, False, False
        try:
            response = self._receive(request)
        except (httpx2.RequestError, httpx2.InvalidURL, UnicodeError) as error:
            is_hanging = isinstance(error, httpx2.ReadTimeout) and operation is not None
            failure = HANGS if is_hanging else f"{type(error).__name__}: {error}"
            if isinstance(error, httpx2.DecodingError):
                failure, is_there = f"{UNDECODABLE} as its Content-Encoding says ({error})", True
        seconds = time.monotonic() - started
        if is_hanging and operation is not None:
            self.hanging.add(operation)
        is_there |= response is not None
        self._was_there |= is_there
        # The time of an operation that hangs says nothing about the others.
        counted = 0.0 if is_hanging else seconds
        self._unanswered = [] if is_there else [*self._unanswered, counted]
        return response, failure, sent_at, seconds

    def _comes_back(self) -> bool:
        """Wait for the server to come back; return whether it did."""
        parts = urlsplit(self.base_url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        ends = time.monotonic() + _RESTART_SECONDS
        while True:
            try:
                socket.create_connection((parts.hostname or "", port), timeout=1).close()
            except OSError:
                if time.monotonic() > ends:
                    return False
                time.sleep(_PROBE_PAUSE_SECONDS)
            else:
                return True

    def _last_request(self) -> str:
        """Return a note on the last request that was received, which may have caused a crash."""
        connection = (
            exchange for exchange in reversed(self.record.exchanges) if not exchange.is_unconnected
        )
        last = next(connection, None)
        if last is None:
            return ""
        asked = last.request.url.removeprefix(self.base_url)
        return f"; the last request was {last.request.method} {asked} (request {last.number})"

    def _receive(self, request: HttpRequest) -> HttpResponse:
        """Return the response to a request, resent once if an idle connection was closed.

        The server may close it just when the request is sent (RFC 9112, 9.3.1).
        """
        steps: list[str] = []
        try:
            return self._exchange(request, steps)
        except (httpx2.NetworkError, httpx2.RemoteProtocolError) as error:
            if _OPENED in steps or _ANSWERED in steps:
                raise
            first = error
        try:
            return self._exchange(request, steps)
        except httpx2.ConnectError:
            # The first attempt was received, and nothing listens since.
            raise first from None

    def _exchange(self, request: HttpRequest, steps: list[str]) -> HttpResponse:
        def note(step: str, _: object) -> None:
            steps.append(step)

        with self._client.stream(
            request.method,
            request.url,
            headers=list(request.headers),
            content=request.body,
            extensions={"trace": note},
        ) as response:
            is_stream = _is_stream(response.headers.get("content-type", ""))
            headers = tuple((name, value) for name, value in response.headers.multi_items())
            coding = response.headers.get("content-encoding", "")
            if coding.lower() in _ALIASES:
                response.headers["content-encoding"] = _ALIASES[coding.lower()]
            body = bytearray()
            ends = time.monotonic() + self.timeout
            try:
                if is_stream:
                    # The transport reads the timeout when the body begins.
                    request_timeouts = response.request.extensions["timeout"]
                    request_timeouts["read"] = _FIRST_BYTES_SECONDS
                for part in response.iter_bytes():
                    body += part
                    if is_stream:
                        break
                    if time.monotonic() > ends:
                        raise httpx2.ReadTimeout(f"the response took over {self.timeout:.0f} s")
                    if len(body) > MAX_RESPONSE_BYTES:
                        raise httpx2.ReadError(
                            f"the body has more than {MAX_RESPONSE_BYTES:,} bytes"
                        )
            except httpx2.ReadTimeout:
                if not is_stream:
                    raise
            return HttpResponse(response.status_code, headers, bytes(body))


def is_stream(response: HttpResponse | None) -> bool:
    """Return whether a response is a stream of items, which may never end."""
    return response is not None and _is_stream(response.header("content-type") or "")


def _is_stream(media_type: str) -> bool:
    return media_type != "" and medium_of(media_type).is_stream


def _unsent(request: HttpRequest, source: str, operation: Pointer | None, role: str) -> Exchange:
    """Return the exchange of a request that is not sent, as its operation hangs."""
    return Exchange(0, source, role, operation, request, None, HANGS, time.time(), 0.0)
