"""The implementation under test: where it is, and the credentials to use there."""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType

import httpx2

from specwright.conformance.recording.exchange import Exchange, Headers, Request, Response
from specwright.conformance.recording.record import Record
from specwright.document.security import Credential
from specwright.pointer import Pointer

# Whose credentials a request carries: the key of most, that of another partner, one whose rate
# limits may be used up, one that may do nothing, and none.
MAIN, OTHER, LIMITED, SUSPENDED, NOBODY = "main", "other", "limited", "suspended", ""
# A key of the right form that nobody has; the key of most under a scheme that was not asked for.
STRANGER, MISNAMED = "stranger", "another scheme"
# None of them may do anything.
STRANGERS = (NOBODY, STRANGER, MISNAMED)

_ANOTHER_SCHEME = "Basic "
TIMEOUT_SECONDS = 30.0
MAX_RESPONSE_BYTES = 16 * 1024 * 1024


# Requests in a row without an answer, and the time they took, after which nothing is there.
_LOST_AFTER = 8
_LOST_SECONDS = 60.0
# Steps of a request, as the client calls them.
_OPENED, _ANSWERED = "connection.connect_tcp.started", "http11.receive_response_headers.complete"


class TargetLost(Exception):  # noqa: N818 - it ends a run; what was seen so far is reported
    """The target does not answer any more."""


@dataclass(slots=True)
class Target:
    """Sends requests to an implementation, and records each with its answer.

    Attributes:
        base_url: without a slash at its end.
        keys: by role.
        main: the role that MAIN stands for, in the record.
    """

    base_url: str
    credential: Credential | None
    record: Record
    keys: Mapping[str, str] = field(repr=False)
    main: str = MAIN
    _client: httpx2.Client = field(init=False, repr=False)
    _unanswered: list[float] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        """Open the pool of connections."""
        limits = httpx2.Limits(max_connections=32, max_keepalive_connections=32)
        # Python reads the variable, which the client does not without proxies and passwords.
        named = "SSL_CERT_FILE" in os.environ
        self._client = httpx2.Client(
            timeout=TIMEOUT_SECONDS,
            limits=limits,
            follow_redirects=False,
            trust_env=False,
            verify=ssl.create_default_context() if named else True,
        )

    def __enter__(self) -> Target:
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
    ) -> Request:
        """A request to a path below the base URL, with the credentials of a role."""
        sent: Headers = tuple(headers)
        is_misnamed = role == MISNAMED
        key = self.keys.get(MAIN if is_misnamed else role)
        if self.credential is not None and key is not None:
            prefix = _ANOTHER_SCHEME if is_misnamed else self.credential.prefix
            sent += ((self.credential.header, prefix + key),)
        return Request(method, self.base_url + path, sent, body)

    def send(
        self, request: Request, source: str, operation: Pointer | None, role: str = MAIN
    ) -> Exchange:
        """Send a request; what goes wrong on the way is the `failure` of the exchange.

        Raises:
            TargetLost: many requests in a row got no answer.
        """
        sent_at, started = time.time(), time.monotonic()
        response, failure = None, None
        try:
            response = self._receive(request)
        except (httpx2.RequestError, httpx2.InvalidURL, UnicodeError) as error:
            failure = f"{type(error).__name__}: {error}"
        seconds = time.monotonic() - started
        self._unanswered = [] if failure is None else [*self._unanswered, seconds]
        noted = self.main if role == MAIN else role
        exchange = self.record.add(
            Exchange(0, source, noted, operation, request, response, failure, sent_at, seconds)
        )
        if len(self._unanswered) >= _LOST_AFTER or sum(self._unanswered) > _LOST_SECONDS:
            count = len(self._unanswered)
            raise TargetLost(f"{count} requests in a row got no answer: {failure}")
        return exchange

    def _receive(self, request: Request) -> Response:
        """The answer to a request, which is sent twice if a connection ends that was idle.

        It may end just when the request comes, which tells nothing of it (RFC 9112, 9.3.1).
        """
        steps: list[str] = []
        try:
            return self._exchange(request, steps)
        except (httpx2.NetworkError, httpx2.RemoteProtocolError):
            if _OPENED in steps or _ANSWERED in steps:
                raise
        return self._exchange(request, steps)

    def _exchange(self, request: Request, steps: list[str]) -> Response:
        def note(step: str, _: object) -> None:
            steps.append(step)

        with self._client.stream(
            request.method,
            request.url,
            headers=list(request.headers),
            content=request.body,
            extensions={"trace": note},
        ) as answer:
            body = bytearray()
            ends = time.monotonic() + TIMEOUT_SECONDS
            for part in answer.iter_bytes():
                body += part
                if time.monotonic() > ends:
                    raise httpx2.ReadTimeout(f"the answer took more than {TIMEOUT_SECONDS:.0f} s")
                if len(body) > MAX_RESPONSE_BYTES:
                    raise httpx2.ReadError(f"the body has more than {MAX_RESPONSE_BYTES:,} bytes")
            headers = tuple((name, value) for name, value in answer.headers.multi_items())
            return Response(answer.status_code, headers, bytes(body))


def stranger(key: str) -> str:
    """A key of the same form that nobody has."""
    return key[:-8] + "".join("0" if each != "0" else "1" for each in key[-8:])
