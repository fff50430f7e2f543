"""The partner eSIM API as one Starlette file, written by hand from the document.

It shares nothing with the generated code. Everything is in memory and one process serves it, so
what happens between two `await`s happens at once. An endpoint that fails is never disabled.

    ESIM_KEYS=acme:pes_test_…,globex:pes_test_… python app.py 8001

An entry may end in `:READ:WRITE`, its requests per minute. `ESIM_PRIVATE_WEBHOOKS=1` lets webhook
endpoints have private addresses, for tests on one machine.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import ipaddress
import itertools
import json
import logging
import math
import os
import re
import secrets
import socket
import ssl
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

Json = dict[str, Any]

DOCUMENT = Path(__file__).parents[2] / "spec" / "openapi.json"
BASE_PATH = "/api/v1"
MAX_BODY_BYTES = 65_536
WINDOW_SECONDS = 60
MAX_DETAILS = 20
RETENTION_SECONDS = 30 * 86_400
# Between an order and its eSIMs, and between two reports of the played carrier.
CARRIER_SECONDS = 0.4
SLOW_ORDER_SECONDS = 3
TEST_BALANCE, LOW_BALANCE = Decimal("1000.00"), Decimal("100.00")
MAX_ENDPOINTS = 3
RETRY_AFTER_SECONDS = (60, 300, 1800, 7200, 43200)
EVENT_TYPES = (
    "order.completed",
    "esim.activated",
    "esim.usage",
    "esim.depleted",
    "esim.expiring",
    "esim.expired",
    "topup.completed",
    "balance.low",
    "webhook.test",
)

log = logging.getLogger("plain-starlette")

# Errors

INVALID, IDEMPOTENCY, API = "invalid_request_error", "idempotency_error", "api_error"
CODES = {
    **dict.fromkeys(
        (
            "invalid_json body_too_large unsupported_media_type missing_field unknown_field"
            " invalid_value out_of_range invalid_length missing_country_or_coverage invalid_cursor"
            " cursor_expired plan_not_found topup_plan_not_found days_required days_not_allowed"
            " topup_not_supported esim_not_eligible invalid_webhook_url"
        ).split(),
        (400, INVALID),
    ),
    "missing_api_key": (401, "authentication_error"),
    "invalid_api_key": (401, "authentication_error"),
    "insufficient_balance": (402, "payment_error"),
    "test_mode_only": (403, "permission_error"),
    "resource_not_found": (404, "not_found_error"),
    "route_not_found": (404, "not_found_error"),
    "method_not_allowed": (405, INVALID),
    "reference_in_progress": (409, IDEMPOTENCY),
    "webhook_endpoint_limit_reached": (409, INVALID),
    "reference_reused": (422, IDEMPOTENCY),
    "rate_limited": (429, "rate_limit_error"),
    "internal_error": (500, API),
    "upstream_error": (502, API),
}


class Problem(Exception):  # noqa: N818 - it is an answer, not a failure
    """A request that is answered with the error body."""

    def __init__(
        self,
        code: str,
        message: str,
        param: str | None = None,
        *,
        details: list[Json] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        self.code, self.message, self.param = code, message, param
        self.details, self.headers = details, headers


def answer_problem(request: Request, problem: Problem) -> Response:
    status, kind = CODES[problem.code]
    error = {
        "type": kind,
        "code": problem.code,
        "message": problem.message,
        "param": problem.param,
        "request_id": request.state.request_id,
    }
    if problem.details:
        error["details"] = problem.details[:MAX_DETAILS]
    return JSONResponse({"error": error}, status, headers=problem.headers)


async def on_problem(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, Problem)
    return answer_problem(request, problem)


async def on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        refused = Problem(
            "method_not_allowed",
            f"This path has no {request.method}.",
            headers=dict(error.headers or {}),
        )
        return answer_problem(request, refused)
    return answer_problem(request, Problem("route_not_found", "There is no such path."))


# Ids, time, money

CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
sequence = itertools.count(1)


def new_id(prefix: str) -> str:
    number = int(time.time() * 1000) << 80 | secrets.randbits(80)
    return f"{prefix}_" + "".join(CROCKFORD[number >> 5 * at & 31] for at in range(25, -1, -1))


def stamp(moment: datetime | None = None) -> str:
    moment = moment or datetime.now(UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def usd(amount: Decimal) -> str:
    return f"{amount:.2f}"


def new_iccid() -> str:
    digits = f"89880440{secrets.randbelow(10**10):010}"
    doubled = (int(digit) * (2 if at % 2 == 0 else 1) for at, digit in enumerate(digits[::-1]))
    return digits + str(-sum(sum(divmod(number, 10)) for number in doubled) % 10)


# The catalogue


def entry(prefix: str, row: str, starts_on: str) -> Json:
    slug, name, gigabytes, days, price = (each.strip() for each in row.split("|")[:5])
    is_daily = days == "-"
    return {
        f"{prefix}_id": f"{'pln' if prefix == 'plan' else 'tpl'}_{slug}",
        "name": name,
        "plan_type": "daily" if is_daily else "fixed",
        "data": {
            "bytes": int(gigabytes) * 10**9,
            "unlimited": False,
            "per_day": is_daily,
            "fair_use": None,
        },
        "validity": {"days": None if is_daily else int(days), "starts_on": starts_on},
        "price_usd": price,
    }


def plan(row: str) -> Json:
    coverage, countries, topup = (each.strip() for each in row.split("|")[5:])
    return entry("plan", row, "first_connection") | {
        "coverage": coverage,
        "countries": countries.split(),
        "networks": [
            {"country": country, "name": NETWORKS[country], "technologies": ["4G", "5G"]}
            for country in countries.split()
        ],
        "topup_supported": {"yes": True, "no": False, "unknown": None}[topup],
        "updated_at": "2026-02-01T00:00:00Z",
    }


NETWORKS = {"DE": "Telekom", "JP": "KDDI", "KR": "SK Telecom", "TH": "AIS", "US": "T-Mobile"}
# Slug, name, gigabytes, days (- for a daily plan), price, coverage, countries, top-ups.
PLANS = {
    (made := plan(row))["plan_id"]: made
    for row in (
        "asia-daily-1gb  | Asia 1 GB per day     |  1 |  - |  1.10 | regional | JP KR TH | unknown",
        "asia-10gb-30d   | Asia 10 GB, 30 days   | 10 | 30 | 11.00 | regional | JP KR TH | no",
        "de-5gb-30d      | Germany 5 GB, 30 days |  5 | 30 |  5.00 | country  | DE       | yes",
        "global-50gb-90d | Global 50 GB, 90 days | 50 | 90 | 49.00 | global   | DE JP US | no",
        "jp-5gb-30d      | Japan 5 GB, 30 days   |  5 | 30 |  4.50 | country  | JP       | yes",
        "jp-20gb-30d     | Japan 20 GB, 30 days  | 20 | 30 | 13.50 | country  | JP       | yes",
        "us-5gb-30d      | USA 5 GB, 30 days     |  5 | 30 |  6.00 | country  | US       | yes",
    )
}
TOPUP_PLANS = {
    (made := entry("topup_plan", row, "purchase"))["topup_plan_id"]: made
    for row in (
        "de-3gb-30d   | Germany 3 GB, 30 days | 3 | 30 | 3.50",
        "jp-3gb-30d   | Japan 3 GB, 30 days   | 3 | 30 | 3.00",
        "jp-daily-1gb | Japan 1 GB per day    | 1 |  - | 1.20",
        "us-3gb-30d   | USA 3 GB, 30 days     | 3 | 30 | 4.00",
    )
}


def eligible_topup_plans(esim: Json) -> list[Json]:
    bought = PLANS[esim["plan_id"]]
    if bought["coverage"] != "country" or esim["status"] in ("expired", "revoked"):
        return []
    prefix = f"tpl_{bought['countries'][0].lower()}-"
    return [each for name, each in sorted(TOPUP_PLANS.items()) if name.startswith(prefix)]


# Accounts


@dataclass
class Attempt:
    """A request under a reference; `answer` is None while it is in progress."""

    payload: Json
    answer: bytes | None = None


@dataclass
class Endpoint:
    shown: Json
    secret: str


@dataclass
class Account:
    """What one partner has in one mode. Lists of resources grow at their end."""

    mode: str
    balance: Decimal
    balance_updated: str = field(default_factory=stamp)
    is_low: bool = False
    orders: dict[str, tuple[int, Json]] = field(default_factory=dict)
    esims: dict[str, tuple[int, Json]] = field(default_factory=dict)
    events: deque[tuple[int, float, Json]] = field(default_factory=deque)
    forgotten: int = 0
    attempts: dict[tuple[str, str], Attempt] = field(default_factory=dict)
    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def shown_balance(self) -> Json:
        return {
            "balance_usd": usd(self.balance),
            "low_balance_threshold_usd": usd(LOW_BALANCE),
            "currency": "USD",
            "updated_at": self.balance_updated,
        }

    def charge(self, total: Decimal) -> None:
        if total > self.balance:
            required, balance = usd(total), usd(self.balance)
            message = f"{required} USD are needed, and the balance is {balance} USD."
            detail: Json = {"param": None, "code": "insufficient_balance", "message": message}
            detail |= {"required_usd": required, "balance_usd": balance}
            raise Problem("insufficient_balance", message, details=[detail])
        self.move(-total)

    def move(self, amount: Decimal) -> None:
        self.balance += amount
        self.balance_updated = stamp()
        was_low, self.is_low = self.is_low, self.balance < LOW_BALANCE
        if self.is_low and not was_low:
            self.emit("balance.low", self.shown_balance())

    def emit(self, kind: str, data: Json, only: Endpoint | None = None, **beside: Any) -> str:
        """Write an event into the feed, and deliver it."""
        event: Json = {"id": new_id("evt"), "type": kind, "created_at": stamp(), "mode": self.mode}
        event |= {**beside, "data": data}
        body = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        self.events.append((next(sequence), time.time(), json.loads(body)))
        subscribed = [each for each in self.endpoints.values() if kind in each.shown["event_types"]]
        for endpoint in [only] if only is not None else subscribed:
            self.begin(deliver(self, endpoint, event["id"], kind, body.encode()))
        return str(event["id"])

    def forget_old_events(self) -> None:
        while self.events and self.events[0][1] < time.time() - RETENTION_SECONDS:
            self.forgotten = self.events.popleft()[0]

    def reset(self) -> None:
        for task in self.tasks:
            task.cancel()
        self.orders.clear()
        self.esims.clear()
        self.events.clear()
        self.attempts.clear()
        self.balance, self.is_low, self.balance_updated = TEST_BALANCE, False, stamp()


@dataclass
class Key:
    """An API key: whose it is, and how much it may ask for."""

    account: Account
    limits: dict[str, int]
    hits: dict[str, deque[float]] = field(
        default_factory=lambda: {"read": deque(), "write": deque()}
    )

    def count(self, kind: str) -> dict[str, str]:
        """Count a request; the rate limit headers of its answer."""
        now, hits, limit = time.monotonic(), self.hits[kind], self.limits[kind]
        while hits and hits[0] <= now - WINDOW_SECONDS:
            hits.popleft()
        is_allowed = len(hits) < limit
        if is_allowed:
            hits.append(now)
        wait = max(1, math.ceil(hits[0] + WINDOW_SECONDS - now))
        headers = {
            "RateLimit-Policy": f'"{kind}";q={limit};w={WINDOW_SECONDS}',
            "RateLimit": f'"{kind}";r={limit - len(hits)};t={wait}',
        }
        if not is_allowed:
            raise Problem(
                "rate_limited",
                f"This key may make {limit} {kind} requests per minute.",
                headers={**headers, "Retry-After": str(wait)},
            )
        return headers


def read_keys(text: str) -> dict[str, Key]:
    accounts: dict[tuple[str, str], Account] = {}
    keys = {}
    for entry in text.split(","):
        partner, key, *limits = entry.strip().split(":")
        mode = "test" if key.startswith("pes_test_") else "live"
        balance = TEST_BALANCE if mode == "test" else Decimal(0)
        account = accounts.setdefault((partner, mode), Account(mode, balance))
        read, write = map(int, limits or (600, 60))
        keys[key] = Key(account, {"read": read, "write": write})
    return keys


# Before the routes: request id, authentication, rate limit


class Gate:
    """Lets requests with a key through, and puts the common headers on every answer."""

    def __init__(self, app: ASGIApp, keys: dict[str, Key]) -> None:
        self.app, self.keys = app, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        request.state.request_id = new_id("req")
        common = {"Request-Id": request.state.request_id}
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] += [
                    (name.lower().encode(), value.encode()) for name, value in common.items()
                ]
            await send(message)

        try:
            if request.url.path != f"{BASE_PATH}/openapi.json":
                key = self.authenticate(request)
                request.state.account = key.account
                common |= key.count("read" if request.method in ("GET", "HEAD") else "write")
            await self.app(scope, receive, send_with_headers)
        except Problem as problem:
            await answer_problem(request, problem)(scope, receive, send_with_headers)
        except Exception:
            log.exception("a request failed")
            if started:
                raise
            failed = Problem("internal_error", "Something went wrong.")
            await answer_problem(request, failed)(scope, receive, send_with_headers)

    def authenticate(self, request: Request) -> Key:
        challenge = {"WWW-Authenticate": "Bearer"}
        given = request.headers.get("authorization")
        if given is None:
            raise Problem("missing_api_key", "There is no API key.", headers=challenge)
        scheme, _, key = given.partition(" ")
        if scheme.lower() != "bearer" or key not in self.keys:
            raise Problem("invalid_api_key", "This API key is not valid.", headers=challenge)
        return self.keys[key]


# Validation

Faults = list[Json]
Check = Callable[[Any, str, Faults], Any]


def fault(faults: Faults, code: str, param: str, message: str) -> None:
    faults.append({"param": param, "code": code, "message": message})


def refuse(faults: Faults) -> None:
    if faults:
        first = faults[0]
        details = faults if len(faults) > 1 else None
        raise Problem(first["code"], first["message"], first["param"], details=details)


def text(least: int, most: int, pattern: str = "", code: str = "invalid_value") -> Check:
    def check(value: Any, param: str, faults: Faults) -> Any:
        if not isinstance(value, str):
            fault(faults, "invalid_value", param, "This is not a string.")
        elif not least <= len(value) <= most:
            fault(faults, "invalid_length", param, f"{least} to {most} characters are allowed.")
        elif pattern and not re.fullmatch(pattern, value, re.DOTALL):
            fault(faults, code, param, "This text does not have the form it must have.")
        return value

    return check


def whole(least: int, most: int) -> Check:
    def check(value: Any, param: str, faults: Faults) -> Any:
        is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not is_whole:
            fault(faults, "invalid_value", param, "This is not a whole number.")
            return None
        if not least <= value <= most:
            fault(faults, "out_of_range", param, f"{least} to {most} is allowed.")
        return int(value)

    return check


def one_of(*values: str) -> Check:
    def check(value: Any, param: str, faults: Faults) -> Any:
        if value not in values:
            fault(faults, "invalid_value", param, f"One of {', '.join(values)} is allowed.")
        return value

    return check


def list_of(item: Check, most: int) -> Check:
    def check(value: Any, param: str, faults: Faults) -> Any:
        if not isinstance(value, list):
            fault(faults, "invalid_value", param, "This is not an array.")
            return None
        if len(value) > most:
            fault(faults, "invalid_length", param, f"At most {most} items are allowed.")
        return [item(each, f"{param}.{at}", faults) for at, each in enumerate(value)]

    return check


def texts(value: Any, param: str, faults: Faults) -> Any:
    if not isinstance(value, dict):
        fault(faults, "invalid_value", param, "This is not an object.")
        return None
    name, member = text(1, 40), text(0, 500)
    for key, each in value.items():
        name(key, param, faults)
        member(each, f"{param}.{key}", faults)
    return value


def record(fields: dict[str, Check], required: Iterable[str] = ()) -> Check:
    def check(value: Any, param: str, faults: Faults) -> Any:
        prefix = f"{param}." if param else ""
        if not isinstance(value, dict):
            fault(faults, "invalid_value", param, "This is not an object.")
            return None
        for name in required:
            if name not in value:
                fault(faults, "missing_field", prefix + name, f"{name} is required.")
        for name in value:
            if name not in fields:
                fault(faults, "unknown_field", prefix + name, f"There is no field {name}.")
        return {
            name: check(value[name], prefix + name, faults)
            for name, check in fields.items()
            if name in value
        }

    return check


REFERENCE = text(1, 200, r"[!-~]*")
DAYS = whole(1, 365)
ORDER = record(
    {
        "plan_id": text(1, 64),
        "reference": REFERENCE,
        "quantity": whole(1, 20),
        "days": DAYS,
        "end_user": record({"label": text(1, 120)}),
        "metadata": texts,
    },
    required=("plan_id", "reference"),
)
TOPUP = record(
    {"topup_plan_id": text(1, 64), "reference": REFERENCE, "days": DAYS},
    required=("topup_plan_id", "reference"),
)
ENDPOINT = record(
    {
        "url": text(0, 2048, r"https://.*", "invalid_webhook_url"),
        "event_types": list_of(one_of(*EVENT_TYPES), 9),
    },
    required=("url",),
)
LIMIT = whole(1, 200)
QUERY: dict[str, Check] = {
    "country": text(0, 200, r"[A-Za-z]{2}"),
    "coverage": one_of("regional", "global"),
    "reference": text(0, 200),
    "order_id": text(0, 64),
    "type": one_of(*EVENT_TYPES),
    "cursor": text(1, 200),
}


async def read_body(request: Request, check: Check) -> Json:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise Problem("unsupported_media_type", "The body must be application/json.")
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > MAX_BODY_BYTES:
            raise Problem("body_too_large", f"A body may have {MAX_BODY_BYTES} bytes.")
    try:
        value = json.loads(raw.decode(), parse_constant=refuse_constant)
        # Half of a surrogate pair can be read, and never be written.
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise Problem("invalid_json", "The body is not JSON.") from None
    faults: Faults = []
    checked: Json = check(value, "", faults)
    refuse(faults)
    return checked


def refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def read_query(request: Request, *names: str) -> tuple[dict[str, str], int]:
    """The query parameters that an operation has, and the page size."""
    faults: Faults = []
    found: dict[str, str] = {}
    limit = 50
    for name in (*names, "cursor", "limit"):
        values = request.query_params.getlist(name)
        param = f"query.{name}"
        if len(values) > 1:
            fault(faults, "invalid_value", param, f"{name} is given more than once.")
        elif values and name == "limit":
            number = int(values[0]) if re.fullmatch(r"-?[0-9]{1,9}", values[0]) else values[0]
            limit = LIMIT(number, param, faults)
        elif values:
            found[name] = QUERY[name](values[0], param, faults)
    refuse(faults)
    return found, limit


# Lists

cursor_key = secrets.token_bytes(32)


def make_cursor(scope: str, position: str) -> str:
    mac = hmac.digest(cursor_key, f"{scope}\n{position}".encode(), "sha256")[:12]
    return "c1_" + base64.urlsafe_b64encode(mac + position.encode()).decode().rstrip("=")


def read_cursor(scope: str, cursor: str) -> str:
    try:
        raw = base64.urlsafe_b64decode(cursor.removeprefix("c1_") + "==")
        position = raw[12:].decode()
    except ValueError:
        position = ""
    if not hmac.compare_digest(make_cursor(scope, position).encode(), cursor.encode()):
        raise Problem("invalid_cursor", "This is no cursor of this list.", "query.cursor")
    return position


def page(
    request: Request,
    query: dict[str, str],
    limit: int,
    rows: Iterable[tuple[str, Json]],
    *,
    newest_first: bool = False,
    resumes: bool = False,
) -> Response:
    """A page of rows, which are sorted by their first member."""
    filters = sorted((name, value) for name, value in query.items() if name != "cursor")
    scope = json.dumps([request.url.path, id(request.state.account), filters])
    rows = sorted(rows, reverse=newest_first)
    position = ""
    if "cursor" in query:
        position = read_cursor(scope, query["cursor"])
        forgotten = request.state.account.forgotten
        if resumes and int(position or 0) < forgotten:
            raise Problem("cursor_expired", "The feed does not go back so far.", "query.cursor")
        rows = [
            each for each in rows if (each[0] < position if newest_first else each[0] > position)
        ]
    shown = rows[:limit]
    has_more = len(rows) > limit
    last = shown[-1][0] if shown else position
    return JSONResponse(
        {
            "data": [row for _, row in shown],
            "has_more": has_more,
            "next_cursor": make_cursor(scope, last) if has_more or resumes else None,
        }
    )


def numbered(rows: Iterable[tuple[int, Json]]) -> list[tuple[str, Json]]:
    return [(f"{number:012}", row) for number, row in rows]


# Idempotency


async def once(
    account: Account, operation: str, payload: Json, make: Callable[[], Awaitable[Json]]
) -> Response:
    """Answer a request that carries a reference; only success is remembered."""
    name = (operation, payload["reference"])
    earlier = account.attempts.get(name)
    if earlier is None:
        attempt = account.attempts[name] = Attempt(payload)
        try:
            made = await make()
        except BaseException:
            if account.attempts.get(name) is attempt:
                del account.attempts[name]
            raise
        response = JSONResponse(made, 201)
        attempt.answer = bytes(response.body)
        return response
    if earlier.answer is None:
        raise Problem(
            "reference_in_progress",
            "A request with this reference is in progress.",
            "reference",
            headers={"Retry-After": "1"},
        )
    if earlier.payload != payload:
        raise Problem("reference_reused", "This reference has another payload.", "reference")
    return Response(
        earlier.answer, 201, {"Idempotent-Replay": "true"}, media_type="application/json"
    )


# Plans


async def list_plans(request: Request) -> Response:
    query, limit = read_query(request, "country", "coverage")
    if "country" not in query and "coverage" not in query:
        raise Problem("missing_country_or_coverage", "Give country, coverage or both.")
    country, coverage = query.get("country", "").upper(), query.get("coverage", "")
    rows = [
        (name, each)
        for name, each in PLANS.items()
        if (not country or country in each["countries"])
        and (not coverage or coverage == each["coverage"])
    ]
    return page(request, query, limit, rows)


async def get_plan(request: Request) -> Response:
    return JSONResponse(found(PLANS, request.path_params["plan_id"]))


def found(resources: dict[str, Any], name: str) -> Any:
    if name not in resources:
        raise Problem("resource_not_found", "There is no such resource.")
    return resources[name]


def total(priced: Json, days: int | None, quantity: int = 1) -> Decimal:
    if priced["plan_type"] == "daily" and days is None:
        raise Problem("days_required", "A daily plan needs days.", "days")
    if priced["plan_type"] == "fixed" and days is not None:
        raise Problem("days_not_allowed", "A fixed plan has no days.", "days")
    return Decimal(priced["price_usd"]) * quantity * (days or 1)


# Orders


async def create_order(request: Request) -> Response:
    account: Account = request.state.account
    body = await read_body(request, ORDER)
    body = {"quantity": 1, **body}
    scenario = body.get("metadata", {}).get("sandbox_scenario") if account.mode == "test" else None

    async def make() -> Json:
        bought = PLANS.get(body["plan_id"])
        if bought is None:
            raise Problem("plan_not_found", "There is no such plan.", "plan_id")
        cost = total(bought, body.get("days"), body["quantity"])
        if scenario == "slow_order":
            await asyncio.sleep(SLOW_ORDER_SECONDS)
        if scenario == "upstream_502":
            raise Problem("upstream_error", "The carrier refused the order.")
        account.charge(cost)
        order = {
            "order_id": new_id("ord"),
            "reference": body["reference"],
            "status": "processing",
            "plan_id": bought["plan_id"],
            "quantity": body["quantity"],
            "days": body.get("days"),
            "unit_price_usd": bought["price_usd"],
            "total_usd": usd(cost),
            "iccids": [],
            "end_user": {"label": body["end_user"].get("label")} if "end_user" in body else None,
            "metadata": body.get("metadata", {}),
            "failure": None,
            "created_at": stamp(),
            "completed_at": None,
        }
        account.orders[order["order_id"]] = (next(sequence), order)
        account.begin(fill(account, order, scenario))
        return order

    return await once(account, "createOrder", body, make)


async def fill(account: Account, order: Json, scenario: str | None) -> None:
    """The carrier's part of an order."""
    await asyncio.sleep(CARRIER_SECONDS)
    order["completed_at"] = stamp()
    if scenario == "out_of_stock":
        order["status"] = "failed"
        order["failure"] = {"code": "out_of_stock", "message": "The carrier has no eSIMs left."}
        account.move(Decimal(order["total_usd"]))
        return
    esims = [new_esim(order) for _ in range(order["quantity"])]
    for esim in esims:
        account.esims[esim["iccid"]] = (next(sequence), esim)
    order["iccids"] = [each["iccid"] for each in esims]
    order["status"] = "completed"
    account.emit("order.completed", order)
    for kind, percent in LIVES.get(scenario or "", ()):
        await asyncio.sleep(CARRIER_SECONDS)
        for esim in esims:
            live(account, esim, kind, percent)


