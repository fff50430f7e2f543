"""The outermost HTTP layer: pages next to the API, turns, and metrics and logs of requests."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TextIO

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as ASGIScope

from partner_esim.server import REQUEST_ID_HEADER

from ..values.entities import Principal
from .turns import RequestTurns

_METHODS = frozenset(("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"))
# Methods made up by clients must not become labels of a metric.
_OTHER = "other"
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_REQUEST_ID = REQUEST_ID_HEADER.lower().encode()
_LOGGER = "esim_service.http"
_VARIABLE = re.compile(r"\\\{[^}]*\\\}")
# The key of the principal in the state of a request.
_PRINCIPAL = "principal"
_CODE = re.compile(r"[a-z_]{1,64}")
# Longer than any error of the contract.
_ERROR_BYTES = 64 * 1024


class RouteTemplates:
    """Finds the path template of a request, for logs and metrics."""

    def __init__(self, templates: Iterable[str]) -> None:
        # A template without variables takes precedence, as usual.
        self._templates = sorted(templates, key=lambda path: path.count("{"))
        self._pattern = re.compile(
            "|".join(f"({_pattern(template)})" for template in self._templates)
        )

    def find(self, path: str) -> str:
        """Return the template of a path, or `other`."""
        match = self._pattern.fullmatch(path)
        return self._templates[match.lastindex - 1] if match and match.lastindex else _OTHER


def _pattern(template: str) -> str:
    return _VARIABLE.sub("[^/]+", re.escape(template))


class RequestMetrics:
    """Counts requests and measures their duration."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.open = Gauge("esim_http_requests_open", "Requests in progress.", registry=registry)
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._requests = Counter(
            "esim_http_requests",
            "Completed requests.",
            ["method", "route", "status"],
            registry=registry,
        )
        self._durations = Histogram(
            "esim_http_request_duration_seconds",
            "Seconds from a request to the end of its response.",
            ["method", "route"],
            buckets=_BUCKETS,
            registry=registry,
        )

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        known = self._known.get((method, route, status))
        if known is None:
            known = (
                self._requests.labels(method, route, status),
                self._durations.labels(method, route),
            )
            self._known[method, route, status] = known
        requests, durations = known
        requests.inc()
        durations.observe(seconds)


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """A request and its response, as far as operators may see them.

    Attributes:
        principal: the sender; None without a valid key.
        error_code: the contract's code of an error response.
    """

    method: str
    route: str
    status: int
    seconds: float
    request_id: str
    principal: Principal | None
    error_code: str | None


class RequestLog:
    """Writes a line per request, in the format of `logs`.

    The full logging pipeline would take a fifth of the time of a request, so the line is built here
    from parts that cannot contain secrets or characters to escape.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, record: RequestRecord) -> None:
        """Write the line of a request."""
        now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        principal = record.principal
        partner_id, key_id = (
            (principal.scope.partner_id, principal.key_id) if principal else (None, None)
        )
        line = (
            f'{{"method": "{record.method}", "route": "{record.route}", '
            f'"status": {record.status}, "milliseconds": {record.seconds * 1000:.2f}, '
            f'"partner_id": {_text(partner_id)}, "key_id": {_text(key_id)}, '
            f'"error_code": {_text(record.error_code)}, "request_id": "{record.request_id}", '
            f'"event": "request", "level": "info", "logger": "{_LOGGER}", "timestamp": "{now}"}}\n'
        )
        # A full disk must not stop requests that can be served without it.
        with suppress(OSError):
            self._stream.write(line)


def _text(value: str | None) -> str:
    return "null" if value is None else f'"{value}"'


class _Observed:
    """Forwards a response and keeps the parts to log."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        self.request_id = ""
        self.error_code: str | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            for name, value in message["headers"]:
                if name.lower() == _REQUEST_ID:
                    self.request_id = value.decode("latin-1")
        elif self.status >= 400 and message["type"] == "http.response.body":
            self.error_code = _error_code(message.get("body", b""))
        await self._send(message)


def _error_code(body: bytes) -> str | None:
    """Return the code in an error of the contract; None for any other response."""
    try:
        code = json.loads(body[:_ERROR_BYTES])["error"]["code"]
    except (ValueError, LookupError, TypeError):
        return None
    return code if isinstance(code, str) and _CODE.fullmatch(code) else None


class RequestMiddleware:
    """Serves a page if there is one at the path, and the API otherwise."""

    def __init__(
        self,
        api: ASGIApp,
        pages: Mapping[str, ASGIApp],
        routes: RouteTemplates,
        metrics: RequestMetrics,
        log: RequestLog | None,
    ) -> None:
        self._api = api
        self._pages = pages
        self._routes = routes
        self._metrics = metrics
        self._log = log
        self._turns = RequestTurns()

    async def __call__(self, asgi_scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Serve a request; its query, headers and body are not logged."""
        if asgi_scope["type"] != "http":
            return
        started = time.perf_counter()
        observed = _Observed(send)
        path = asgi_scope["path"]
        page = self._pages.get(path)
        self._metrics.open.inc()
        try:
            await self._turns.take(asgi_scope["headers"])
            await (page or self._api)(asgi_scope, receive, observed)
        finally:
            self._metrics.open.dec()
            seconds = time.perf_counter() - started
            method = asgi_scope["method"] if asgi_scope["method"] in _METHODS else _OTHER
            route = path if page else self._routes.find(path)
            # A client that disconnected has no status; proxies log that as 499.
            status = observed.status or 499
            self._metrics.count(method, route, status, seconds)
            if self._log is not None:
                principal = asgi_scope.get("state", {}).get(_PRINCIPAL)
                self._log.write(
                    RequestRecord(
                        method,
                        route,
                        status,
                        seconds,
                        observed.request_id,
                        principal,
                        observed.error_code,
                    )
                )
