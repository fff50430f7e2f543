"""The service as a process, as partners and operators meet it, on both databases."""

from __future__ import annotations

import asyncio
import json
import secrets
import signal
import socket
import sqlite3
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import anyio
import httpx2
import pytest
import trustme

from esim_service import catalogue
from esim_service.http import document
from partner_esim import EsimClient, models
from partner_esim.errors import (
    ApiError,
    ApiStatusError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    NotFoundError,
    PaymentRequiredError,
    PermissionDeniedError,
    RateLimitError,
    UnprocessableContentError,
)

from .running import CARRIER, DEADLINE, Running, esim_service, eventually, serving, until

pytestmark = pytest.mark.anyio

PLAN = "pln_jp-5gb-30d"
TOPUP_PLAN = "tpl_jp-3gb-30d"


@pytest.fixture
def running(ready: str, tmp_path: Path) -> Iterator[Running]:
    with serving(ready, tmp_path, **CARRIER) as started:
        yield started


@pytest.fixture
def client(running: Running) -> Iterator[EsimClient]:
    with running.client(running.key()) as made:
        yield made


def reference() -> str:
    return f"r-{secrets.token_hex(8)}"


def completed(client: EsimClient, order_id: str) -> models.Order:
    def look() -> models.Order | None:
        order = client.orders.get(order_id)
        return order if order.status != "processing" else None

    return eventually(look)


async def test_a_partner_buys_and_tops_up(client: EsimClient) -> None:
    plans = list(client.plans.list(country="FR"))
    assert plans and all("FR" in plan.countries for plan in plans)
    before = client.balance.get().balance_usd
    assert before == Decimal("1000.00")
    name = reference()
    placed = client.orders.create(plan_id=PLAN, reference=name, quantity=2)
    assert client.orders.create(plan_id=PLAN, reference=name, quantity=2) == placed
    order = completed(client, placed.order_id)
    assert (order.status, len(order.iccids)) == ("completed", 2)
    assert client.balance.get().balance_usd == before - placed.total_usd
    esims = list(client.esims.list(order_id=order.order_id))
    assert {esim.iccid for esim in esims} == set(order.iccids)
    iccid = order.iccids[0]
    offers = [plan.topup_plan_id for plan in client.topups.list_topup_plans(iccid)]
    assert TOPUP_PLAN in offers and offers == sorted(offers)
    topup = client.topups.create(iccid, topup_plan_id=TOPUP_PLAN, reference=name)
    assert topup.balance_after_usd == before - placed.total_usd - topup.total_usd

    def look() -> list[str]:
        types = [each.type for each in client.events.list()]
        return types if "topup.completed" in types else []

    assert eventually(look) == ["order.completed", "topup.completed"]
    reset = client.sandbox.reset()
    assert reset.balance_usd == Decimal("1000.00")
    assert not client.orders.list().items
    assert not client.esims.list().items


async def test_the_feed_goes_on_where_it_was_left(running: Running) -> None:
    key = running.key()
    with running.client(key) as client:
        place = client.events.list().next_cursor
        assert place
        order = client.orders.create(plan_id=PLAN, reference=reference())
        completed(client, order.order_id)
        page = client.events.list(cursor=place)
        assert [item.type for item in page.items] == ["order.completed"]
        assert page.next_cursor and not page.has_more
        again = client.events.list(cursor=page.next_cursor)
        assert (list(again.items), again.next_cursor) == ([], page.next_cursor)
        with pytest.raises(BadRequestError) as raised:
            client.events.list(cursor=page.next_cursor, type="esim.usage")
        assert raised.value.code == "invalid_cursor"
    found = httpx2.get(f"{running.base_url}/events", headers={"Authorization": f"Bearer {key}"})
    assert found.json()["data"][0]["data"]["order_id"] == order.order_id


