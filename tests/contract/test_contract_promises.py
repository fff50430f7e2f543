"""What the contract promises to partners, read from the published document alone."""

import hashlib
import hmac
from typing import Any

import pytest

from specwright.pointer import Pointer, resolve
from tests.contract.published import BY_ID, CONTRACT, dereference, is_valid, operations

ERRORS = ("400", "401", "402", "403", "404", "409", "422", "429", "500", "502", "503")


# Method, path, operationId, tag, status, schema of the answer, rate limit class.
OPERATIONS = [
    ("get", "/plans", "listPlans", "plans", "200", "PlanList", "read"),
    ("get", "/plans/{plan_id}", "getPlan", "plans", "200", "Plan", "read"),
    ("post", "/orders", "createOrder", "orders", "201", "Order", "write"),
    ("get", "/orders", "listOrders", "orders", "200", "OrderList", "read"),
    ("get", "/orders/{order_id}", "getOrder", "orders", "200", "Order", "read"),
    ("get", "/esims", "listEsims", "esims", "200", "EsimList", "read"),
    ("get", "/esims/{iccid}", "getEsim", "esims", "200", "Esim", "read"),
    (
        "get",
        "/esims/{iccid}/topup-plans",
        "listTopupPlans",
        "topups",
        "200",
        "TopupPlanList",
        "read",
    ),
    ("post", "/esims/{iccid}/topups", "createTopup", "topups", "201", "Topup", "write"),
    ("get", "/balance", "getBalance", "balance", "200", "Balance", "read"),
    ("get", "/events", "listEvents", "events", "200", "EventList", "read"),
    (
        "post",
        "/webhook-endpoints",
        "createWebhookEndpoint",
        "webhook-endpoints",
        "201",
        "WebhookEndpointCreated",
        "write",
    ),
    (
        "get",
        "/webhook-endpoints",
        "listWebhookEndpoints",
        "webhook-endpoints",
        "200",
        "WebhookEndpointList",
        "read",
    ),
    (
        "delete",
        "/webhook-endpoints/{id}",
        "deleteWebhookEndpoint",
        "webhook-endpoints",
        "204",
        None,
        "write",
    ),
    (
        "post",
        "/webhook-endpoints/{id}/test",
        "testWebhookEndpoint",
        "webhook-endpoints",
        "202",
        "WebhookTestAccepted",
        "write",
    ),
    ("post", "/sandbox/reset", "resetSandbox", "sandbox", "200", "SandboxReset", "write"),
]


# Event type, schema of the delivery, schema of its data.
WEBHOOKS = [
    ("order.completed", "OrderCompletedEvent", "Order"),
    ("esim.activated", "EsimActivatedEvent", "Esim"),
    ("esim.usage", "EsimUsageEvent", "Esim"),
    ("esim.depleted", "EsimDepletedEvent", "Esim"),
    ("esim.expiring", "EsimExpiringEvent", "Esim"),
    ("esim.expired", "EsimExpiredEvent", "Esim"),
    ("topup.completed", "TopupCompletedEvent", "Topup"),
    ("balance.low", "BalanceLowEvent", "Balance"),
    ("webhook.test", "WebhookTestEvent", "WebhookTest"),
]


EVENT_TYPES = [event for event, _, _ in WEBHOOKS]


PAGE = [("limit", False), ("cursor", False)]


# Query parameters by operation: name and whether it is required.
QUERIES = {
    "listPlans": [("country", False), ("coverage", False), *PAGE],
    "listOrders": [("reference", False), *PAGE],
    "listEsims": [("order_id", False), *PAGE],
    "listTopupPlans": PAGE,
    "listEvents": [("type", False), *PAGE],
}


