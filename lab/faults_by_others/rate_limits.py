"""Faults in rate limits and in their headers."""

from __future__ import annotations

import re
import time
from collections import deque
from copy import copy
from dataclasses import replace

from pytest import MonkeyPatch

from esim_service.rate_limits.limiter import KeyLimiter, LocalWindows
from lab.faults.seeding import Exchange, over_http
from lab.faults_by_others.by_hand import Answer, Api, Desk, shown_by
from partner_esim.server import Allowance, Context, RateLimitClass


def _write(api: Api) -> Answer:
    return api.delete("/webhook-endpoints/whe_0")


def _used_up(desk: Desk) -> Answer:
    for _ in range(60):
        _write(desk.limited)
    return _write(desk.limited)


@shown_by(lambda desk: _used_up(desk).status_code == 429)
def sixty_one_writes(patch: MonkeyPatch) -> None:
    """61 writes are let through in a minute.

    “Exact: never more than 600 (60) in any window of 60 s”
    """
    take = LocalWindows.take

    async def one_more(
        self: LocalWindows, bucket: str, limit: int, window_seconds: int
    ) -> Allowance:
        allowance = await take(self, bucket, limit + 1, window_seconds)
        return replace(allowance, remaining=max(0, allowance.remaining - 1), limit=limit)

    patch.setattr(LocalWindows, "take", one_more)


def _turn_of_the_minute(desk: Desk) -> bool:
    limited = desk.limited
    # Shortly before a minute of the second hand of this machine ends.
    time.sleep((55 - time.monotonic()) % 60)
    answers = [_write(limited) for _ in range(60)]
    assert answers[-1].status_code != 429
    time.sleep((1 - time.monotonic()) % 60)
    return _write(limited).status_code == 429


@shown_by(_turn_of_the_minute)
def minutes_of_the_clock(patch: MonkeyPatch) -> None:
    """With each minute of the clock, the count begins again.

    “Exact: never more than 600 (60) in any window of 60 s”
    """
    take = LocalWindows.take

    async def of_this_minute(
        self: LocalWindows, bucket: str, limit: int, window_seconds: int
    ) -> Allowance:
        minute = self._clock.monotonic() // window_seconds
        times = self._taken.get(bucket, deque())
        while times and times[0] // window_seconds < minute:
            times.popleft()
        return await take(self, bucket, limit, window_seconds)

    patch.setattr(LocalWindows, "take", of_this_minute)


def _reads_apart(desk: Desk) -> bool:
    for _ in range(61):
        desk.limited.get("/balance")
    return _write(desk.limited).status_code == 404 or _write(desk.limited).status_code == 400


@shown_by(_reads_apart)
def reads_and_writes_together(patch: MonkeyPatch) -> None:
    """Reads count as writes, too.

    “Read endpoints (all GET endpoints) | 600 requests per minute per key”
    “Write endpoints (POST /orders”
    """
    take = LocalWindows.take

    async def together(
        self: LocalWindows, bucket: str, limit: int, window_seconds: int
    ) -> Allowance:
        return await take(self, bucket.partition("/")[0], limit, window_seconds)

    patch.setattr(LocalWindows, "take", together)


def _keys_apart(desk: Desk) -> bool:
    _used_up(desk)
    second = desk.client(desk.key(limit=None))
    return _write(second).status_code != 429


@shown_by(_keys_apart)
def keys_together(patch: MonkeyPatch) -> None:
    """All keys of a partner share one limit.

    “Rate limits are counted per key.”
    """
    take = KeyLimiter.take

    async def of_partner(self: KeyLimiter, limit: RateLimitClass, context: Context) -> Allowance:
        shared = copy(context)
        shared.principal = replace(context.principal, key_id=context.principal.scope.partner_id)
        return await take(self, limit, shared)

    patch.setattr(KeyLimiter, "take", of_partner)


def _errors_count(desk: Desk) -> bool:
    for _ in range(60):
        desk.limited.post("/orders", json={})
    return _write(desk.limited).status_code == 429


