"""The operations of the contract, as a large partner calls them: each as expensive as it can be."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.service.caller import PLAN
from tests.service.large import iccid, made_id
from tests.service.world import FIXED

# The limits of a key, in as many seconds.
READS, WRITES, WINDOW = 600, 60, 60
_TOPUP_PLAN = "tpl_jp-3gb-30d"
_PAGE = "limit=100"


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation with a request.

    Attributes:
        of: its method and path in the contract.
        words: the request, as the page shows it.
        path: returns the path of a request, for its number.
        body: returns its body.
        at_once: how many are sent at the same time, which may happen once in the window of a
            limit; 0 for the rate that the limits allow.
        repeats: whether another round has as much to do.
    """

    of: str
    words: str
    path: Callable[[int], str]
    body: Callable[[int], object] | None = None
    at_once: int = 0
    repeats: bool = True

    def due(self, seconds: float) -> Sequence[float]:
        """Return when requests are sent, in seconds from the beginning."""
        if self.at_once:
            return (0.0,) * self.at_once
        per_second = (READS if self.of.startswith("GET ") else WRITES) / WINDOW
        return [number / per_second for number in range(round(per_second * seconds))]

    def rounds(self, rounds: int, seconds: float) -> Sequence[float]:
        """Return the lengths of the rounds, in seconds, of which so many are wanted."""
        if self.at_once:
            return (float(WINDOW),)
        return (seconds,) * (rounds if self.repeats else 1)

    def request(self, number: int) -> tuple[str, str, bytes]:
        """Return method, path and body of a request."""
        body = b"" if self.body is None else json.dumps(self.body(number)).encode()
        return self.of.split()[0], self.path(number), body


def operations(size: int) -> tuple[Operation, ...]:
    """Return the operations for a partner with so many rows in each table.

    The last one leaves nothing.
    """

    def at(number: int) -> int:
        # Spread over all rows; every tenth is of another partner.
        return (number * 7919) % (size // 10) * 10 + 1

    def get(of: str, query: str = "", words: str = "") -> Operation:
        """An operation without anything that differs between requests."""
        path = of + (f"?{query}" if query else "")
        return Operation(f"GET {of}", words or f"GET {path}", lambda _: path)

    return (
        get("/plans", f"coverage=regional&{_PAGE}"),
        Operation("GET /plans/{plan_id}", "GET /plans/{plan_id}", lambda _: f"/plans/{FIXED}"),
        get("/orders", _PAGE),
        Operation(
            "GET /orders",
            "GET /orders?reference= of an order",
            lambda number: f"/orders?reference=r{at(number)}",
        ),
        get("/orders", "reference=missing", "GET /orders?reference= of no order"),
        Operation(
            "GET /orders/{order_id}",
            "GET /orders/{order_id}",
            lambda number: f"/orders/{made_id('ord', at(number))}",
        ),
        get("/esims", _PAGE),
        Operation(
            "GET /esims",
            "GET /esims?order_id= of an order",
            lambda number: f"/esims?order_id={made_id('ord', at(number))}",
        ),
        get("/esims", "order_id=missing", "GET /esims?order_id= of no order"),
        Operation(
            "GET /esims/{iccid}",
            "GET /esims/{iccid}",
            lambda number: f"/esims/{iccid(at(number))}",
        ),
        Operation(
            "GET /esims/{iccid}/topup-plans",
            "GET /esims/{iccid}/topup-plans",
            lambda number: f"/esims/{iccid(at(number))}/topup-plans",
        ),
        get("/balance"),
        get("/events", _PAGE),
        get("/events", "type=esim.expired", "GET /events?type= that never occurred"),
        get("/webhook-endpoints"),
        Operation(
            "GET /esims",
            f"GET /esims?{_PAGE}, {READS} at once",
            lambda _: f"/esims?{_PAGE}",
            at_once=READS,
        ),
        Operation(
            "POST /orders",
            "POST /orders, 5 eSIMs each",
            lambda _: "/orders",
            lambda number: {"plan_id": PLAN, "reference": f"new-{number}", "quantity": 5},
        ),
        Operation(
            "POST /orders",
            f"POST /orders, 5 eSIMs each, {WRITES} at once",
            lambda _: "/orders",
            lambda number: {"plan_id": PLAN, "reference": f"burst-{number}", "quantity": 5},
            at_once=WRITES,
        ),
        Operation(
            "POST /orders",
            "POST /orders, the same again",
            lambda _: "/orders",
            lambda _: {"plan_id": PLAN, "reference": "again"},
        ),
        Operation(
            "POST /esims/{iccid}/topups",
            "POST /esims/{iccid}/topups",
            lambda number: f"/esims/{iccid(at(number))}/topups",
            lambda number: {"topup_plan_id": _TOPUP_PLAN, "reference": f"new-{number}"},
        ),
        Operation(
            "POST /webhook-endpoints",
            "POST /webhook-endpoints, beyond the limit",
            lambda _: "/webhook-endpoints",
            # It is not called.
            lambda _: {"url": "https://1.1.1.1/"},
        ),
        Operation(
            "POST /webhook-endpoints/{id}/test",
            "POST /webhook-endpoints/{id}/test",
            lambda number: f"/webhook-endpoints/{made_id('whe', number % 2)}/test",
        ),
        Operation(
            "DELETE /webhook-endpoints/{id}",
            "DELETE /webhook-endpoints/{id}, with its deliveries",
            lambda _: f"/webhook-endpoints/{made_id('whe', 2)}",
            repeats=False,
        ),
        Operation(
            "POST /sandbox/reset",
            "POST /sandbox/reset, and the removal",
            lambda _: "/sandbox/reset",
            repeats=False,
        ),
    )
