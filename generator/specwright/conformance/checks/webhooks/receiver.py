"""A receiver of webhooks that records attempts and simulates faults."""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from types import TracebackType

from specwright.conformance.checks.webhooks.attempt import DeliveryAttempt, DeliveryFault
from specwright.conformance.checks.webhooks.authority import Authority
from specwright.conformance.checks.webhooks.connection import MAX_HEAD_BYTES
from specwright.conformance.checks.webhooks.server import Lost, ReceiverServer
from specwright.http_messages import Headers

MAX_KEPT_BYTES = 64 * 1024 * 1024
_TOKEN_BYTES = 24
# The faults of each successive event of a type; after them, everything is acknowledged.
Plays = Sequence[Sequence[DeliveryFault]]
_REDIRECTED = "/redirected"

# The status of the response for each fault; None for no response.
_STATUSES: Mapping[DeliveryFault, int | None] = {
    DeliveryFault.ERROR: 500,
    DeliveryFault.GONE: 410,
    DeliveryFault.REFUSED: 404,
    DeliveryFault.REDIRECT: 307,
    DeliveryFault.DROP: None,
    DeliveryFault.RESET: None,
}


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings of a receiver.

    Attributes:
        identify: returns the type and the id of the delivered event from the request headers.
        authority: signs its certificate; without one it speaks plain HTTP.
        public_url: the public URL of a tunnel; None if the receiver is reached directly.
        port: 0 chooses a free one.
        successes: the statuses that acknowledge, which are used in turn.
        slow_seconds: the delay of a slow response.
    """

    identify: Callable[[Headers], tuple[str, str]]
    authority: Authority | None = None
    public_url: str | None = None
    port: int = 0
    successes: Sequence[int] = (200,)
    slow_seconds: float = 15.5


@dataclass(slots=True)
class _Endpoint:
    """An endpoint and its remaining faults, by event type and by event."""

    plays: Plays
    by_type: dict[str, Iterator[Sequence[DeliveryFault]]] = field(default_factory=dict)
    by_event: dict[tuple[str, str], Iterator[DeliveryFault]] = field(default_factory=dict)

    def next(self, type_: str, event: str) -> DeliveryFault | None:
        if (type_, event) not in self.by_event:
            plays = self.by_type.setdefault(type_, iter(self.plays))
            self.by_event[type_, event] = iter(next(plays, ()))
        return next(self.by_event[type_, event], None)


class GivenUp(Exception):  # noqa: N818 - an outcome, not a programming error
    """The run ended during a wait."""


class Receiver:
    """A receiver on a local port, which runs within its context."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._successes = cycle(setting.successes)
        context = setting.authority.context if setting.authority else None
        self._server = ReceiverServer(setting.port, context, self._take, self._note)
        self._endpoints: dict[str, _Endpoint] = {}
        self._attempts: list[DeliveryAttempt] = []
        self._kept_bytes = 0
        self._lost: Counter[Lost] = Counter()
        self._given_up = False
        self._changed = threading.Condition()

    def __enter__(self) -> Receiver:
        self._server.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.__exit__(kind, error, trace)

    @property
    def url(self) -> str:
        """The URL of the receiver, without a trailing slash."""
        if self._setting.public_url is not None:
            return self._setting.public_url.rstrip("/")
        return self._server.url

    @property
    def port(self) -> int:
        """The port that it listens on, for a tunnel to forward to."""
        return self._server.port

    @property
    def refused(self) -> int:
        """The number of rejected requests and connections: too many, malformed or unknown."""
        with self._changed:
            return self._lost[Lost.REFUSED]

    @property
    def distrusted(self) -> int:
        """The number of connections that ended before the TLS handshake was complete."""
        with self._changed:
            return self._lost[Lost.DISTRUSTED]

    def endpoint(self, plays: Plays = ()) -> str:
        """Return the URL of a new endpoint, which cannot be guessed."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        with self._changed:
            self._endpoints[token] = _Endpoint(plays)
        return f"{self.url}/{token}"

    def attempts(self, endpoint: str) -> tuple[DeliveryAttempt, ...]:
        """Return the attempts at an endpoint until now, in order of arrival."""
        with self._changed:
            return tuple(attempt for attempt in self._attempts if attempt.endpoint == endpoint)

    def wait(self, condition: Callable[[], bool], until: float) -> bool:
        """Wait for a condition of the attempts until a given time; return whether it was met.

        Raises:
            GivenUp: the run has ended.
        """
        with self._changed:
            came = self._changed.wait_for(
                lambda: self._given_up or condition(), max(0.0, until - time.time())
            )
            if self._given_up:
                raise GivenUp
            return came

    def give_up(self) -> None:
        """End all waiting."""
        with self._changed:
            self._given_up = True
            self._changed.notify_all()

    def _note(self, lost: Lost) -> None:
        with self._changed:
            self._lost[lost] += 1
            self._changed.notify_all()

    async def _take(
        self, method: str, target: str, headers: Headers, body: bytes, is_cut: bool
    ) -> DeliveryAttempt | None:
        """Record a request to an endpoint, and decide on the response."""
        path, redirected, _ = target.partition("?")[0].partition(_REDIRECTED)
        # A tunnel may or may not pass on the path of its own URL.
        token = path.rpartition("/")[2]
        size = len(body) + MAX_HEAD_BYTES
        with self._changed:
            endpoint = self._endpoints.get(token)
            if endpoint is None or self._kept_bytes + size > MAX_KEPT_BYTES:
                self._lost[Lost.REFUSED] += 1
                return None
            fault = None if redirected else endpoint.next(*self._setting.identify(headers))
            url = f"{self.url}/{token}"
            success = next(self._successes)
            attempt = DeliveryAttempt(
                endpoint=url,
                method=method,
                url=url + redirected,
                headers=headers,
                body=body,
                is_cut=is_cut,
                is_redirected=bool(redirected),
                received_at=time.time(),
                fault=fault,
                status=success if fault is None else _STATUSES.get(fault, success),
                location=url + _REDIRECTED if fault is DeliveryFault.REDIRECT else None,
            )
            self._kept_bytes += size
            self._attempts.append(attempt)
            self._changed.notify_all()
        if fault is DeliveryFault.SLOW:
            await asyncio.sleep(self._setting.slow_seconds)
        return attempt