@shown_by(_errors_count)
def invalid_requests_are_free(patch: MonkeyPatch) -> None:
    """A request that is refused with 400 does not count.

    “Exact: never more than 600 (60) in any window of 60 s”
    “Order of checks | authentication, rate limit, route, body and query”
    """
    take = LocalWindows.take
    last: list[tuple[LocalWindows, str]] = []

    async def noted(self: LocalWindows, bucket: str, limit: int, window_seconds: int) -> Allowance:
        last.append((self, bucket))
        return await take(self, bucket, limit, window_seconds)

    def give_back(exchange: Exchange) -> None:
        if exchange.status == 400:
            windows, bucket = last[-1]
            windows._taken[bucket].pop()

    patch.setattr(LocalWindows, "take", noted)
    over_http(patch, ".*", answered=give_back)


@shown_by(lambda desk: "ratelimit" in desk.api.get("/orders/ord_0").headers)
def errors_without_the_state(patch: MonkeyPatch) -> None:
    """Errors do not say how much of the limit is left.

    “Rate headers | on every authenticated answer”
    """

    def drop(exchange: Exchange) -> None:
        if exchange.status in (400, 402, 404, 405, 409, 422):
            exchange.headers.pop("ratelimit", None)
            exchange.headers.pop("ratelimit-policy", None)

    over_http(patch, ".*", answered=drop)


def _left(desk: Desk) -> list[str]:
    found = [desk.limited.get("/balance").headers["ratelimit"] for _ in range(3)]
    return [each.split(";")[1] for each in found]


@shown_by(lambda desk: _left(desk) == ["r=599", "r=598", "r=597"])
def rest_does_not_fall(patch: MonkeyPatch) -> None:
    """Answers always say that one request of the limit was used.

    “`RateLimit: "read";r=599;t=12`”
    """

    def fix(exchange: Exchange) -> None:
        policy = re.search(r"q=(\d+)", exchange.headers.get("ratelimit-policy", ""))
        if policy and exchange.status != 429:
            left = f"r={int(policy[1]) - 1}"
            exchange.headers["ratelimit"] = re.sub(r"r=\d+", left, exchange.headers["ratelimit"])

    over_http(patch, ".*", answered=fix)


def _long_enough(desk: Desk) -> bool:
    pause = int(_used_up(desk).headers["retry-after"])
    return pause > 30


@shown_by(_long_enough)
def come_again_at_once(patch: MonkeyPatch) -> None:
    """Beyond the limit, the pause that is asked for is always one second.

    “429 | rate_limited + `Retry-After`”
    """

    def shorten(exchange: Exchange) -> None:
        if exchange.status == 429:
            exchange.headers["retry-after"] = "1"

    over_http(patch, ".*", answered=shorten)


def _resets_count(desk: Desk) -> bool:
    _used_up(desk)
    return desk.limited.post("/sandbox/reset").status_code == 429


@shown_by(_resets_count)
def resets_are_free(patch: MonkeyPatch) -> None:
    """Resets of the sandbox are not limited.

    “POST /webhook-endpoints/{id}/test, POST /sandbox/reset) | 60 requests per minute per key”
    """
    take = KeyLimiter.take

    async def counted(self: KeyLimiter, limit: RateLimitClass, context: Context) -> Allowance:
        if context.scope["path"].endswith("/sandbox/reset"):
            return Allowance(True, limit.limit - 1, limit.window_seconds, limit.limit)
        return await take(self, limit, context)

    patch.setattr(KeyLimiter, "take", counted)


def _unknown_routes_count(desk: Desk) -> bool:
    for _ in range(60):
        desk.limited.post("/nothing-here")
    return _write(desk.limited).status_code == 429


@shown_by(_unknown_routes_count)
def unknown_routes_are_free(patch: MonkeyPatch) -> None:
    """A request for a path that does not exist is not counted.

    “Order of checks | authentication, rate limit, route, body and query”
    """
    take = KeyLimiter.take

    async def counted(self: KeyLimiter, limit: RateLimitClass, context: Context) -> Allowance:
        if context.operation is None:
            return Allowance(True, limit.limit - 1, limit.window_seconds, limit.limit)
        return await take(self, limit, context)

    patch.setattr(KeyLimiter, "take", counted)
