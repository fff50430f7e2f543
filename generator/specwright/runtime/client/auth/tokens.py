"""Access tokens, obtained for a grant and kept until they expire (RFC 6749)."""

from __future__ import annotations

import json
import threading
from base64 import b64encode
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from time import monotonic
from typing import TYPE_CHECKING, cast
from urllib.parse import quote_plus, urlencode

from pydantic import JsonValue

from ...shared.auth.oauth2 import DeviceAuthorization, Grant, UserCode
from ...shared.operation import at
from ..calls.retries import Pause
from ..errors import InvalidArgumentError, TokenRequestError
from ..transport.base import Headers, Request, Response, TransportError
from ..wire.addresses import host_of

if TYPE_CHECKING:
    import asyncio

# A token is replaced so many seconds before its expiry, but at most a tenth of its lifetime.
_MARGIN = 30.0
_FORM = "application/x-www-form-urlencoded"
# RFC 8628, 3.2 and 3.5: seconds between two requests for a token, and what the service may add.
_INTERVAL = _SLOWER = 5.0
# No number of seconds that a service means is as large (RFC 9111, 1.2.2).
_LONGEST = 2.0**31

Step = Request | Pause
# Receives the response to each request.
Flow = Generator[Step, Response, str]


class Tokens:
    """The current token of a grant.

    Args:
        url: the token endpoint.
        device_url: the endpoint that issues codes, for a grant with codes.

    Raises:
        InvalidArgumentError: a URL is invalid.
    """

    def __init__(self, grant: Grant, url: str, device_url: str | None, user_agent: str) -> None:
        if host_of(url) is None:
            raise InvalidArgumentError("the token URL is not a valid HTTP URL; pass token_url")
        if device_url is not None and host_of(device_url) is None:
            raise InvalidArgumentError(
                "the device authorization URL is not a valid HTTP URL; "
                "pass device_authorization_url"
            )
        self._grant, self._url, self._device_url = grant, url, device_url
        self._headers: Headers = [
            ("accept", "application/json"),
            ("user-agent", user_agent),
            ("content-type", _FORM),
        ]
        self._token = self._refresh = ""
        self._asked = self._ends = 0.0
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
        """Yield the requests and pauses needed to obtain a token; return the token for a call.

        Raises:
            TokenRequestError: the token endpoint refuses to issue one.
            TransportError: the token endpoint is temporarily unavailable.
        """
        if self._token and monotonic() < self._ends:
            return self._token
        response = None
        if self._refresh:
            response = yield self._request(call, self._refreshing())
        if response is None or response.status != 200:
            if isinstance(self._grant, DeviceAuthorization):
                response = yield from self._authorized(call, self._grant)
            else:
                response = yield self._request(call, self._grant.form())
        self._keep(response)
        return self._token

    def _authorized(
        self, call: Request, grant: DeviceAuthorization
    ) -> Generator[Step, Response, Response]:
        """Obtain a code, show it, and poll until the user has decided (RFC 8628, 3.1 to 3.5)."""
        began = monotonic()
        response = yield self._request(call, Grant.form(grant), self._device_url)
        body = _body(response)
        device_code = at(body, ("device_code",))
        lifetime, interval = (_number(at(body, (n,))) for n in ("expires_in", "interval"))
        if response.status != 200 or not isinstance(device_code, str) or lifetime is None:
            _check(response)
            raise TokenRequestError(response.status, at(body, ("error",)))
        complete = at(body, ("verification_uri_complete",))
        grant.show(
            UserCode(
                user_code=str(at(body, ("user_code",))),
                verification_uri=str(at(body, ("verification_uri",))),
                verification_uri_complete=complete if isinstance(complete, str) else None,
                expires_in=lifetime,
            )
        )
        pause = _INTERVAL if interval is None else interval
        ends = monotonic() + lifetime
        late = began + call.deadline if call.deadline is not None else float("inf")
        while True:
            # The code may expire before the next request for a token is allowed.
            yield Pause(max(0.0, min(pause, min(ends, late) - monotonic())))
            if monotonic() >= late:
                raise TransportError("the user did not decide in time", timed_out=True)
            try:
                response = yield self._request(call, {**grant.form(), "device_code": device_code})
            except TransportError:
                # RFC 8628, 3.5.
                pause *= 2
            else:
                error = at(_body(response), ("error",))
                pause += _SLOWER if error == "slow_down" else 0
                if error not in ("authorization_pending", "slow_down"):
                    return response
            if monotonic() >= ends:
                return response

    def _refreshing(self) -> dict[str, str]:
        token, self._refresh = self._refresh, ""
        return {"grant_type": "refresh_token", "refresh_token": token}

    def _request(self, call: Request, form: Mapping[str, str], url: str | None = None) -> Request:
        url, grant = url or self._url, self._grant
        headers = [("host", host_of(url) or ""), *self._headers]
        self._asked = monotonic()
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
        return Request("POST", url, headers, content, *limits, route=url)

    def _keep(self, response: Response) -> None:
        body = _body(response)
        token, refresh = at(body, ("access_token",)), at(body, ("refresh_token",))
        _check(response)
        if response.status != 200 or not isinstance(token, str) or not token:
            raise TokenRequestError(response.status, at(body, ("error",)))
        self._token, self._refresh = token, refresh if isinstance(refresh, str) else ""
        self._ends = self._asked + _seconds(at(body, ("expires_in",)))


def obtained(
    flow: Flow, send: Callable[[Request], Response], sleep: Callable[[float], None]
) -> str:
    """Run a flow and return the token."""
    outcome: Response | TransportError | None = None
    while True:
        try:
            step = _resume(flow, outcome)
        except StopIteration as end:
            return cast("str", end.value)
        except TransportError as error:
            raise _unreached(error) from None
        outcome = None
        if isinstance(step, Pause):
            sleep(step)
        else:
            try:
                outcome = send(step)
            except TransportError as error:
                outcome = error


async def obtained_async(
    flow: Flow,
    send: Callable[[Request], Awaitable[Response]],
    sleep: Callable[[float], Awaitable[None]],
) -> str:
    """Run a flow and return the token."""
    outcome: Response | TransportError | None = None
    while True:
        try:
            step = _resume(flow, outcome)
        except StopIteration as end:
            return cast("str", end.value)
        except TransportError as error:
            raise _unreached(error) from None
        outcome = None
        if isinstance(step, Pause):
            await sleep(step)
        else:
            try:
                outcome = await send(step)
            except TransportError as error:
                outcome = error


def _resume(flow: Flow, outcome: Response | TransportError | None) -> Step:
    if isinstance(outcome, TransportError):
        return flow.throw(outcome)
    # A flow receives None at its start and after pauses.
    return flow.send(cast("Response", outcome))


def _body(response: Response) -> JsonValue:
    try:
        body: JsonValue = json.loads(response.content)
    except (ValueError, RecursionError):
        return None
    return body


def _check(response: Response) -> None:
    if response.status >= 500 or response.status == 429:
        raise TransportError(f"the token endpoint responded with {response.status}")


def _number(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < _LONGEST else None


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