async def list_orders(request: Request) -> Response:
    query, limit = read_query(request, "reference")
    wanted = query.get("reference")
    rows = [
        each
        for each in request.state.account.orders.values()
        if wanted is None or each[1]["reference"] == wanted
    ]
    return page(request, query, limit, numbered(rows), newest_first=True)


async def get_order(request: Request) -> Response:
    return JSONResponse(found(request.state.account.orders, request.path_params["order_id"])[1])


# eSIMs


def new_esim(order: Json) -> Json:
    bought, iccid, now = PLANS[order["plan_id"]], new_iccid(), stamp()
    matching_id = f"K2-{secrets.token_hex(4).upper()}"
    code = f"LPA:1$smdp.example.com${matching_id}"
    size = bought["data"]["bytes"] * (order["days"] or 1)
    return {
        "esim_id": new_id("esm"),
        "iccid": iccid,
        "order_id": order["order_id"],
        "plan_id": bought["plan_id"],
        "status": "ready",
        "profile_status": "released",
        "activation": {
            "smdp_address": "smdp.example.com",
            "matching_id": matching_id,
            "activation_code": code,
            "confirmation_code_required": False,
            "ios_install_url": "https://esimsetup.apple.com/esim_qrcode_provisioning?carddata="
            + code,
        },
        "data": {
            "total_bytes": size,
            "used_bytes": 0,
            "remaining_bytes": size,
            "observed_at": None,
        },
        "activated_at": None,
        "expires_at": stamp(datetime.now(UTC) + timedelta(days=365)),
        "topup_supported": bought["topup_supported"],
        "created_at": now,
        "updated_at": now,
    }


