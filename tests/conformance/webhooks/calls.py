"""Calls of the partner eSIM API that cause its webhooks."""

from __future__ import annotations

import json
import secrets
import time
from pathlib import Path
from typing import Any

from specwright.conformance.exchange import Exchange
from specwright.conformance.target import Target

CONTRACT = json.loads((Path(__file__).parents[3] / "spec" / "openapi.json").read_text("utf-8"))
PATHS = {
    operation["operationId"]: (path, method.upper(), operation)
    for path, item in CONTRACT["paths"].items()
    for method, operation in item.items()
    if isinstance(operation, dict) and "operationId" in operation
}
SECONDS = 10.0


class Calls:
    """Sends the examples of the document, each under a reference of its own."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.iccid: str | None = None

    def __call__(self, operation: str, example: str | None) -> Exchange:
        path, method, declared = PATHS[operation]
        examples = declared["requestBody"]["content"]["application/json"]["examples"]
        body = examples[example or next(iter(examples))]["value"]
        sent = {**body, "reference": f"r-{secrets.token_hex(8)}"}
        done = self.send(method, path.replace("{iccid}", self.iccid or "0"), sent)
        if operation == "createOrder" and example is None:
            self.iccid = self.completed(self.read(done)["order_id"])
        return done

    def send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Exchange:
        data = None if body is None else json.dumps(body).encode()
        headers = [("Content-Type", "application/json")] if data else []
        request = self.target.request(method, path, headers=headers, body=data)
        return self.target.send(request, "webhooks", None)

    def completed(self, order: str) -> str:
        """The first eSIM of an order, once it has one."""
        end = time.monotonic() + SECONDS
        while not (iccids := self.read(self.send("GET", f"/orders/{order}"))["iccids"]):
            assert time.monotonic() < end
        return str(iccids[0])

    @staticmethod
    def read(exchange: Exchange) -> Any:
        assert exchange.response is not None
        assert exchange.response.is_success, exchange.response.shown
        return exchange.response.json