# Values that a schema takes, and values that it refuses.
LIMITS: list[tuple[str, list[Any], list[Any]]] = [
    ("CountryFilter", ["JP", "jp", "Jp"], ["", "J", "JPN", "J1", "ÄÖ", 12]),
    ("CoverageFilter", ["regional", "global"], ["country", "Global", ""]),
    ("PageLimit", [1, 50, 200, 10.0], [0, 201, "10", 10.5, True]),
    ("Cursor", ["c", "c" * 200], ["", "c" * 201]),
    ("ReferenceFilter", ["", "x" * 200], ["x" * 201]),
    ("OrderIdFilter", ["", "x" * 64], ["x" * 65]),
    ("EventTypeName", EVENT_TYPES, ["order.failed", ""]),
    ("BodyId", ["p", "p" * 64], ["", "p" * 65]),
    ("Reference", ["!", "~" * 200], ["", "x" * 201, "a b", "a\t", "\x7f", "é"]),
    ("Quantity", [1, 20], [0, 21, None]),
    ("Days", [1, 365], [0, 366, None]),
    ("EndUserCreate", [{}, {"label": "x"}], [{"label": ""}, {"label": "x" * 121}, {"name": "x"}]),
    ("Metadata", [{}, {"k" * 40: "v" * 500}], [{"": "v"}, {"k" * 41: "v"}, {"k": "v" * 501}]),
    (
        "OrderCreate",
        [{"plan_id": "p", "reference": "r"}],
        [
            {"plan_id": "p"},
            {"reference": "r"},
            {"plan_id": "p", "reference": "r", "colour": "red"},
            {"plan_id": "p", "reference": "r", "days": None},
        ],
    ),
    (
        "TopupCreate",
        [{"topup_plan_id": "p", "reference": "r", "days": 365}],
        [
            {"topup_plan_id": "p"},
            {"reference": "r"},
            {"topup_plan_id": "p", "reference": "r", "quantity": 1},
        ],
    ),
    (
        "WebhookEndpointCreate",
        [
            {"url": "https://a.example/"},
            {"url": "https://a.example/" + "x" * 2030, "event_types": EVENT_TYPES},
        ],
        [
            {},
            {"url": "http://a.example/"},
            {"url": "https://a.example/" + "x" * 2031},
            {"url": "https://a.example/", "event_types": [*EVENT_TYPES, "webhook.test"]},
            {"url": "https://a.example/", "event_types": ["order.failed"]},
            {"url": "https://a.example/", "secret": "x"},
        ],
    ),
    ("Money", ["0.00", "-12.50", "999999999.9999"], ["1", "01.00", "1.0", "1.00000", ".50", 1.5]),
    ("Timestamp", ["2026-03-02T09:15:00Z"], ["2026-03-02", "yesterday"]),
    ("Iccid", ["1" * 18, "1" * 20], ["1" * 17, "1" * 21, "89880440001234500A3"]),
    ("UsageThreshold", [50, 80], [100, 0]),
    ("WebhookSignature", ["t=1,v1=" + "a" * 64], ["t=1, v1=" + "a" * 64, "t=1,v1=" + "A" * 64]),
    # Open on the way out: a value added later is no breach of the contract.
    ("OrderStatus", ["processing", "postponed"], [1, None]),
    ("EventType", ["order.completed", "order.failed"], [None]),
]


CODES = {
    400: "invalid_json body_too_large unsupported_media_type missing_field unknown_field "
    "invalid_value out_of_range invalid_length missing_country_or_coverage invalid_cursor "
    "cursor_expired plan_not_found topup_plan_not_found plan_unavailable days_required "
    "days_not_allowed topup_not_supported esim_not_eligible invalid_webhook_url",
    401: "missing_api_key invalid_api_key",
    402: "insufficient_balance",
    403: "test_mode_only partner_suspended",
    404: "resource_not_found route_not_found",
    405: "method_not_allowed",
    409: "reference_in_progress webhook_endpoint_limit_reached",
    422: "reference_reused",
    429: "rate_limited",
    500: "internal_error",
    502: "upstream_error",
    503: "unavailable",
}


# What only prose can say, and where it stands.
PROSE = [
    ("/info/description", "48 hexadecimal characters"),
    ("/info/description", "GET /openapi.json"),
    ("/info/description", "405"),
    ("/info/description", "six attempts in all"),
    ("/info/description", "at least 12 months"),
    ("/info/description", "RFC 9745"),
    ("/paths/~1events/get/description", "30 days"),
    ("/paths/~1orders/post/description", "byte for byte"),
    ("/paths/~1esims~1{iccid}~1topups/post/description", "`ready`, `active` or `depleted`"),
    ("/paths/~1sandbox~1reset/post/description", "1000.00"),
    ("/components/schemas/Plan/properties/price_usd/description", "per eSIM per day"),
    ("/components/schemas/EsimActivatedEvent/description", "15 minutes"),
    ("/components/schemas/EsimExpiringEvent/description", "between 24 and 20 hours"),
    ("/components/schemas/EsimDepletedEvent/description", "100 percent"),
    ("/components/schemas/OrderCompletedEvent/description", "within seconds"),
    ("/components/schemas/WebhookEndpointDisabledReason/description", "120 hours"),
    ("/components/parameters/ServiceSignature/description", "constant time"),
    ("/components/parameters/ServiceSignature/description", "300 seconds"),
]


SCENARIOS = (
    "activate_fast",
    "deplete_fast",
    "expire_fast",
    "slow_order",
    "upstream_502",
    "out_of_stock",
)


def test_there_are_sixteen_operations_in_the_order_agreed() -> None:
    found = [(method, path, each["operationId"]) for method, path, each in operations()]
    assert sorted(found) == sorted(each[:3] for each in OPERATIONS)
    assert list(CONTRACT["paths"]) == list(dict.fromkeys(each[1] for each in OPERATIONS))