def live(account: Account, esim: Json, kind: str, percent: int) -> None:
    """One step in the life of an eSIM: what the carrier reports, and the event that tells it."""
    now = datetime.now(UTC)
    size = esim["data"]["total_bytes"]
    used = size * percent // 100
    esim |= STEPS[kind] | {"updated_at": stamp(now)}
    esim["data"] |= {"used_bytes": used, "remaining_bytes": size - used, "observed_at": stamp(now)}
    if kind == "esim.activated":
        days = PLANS[esim["plan_id"]]["validity"]["days"] or 1
        esim |= {"activated_at": stamp(now), "expires_at": stamp(now + timedelta(days=days))}
    elif kind == "esim.expiring":
        esim["expires_at"] = stamp(now + timedelta(hours=22))
    elif kind == "esim.expired":
        esim["expires_at"] = stamp(now)
    beside: Json = {"threshold_percent": percent} if kind == "esim.usage" else {}
    account.emit(kind, esim, **beside)


STEPS: dict[str, Json] = {
    "esim.activated": {"status": "active", "profile_status": "enabled"},
    "esim.usage": {},
    "esim.depleted": {"status": "depleted"},
    "esim.expiring": {},
    "esim.expired": {"status": "expired"},
}
LIVES: dict[str, tuple[tuple[str, int], ...]] = {
    "activate_fast": (("esim.activated", 0),),
    "deplete_fast": (
        ("esim.activated", 0),
        ("esim.usage", 50),
        ("esim.usage", 80),
        ("esim.depleted", 100),
    ),
    "expire_fast": (("esim.activated", 0), ("esim.expiring", 0), ("esim.expired", 0)),
}


