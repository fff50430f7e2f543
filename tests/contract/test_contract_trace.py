"""The contract trace leaves out nothing that was agreed, and points to what exists."""

import json
import re
from pathlib import Path

import pytest

from specwright.pointer import resolve

# What was agreed, by section: one name for each sentence, rule or table row.
AGREED = {
    "## Scope": ["scope", "base url", "media type"],
    "## 1. What the service does": [
        "purpose",
        "bullet 1",
        "bullet 2",
        "bullet 3",
        "bullet 4",
        "bullet 5",
        "bullet 6",
        "bullet 7",
    ],
    "## 2. Resources and their fields": [],
    "### Plan": [
        "coverage",
        "data",
        "validity",
        "networks",
        "price_usd",
        "topup_supported",
        "not shown",
    ],
    "### Order": ["sentence 1", "not shown"],
    "### Esim": ["sentence 1", "sentence 2", "not shown"],
    "### Topup": ["sentence 1", "not shown"],
    "### Balance": ["sentence 1", "sentence 2", "not shown"],
    "### Event": ["sentence 1", "not shown"],
    "### Webhook endpoint": ["sentence 1", "sentence 2", "not shown"],
    "### List responses": ["sentence 1", "sentence 2", "not shown"],
    "## 3. States and transitions": ["not shown: states", "not shown: transitions"],
    "## 4. Endpoints": [
        "sentence 1",
        "sentence 2",
        "GET /plans",
        "GET /plans/{plan_id}",
        "POST /orders",
        "GET /orders",
        "GET /orders/{order_id}",
        "GET /esims",
        "GET /esims/{iccid}",
        "GET /esims/{iccid}/topup-plans",
        "POST /esims/{iccid}/topups",
        "GET /balance",
        "GET /events",
        "POST /webhook-endpoints",
        "GET /webhook-endpoints",
        "DELETE /webhook-endpoints/{id}",
        "POST /webhook-endpoints/{id}/test",
        "POST /sandbox/reset",
        "not shown",
    ],
    "### Query parameters": [
        "GET /plans country",
        "GET /plans coverage",
        "GET /plans limit",
        "GET /plans cursor",
        "GET /orders reference",
        "GET /orders limit",
        "GET /orders cursor",
        "GET /esims order_id",
        "GET /esims limit",
        "GET /esims cursor",
        "GET /events type",
        "GET /events limit",
        "GET /events cursor",
        "rule",
    ],
    "### POST /orders body": [
        "closed",
        "plan_id",
        "reference",
        "quantity",
        "days",
        "end_user",
        "metadata",
    ],
    "### POST /esims/{iccid}/topups body": ["closed", "topup_plan_id", "reference", "days"],
    "### POST /webhook-endpoints body": ["closed", "url", "event_types"],
    "### Ordering and idempotency rules": [
        "rule 1",
        "rule 2",
        "rule 3",
        "rule 4",
        "rule 5",
        "rule 6",
        "rule 7",
    ],
    "## 5. Authentication": ["rule 1", "rule 2", "rule 3", "rule 4", "rule 5: not shown"],
    "## 6. Events": [],
    "### Event types": [
        "order.completed",
        "esim.activated",
        "esim.usage",
        "esim.depleted",
        "esim.expiring",
        "esim.expired",
        "topup.completed",
        "balance.low",
        "webhook.test",
    ],
    "### Payloads": [
        "sentence 1",
        "order.completed",
        "esim.activated",
        "esim.usage",
        "esim.depleted",
        "esim.expiring",
        "esim.expired",
        "esim.usage: threshold",
        "esim.depleted: meaning",
        "topup.completed",
        "balance.low",
        "webhook.test",
        "not shown",
    ],
    "### Endpoint registration": ["rule 1", "rule 2", "rule 3"],
    "### Delivery headers": [
        "prefix",
        "Service-Event-Id",
        "Service-Event-Type",
        "Service-Signature",
    ],
    "### Signature": ["rule 1", "rule 2", "rule 3", "rule 4", "rule 5", "rule 6"],
    "### Delivery and retry": ["rule 1", "rule 2", "rule 3"],
    "### Timing": ["bullet 1", "bullet 2", "bullet 3", "not shown"],
    "## 7. Errors": ["rule 1", "rule 2", "rule 3: not shown", "rule 4: not shown"],
    "## 8. Limits": [
        "Read endpoints",
        "Write endpoints",
        "Webhook endpoints",
        "Webhook url",
        "event_types items",
        "Page size (limit)",
        "Cursor",
        "Order quantity",
        "days",
        "Reference",
        "Metadata",
        "Event feed retention",
        "Signature timestamp tolerance",
        "not shown",
    ],
    "## 9. Versioning": ["rule 1", "rule 2", "rule 3: not shown"],
}

NOT_SAYABLE = "not sayable: "


def read_trace(text: str) -> dict[str, dict[str, list[str]]]:
    """Sections by heading, and in each what carries a statement, by its name."""
    sections: dict[str, dict[str, list[str]]] = {}
    rows: dict[str, list[str]] = {}
    for line in text.splitlines():
        if re.match("##+ ", line):
            rows = sections.setdefault(line, {})
        elif line.startswith("| ") and not line.startswith("| Source |"):
            name, _statement, carried = line.strip("| ").split(" | ")
            assert name not in rows, f"{name} stands twice"
            rows[name] = [part.strip() for part in re.split(r", (?=`/|not sayable)", carried)]
    return sections


@pytest.fixture(scope="module")
def trace(root: Path) -> dict[str, dict[str, list[str]]]:
    return read_trace((root / "docs/reference/contract-trace.md").read_text("utf-8"))


@pytest.fixture(scope="module")
def contract(root: Path) -> object:
    return json.loads((root / "spec/openapi.json").read_bytes())


def test_the_trace_has_the_sections_in_their_order(trace: dict[str, object]) -> None:
    assert list(trace) == list(AGREED)


@pytest.mark.parametrize("heading", AGREED)
def test_a_section_has_every_statement(
    heading: str, trace: dict[str, dict[str, list[str]]]
) -> None:
    assert list(trace[heading]) == AGREED[heading]


@pytest.mark.parametrize("heading", AGREED)
def test_every_pointer_of_a_section_resolves(
    heading: str, trace: dict[str, dict[str, list[str]]], contract: object
) -> None:
    for name, carried in trace[heading].items():
        for part in carried:
            if part.startswith(NOT_SAYABLE):
                assert "implemented by" in part, f"{name}: says not by what it is implemented"
                continue
            assert re.fullmatch("`/.*`", part), f"{name}: not a pointer: {part}"
            try:
                resolve(contract, part.strip("`"))
            except KeyError as error:
                pytest.fail(f"{name}: {part} leads nowhere at {error}")
