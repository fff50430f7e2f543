"""Rate limits shared by the processes on one Redis."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from partner_esim.server import Allowance

from ..store.changes.database import OperatorError, UnavailableError
from ..values.clock import Clock
from .limiter import verdict

_PREFIX = "esim:rate:"
_CONNECTIONS = 32
_SECONDS = 1.0
_MICROSECONDS = 1_000_000

# Microseconds as text of 16 digits: Lua would format a number of that size with only 14.
_SCRIPT = """
local most, span, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
local place = redis.call('LLEN', KEYS[1]) - 1
while place >= 0 and tonumber(redis.call('LINDEX', KEYS[1], place)) > now do
  -- The clock was set back. As if it had just come, a request counts for one more window.
  redis.call('LSET', KEYS[1], place, string.format('%.0f', now))
  place = place - 1
end
local oldest = redis.call('LINDEX', KEYS[1], 0)
while oldest and oldest + span <= now do
  redis.call('LPOP', KEYS[1])
  oldest = redis.call('LINDEX', KEYS[1], 0)
end
local used = redis.call('LLEN', KEYS[1])
local allowed = 0
if used < most then
  allowed = 1
  used = redis.call('RPUSH', KEYS[1], string.format('%.0f', now))
  -- Later than the windows need it, and only so that a key that is idle goes away.
  redis.call('PEXPIRE', KEYS[1], math.ceil(span / 500))
end
-- When the limit was lowered, more than the oldest one has to go.
local first = redis.call('LINDEX', KEYS[1], math.max(0, used - most))
return {allowed, used, first and first + span - now or span}
"""


class RedisWindows:
    """Windows in lists of Redis, each counted by one atomic script.

    The time is that of the Redis server, the only one that all processes share; in tests, a clock
    replaces it.
    """

    def __init__(self, client: Redis, clock: Clock | None = None) -> None:
        self._client = client
        self._script = client.register_script(_SCRIPT)
        self._clock = clock

    async def take(self, bucket: str, limit: int, window_seconds: int) -> Allowance:
        """Count a request in a bucket, unless its window is full.

        Raises:
            UnavailableError: Redis cannot be reached or does not respond.
        """
        now = "" if self._clock is None else self._clock.now() * 1000
        arguments = limit, window_seconds * _MICROSECONDS, now
        try:
            reply = await self._script(keys=[_PREFIX + bucket], args=arguments)
        except (RedisError, OSError) as error:
            raise UnavailableError(f"Redis cannot do this now: {error}") from error
        allowed, used, wait = cast("list[int]", reply)
        return verdict(allowed == 1, used, wait / _MICROSECONDS, limit)

    async def check(self) -> None:
        """Check that Redis responds.

        Raises:
            UnavailableError: it does not.
        """
        try:
            await self._client.ping()
        except (RedisError, OSError) as error:
            raise UnavailableError(f"Redis cannot do this now: {error}") from error


@asynccontextmanager
async def open_redis(url: str, clock: Clock | None = None) -> AsyncIterator[RedisWindows]:
    """Connect to Redis for the duration of the context.

    Raises:
        OperatorError: the connection fails.
    """
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=_CONNECTIONS,
        timeout=_SECONDS,
        socket_timeout=_SECONDS,
        socket_connect_timeout=_SECONDS,
        # One retry: connections that were open during a restart of the server are found broken.
        retry=Retry(NoBackoff(), 1),
    )
    client = Redis.from_pool(pool)
    windows = RedisWindows(client, clock)
    try:
        try:
            await windows.check()
        except UnavailableError as error:
            raise OperatorError(f"{error}: see ESIM_REDIS_URL") from error
        yield windows
    finally:
        await client.aclose()
