"""Idempotency keys in a header, and sort orders by a parameter."""

from __future__ import annotations

import copy
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from specwright.conformance.checks.idempotency.idempotency import idempotency
from specwright.conformance.checks.lists.sorting import sorting
from specwright.conformance.checks.requests.validation import validation
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import MAIN, OTHER_TENANT
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.monitors import Monitors
from specwright.conformance.recording.record import Record
from specwright.document.operations.security import Credential
from specwright.document.sources.load import load
from tests.serving import Server

KEY = {"type": "string", "minLength": 1, "maxLength": 80}
THING = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string", "example": "b"}},
}
BODY = {"content": {"application/json": {"schema": THING}}}
PAGE = {"cursor": None, "limit": None, "items": "", "next": None, "more": None, "id": "/name"}
ORDERS = {
    "name": {"by": "/name", "direction": "ascending"},
    "-name": {"by": "/name", "direction": "descending"},
}
DOCUMENT: Any = {
    "openapi": "3.1.0",
    "info": {"title": "Things", "version": "1"},
    "security": [{"key": []}],
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
    "paths": {
        "/things": {
            "post": {
                "operationId": "make",
                "x-contract-idempotency": {
                    "header": "Idempotency-Key",
                    "replay": {"status": 201},
                    "changed": {"status": 422},
                    "scope": ["user"],
                },
                "parameters": [{"name": "Idempotency-Key", "in": "header", "schema": KEY}],
                "requestBody": {"required": True, **BODY},
                "responses": {
                    "201": {"description": "Made.", **BODY},
                    "422": {"description": "No."},
                },
            },
            "get": {
                "operationId": "list",
                "x-contract-pagination": PAGE,
                "x-contract-order": {"by": "/number", "direction": "ascending"},
                "parameters": [
                    {
                        "name": "sort",
                        "in": "query",
                        "schema": {"enum": ["name", "-name"]},
                        "x-contract-sort": {"orders": ORDERS},
                    }
                ],
                "responses": {"200": {"description": "All."}},
            },
        }
    },
}


def app(bug: str, keys: set[str], names: str = "bca") -> Starlette:
    """An application that keeps its promises, but for one; it notes the keys that it gets."""
    numbers = itertools.count(1)
    made = [{"name": name, "number": next(numbers)} for name in names]
    seen: dict[tuple[str, str], tuple[Any, Any]] = {}

    async def make(request: Request) -> Response:
        body = await request.json()
        if not isinstance(body.get("name"), str):
            return JSONResponse({}, 422)
        user = "" if bug == "keys of all" else request.headers["X-Key"]
        if not 1 <= len(request.headers.get("Idempotency-Key", "x")) <= 80:
            return JSONResponse({}, 422)
        key = (user, request.headers.get("Idempotency-Key", ""))
        keys.add(key[1])
        if key in seen and bug != "ignored":
            sent, answer = seen[key]
            if sent == body or bug == "changed":
                return JSONResponse(answer, 201)
            return JSONResponse({}, 400 if bug == "other status" else 422)
        answer = {**body, "number": next(numbers)}
        seen[key] = body, answer
        made.append(answer)
        return JSONResponse(answer, 201)

    async def list_(request: Request) -> Response:
        sort = request.query_params.get("sort", "number")
        found = made if bug == "unsorted" else sorted(made, key=lambda each: each[sort.lstrip("-")])
        is_down = sort.startswith("-") and bug not in ("one direction", "unsorted")
        return JSONResponse(found[::-1] if is_down else found)

    return Starlette(
        routes=[Route("/things", make, methods=["POST"]), Route("/things", list_, methods=["GET"])]
    )


def blamed(bug: str, tmp_path: Path) -> list[str]:
    """The rules that a bug breaks."""
    file = tmp_path / "things.json"
    file.write_text(json.dumps(DOCUMENT), "utf-8")
    contract, record, sent = Contract(load(file)), Record(), set[str]()
    record.monitors = (Monitors(contract, record),)
    keys = {MAIN: "test-anna", OTHER_TENANT: "test-bert"}
    with (
        Server(app(bug, sent)) as server,
        TargetServer(server.url, Credential.of(contract.document), record, keys) as target,
    ):
        driver = Driver(contract, target, "scenarios")
        for scenario in (idempotency, sorting, validation):
            scenario(driver)
    assert len(sent - {""}) > 3
    assert record.checked.keys() >= {"idempotency-replay", "idempotency-changed", "order"}
    return sorted({failure.rule for failure in record.failures.values()})


@pytest.mark.parametrize(
    ("bug", "rules"),
    [
        ("", []),
        ("ignored", ["idempotency-changed", "idempotency-concurrent", "idempotency-replay"]),
        ("changed", ["idempotency-changed"]),
        ("other status", ["idempotency-changed"]),
        ("keys of all", ["idempotency-scope"]),
        ("unsorted", ["order"]),
        ("one direction", ["order"]),
    ],
)
def test_a_bug_is_found_by_its_rule(bug: str, rules: list[str], tmp_path: Path) -> None:
    found = [each for each in blamed(bug, tmp_path) if each != "undeclared-status"]
    assert found == rules


@pytest.mark.parametrize("first", ["a", "z"])
@pytest.mark.parametrize("order", ORDERS)
def test_a_list_that_is_not_sorted_is_in_none_of_its_orders_by_chance(
    order: str, first: str, tmp_path: Path
) -> None:
    data = copy.deepcopy(DOCUMENT)
    [parameter] = data["paths"]["/things"]["get"]["parameters"]
    parameter["x-contract-sort"]["orders"] = {order: ORDERS[order]}
    del data["paths"]["/things"]["get"]["x-contract-order"]
    body = data["paths"]["/things"]["post"]["requestBody"]["content"]["application/json"]
    body["schema"]["properties"]["name"]["example"] = first
    file = tmp_path / "things.json"
    file.write_text(json.dumps(data), "utf-8")
    contract, record = Contract(load(file)), Record()
    record.monitors = (Monitors(contract, record),)
    with (
        Server(app("unsorted", set(), "")) as server,
        TargetServer(
            server.url, Credential.of(contract.document), record, {MAIN: "test-anna"}
        ) as target,
    ):
        driver = Driver(contract, target, "scenarios")
        for operation in contract.operations.values():
            driver.first_success(operation)
        sorting(driver)
    assert "order" in {failure.rule for failure in record.failures.values()}
