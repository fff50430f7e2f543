"""Faults in the limits of requests and of resources."""

from copy import copy
from dataclasses import replace

from pytest import MonkeyPatch

from esim_service.domain import endpoints
from esim_service.rate_limits.limiter import KeyLimiter, LocalWindows
from lab.faults.seeding import REFUSED, Exchange, over_http
from partner_esim import server
from partner_esim.server import Allowance, Context, RateLimitClass


def one_request_more(patch: MonkeyPatch) -> None:
    """The 601st request is served. “never more than 600 (60) in any window of 60 s”"""
    take = LocalWindows.take

    async def one_more(windows: LocalWindows, bucket: str, limit: int, seconds: int) -> Allowance:
        allowance = await take(windows, bucket, limit + 1, seconds)
        return replace(allowance, remaining=max(0, allowance.remaining - 1), limit=limit)

    patch.setattr(LocalWindows, "take", one_more)


def writes_count_as_reads(patch: MonkeyPatch) -> None:
    """Writes have the limit of reads. “60 requests per minute per key”"""
    take = KeyLimiter.take

    async def of_reads(limiter: KeyLimiter, limit: RateLimitClass, context: Context) -> Allowance:
        return await take(limiter, replace(limit, limit=600), context)

    patch.setattr(KeyLimiter, "take", of_reads)


def window_of_all_keys(patch: MonkeyPatch) -> None:
    """The keys of a partner share one limit. “Rate limits are counted per key.”"""
    take = KeyLimiter.take

    async def of_partner(limiter: KeyLimiter, limit: RateLimitClass, context: Context) -> Allowance:
        shared = copy(context)
        shared.principal = replace(context.principal, key_id=context.principal.scope.partner_id)
        return await take(limiter, limit, shared)

    patch.setattr(KeyLimiter, "take", of_partner)


def no_retry_after(patch: MonkeyPatch) -> None:
    """A refusal does not say how long to wait. “rate_limited + `Retry-After`”"""

    def answered(exchange: Exchange) -> None:
        if exchange.status == 429:
            del exchange.headers["retry-after"]

    over_http(patch, ".*", answered=answered)


def retry_after_in_milliseconds(patch: MonkeyPatch) -> None:
    """The wait is in another unit. “rate_limited + `Retry-After`”"""

    def answered(exchange: Exchange) -> None:
        if exchange.status == 429:
            exchange.headers["retry-after"] += "000"

    over_http(patch, ".*", answered=answered)


def remaining_never_changes(patch: MonkeyPatch) -> None:
    """The header for the remaining requests shows the limit. “`RateLimit: "read";r=599;t=12`”"""
    take = KeyLimiter.take

    async def all_of_it(limiter: KeyLimiter, limit: RateLimitClass, context: Context) -> Allowance:
        allowance = await take(limiter, limit, context)
        return replace(allowance, remaining=allowance.limit or limit.limit)

    patch.setattr(KeyLimiter, "take", all_of_it)


def no_rate_headers_on_errors(patch: MonkeyPatch) -> None:
    """Errors say nothing of the limit. “Rate headers | on every authenticated answer”"""

    def answered(exchange: Exchange) -> None:
        if exchange.status >= 400:
            exchange.headers.pop("ratelimit", None)
            exchange.headers.pop("ratelimit-policy", None)

    over_http(patch, ".*", answered=answered)


def limited_is_503(patch: MonkeyPatch) -> None:
    """A client over its limit gets the error of an unavailable service. “429 | rate_limited”"""

    def answered(exchange: Exchange) -> None:
        if exchange.status == 429:
            exchange.status = 503

    over_http(patch, ".*", answered=answered)


def four_endpoints(patch: MonkeyPatch) -> None:
    """There can be four endpoints.

    “Up to three HTTPS webhook endpoints may be registered per mode.”
    """
    patch.setattr(endpoints, "CAPACITY", endpoints.CAPACITY + 1)


def capacity_is_400(patch: MonkeyPatch) -> None:
    """The fourth endpoint is an invalid request.

    “webhook_endpoint_limit_reached for the fourth”
    """

    def answered(exchange: Exchange) -> None:
        if exchange.status == 409:
            error = exchange.json
            error["error"]["code"] = "invalid_value"
            exchange.status, exchange.json = 400, error

    over_http(patch, "POST /webhook-endpoints", answered=answered)


def removed_endpoints_count(patch: MonkeyPatch) -> None:
    """Endpoints that were removed still take their place. “Webhook endpoints | 3 per mode”"""
    made: dict[str, int] = {}

    def asked(exchange: Exchange) -> None:
        if made.get(exchange.fields.get("authorization", ""), 0) >= 3:
            exchange.sent = REFUSED

    def answered(exchange: Exchange) -> None:
        if exchange.status == 201:
            key = exchange.fields["authorization"]
            made[key] = made.get(key, 0) + 1
        elif exchange.status == 400 and exchange.sent == REFUSED:
            error = exchange.json
            del error["error"]["details"]
            error["error"].update(code="webhook_endpoint_limit_reached", param=None)
            exchange.status, exchange.json = 409, error

    over_http(patch, "POST /webhook-endpoints", asked=asked, answered=answered)


def bodies_of_any_size(patch: MonkeyPatch) -> None:
    """A body may have ten megabytes. “body_too_large (over 64 KiB)”"""
    patch.setattr(server, "_POLICY", replace(server._POLICY, max_body=10_000_000))