@pytest.mark.parametrize(
    ("method", "path", "name", "tag", "status", "schema", "limit"),
    OPERATIONS,
    ids=[each[2] for each in OPERATIONS],
)
def test_an_operation_answers_as_agreed(
    method: str, path: str, name: str, tag: str, status: str, schema: str | None, limit: str
) -> None:
    operation = CONTRACT["paths"][path][method]
    assert operation["tags"] == [tag]
    assert operation["summary"]
    assert operation["description"]
    assert tuple(operation["responses"]) == (status, *ERRORS)
    success = operation["responses"][status]
    assert {"Request-Id", "RateLimit-Policy", "RateLimit"} <= success["headers"].keys()
    if schema is None:
        assert "content" not in success
    else:
        content = success["content"]["application/json"]
        assert content["schema"] == {"$ref": f"#/components/schemas/{schema}"}
        assert content["examples"]
    assert operation["x-contract-rate-limit"] == {"class": limit}


@pytest.mark.parametrize("name", BY_ID)
def test_an_operation_takes_the_parameters_agreed(name: str) -> None:
    parameters = [dereference(each) for each in BY_ID[name].get("parameters", [])]
    query = [(each["name"], "required" in each) for each in parameters if each["in"] == "query"]
    assert query == QUERIES.get(name, [])
    for parameter in parameters:
        if parameter["in"] == "path":
            # Any text may stand there; what names nothing is not found.
            assert is_valid(parameter["schema"], "no such thing")


def test_three_operations_have_a_body_with_examples() -> None:
    bodies = {
        name: operation["requestBody"]["content"]["application/json"]
        for name, operation in BY_ID.items()
        if "requestBody" in operation
    }
    assert {name: body["schema"]["$ref"].rsplit("/", 1)[1] for name, body in bodies.items()} == {
        "createOrder": "OrderCreate",
        "createTopup": "TopupCreate",
        "createWebhookEndpoint": "WebhookEndpointCreate",
    }
    assert all(body["examples"] for body in bodies.values())


@pytest.mark.parametrize("status", ERRORS)
def test_an_error_has_the_shared_body_and_headers(status: str) -> None:
    shared = {operation["responses"][status]["$ref"] for operation in BY_ID.values()}
    assert len(shared) == 1
    response = dereference({"$ref": shared.pop()})
    content = response["content"]["application/json"]
    assert content["schema"] == {"$ref": "#/components/schemas/Error"}
    codes = CODES[int(status)].split()
    assert [each["value"]["error"]["code"] for each in content["examples"].values()] == codes
    headers = response["headers"].keys()
    assert "Request-Id" in headers
    assert ("Retry-After" in headers) is (status in ("409", "429", "503"))
    assert ("WWW-Authenticate" in headers) is (status == "401")
    assert ("RateLimit" in headers) is (status not in ("401", "500", "503"))


def test_every_error_code_has_its_status_and_type() -> None:
    declared = CONTRACT["x-contract-error"]["codes"]
    by_status = {status: codes.split() for status, codes in CODES.items()}
    assert {
        status: [code for code, meaning in declared.items() if meaning["status"] == status]
        for status in by_status
    } == by_status
    schemas = CONTRACT["components"]["schemas"]
    assert list(declared) == schemas["ErrorCode"]["x-extensible-enum"]
    types = schemas["ErrorType"]["enum"]
    assert all(meaning["type"] in types for meaning in declared.values())
    conditions = [each["condition"] for each in declared.values() if "condition" in each]
    assert len(conditions) == len(set(conditions))


def test_there_are_nine_webhooks() -> None:
    assert list(CONTRACT["webhooks"]) == EVENT_TYPES
    event = CONTRACT["components"]["schemas"]["Event"]
    assert list(event["discriminator"]["mapping"]) == EVENT_TYPES
    assert event["x-extensible-enum"] == EVENT_TYPES
    assert CONTRACT["components"]["schemas"]["EventType"]["x-extensible-enum"] == EVENT_TYPES


@pytest.mark.parametrize(("event", "schema", "data"), WEBHOOKS)
def test_a_webhook_is_delivered_as_agreed(event: str, schema: str, data: str) -> None:
    assert list(CONTRACT["webhooks"][event]) == ["post"]
    webhook = CONTRACT["webhooks"][event]["post"]
    parameters = [dereference(each) for each in webhook["parameters"]]
    assert [(each["name"], each["in"], each["required"]) for each in parameters] == [
        ("Service-Event-Id", "header", True),
        ("Service-Event-Type", "header", True),
        ("Service-Signature", "header", True),
    ]
    content = webhook["requestBody"]["content"]["application/json"]
    assert content["schema"] == {"$ref": f"#/components/schemas/{schema}"}
    payload = dereference(content["schema"])
    assert payload["properties"]["type"]["const"] == event
    assert payload["properties"]["data"]["$ref"] == f"#/components/schemas/{data}"
    assert {"id", "type", "created_at", "mode", "data"} <= set(payload["required"])
    assert list(webhook["responses"]) == ["2XX", "default"]
    assert webhook["security"] == []
    assert webhook["x-contract-delivery"]["retry_after_seconds"] == [60, 300, 1800, 7200, 43200]
    assert webhook["x-contract-signature"]["tolerance_seconds"] == 300
    assert webhook["x-contract-trigger"]["within_seconds"] <= 15