async def list_esims(request: Request) -> Response:
    query, limit = read_query(request, "order_id")
    wanted = query.get("order_id")
    rows = [
        each
        for each in request.state.account.esims.values()
        if wanted is None or each[1]["order_id"] == wanted
    ]
    return page(request, query, limit, numbered(rows), newest_first=True)


async def get_esim(request: Request) -> Response:
    return JSONResponse(found(request.state.account.esims, request.path_params["iccid"])[1])


async def list_topup_plans(request: Request) -> Response:
    query, limit = read_query(request)
    _, esim = found(request.state.account.esims, request.path_params["iccid"])
    rows = [(each["topup_plan_id"], each) for each in eligible_topup_plans(esim)]
    return page(request, query, limit, rows)


async def create_topup(request: Request) -> Response:
    account: Account = request.state.account
    iccid = request.path_params["iccid"]
    body = await read_body(request, TOPUP)

    async def make() -> Json:
        _, esim = found(account.esims, iccid)
        bought = TOPUP_PLANS.get(body["topup_plan_id"])
        if bought is None:
            raise Problem("topup_plan_not_found", "There is no such plan.", "topup_plan_id")
        if PLANS[esim["plan_id"]]["topup_supported"] is False:
            raise Problem("topup_not_supported", "This eSIM cannot be topped up.")
        if bought not in eligible_topup_plans(esim):
            raise Problem("esim_not_eligible", "The eSIM has ended, or the plan is not for it.")
        cost = total(bought, body.get("days"))
        account.charge(cost)
        topup = {
            "topup_id": new_id("top"),
            "iccid": iccid,
            "esim_id": esim["esim_id"],
            "topup_plan_id": bought["topup_plan_id"],
            "reference": body["reference"],
            "status": "processing",
            "days": body.get("days"),
            "price_usd": bought["price_usd"],
            "total_usd": usd(cost),
            "data_bytes": bought["data"]["bytes"] * body.get("days", 1),
            "balance_after_usd": usd(account.balance),
            "created_at": stamp(),
            "completed_at": None,
        }
        account.begin(top_up(account, esim, topup))
        return topup

    return await once(account, "createTopup", {**body, "iccid": iccid}, make)


