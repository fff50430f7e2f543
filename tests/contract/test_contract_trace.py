"""The contract trace covers every agreed statement, and its pointers resolve."""

import hmac
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from specwright.pointer import resolve
from tests.contract.published import BY_ID, CONTRACT, dereference, operations

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
CREATE_ORDER = BY_ID["createOrder"]["responses"]


@dataclass(frozen=True, slots=True)
class Row:
    """A statement, and the parts of the document that carry it."""

    statement: str
    carried: list[str]

    @property
    def pointers(self) -> list[str]:
        return [part.strip("`") for part in self.carried if not part.startswith(NOT_SAYABLE)]


Trace = dict[str, dict[str, Row]]


def read_trace(text: str) -> Trace:
    """Sections by heading, and in each its statements by name."""
    sections: Trace = {}
    rows: dict[str, Row] = {}
    for line in text.splitlines():
        if re.match("##+ ", line):
            rows = sections.setdefault(line, {})
        elif line.startswith("| ") and not line.startswith("| Source |"):
            name, statement, carried = line.strip("| ").split(" | ")
            assert name not in rows, f"{name} stands twice"
            parts = re.split(r", (?=`/|not sayable)", carried)
            rows[name] = Row(statement, [part.strip() for part in parts])
    return sections


def bare(value: Any) -> Any:
    """A part of the document without the prose inside it."""
    if isinstance(value, dict):
        return {name: bare(each) for name, each in value.items() if name != "description"}
    return [bare(item) for item in value] if isinstance(value, list) else value


def terms(statement: str) -> set[str]:
    """The numbers of a statement, and its names of schemas and fields."""
    prose = re.sub(r"section \d", "", statement)
    names = set(re.findall(r"\b[A-Z]\w+", prose.partition(" ")[2]))
    return {
        *re.findall(r"(?<![\w.])\d+(?!\w)", prose),
        *(names & CONTRACT["components"]["schemas"].keys()),
        *re.findall(r"\b[a-z]+_[a-z_]+\b", prose),
    }


@pytest.fixture(scope="module")
def trace(root: Path) -> Trace:
    return read_trace((root / "docs/reference/contract-trace.md").read_text("utf-8"))


def test_the_trace_has_the_sections_in_their_order(trace: Trace) -> None:
    assert list(trace) == list(AGREED)


@pytest.mark.parametrize("heading", AGREED)
def test_a_section_has_every_statement(heading: str, trace: Trace) -> None:
    assert list(trace[heading]) == AGREED[heading]


@pytest.mark.parametrize("heading", AGREED)
def test_every_pointer_of_a_section_resolves(heading: str, trace: Trace) -> None:
    for name, row in trace[heading].items():
        for part in row.carried:
            if part.startswith(NOT_SAYABLE):
                assert "implemented by" in part, f"{name}: says not by what it is implemented"
                continue
            assert re.fullmatch("`/.*`", part), f"{name}: not a pointer: {part}"
            try:
                resolve(CONTRACT, part.strip("`"))
            except KeyError as error:
                pytest.fail(f"{name}: {part} leads nowhere at {error}")


@pytest.mark.parametrize("heading", AGREED)
def test_what_carries_a_statement_has_its_numbers_and_names(heading: str, trace: Trace) -> None:
    for name, row in trace[heading].items():
        parts = [bare(resolve(CONTRACT, pointer)) for pointer in row.pointers]
        said = json.dumps([parts, [re.sub(r"/\d$", "", pointer) for pointer in row.pointers]])
        said = re.sub(r"(?<=\d),(?=\d{3})", "", said)
        missing = [term for term in terms(row.statement) if not re.search(rf"\b{term}\b", said)]
        assert not missing, f"{name}: {row.statement}"


def test_every_operation_and_only_an_operation_is_an_endpoint_of_the_trace(trace: Trace) -> None:
    stated = [name for name in trace["## 4. Endpoints"] if name.partition(" ")[2].startswith("/")]
    assert sorted(stated) == sorted(f"{method.upper()} {path}" for method, path, _ in operations())


