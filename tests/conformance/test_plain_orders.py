"""Orders of lists in both directions, which no declaration describes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from fastapi import FastAPI, HTTPException

from specwright.conformance.checks.lists.plain_orders import PLAIN_ORDER, plain_orders
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (PLAIN_ORDER,)
SAME = ["GET /items: the order is the same for sort=name and sort=-name"]


@dataclass
class Server:
    """A server of a list.

    Attributes:
        ignored: the direction has no effect.
        names: those of the items.
        refused: descending order is refused.
        hidden: items do not show their names.
        declared: the document declares the orders.
    """

    ignored: bool = False
    names: tuple[str, ...] = ("b", "a", "c")
    refused: bool = False
    hidden: bool = False
    declared: bool = False

    def app(self) -> FastAPI:
        app = FastAPI()

        @app.get("/items")
        def items(
            sort: Literal["name", "-name"] | None = None,
            direction: Literal["asc", "desc"] = "asc",
        ) -> list[dict[str, Any]]:
            descends = str(sort).startswith("-")
            if descends and self.refused:
                raise HTTPException(403)
            names = sorted(self.names, key=str.lower, reverse=descends and not self.ignored)
            return [{"title" if self.hidden else "name": name} for name in names]

        if self.declared:
            operation = app.openapi()["paths"]["/items"]["get"]
            operation["parameters"][0]["x-contract-sort"] = {
                "orders": {
                    "name": {"by": "/name", "direction": "ascending"},
                    "-name": {"by": "/name", "direction": "descending"},
                }
            }
        return app


@pytest.mark.parametrize(
    ("server", "violations"),
    [
        (Server(), []),
        (Server(ignored=True), SAME),
        (Server(ignored=True, refused=True), []),
        (Server(ignored=True, names=("a",)), []),
        (Server(ignored=True, names=("a", "a")), []),
        # Most languages have no order of the two.
        (Server(names=("a", "A")), []),
        (Server(ignored=True, hidden=True), []),
        (Server(ignored=True, declared=True), []),
    ],
)
def test_plain_orders(tmp_path: Path, server: Server, violations: list[str]) -> None:
    with driver_of(server.app(), tmp_path) as driver:
        operation = driver.contract.operations["/paths/~1items/get"]
        assert driver.first_success(operation) is not None
        plain_orders(driver)
        assert messages(driver, PLAIN_ORDER) == violations
