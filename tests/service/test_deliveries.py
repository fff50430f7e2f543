"""The commands about deliveries, beside a service that sends to a real receiver."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest

from .receiver import Authority, answer, receiver
from .running import Running, esim_service, serving, until

pytestmark = pytest.mark.anyio

PLAN = "pln_jp-5gb-30d"


def listed(running: Running, *options: str) -> list[dict[str, Any]]:
    text = running.run("deliveries", "list", "--json", *options)
    return [json.loads(line) for line in text.splitlines()]


async def test_an_exhausted_delivery_is_found_and_replayed(ready: str, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    settings = {
        "ESIM_WEBHOOK_ALLOW_CIDR": "127.0.0.0/8",
        "ESIM_WEBHOOK_CA_FILE": str(authority.file),
        # All six attempts within a second.
        "ESIM_WEBHOOK_RETRY_SCALE": "0.00001",
    }
    failing = answer("500 Internal Server Error")
    async with receiver(authority.context("127.0.0.1"), failing) as seen:
        with serving(ready, tmp_path, **settings) as running:
            async with running.async_client(running.key()) as client:
                endpoint = await client.webhook_endpoints.create(
                    url=f"https://127.0.0.1:{seen.port}/"
                )
                await client.orders.create(plan_id=PLAN, reference="r1")

            async def is_exhausted() -> bool:
                return bool(await asyncio.to_thread(listed, running, "--state", "exhausted"))

            await until(is_exhausted)
            [found] = await asyncio.to_thread(listed, running, "--partner", "acme")
            assert (found["attempts"], found["next_at"]) == (6, None)
            assert found["last_attempt"]["status"] == 500
            assert (found["endpoint_id"], found["event_type"]) == (endpoint.id, "order.completed")
            seen.behave = answer("204 No Content")
            delivery_id = found["delivery_id"]
            replayed = await asyncio.to_thread(running.run, "deliveries", "replay", delivery_id)

            async def is_delivered() -> bool:
                text = await asyncio.to_thread(running.run, "deliveries", "list")
                return len(text.splitlines()) == 2 and "\tacknowledged\t" in text.splitlines()[0]

            await until(is_delivered)
            shown = await asyncio.to_thread(running.run, "deliveries", "show", replayed.strip())
            detailed = await asyncio.to_thread(
                running.run, "deliveries", "show", "--json", delivery_id
            )
            metrics = httpx2.get(f"{running.operations}/metrics").text
    first, *others = (request.body for request in seen.requests)
    assert len(others) == 6 and set(others) == {first}
    assert re.fullmatch(
        rf"{replayed.strip()}: acknowledged\n"
        r"event     evt_\w+ order\.completed\n"
        rf"endpoint  {endpoint.id} of acme, test mode\n"
        r"attempt 1 \S+Z acknowledged 204 \d+ ms\n",
        shown,
    )
    history = json.loads(detailed)["history"]
    assert [(each["number"], each["status"]) for each in history] == [
        (number, 500) for number in range(1, 7)
    ]
    for state in ("exhausted", "acknowledged"):
        assert f'esim_deliveries_ended_total{{state="{state}"}} 1.0' in metrics
    assert 'esim_delivery_attempt_duration_seconds_count{outcome="status"} 6.0' in metrics
    assert "esim_delivery_delay_seconds_count 1.0" in metrics


async def test_a_signing_secret_is_shown_once_and_nowhere_else(ready: str, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    settings = {
        "ESIM_WEBHOOK_ALLOW_CIDR": "127.0.0.0/8",
        "ESIM_WEBHOOK_CA_FILE": str(authority.file),
        "ESIM_LOG_LEVEL": "debug",
    }
    async with receiver(authority.context("127.0.0.1"), answer("204 No Content")) as hook:
        with serving(ready, tmp_path, **settings) as running:
            async with running.async_client(running.key()) as client:
                endpoint = await client.webhook_endpoints.create(
                    url=f"https://127.0.0.1:{hook.port}/"
                )
                await client.webhook_endpoints.test(endpoint.id)

            async def is_delivered() -> bool:
                return bool(await asyncio.to_thread(listed, running, "--state", "acknowledged"))

            await until(is_delivered)
            [delivery] = await asyncio.to_thread(listed, running)
            key = await asyncio.to_thread(running.key)
            shown = [
                await asyncio.to_thread(running.run, "deliveries", *arguments)
                for arguments in (
                    ("list",),
                    ("list", "--json"),
                    ("show", delivery["delivery_id"]),
                    ("show", "--json", delivery["delivery_id"]),
                )
            ]
            headers = {"Authorization": f"Bearer {key}"}
            for url in ("webhook-endpoints", "events"):
                shown.append(httpx2.get(f"{running.base_url}/{url}", headers=headers).text)
            shown.append(httpx2.get(f"{running.operations}/metrics").text)
            assert running.stop() == 0
            shown.append(json.dumps(running.log()))
    assert [text for text in shown if endpoint.id in text]
    secret = endpoint.signing_secret.removeprefix("whsec_")
    received = str([(request.headers, request.body) for request in hook.requests])
    assert not [text for text in (*shown, received) if secret in text]


@pytest.mark.parametrize("command", ["show", "replay"])
def test_a_delivery_that_is_not_there_is_a_mistake(tmp_path: Path, command: str) -> None:
    esim_service("migrate", cwd=tmp_path)
    done = esim_service("deliveries", command, "dlv_none", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: there is no delivery dlv_none")