async def test_webhook_endpoints(client: EsimClient) -> None:
    made = [
        client.webhook_endpoints.create(url=f"https://hooks.example.com/{number}")
        for number in range(3)
    ]
    assert len({webhook_endpoint_created.signing_secret for webhook_endpoint_created in made}) == 3
    assert all(
        webhook_endpoint_created.signing_secret.startswith("whsec_")
        for webhook_endpoint_created in made
    )
    assert "webhook.test" not in made[0].event_types
    with pytest.raises(ConflictError) as full:
        client.webhook_endpoints.create(url="https://hooks.example.com/4")
    assert full.value.code == "webhook_endpoint_limit_reached"
    listed = client.webhook_endpoints.list()
    assert [webhook_endpoint.id for webhook_endpoint in listed] == [
        webhook_endpoint_created.id for webhook_endpoint_created in reversed(made)
    ]
    accepted = client.webhook_endpoints.test(made[0].id)
    [event] = client.events.list(type="webhook.test").items
    assert isinstance(event, models.WebhookTestEvent)
    assert (event.id, event.data.webhook_endpoint_id) == (accepted.event_id, made[0].id)
    client.webhook_endpoints.delete(made[0].id)
    with pytest.raises(NotFoundError):
        client.webhook_endpoints.test(made[0].id)
    selected = client.webhook_endpoints.create(
        url="https://hooks.example.com/5", event_types=["esim.usage", "esim.usage"]
    )
    assert selected.event_types == ["esim.usage"]


async def test_an_endpoint_that_would_get_nothing_is_refused(running: Running) -> None:
    headers = {"Authorization": f"Bearer {running.key()}"}
    body = {"url": "https://hooks.example.com/", "event_types": []}
    answer = httpx2.post(f"{running.base_url}/webhook-endpoints", json=body, headers=headers)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["param"]) == (
        400,
        "invalid_length",
        "event_types",
    )


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://localhost:8443/x",
        "https://a@example.com/",
        "https://2130706433/",
    ],
)
async def test_an_address_that_is_not_public_is_refused(client: EsimClient, url: str) -> None:
    with pytest.raises(BadRequestError) as refused:
        client.webhook_endpoints.create(url=url)
    assert (refused.value.code, refused.value.param) == ("invalid_webhook_url", "url")
    assert list(client.webhook_endpoints.list()) == []


async def test_partners_and_modes_do_not_see_each_other(running: Running) -> None:
    keys = running.key(), running.key("live"), running.key("test", "other")
    mine, live, other = (running.client(key) for key in keys)
    with mine, live, other:
        name = reference()
        order = completed(mine, mine.orders.create(plan_id=PLAN, reference=name).order_id)
        endpoint = mine.webhook_endpoints.create(url="https://hooks.example.com/")
        for stranger in (live, other):
            looks: list[tuple[Callable[[str], object], str]] = [
                (stranger.orders.get, order.order_id),
                (stranger.esims.get, order.iccids[0]),
                (stranger.topups.list_topup_plans, order.iccids[0]),
                (stranger.webhook_endpoints.test, endpoint.id),
                (stranger.webhook_endpoints.delete, endpoint.id),
            ]
            for look, known in looks:
                with pytest.raises(NotFoundError):
                    look(known)
            for listed in (stranger.orders, stranger.esims, stranger.events):
                assert list(listed.list()) == []
            assert list(stranger.esims.list(order_id=order.order_id)) == []
            assert list(stranger.webhook_endpoints.list()) == []
        assert other.orders.create(plan_id=PLAN, reference=name).order_id != order.order_id
        with pytest.raises(PaymentRequiredError):
            live.orders.create(plan_id=PLAN, reference=name)
        assert running.run("partners", "credit", "acme", "20.00") == (
            "acme has 20.00 USD in live mode\n"
        )
        assert live.orders.create(plan_id=PLAN, reference=name).order_id != order.order_id
        with pytest.raises(PermissionDeniedError) as refused:
            live.sandbox.reset()
        assert refused.value.code == "test_mode_only"