def test_every_event_is_stated_and_has_its_own_type(trace: Trace) -> None:
    schemas = CONTRACT["components"]["schemas"]
    events = list(CONTRACT["webhooks"])
    assert list(trace["### Event types"]) == events
    assert schemas["EventType"]["x-extensible-enum"] == events
    assert schemas["Event"]["x-extensible-enum"] == events
    assert list(schemas["Event"]["discriminator"]["mapping"]) == events
    for event, item in CONTRACT["webhooks"].items():
        payload = item["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert payload["$ref"] == schemas["Event"]["discriminator"]["mapping"][event]
        assert dereference(payload)["properties"]["type"]["const"] == event


def test_every_webhook_is_delivered_in_the_same_way() -> None:
    first, *others = (item["post"] for item in CONTRACT["webhooks"].values())
    # A minute, five, half an hour, two hours and twelve.
    assert first["x-contract-delivery"]["retry_after_seconds"] == [60, 300, 1800, 7200, 43200]
    for webhook in others:
        for name in ("parameters", "security", "x-contract-delivery", "x-contract-signature"):
            assert webhook[name] == first[name]
        assert list(webhook["responses"]) == list(first["responses"])


@pytest.mark.parametrize("name", BY_ID)
def test_every_operation_answers_with_the_shared_headers_and_errors(name: str) -> None:
    success, *errors = BY_ID[name]["responses"].items()
    assert success[1]["headers"].keys() >= {"Request-Id", "RateLimit-Policy", "RateLimit"}
    codes = CONTRACT["x-contract-error"]["codes"].values()
    # The answer to a method that a path does not have belongs to no operation.
    assert [int(status) for status, _ in errors] == sorted({c["status"] for c in codes} - {405})
    assert dict(errors).items() <= CREATE_ORDER.items()


@pytest.mark.parametrize("status", [status for status in CREATE_ORDER if status != "201"])
def test_an_error_has_an_example_of_each_code_and_the_headers_of_its_status(status: str) -> None:
    response = dereference(CREATE_ORDER[status])
    content = response["content"]["application/json"]
    assert content["schema"] == {"$ref": "#/components/schemas/Error"}
    declared = CONTRACT["x-contract-error"]["codes"]
    codes = [code for code, meaning in declared.items() if meaning["status"] == int(status)]
    assert [example["value"]["error"]["code"] for example in content["examples"].values()] == codes
    headers = response["headers"].keys()
    assert "Request-Id" in headers
    assert ("Retry-After" in headers) is (status in ("409", "429", "503"))
    assert ("WWW-Authenticate" in headers) is (status == "401")
    assert ("RateLimit" in headers) is (status not in ("401", "500", "503"))


def test_every_error_code_is_listed_and_has_a_type() -> None:
    declared = CONTRACT["x-contract-error"]["codes"]
    schemas = CONTRACT["components"]["schemas"]
    assert list(declared) == schemas["ErrorCode"]["x-extensible-enum"]
    assert {code["type"] for code in declared.values()} <= set(schemas["ErrorType"]["enum"])


def test_reads_and_writes_are_counted_in_their_classes() -> None:
    for method, _, operation in operations():
        assert operation["x-contract-rate-limit"]["class"] == (
            "read" if method == "get" else "write"
        )


def test_the_example_of_a_signature_is_right() -> None:
    signature = CONTRACT["webhooks"]["order.completed"]["post"]["x-contract-signature"]
    payload = signature["payload"].format(timestamp=1700000000, body='{"a":1}')
    digest = hmac.new(b"whsec_test", payload.encode(), "sha256").hexdigest()
    header = signature["template"].format(timestamp=1700000000, digest=digest)
    assert digest in CONTRACT["info"]["description"]
    assert CONTRACT["components"]["parameters"]["ServiceSignature"]["example"] == header


def test_every_scenario_of_the_sandbox_is_described() -> None:
    body = BY_ID["createOrder"]["requestBody"]["content"]["application/json"]
    metadata = [example["value"].get("metadata", {}) for example in body["examples"].values()]
    scenarios = {
        example["sandbox_scenario"] for example in metadata if "sandbox_scenario" in example
    }
    described = re.findall(r"^\| `(\w+)` \|", CONTRACT["info"]["description"], re.MULTILINE)
    assert sorted(described) == sorted(scenarios)


def test_the_address_ends_in_the_version() -> None:
    (server,) = CONTRACT["servers"]
    assert server["url"] == "{base_url}"
    assert server["variables"]["base_url"]["default"].endswith("/api/v1")
