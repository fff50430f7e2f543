"""What another partner may see of what is not this one's own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specwright.conformance.bench.roles import MAIN, OTHER
from specwright.conformance.bench.target import Target
from specwright.conformance.bench.workbench import Workbench
from specwright.conformance.contract.contract import Contract
from specwright.conformance.recording.record import Record
from specwright.conformance.scenarios.explore import explore
from specwright.conformance.scenarios.isolation import isolation
from specwright.document.security import Credential
from specwright.document.sources.load import load
from tests.conformance.shop import KEYS
from tests.conformance.test_command import Exchange, playing

ANNA, BERT, *_ = KEYS
ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
LINKS = {
    name: {"operationId": name, "parameters": {"id": "$response.body#/0/id"}}
    for name in ("getItem", "getStock")
}


def reading(name: str, **members: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": {}}}
    answer = {"description": "…", "content": content, **members}
    parameters = [] if members else [ID]
    return {"get": {"operationId": name, "parameters": parameters, "responses": {"200": answer}}}


DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Items", "version": "1"},
    "security": [{"key": []}],
    "paths": {
        "/items": reading("listItems", links=LINKS),
        "/items/{id}": reading("getItem"),
        "/items/{id}/stock": reading("getStock"),
    },
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
}


@pytest.mark.parametrize(("status", "is_blamed"), [(200, False), (404, True), (429, False)])
def test_what_another_partner_does_not_find_is_hidden_from_it_everywhere(
    tmp_path: Path, status: int, is_blamed: bool
) -> None:
    path = tmp_path / "items.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    contract = Contract(load(path))

    def respond(exchange: Exchange) -> None:
        is_other = exchange.headers["x-key"] == BERT
        item = b'{"id": "item-1"}'
        if is_other and exchange.path == "/items/item-1":
            exchange.answer(status, item)
        else:
            exchange.answer(200, b"[" + item + b"]" if exchange.path == "/items" else item)

    keys = {MAIN: ANNA, OTHER: BERT}
    with (
        playing(respond) as port,
        Target(
            f"http://127.0.0.1:{port}", Credential.of(contract.document), Record(), keys
        ) as target,
    ):
        bench = Workbench(contract, target, "scenarios")
        explore(bench)
        # An answer that did not come says nothing of what is whose.
        target.record.add(replace(target.record.exchanges[-1], response=None))
        isolation(bench)
    said = [each.message for each in target.record.violations]
    assert said == (
        ["GET /items/{id}/stock: another partner reached what is not its own"] * is_blamed
    )