async def test_references_and_headers(running: Running) -> None:
    headers = {"Authorization": f"Bearer {running.key()}"}
    with httpx2.Client(base_url=running.base_url, headers=headers) as http:
        body = {"plan_id": PLAN, "reference": "a-1"}
        first = http.post("/orders", json=body)
        again = http.post("/orders", json={"reference": "a-1", "quantity": 1, "plan_id": PLAN})
        assert (first.status_code, again.status_code) == (201, 201)
        assert first.content == again.content
        assert "idempotent-replay" not in first.headers
        assert again.headers["idempotent-replay"] == "true"
        assert first.headers["ratelimit-policy"] == '"write";q=60;w=60'
        assert first.headers["ratelimit"].startswith('"write";r=59;t=')
        assert first.headers["request-id"].startswith("req_")
        assert first.headers["request-id"] != again.headers["request-id"]
        changed = http.post("/orders", json={**body, "quantity": 2})
        assert changed.status_code == 422
        assert changed.json()["error"]["code"] == "reference_reused"
        wrong = http.put("/orders", json=body)
        assert (wrong.status_code, wrong.json()["error"]["code"]) == (405, "method_not_allowed")
        assert "POST" in wrong.headers["allow"]
        nothing = http.get("/nothing")
        assert (nothing.status_code, nothing.json()["error"]["code"]) == (404, "route_not_found")
        unknown = http.get("/plans", headers={"Authorization": "Bearer pes_test_" + "0" * 48})
        assert (unknown.status_code, unknown.headers["www-authenticate"]) == (401, "Bearer")
        assert unknown.json()["error"]["code"] == "invalid_api_key"
        for content in (b"{", b'{"plan_id": NaN}', b'{"a":1,"a":2}', b"[" * 70_000, b"\xff"):
            bad = http.post(
                "/orders", content=content, headers={"Content-Type": "application/json"}
            )
            assert bad.status_code == 400
            assert bad.json()["error"]["request_id"] == bad.headers["request-id"]


async def test_one_request_at_a_time_has_a_reference(running: Running) -> None:
    headers = {"Authorization": f"Bearer {running.key()}"}
    body = {
        "plan_id": PLAN,
        "reference": "slow",
        "metadata": {"sandbox_scenario": "slow_order"},
    }
    async with httpx2.AsyncClient(
        base_url=running.base_url, headers=headers, timeout=DEADLINE
    ) as http:
        answers: list[httpx2.Response] = []

        async def order() -> None:
            answers.append(await http.post("/orders", json=body))

        async with anyio.create_task_group() as group:
            group.start_soon(order)
            group.start_soon(order)
        early, late = answers
        assert (early.status_code, early.headers["retry-after"]) == (409, "1")
        assert early.json()["error"]["code"] == "reference_in_progress"
        assert late.status_code == 201


async def test_keys_have_limits_of_their_own_and_can_be_revoked(running: Running) -> None:
    key = running.key("test", "acme", "--read-limit", "2")
    with running.client(key) as client:
        client.balance.get()
        client.balance.get()
        with pytest.raises(RateLimitError) as limited:
            client.balance.get()
        assert limited.value.retry_after
    key_id = running.run("keys", "list").split("\t")[0]
    other = running.key()
    running.run("keys", "revoke", key_id)

    def is_refused() -> bool:
        try:
            with running.client(key) as client:
                client.balance.get()
        except AuthenticationError as error:
            return error.code == "invalid_api_key"
        except RateLimitError:
            return False
        return False

    assert eventually(is_refused)
    with running.client(other) as client:
        client.balance.get()
        running.run("partners", "suspend", "acme")

        def is_suspended() -> bool:
            try:
                client.balance.get()
            except PermissionDeniedError as error:
                return error.code == "partner_suspended"
            return False

        assert eventually(is_suspended)


async def test_an_expired_key_is_refused_like_one_that_never_was(running: Running) -> None:
    key = running.key("test", "acme", "--expires-in", "1s")
    later = running.key("test", "acme", "--expires-in", "1h")

    def refusal(key: str) -> str | None:
        try:
            with running.client(key) as client:
                client.balance.get()
        except AuthenticationError as error:
            return f"{error.code} {error.message}"
        return None

    assert eventually(lambda: refusal(key)) == refusal("pes_test_" + "0" * 48)
    assert refusal(later) is None


