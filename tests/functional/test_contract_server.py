"""The server, the webhooks and the test transports of this repository's own contract."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema_rs
import pytest

from tests.functional.conftest import Generate
from tests.serving import Server

KEY = "pes_test_" + "0" * 48
REQUEST_ID = "req_01kjpx8nh05xhrnb030hf89rhd"
SECRET = "whsec_test"


@pytest.fixture(scope="session")
def contract(root: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((root / "spec" / "openapi.json").read_text())
    return document


@pytest.fixture(scope="session")
def made(package: Generate, contract: dict[str, Any]) -> ModuleType:
    return package(contract, short_method_names=True)


async def authenticate(credential: str, request: object) -> str | None:
    return "partner" if credential == KEY else None


@pytest.fixture(scope="module")
def empty(made: ModuleType) -> Iterator[Server]:
    """The stub without any implementation."""
    app = made.server.create_app(
        authenticate=authenticate,
        prefix="/api/v1",
        request_id=lambda sent: sent or REQUEST_ID,
        unimplemented="501",
    )
    with Server(app) as server:
        yield server


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (method.upper(), path, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in ("get", "post", "delete")
    ]


def first_body(operation: dict[str, Any]) -> str | None:
    if "requestBody" not in operation:
        return None
    (content,) = operation["requestBody"]["content"].values()
    return json.dumps(next(iter(content["examples"].values()))["value"])


def send(server: Server, method: str, path: str, body: str | None, **headers: str) -> Any:
    if body is not None:
        headers["Content_Type"] = "application/json"
    return server.send(method, f"/api/v1{path}", body, key=KEY, **headers)


def test_every_operation_takes_its_example_and_is_not_implemented(
    empty: Server, contract: dict[str, Any]
) -> None:
    for method, path, operation in operations(contract):
        for variable, value in (
            ("{plan_id}", "pln_jp-5gb-30d"),
            ("{order_id}", "ord_01kjpx8nh0aqdvgyy0jrsyegax"),
            ("{iccid}", "8988044000123450013"),
            ("{id}", "whe_01kjm6jm00p7xd6y37vap78v39"),
        ):
            path = path.replace(variable, value)
        query = "?country=JP" if operation["operationId"] == "listPlans" else ""
        answer = send(empty, method, path + query, first_body(operation))
        assert (answer.status, answer.error["code"]) == (501, "not_implemented"), path


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code", "param"),
    [
        ("GET", "/nothing", None, 404, "route_not_found", None),
        ("PUT", "/orders", None, 405, "method_not_allowed", None),
        ("GET", "/plans", None, 400, "missing_country_or_coverage", None),
        ("GET", "/plans?country=JPN", None, 400, "invalid_value", "query.country"),
        ("GET", "/plans?country=J1", None, 400, "invalid_value", "query.country"),
        ("GET", "/plans?coverage=country", None, 400, "invalid_value", "query.coverage"),
        ("GET", "/orders?limit=201", None, 400, "out_of_range", "query.limit"),
        ("GET", "/orders?limit=1&limit=1", None, 400, "invalid_value", "query.limit"),
        ("GET", "/orders?cursor=", None, 400, "invalid_length", "query.cursor"),
        ("POST", "/orders", "{", 400, "invalid_json", None),
        ("POST", "/orders", '{"reference": "r"}', 400, "missing_field", "plan_id"),
        ("POST", "/orders", '{"plan_id": "p", "reference": "a b"}', 400, "invalid_value",
         "reference"),
        ("POST", "/orders", '{"plan_id": "p", "reference": "r", "quantity": 21}', 400,
         "out_of_range", "quantity"),
        ("POST", "/orders", '{"plan_id": "p", "reference": "r", "quantity": "10"}', 400,
         "invalid_value", "quantity"),
        ("POST", "/orders", '{"plan_id": "p", "reference": "r", "days": null}', 400,
         "invalid_value", "days"),
        ("POST", "/orders", '{"plan_id": "p", "reference": "r", "end_user": {"label": ""}}', 400,
         "invalid_length", "end_user.label"),
        ("POST", "/orders", '{"plan_id": "p", "reference": "r", "colour": 1}', 400,
         "unknown_field", "colour"),
        ("POST", "/orders", '{"plan_id": "p", "reference": "r", "metadata": {"k": 1}}', 400,
         "invalid_value", "metadata.k"),
        ("POST", "/orders", " " * 65537, 400, "body_too_large", None),
        ("POST", "/webhook-endpoints", '{"url": "http://example.com/"}', 400, "invalid_webhook_url",
         "url"),
        ("POST", "/webhook-endpoints", '{"url": "https://example.com/", "event_types": ["x"]}',
         400, "invalid_value", "event_types.0"),
    ],
)  # fmt: skip
def test_every_error_is_the_contracts(
    empty: Server,
    contract: dict[str, Any],
    method: str,
    path: str,
    body: str | None,
    status: int,
    code: str,
    param: str | None,
) -> None:
    answer = send(empty, method, path, body)
    error = answer.error
    assert (answer.status, error["code"], error.get("param")) == (status, code, param)
    assert error["type"] == contract["x-contract-error"]["codes"][code]["type"]
    schema = {"$ref": "#/components/schemas/Error", "components": contract["components"]}
    jsonschema_rs.Draft202012Validator(schema).validate(answer.json)


def test_a_request_that_is_right_passes_in_every_form_of_its_numbers(empty: Server) -> None:
    for quantity in ("10", "10.0", "1e1"):
        body = f'{{"plan_id": "p", "reference": "r", "quantity": {quantity}}}'
        assert send(empty, "POST", "/orders", body).status == 501


def test_keys_are_asked_for_first(empty: Server) -> None:
    missing = empty.send("GET", "/api/v1/nothing", key=None)
    assert (missing.status, missing.error["code"]) == (401, "missing_api_key")
    wrong = empty.send("GET", "/api/v1/nothing", key="pes_live_x")
    assert (wrong.status, wrong.error["code"]) == (401, "invalid_api_key")
    assert wrong.headers["WWW-Authenticate"] == "Bearer"


def test_limits_are_announced_as_the_contract_says(made: ModuleType) -> None:
    class Limiter:
        async def take(self, limit: Any, context: Any) -> Any:
            return made.server.Allowance(limit.name == "read", limit.limit - 1, 12)

    app = made.server.create_app(
        authenticate=authenticate, rate_limiter=Limiter(), unimplemented="501"
    )
    with Server(app) as server:
        read = server.send("GET", "/balance", key=KEY)
        assert read.headers["RateLimit-Policy"] == '"read";q=600;w=60'
        assert read.headers["RateLimit"] == '"read";r=599;t=12'
        write = server.send("POST", "/sandbox/reset", key=KEY)
        assert (write.status, write.error["code"]) == (429, "rate_limited")
        assert (write.headers["Retry-After"], write.error["type"]) == ("12", "rate_limit_error")


def test_every_event_of_the_contract_is_parsed_and_any_other_is_unknown(
    made: ModuleType, contract: dict[str, Any]
) -> None:
    webhooks = made.webhooks
    assert len(contract["webhooks"]) == 9
    for name, item in contract["webhooks"].items():
        (content,) = item["post"]["requestBody"]["content"].values()
        for example in content["examples"].values():
            body = json.dumps(example["value"]).encode()
            headers = {webhooks.SIGNATURE_HEADER: webhooks.sign(body, SECRET)}
            event = webhooks.parse(body, headers, SECRET)
            assert (event.type, event.id) == (name, example["value"]["id"])
            assert type(event).__name__ != "UnknownEvent"
    body = b'{"id":"evt_1","type":"plan.changed","created_at":"2026-01-01T00:00:00Z","mode":"x"}'
    event = webhooks.parse(body, {"service-signature": webhooks.sign(body, SECRET)}, SECRET)
    assert (type(event).__name__, event.type) == ("UnknownEvent", "plan.changed")


def test_the_published_vector_verifies(made: ModuleType) -> None:
    digest = "38877139021993b830af32feea6e18a8da83eb2f6e49ee50bd9e4cf4ca4d3789"
    value = f"t=1700000000,v1={digest}"
    assert made.webhooks.sign(b'{"a":1}', SECRET, timestamp=1_700_000_000) == value
    made.webhooks.verify(b'{"a":1}', value, SECRET, now=1_700_000_300)
    with pytest.raises(made.webhooks.StaleSignatureError):
        made.webhooks.verify(b'{"a":1}', value, SECRET, now=1_700_000_301)


def test_a_receiver_of_webhooks_imports_neither_models_nor_a_client(made: ModuleType) -> None:
    place = Path(made.__file__ or "").parents[1]
    code = (
        f"import sys; sys.path.insert(0, {str(place)!r}); import {made.__name__}.webhooks;"
        "print(sorted({name.partition('.')[0] for name in sys.modules}"
        " & {'pydantic', 'httpcore2', 'httpx2', 'starlette', 'ssl', 'asyncio'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# Test transports


def client(made: ModuleType, transport: Any) -> Any:
    return made.Client(KEY, base_url="http://test/api/v1", transport=transport, max_retries=0)


def test_a_fake_transport_answers_with_the_examples_of_the_document(made: ModuleType) -> None:
    transport = made.testing.FakeTransport()
    order = client(made, transport).orders.get("ord_01kjpx8nh0aqdvgyy0jrsyegax")
    assert order == made.testing.example(made.models.Order)
    (request,) = transport.requests
    assert (request.method, request.url.rpartition("/")[2]) == (
        "GET",
        "ord_01kjpx8nh0aqdvgyy0jrsyegax",
    )


def test_a_fake_transport_answers_what_a_test_says(made: ModuleType) -> None:
    testing = made.testing
    transport = testing.FakeTransport()
    failed = testing.example(made.models.Order, status="failed")
    refused = {"error": {"type": "not_found_error", "code": "resource_not_found", "message": "?"}}
    transport.reply("getOrder", testing.response(failed), testing.response(refused, 404))
    orders = client(made, transport).orders
    assert orders.get("ord_1").status == "failed"
    for _ in range(2):
        with pytest.raises(made.NotFoundError):
            orders.get("ord_1")
    transport.reply("getOrder", testing.TransportError("reset"))
    with pytest.raises(made.ApiConnectionError):
        orders.get("ord_1")
    with pytest.raises(ValueError, match="getOrdr"):
        transport.reply("getOrdr", testing.response({}))


def test_a_fake_transport_finds_each_operation(made: ModuleType, contract: dict[str, Any]) -> None:
    transport = made.testing.FakeTransport()
    for method, path, operation in operations(contract):
        url = "http://test/api/v1" + path.replace("{", "").replace("}", "")
        transport.reply(operation["operationId"], made.testing.response({}, 299))
        request = made.testing.Request(method, url, [])
        assert transport.send(request).status == 299, path
    unknown = made.testing.Request("GET", "http://test/api/v1/nothing", [])
    assert transport.send(unknown).status == 404


def test_an_asynchronous_client_has_a_fake_transport_too(made: ModuleType) -> None:
    async def call() -> Any:
        transport = made.testing.AsyncFakeTransport()
        async with made.AsyncClient(KEY, base_url="http://test", transport=transport) as calls:
            return await calls.balance.get()

    assert asyncio.run(call()) == made.testing.example(made.models.Balance)