def test_the_signature_vector_is_right() -> None:
    signature = CONTRACT["webhooks"]["order.completed"]["post"]["x-contract-signature"]
    payload = signature["payload"].format(timestamp=1700000000, body='{"a":1}')
    digest = hmac.new(b"whsec_test", payload.encode(), hashlib.sha256).hexdigest()
    header = signature["template"].format(timestamp=1700000000, digest=digest)
    assert digest in CONTRACT["info"]["description"]
    assert CONTRACT["components"]["parameters"]["ServiceSignature"]["example"] == header


@pytest.mark.parametrize(("schema", "taken", "refused"), LIMITS, ids=[each[0] for each in LIMITS])
def test_a_schema_draws_the_limit_agreed(schema: str, taken: list[Any], refused: list[Any]) -> None:
    reference = {"$ref": f"#/components/schemas/{schema}"}
    assert [value for value in taken if not is_valid(reference, value)] == []
    assert [value for value in refused if is_valid(reference, value)] == []


def test_the_defaults_are_written_down() -> None:
    schemas = CONTRACT["components"]["schemas"]
    assert schemas["PageLimit"]["default"] == 50
    assert schemas["OrderCreate"]["properties"]["quantity"]["default"] == 1


def test_the_rules_beyond_openapi_are_declared() -> None:
    limits = CONTRACT["x-contract-rate-limit"]["classes"]
    assert limits["read"] == {"limit": 600, "window_seconds": 60, "scope": "key"}
    assert limits["write"] == {"limit": 60, "window_seconds": 60, "scope": "key"}
    assert CONTRACT["x-contract-body-limit"] == {"max_bytes": 64 * 1024}
    capacity = BY_ID["createWebhookEndpoint"]["x-contract-capacity"]
    assert (capacity["limit"], capacity["scope"], capacity["status"]) == (3, "mode", 409)
    assert BY_ID["listPlans"]["x-contract-requires-one-of"]["parameters"] == ["country", "coverage"]
    idempotent = [name for name, each in BY_ID.items() if "x-contract-idempotency" in each]
    assert idempotent == ["createOrder", "createTopup"]
    created = CONTRACT["components"]["schemas"]["WebhookEndpointCreated"]["properties"]
    assert [name for name, each in created.items() if "x-contract-once" in each] == [
        "signing_secret"
    ]


@pytest.mark.parametrize(
    ("name", "by", "direction"),
    [
        ("listPlans", "/plan_id", "ascending"),
        ("listOrders", "/created_at", "descending"),
        ("listEsims", "/created_at", "descending"),
        ("listTopupPlans", "/topup_plan_id", "ascending"),
        ("listEvents", "/created_at", "ascending"),
        ("listWebhookEndpoints", "/created_at", "descending"),
    ],
)
def test_a_list_has_an_order_and_pages(name: str, by: str, direction: str) -> None:
    assert BY_ID[name]["x-contract-order"] == {"by": by, "direction": direction}
    pagination = BY_ID[name]["x-contract-pagination"]
    assert pagination["items"] == "/data"
    assert pagination["next"] == "/next_cursor"
    assert pagination["more"] == "/has_more"
    assert pagination["resume"] is (name == "listEvents")
    assert (pagination["cursor"] is None) is (name == "listWebhookEndpoints")


@pytest.mark.parametrize(("pointer", "phrase"), PROSE)
def test_prose_says_what_nothing_else_can(pointer: Pointer, phrase: str) -> None:
    assert phrase in resolve(CONTRACT, pointer)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_sandbox_scenario_is_described(scenario: str) -> None:
    assert f"`{scenario}`" in CONTRACT["info"]["description"]


def test_everything_is_authenticated_by_a_bearer_key() -> None:
    schemes = CONTRACT["components"]["securitySchemes"]
    assert [(each["type"], each["scheme"]) for each in schemes.values()] == [("http", "bearer")]
    assert CONTRACT["security"] == [{name: []} for name in schemes]
    assert all("security" not in operation for operation in BY_ID.values())


def test_the_address_ends_in_the_version() -> None:
    (server,) = CONTRACT["servers"]
    assert server["url"] == "{base_url}"
    assert server["variables"]["base_url"]["default"].endswith("/api/v1")