async def test_the_document_is_the_repository_s_with_this_address(running: Running) -> None:
    url = f"{running.base_url}/openapi.json"
    answer = httpx2.get(url)
    assert answer.json() == json.loads(document.render(running.base_url))
    known = httpx2.get(url, headers={"If-None-Match": answer.headers["etag"]})
    assert (known.status_code, known.content) == (304, b"")


async def test_the_reference_page_needs_no_key(running: Running) -> None:
    answer = httpx2.get(running.reference)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    # The page's own policy says the rest.
    assert answer.headers["content-security-policy"] == "frame-ancestors 'none'"
    assert running.base_url in answer.text
    assert httpx2.post(running.reference).status_code == 405


async def test_people_who_come_to_the_root_are_led_to_the_reference(running: Running) -> None:
    root = running.reference.removesuffix("/docs")
    for path in ("/", "/docs/"):
        answer = httpx2.get(root + path)
        assert answer.status_code == 307
        assert answer.headers["request-id"].startswith("req_")
        assert httpx2.get(root + path, follow_redirects=True).url == running.reference
        assert httpx2.head(root + path).status_code == 307
        wrong = httpx2.post(root + path)
        assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET, HEAD, OPTIONS")
    # A proxy may add to the path.
    assert httpx2.get(f"{root}/").headers["location"] == "docs"
    assert httpx2.get(f"{root}/docs/").headers["location"] == "../docs"


async def test_the_log_of_requests_says_whose_they_were_and_how_they_failed(
    running: Running,
) -> None:
    key = running.key()
    key_id = running.run("keys", "list").split("\t")[0]
    unknown = "pes_test_" + "0" * 48
    with running.client(key) as client, running.client(unknown) as stranger:
        client.balance.get()
        with pytest.raises(NotFoundError):
            client.orders.get("ord_none")
        with pytest.raises(AuthenticationError):
            stranger.balance.get()
        running.run("partners", "suspend", "acme")

        def is_suspended() -> bool:
            try:
                client.balance.get()
            except PermissionDeniedError:
                return True
            return False

        eventually(is_suspended)
    assert running.stop() == 0
    entries = [each for each in running.log() if each["event"] == "request"]
    good, missing, refused, *_, suspended = entries
    assert [each["error_code"] for each in (good, missing, refused, suspended)] == [
        None,
        "resource_not_found",
        "invalid_api_key",
        "partner_suspended",
    ]
    for each in (good, missing, suspended):
        assert each["key_id"] == key_id
        assert str(each["partner_id"]).startswith("prt_")
    assert (refused["key_id"], refused["partner_id"]) == (None, None)
    log = json.dumps(running.log())
    assert key not in log and unknown not in log


async def test_operators_see_health_metrics_and_a_log_without_secrets(running: Running) -> None:
    key = running.key()
    with running.client(key) as client:
        client.balance.get()
        with pytest.raises(ApiStatusError) as unknown:
            client.orders.get("ord_none")
    assert httpx2.get(f"{running.operations}/healthz").status_code == 200
    assert httpx2.get(f"{running.operations}/readyz").status_code == 200
    metrics = httpx2.get(f"{running.operations}/metrics").text
    counted = (
        'esim_http_requests_total{method="GET",route="/api/v1/orders/{order_id}",status="404"}'
    )
    assert f"{counted} 1.0" in metrics
    assert running.stop() == 0
    entries = [each for each in running.log() if each["event"] == "request"]
    [entry] = [each for each in entries if each["request_id"] == unknown.value.request_id]
    assert entry["route"] == "/api/v1/orders/{order_id}"
    assert (entry["method"], entry["status"]) == ("GET", 404)
    assert key not in json.dumps(running.log())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_request_in_progress_is_finished_before_the_end(
    running: Running, number: signal.Signals
) -> None:
    headers = {"Authorization": f"Bearer {running.key()}"}
    body = {"plan_id": PLAN, "reference": "slow", "metadata": {"sandbox_scenario": "slow_order"}}
    async with httpx2.AsyncClient(
        base_url=running.base_url, headers=headers, timeout=DEADLINE
    ) as http:

        async def order() -> None:
            answer = await http.post("/orders", json=body)
            assert answer.status_code == 201

        async with anyio.create_task_group() as group:
            group.start_soon(order)
            metrics = f"{running.operations}/metrics"
            while "esim_http_requests_open 1.0" not in (await http.get(metrics)).text:
                pass
            running.process.send_signal(number)
    assert running.stop(number) == 0


