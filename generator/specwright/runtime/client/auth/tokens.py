"""Access tokens, obtained for a grant and kept until they expire (RFC 6749)."""

from __future__ import annotations

import json
import threading
from base64 import b64encode
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote_plus, urlencode

from ...shared.auth.oauth2 import Grant
from ...shared.operation import at
from ..errors import InvalidArgumentError, TokenRequestError
from ..transport.base import Headers, Request, Response, TransportError
from ..wire.addresses import host_of

if TYPE_CHECKING:
    import asyncio

# A token is replaced so many seconds before its expiry, but at most a tenth of its lifetime.
_MARGIN = 30.0
_FORM = "application/x-www-form-urlencoded"

Flow = Generator[Request, Response, str]


class Tokens:
    """The current token of a grant.

    Args:
        url: the token endpoint.

    Raises:
        InvalidArgumentError: the URL is invalid.
    """

    def __init__(self, grant: Grant, url: str, user_agent: str) -> None:
        host = host_of(url)
        if host is None:
            raise InvalidArgumentError("the token URL is not a valid HTTP URL; pass token_url")
        self._grant, self._url = grant, url
        self._headers: Headers = [
            ("host", host),
            ("accept", "application/json"),
            ("user-agent", user_agent),
            ("content-type", _FORM),
        ]
        self._token = self._refresh = ""
        self._ends = 0.0
        self._lock = threading.Lock()
        self._locks: dict[asyncio.AbstractEventLoop, asyncio.Lock] = {}

    @contextmanager
    def turn(self, seconds: float | None) -> Generator[None]:
        """Keep other threads from obtaining a token at the same time.

        Raises:
            TransportError: another thread did so for more than `seconds`.
        """
        if not self._lock.acquire(timeout=-1 if seconds is None else seconds):
            raise _late()
        try:
            yield
        finally:
            self._lock.release()

    @asynccontextmanager
    async def turn_async(self, seconds: float | None) -> AsyncGenerator[None]:
        """Keep other tasks of this event loop from obtaining a token at the same time.

        Raises:
            TransportError: another task did so for more than `seconds`.
        """
        import asyncio

        loop = asyncio.get_running_loop()
        if loop not in self._locks:
            open_ones = {each: lock for each, lock in self._locks.items() if not each.is_closed()}
            self._locks = {**open_ones, loop: asyncio.Lock()}
        lock = self._locks[loop]
        try:
            await asyncio.wait_for(lock.acquire(), seconds)
        except TimeoutError:
            raise _late() from None
        try:
            yield
        finally:
            lock.release()

    def forget(self) -> bool:
        """Discard the token; return whether there was one."""
        had_one, self._token = self._token != "", ""
        return had_one

    def flow(self, call: Request) -> Flow:
        """Yield the requests needed to obtain a token, then return the token for a call.

        Raises:
            TokenRequestError: the token endpoint refuses to issue one.
            TransportError: the token endpoint is temporarily unavailable.
        """
        if self._token and monotonic() < self._ends:
            return self._token
        began, response = monotonic(), None
        if self._refresh:
            response = yield self._request(call, self._refreshing())
        if response is None or response.status != 200:
            response = yield self._request(call, self._grant.form())
        self._keep(response, began)
        return self._token

    def _refreshing(self) -> dict[str, str]:
        token, self._refresh = self._refresh, ""
        return {"grant_type": "refresh_token", "refresh_token": token}

    def _request(self, call: Request, form: Mapping[str, str]) -> Request:
        grant, headers = self._grant, self._headers
        if grant.client_secret and grant.auth_method == "client_secret_basic":
            # RFC 6749, 2.3.1.
            pair = f"{quote_plus(grant.client_id)}:{quote_plus(grant.client_secret)}"
            basic = b64encode(pair.encode()).decode()
            headers = [*headers, ("authorization", f"Basic {basic}")]
        else:
            own = {"client_id": grant.client_id, "client_secret": grant.client_secret}
            form = {**form, **{name: text for name, text in own.items() if text}}
        content = urlencode(form).encode()
        limits = call.timeout, call.deadline
        return Request("POST", self._url, headers, content, *limits, route=self._url)

    def _keep(self, response: Response, began: float) -> None:
        try:
            body = json.loads(response.content)
        except ValueError:
            body = None
        token, refresh = at(body, ("access_token",)), at(body, ("refresh_token",))
        if response.status >= 500 or response.status == 429:
            raise TransportError(f"the token endpoint responded with {response.status}")
        if response.status != 200 or not isinstance(token, str) or not token:
            raise TokenRequestError(response.status, at(body, ("error",)))
        self._token, self._refresh = token, refresh if isinstance(refresh, str) else ""
        self._ends = began + _seconds(at(body, ("expires_in",)))


def obtained(flow: Flow, send: Callable[[Request], Response]) -> str:
    """Run a flow and return the token."""
    response: Any = None
    while True:
        try:
            response = send(flow.send(response))
        except StopIteration as end:
            return cast("str", end.value)
        except TransportError as error:
            raise _unreached(error) from None


async def obtained_async(flow: Flow, send: Callable[[Request], Awaitable[Response]]) -> str:
    """Run a flow and return the token."""
    response: Any = None
    while True:
        try:
            response = await send(flow.send(response))
        except StopIteration as end:
            return cast("str", end.value)
        except TransportError as error:
            raise _unreached(error) from None


def _unreached(error: TransportError) -> TransportError:
    # The call itself was not sent, as if the connection had failed.
    message = f"no token could be obtained: {error}"
    return TransportError(message, timed_out=error.timed_out, step="connect")


def _late() -> TransportError:
    message = "no token could be obtained in time"
    return TransportError(message, timed_out=True, step="connect")


def _seconds(lifetime: object) -> float:
    """Return the seconds for which a token is used."""
    try:
        seconds = float(str(lifetime))
    except ValueError:
        return float("inf")
    return seconds - min(_MARGIN, seconds / 10)
