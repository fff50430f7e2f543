"""The outermost layer over HTTP: pages besides the API, and what operators learn of requests."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_METHODS = frozenset(("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"))
# What clients make up must not become the label of a metric.
_OTHER = "other"
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_VARIABLE = re.compile(r"\\\{[^}]*\\\}")


class Routes:
    """Finds the path template of a request, for logs and metrics."""

    def __init__(self, templates: Iterable[str]) -> None:
        # One without variables goes before one with, as everywhere.
        self._templates = sorted(templates, key=lambda each: each.count("{"))
        self._pattern = re.compile("|".join(f"({_pattern(each)})" for each in self._templates))

    def find(self, path: str) -> str:
        """Return the template of a path, or `other`."""
        found = self._pattern.fullmatch(path)
        return self._templates[found.lastindex - 1] if found and found.lastindex else _OTHER


def _pattern(template: str) -> str:
    return _VARIABLE.sub("[^/]+", re.escape(template))


class RequestMetrics:
    """Counts requests and the time that they take."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.open = Gauge(
            "esim_http_requests_open", "Requests that are being answered.", registry=registry
        )
        self._requests = Counter(
            "esim_http_requests",
            "Requests that were answered.",
            ["method", "route", "status"],
            registry=registry,
        )
        self._durations = Histogram(
            "esim_http_request_duration_seconds",
            "Seconds from a request to the end of its answer.",
            ["method", "route"],
            buckets=_BUCKETS,
            registry=registry,
        )

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        method = method if method in _METHODS else _OTHER
        self._requests.labels(method, route, status).inc()
        self._durations.labels(method, route).observe(seconds)


class _Observed:
    """Passes an answer on and keeps what is logged of it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        self.request_id = ""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            for name, value in message["headers"]:
                if name.lower() == b"request-id":
                    self.request_id = value.decode("latin-1")
        await self._send(message)


class Front:
    """Answers with a page where there is one, and else with the API."""

    def __init__(
        self, api: ASGIApp, pages: Mapping[str, ASGIApp], routes: Routes, metrics: RequestMetrics
    ) -> None:
        self._api = api
        self._pages = pages
        self._routes = routes
        self._metrics = metrics
        self._log = structlog.get_logger("esim_service.http")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; nothing of its query, headers or body is logged."""
        if scope["type"] != "http":
            return
        started = time.perf_counter()
        observed = _Observed(send)
        method, path = scope["method"], scope["path"]
        page = self._pages.get(path)
        self._metrics.open.inc()
        try:
            await (page or self._api)(scope, receive, observed)
        finally:
            self._metrics.open.dec()
            seconds = time.perf_counter() - started
            route = path if page else self._routes.find(path)
            # A client that went away has no status; 499 is what proxies call that.
            status = observed.status or 499
            self._metrics.count(method, route, status, seconds)
            self._log.info(
                "request",
                method=method,
                route=route,
                status=status,
                milliseconds=round(seconds * 1000, 2),
                request_id=observed.request_id,
            )