async def top_up(account: Account, esim: Json, topup: Json) -> None:
    """The carrier's part of a top-up."""
    await asyncio.sleep(CARRIER_SECONDS)
    usage = esim["data"]
    usage["total_bytes"] += topup["data_bytes"]
    usage["remaining_bytes"] += topup["data_bytes"]
    if esim["status"] == "depleted":
        esim["status"] = "active"
    esim["updated_at"] = topup["completed_at"] = stamp()
    topup["status"] = "completed"
    account.emit("topup.completed", topup)


# Balance, events, sandbox


async def get_balance(request: Request) -> Response:
    return JSONResponse(request.state.account.shown_balance())


async def list_events(request: Request) -> Response:
    query, limit = read_query(request, "type")
    account: Account = request.state.account
    account.forget_old_events()
    wanted = query.get("type")
    rows = [(at, each) for at, _, each in account.events if wanted in (None, each["type"])]
    return page(request, query, limit, numbered(rows), resumes=True)


async def reset_sandbox(request: Request) -> Response:
    account: Account = request.state.account
    if account.mode != "test":
        raise Problem("test_mode_only", "Only a test key may reset the sandbox.")
    account.reset()
    return JSONResponse({"reset_at": stamp(), "balance_usd": usd(account.balance)})


# Webhooks


