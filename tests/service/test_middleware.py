"""Logs and metrics of requests: routes, counters and one line each."""

from __future__ import annotations

import io
import json

import httpx2
import pytest
from prometheus_client import CollectorRegistry, generate_latest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from esim_service.http import document
from esim_service.http.middleware import (
    RequestLog,
    RequestMetrics,
    RequestMiddleware,
    RouteTemplates,
)

pytestmark = pytest.mark.anyio


class Broken(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def front(log: RequestLog | None, registry: CollectorRegistry) -> httpx2.AsyncClient:
    """Return a client of an API that returns the method, with one additional page."""

    async def answer(request: Request) -> PlainTextResponse:
        if request.url.path == "/v/boom":
            raise ConnectionResetError
        return PlainTextResponse(request.method, headers={"Request-Id": "req_1"})

    methods = ["GET", "HEAD", "POST", "BREW"]
    api = Starlette(routes=[Route("/{rest:path}", answer, methods=methods)])
    page = Starlette(routes=[Route("/page", lambda _: PlainTextResponse("page"))])
    routes = RouteTemplates(
        ["/v/orders/{order_id}", "/v/orders", "/v/boom", "/v/orders/{order_id}/x"]
    )
    app = RequestMiddleware(api, {"/page": page}, routes, RequestMetrics(registry), log)
    return httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app, raise_app_exceptions=False), base_url="http://test"
    )


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/api/v1/plans", "/api/v1/plans"),
        ("/api/v1/orders/ord_1", "/api/v1/orders/{order_id}"),
        ("/api/v1/esims/89/topup-plans", "/api/v1/esims/{iccid}/topup-plans"),
        ("/api/v1/webhook-endpoints/whe_1/test", "/api/v1/webhook-endpoints/{id}/test"),
        ("/api/v1/orders/", "other"),
        ("/api/v1/orders/a/b", "other"),
        ("/pes_test_secret", "other"),
    ],
)
def test_routes_are_templates_of_the_document(path: str, route: str) -> None:
    assert RouteTemplates(f"/api/v1{each}" for each in document.load()["paths"]).find(path) == route


async def test_a_request_is_one_line_and_says_nothing_of_what_was_sent() -> None:
    stream, registry = io.StringIO(), CollectorRegistry()
    async with front(RequestLog(stream), registry) as client:
        await client.get("/v/orders/secret-1?secret=2", headers={"Secret": "3"})
        await client.request("BREW", "/v/orders")
        await client.get("/nothing/secret-4")
        await client.get("/page")
        await client.get("/v/boom")
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [(line["method"], line["route"], line["status"]) for line in lines] == [
        ("GET", "/v/orders/{order_id}", 200),
        ("other", "/v/orders", 200),
        ("GET", "other", 200),
        ("GET", "/page", 200),
        ("GET", "/v/boom", 500),
    ]
    assert lines[0]["request_id"] == "req_1"
    assert "ecret" not in stream.getvalue()
    metrics = generate_latest(registry).decode()
    for method, route, status in (
        ("GET", "/v/orders/{order_id}", 200),
        ("other", "/v/orders", 200),
        ("GET", "other", 200),
    ):
        labels = f'method="{method}",route="{route}",status="{status}"'
        assert f"esim_http_requests_total{{{labels}}} 1.0" in metrics
    assert "esim_http_requests_open 0.0" in metrics
    assert "ecret" not in metrics


@pytest.mark.parametrize(
    "body",
    [
        "not JSON",
        "[]",
        '{"error": "x"}',
        '{"error": {"code": "\\"}, {\\""}}',
        '{"error": {"code": 1}}',
    ],
)
async def test_an_error_that_is_not_the_contracts_has_no_code_in_the_log(body: str) -> None:
    stream = io.StringIO()

    async def api(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse(body, 502)(scope, receive, send)

    app = RequestMiddleware(
        api, {}, RouteTemplates(["/v"]), RequestMetrics(CollectorRegistry()), RequestLog(stream)
    )
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
        await client.get("/v")
    [line] = stream.getvalue().splitlines()
    entry = json.loads(line)
    assert (entry["status"], entry["error_code"]) == (502, None)


@pytest.mark.parametrize("log", [None, RequestLog(Broken())])
async def test_without_a_log_requests_are_answered(log: RequestLog | None) -> None:
    async with front(log, CollectorRegistry()) as client:
        assert (await client.get("/v/orders")).text == "GET"


async def test_a_client_that_went_away_counts_as_499() -> None:
    async def unanswered(scope: Scope, receive: Receive, send: Send) -> None:
        return

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        pytest.fail("nobody is there")

    registry = CollectorRegistry()
    app = RequestMiddleware(unanswered, {}, RouteTemplates(["/x"]), RequestMetrics(registry), None)
    await app({"type": "http", "method": "GET", "path": "/x", "headers": []}, receive, send)
    counted = 'esim_http_requests_total{method="GET",route="/x",status="499"} 1.0'
    assert counted in generate_latest(registry).decode()