async def test_a_restart_keeps_everything_and_cursors_stay_good(ready: str, tmp_path: Path) -> None:
    with serving(ready, tmp_path) as running:
        key = running.key()
        with running.client(key) as client:
            order = client.orders.create(plan_id=PLAN, reference="r")
            cursor = client.plans.list(country="FR", limit=1).next_cursor
        assert running.stop() == 0
    with serving(ready, tmp_path) as running, running.client(key) as client:
        assert completed(client, order.order_id).status == "completed"
        assert cursor is not None
        assert client.plans.list(country="FR", limit=1, cursor=cursor).items


async def test_a_second_process_needs_postgresql(running: Running, tmp_path: Path) -> None:
    if running.place.startswith("postgresql"):
        with serving(running.place, tmp_path) as second, second.client(running.key()) as client:
            order = client.orders.create(plan_id=PLAN, reference="r")
            with running.client(running.key()) as first, pytest.raises(UnprocessableContentError):
                first.orders.create(plan_id=PLAN, reference="r", quantity=2)
            assert completed(client, order.order_id).iccids
        return
    refused = esim_service("serve", "--database", running.place, "--port", "0", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "is in use by another process" in refused.stderr


async def test_a_backup_of_a_running_service_can_be_served(tmp_path: Path) -> None:
    with serving(str(tmp_path / "a.db"), tmp_path) as running:
        key = running.key()
        with running.client(key) as client:
            order = client.orders.create(plan_id=PLAN, reference="r")
            running.run("backup", "copy.db")
            client.orders.create(plan_id=PLAN, reference="later")
    with serving(str(tmp_path / "copy.db"), tmp_path) as running, running.client(key) as client:
        assert [each.order_id for each in client.orders.list()] == [order.order_id]


async def test_the_default_catalogue_is_loaded_only_once(ready: str, tmp_path: Path) -> None:
    content = json.loads(catalogue.default_path().read_bytes())
    plans = [plan for plan in content["plans"] if plan["plan_id"] == "pln_rs-5gb-30d"]
    (tmp_path / "mine.json").write_text(json.dumps({"plans": plans, "topup_plans": []}))
    with serving(ready, tmp_path) as running:
        assert running.run("catalogue", "load", "mine.json")
    with serving(ready, tmp_path) as running:
        assert running.run("catalogue", "list").startswith("pln_rs-5gb-30d\t")


async def test_what_no_account_could_pay_is_refused(running: Running, tmp_path: Path) -> None:
    content = json.loads(catalogue.default_path().read_bytes())
    for plan in content["plans"]:
        plan["price_usd"] = "50000000.00"
    (tmp_path / "dear.json").write_text(json.dumps(content))
    with running.client(running.key()) as client:
        running.run("catalogue", "load", "dear.json")
        with pytest.raises(BadRequestError) as refused:
            client.orders.create(plan_id=PLAN, reference=reference(), quantity=20)
        assert (refused.value.code, refused.value.param) == ("out_of_range", "quantity")
        with pytest.raises(PaymentRequiredError):
            client.orders.create(plan_id=PLAN, reference=reference(), quantity=19)


async def test_who_asks_twice_to_stop_does_not_wait(tmp_path: Path) -> None:
    with serving(str(tmp_path / "service.db"), tmp_path) as running:
        async with running.async_client(running.key()) as client:
            slow = {"sandbox_scenario": "slow_order"}
            order = asyncio.create_task(
                client.orders.create(plan_id=PLAN, reference="r", metadata=slow)
            )

            async def is_open() -> bool:
                metrics = await asyncio.to_thread(httpx2.get, f"{running.operations}/metrics")
                return "esim_http_requests_open 1.0" in metrics.text

            async def is_told() -> bool:
                return any(each["event"] == "stopping" for each in running.log())

            await until(is_open)
            running.process.send_signal(signal.SIGTERM)
            await until(is_told)
            running.process.send_signal(signal.SIGTERM)
            with pytest.raises(ApiError):
                await order
        assert running.process.wait(DEADLINE) == 0


def line_of(*arguments: str, cwd: Path, **variables: str) -> str:
    """The one line with which the command refuses."""
    done = esim_service(*arguments, cwd=cwd, **variables)
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    return line


async def test_a_port_in_use_is_told(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        line = line_of("serve", "--port", port, cwd=tmp_path)
        assert port in line and "in use" in line and "ESIM_PORT" in line
        line = line_of("serve", "--port", "0", "--metrics-port", port, cwd=tmp_path)
        assert port in line and "ESIM_METRICS_PORT" in line
    assert not (tmp_path / "esim.sqlite3").exists()


async def test_a_schema_of_another_version_is_told(empty_postgres: str, tmp_path: Path) -> None:
    line = line_of("serve", "--port", "0", "--database", empty_postgres, cwd=tmp_path)
    assert "esim-service migrate" in line
    assert esim_service("migrate", cwd=tmp_path).returncode == 0
    with sqlite3.connect(tmp_path / "esim.sqlite3") as newer:
        newer.execute("INSERT INTO schema_version (version) VALUES (9000)")
    newer.close()
    assert "newer esim-service" in line_of("serve", "--port", "0", cwd=tmp_path)


@pytest.mark.parametrize(
    ("arguments", "variables", "words"),
    [
        (["--database", "postgresql://127.0.0.1:1/x"], {}, "cannot be reached"),
        (["--database", "no/such/place.db"], {}, "no/such/place.db"),
        ([], {"ESIM_LOG_LEVEL": "loud"}, "ESIM_LOG_LEVEL"),
        ([], {"ESIM_BASE_URL": "https://x.example/"}, "ESIM_BASE_URL"),
        ([], {"ESIM_WORKER": "false"}, "ESIM_WORKER"),
        ([], {"ESIM_WEBHOOK_CA_FILE": "none.pem"}, "ESIM_WEBHOOK_CA_FILE"),
        ([], {"ESIM_WEBHOOK_CA_FILE": __file__}, "ESIM_WEBHOOK_CA_FILE"),
        ([], {"ESIM_WEBHOOKS_CA_FILE": "a.pem"}, "did you mean ESIM_WEBHOOK_CA_FILE?"),
        (["--host", "no-such-host.invalid"], {}, "no-such-host.invalid"),
    ],
)
async def test_other_mistakes_are_told(
    tmp_path: Path, arguments: list[str], variables: dict[str, str], words: str
) -> None:
    line = line_of("serve", "--port", "0", *arguments, cwd=tmp_path, **variables)
    assert line.startswith("error: ")
    assert words in line


@pytest.mark.parametrize(
    ("name", "value"),
    [("ALLOW_CIDR", "127.0.0.0/8"), ("CA_FILE", "authorities.pem"), ("RETRY_SCALE", "0.1")],
)
async def test_settings_for_tests_are_refused_beside_live_keys(
    ready: str, tmp_path: Path, name: str, value: str
) -> None:
    trustme.CA().cert_pem.write_to_path(tmp_path / "authorities.pem")
    variables = {"ESIM_DATABASE": ready, f"ESIM_WEBHOOK_{name}": value, **CARRIER}
    if not ready.startswith("postgresql"):
        assert esim_service("migrate", cwd=tmp_path, **variables).returncode == 0
    issue = ("keys", "create", "--partner", "acme", "--plain", "--mode")
    assert esim_service(*issue, "test", cwd=tmp_path, **variables).returncode == 0
    assert f"ESIM_WEBHOOK_{name}" in line_of(*issue, "live", cwd=tmp_path, **variables)
    assert (
        esim_service(*issue, "live", cwd=tmp_path, ESIM_DATABASE=ready, **CARRIER).returncode == 0
    )
    line = line_of("serve", "--port", "0", cwd=tmp_path, **variables)
    assert line.startswith("error: ")
    assert f"ESIM_WEBHOOK_{name}" in line
    assert "live" in line