async def create_endpoint(request: Request) -> Response:
    account: Account = request.state.account
    body = await read_body(request, ENDPOINT)
    if not await may_deliver_to(body["url"]):
        message = "This is not a public HTTPS address."
        raise Problem("invalid_webhook_url", message, "url")
    if len(account.endpoints) >= MAX_ENDPOINTS:
        message = f"{MAX_ENDPOINTS} endpoints are registered in this mode."
        raise Problem("webhook_endpoint_limit_reached", message)
    shown = {
        "id": new_id("whe"),
        "url": body["url"],
        "event_types": list(dict.fromkeys(body.get("event_types", EVENT_TYPES[:-1]))),
        "mode": account.mode,
        "status": "enabled",
        "disabled_reason": None,
        "created_at": stamp(),
        "last_success_at": None,
        "last_failure_at": None,
    }
    secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
    account.endpoints[shown["id"]] = Endpoint(shown, secret)
    return JSONResponse({**shown, "signing_secret": secret}, 201)


def _is_plain(url: str) -> bool:
    """Whether it has only the characters of a URI (RFC 3986, 2), which are all seen."""
    return url.isascii() and url.isprintable() and not re.search(r"[\s<>\"\\^`{|}]", url)


async def may_deliver_to(url: str) -> bool:
    """Whether a URL leads to a public address, or to a name that nobody has yet."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or 443
    except ValueError:
        return False
    if not host or parts.username is not None or parts.fragment or not _is_plain(url):
        return False
    if os.environ.get("ESIM_PRIVATE_WEBHOOKS") == "1":
        return True
    try:
        resolved = await asyncio.get_running_loop().getaddrinfo(host, port)
    except (socket.gaierror, UnicodeError):
        return True
    return all(ipaddress.ip_address(address[0]).is_global for *_, address in resolved)


async def list_endpoints(request: Request) -> Response:
    shown = [each.shown for each in request.state.account.endpoints.values()]
    return JSONResponse({"data": shown[::-1], "has_more": False, "next_cursor": None})


async def delete_endpoint(request: Request) -> Response:
    endpoints = request.state.account.endpoints
    found(endpoints, request.path_params["id"])
    del endpoints[request.path_params["id"]]
    return Response(status_code=204)


async def test_endpoint(request: Request) -> Response:
    account: Account = request.state.account
    endpoint: Endpoint = found(account.endpoints, request.path_params["id"])
    data = {"webhook_endpoint_id": endpoint.shown["id"]}
    return JSONResponse({"event_id": account.emit("webhook.test", data, endpoint)}, 202)


async def deliver(
    account: Account, endpoint: Endpoint, event_id: str, kind: str, body: bytes
) -> None:
    """Deliver an event until it is acknowledged or exhausted."""
    for wait in (0, *RETRY_AFTER_SECONDS):
        await asyncio.sleep(wait)
        if endpoint.shown["id"] not in account.endpoints:
            return
        if await attempt_delivery(endpoint, event_id, kind, body):
            endpoint.shown["last_success_at"] = stamp()
            return
        endpoint.shown["last_failure_at"] = stamp()


async def attempt_delivery(endpoint: Endpoint, event_id: str, kind: str, body: bytes) -> bool:
    now = int(time.time())
    digest = hmac.new(endpoint.secret.encode(), f"{now}.".encode() + body, hashlib.sha256)
    headers = {
        "Content-Type": "application/json",
        "Service-Event-Id": event_id,
        "Service-Event-Type": kind,
        "Service-Signature": f"t={now},v1={digest.hexdigest()}",
    }
    url = endpoint.shown["url"]
    try:
        if not await may_deliver_to(url):
            return False
        async with (
            asyncio.timeout(15),
            httpx2.AsyncClient(
                verify=ssl.create_default_context(), timeout=httpx2.Timeout(15, connect=5)
            ) as client,
        ):
            return (await client.post(url, content=body, headers=headers)).is_success
    except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError):
        return False


# The application


async def get_document(request: Request) -> Response:
    return FileResponse(DOCUMENT, media_type="application/json")


Handler = Callable[[Request], Awaitable[Response]]
PATHS: dict[str, dict[str, Handler]] = {
    "/openapi.json": {"GET": get_document},
    "/plans": {"GET": list_plans},
    "/plans/{plan_id}": {"GET": get_plan},
    "/orders": {"GET": list_orders, "POST": create_order},
    "/orders/{order_id}": {"GET": get_order},
    "/esims": {"GET": list_esims},
    "/esims/{iccid}": {"GET": get_esim},
    "/esims/{iccid}/topup-plans": {"GET": list_topup_plans},
    "/esims/{iccid}/topups": {"POST": create_topup},
    "/balance": {"GET": get_balance},
    "/events": {"GET": list_events},
    "/webhook-endpoints": {"GET": list_endpoints, "POST": create_endpoint},
    "/webhook-endpoints/{id}": {"DELETE": delete_endpoint},
    "/webhook-endpoints/{id}/test": {"POST": test_endpoint},
    "/sandbox/reset": {"POST": reset_sandbox},
}


def route(path: str, handlers: dict[str, Handler]) -> Route:
    """One route for all methods of a path: a wrong one is then answered with all in `Allow`."""

    async def handle(request: Request) -> Response:
        # Starlette lets HEAD in where GET is.
        return await handlers["GET" if request.method == "HEAD" else request.method](request)

    return Route(BASE_PATH + path, handle, methods=list(handlers))


def create_app(keys: dict[str, Key]) -> Starlette:
    app = Starlette(
        routes=[route(path, handlers) for path, handlers in PATHS.items()],
        middleware=[Middleware(Gate, keys=keys)],
        exception_handlers={Problem: on_problem, HTTPException: on_http_exception},
    )
    app.router.redirect_slashes = False
    return app


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8001
    uvicorn.run(create_app(read_keys(os.environ["ESIM_KEYS"])), port=port, log_level="warning")
