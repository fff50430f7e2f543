"""Receivers that hang, respond endlessly, redirect, or have an address that is not public."""

from __future__ import annotations

import asyncio
import gzip
import re
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from partner_esim import AsyncEsimClient

from ..books import books
from ..receiver import Authority, Behaviour, Receiver, answer, receiver
from ..running import Running, serving, until

pytestmark = pytest.mark.anyio

PLAN = "pln_ee-1gb-7d"
# As many attempts at once instead of a hundred: a busy machine takes so long to begin a hundred
# that the first ones time out before the last ones hang.
HANGING = 20
AT_ONCE = f"from esim_service.delivery import runner\nrunner.IN_FLIGHT = {HANGING}\n"
PER_PARTNER = 3
MEGABYTE = 1_000_000


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def variables(authority: Authority, allowed: str = "127.0.0.0/8") -> dict[str, str]:
    return {"ESIM_WEBHOOK_ALLOW_CIDR": allowed, "ESIM_WEBHOOK_CA_FILE": str(authority.file)}


def url(seen: Receiver, path: str = "") -> str:
    return f"https://127.0.0.1:{seen.port}/{path}"


async def test_beside_as_many_that_hang_as_are_sent_at_once_a_healthy_one_hears(
    ready: str, tmp_path: Path, authority: Authority
) -> None:
    context = authority.context("127.0.0.1")
    given_up = 0

    async def hang(reader: asyncio.StreamReader, _: object, __: int) -> None:
        nonlocal given_up
        await reader.read()
        given_up += 1

    async with AsyncExitStack() as stack:
        dead = await stack.enter_async_context(receiver(context, hang))
        healthy = await stack.enter_async_context(receiver(context, answer("200 OK")))
        (tmp_path / "sitecustomize.py").write_text(AT_ONCE, "utf-8")
        changed = variables(authority) | {"PYTHONPATH": str(tmp_path)}
        running = stack.enter_context(serving(ready, tmp_path, **changed))
        known = await stack.enter_async_context(books(ready))

        async def client(partner: str) -> AsyncEsimClient:
            return await stack.enter_async_context(running.async_client(await known.key(partner)))

        unlucky = []
        for number in range(0, HANGING, PER_PARTNER):
            unlucky.append(await client(f"unlucky {number}"))
            for each in range(number, min(number + PER_PARTNER, HANGING)):
                await unlucky[-1].webhook_endpoints.create(url=url(dead, str(each)))

        async def many_hang() -> bool:
            return len(dead.requests) - given_up >= HANGING

        lucky = await client("lucky")
        await lucky.webhook_endpoints.create(url=url(healthy))
        # Some that hang may time out meanwhile, on a machine that is slow for a moment.
        for number in range(10):
            if not await many_hang():
                for each in unlucky:
                    await each.orders.create(plan_id=PLAN, reference=f"r{number}")
                await until(many_hang)

            async def heard(count: int = number + 1) -> bool:
                return len(healthy.requests) == count

            before = given_up
            await lucky.orders.create(plan_id=PLAN, reference=f"r{number}")
            await until(heard)
            if given_up == before:
                return
        raise AssertionError("the healthy one heard only when some that hung had timed out")


async def test_answers_without_end_are_cut_and_redirects_are_not_followed(
    tmp_path: Path, authority: Authority
) -> None:
    place, context = str(tmp_path / "service.db"), authority.context("127.0.0.1")
    async with AsyncExitStack() as stack:
        elsewhere = await stack.enter_async_context(receiver(context, answer("200 OK")))
        behaviours: dict[str, Behaviour] = {
            "big": answer("200 OK", body=bytes(10 * MEGABYTE)),
            "bomb": answer(
                "200 OK", "Content-Encoding: gzip", body=gzip.compress(bytes(30 * MEGABYTE))
            ),
        } | {
            str(status): answer(f"{status} Elsewhere", f"Location: {url(elsewhere)}")
            for status in (301, 302, 307, 308)
        }
        each = {
            path: await stack.enter_async_context(receiver(context, behave))
            for path, behave in behaviours.items()
        }
        running = stack.enter_context(serving(place, tmp_path, **variables(authority)))
        known = await stack.enter_async_context(books(place))
        clients = []
        for paths in (list(each)[:PER_PARTNER], list(each)[PER_PARTNER:]):
            key = await known.key(" ".join(paths))
            client = await stack.enter_async_context(running.async_client(key))
            for path in paths:
                await client.webhook_endpoints.create(url=url(each[path], path))
            clients.append(client)
        before = peak_megabytes(running)
        for client in clients:
            await client.orders.create(plan_id=PLAN, reference="r")
        outcomes: dict[str, bool] = {}

        async def tried() -> bool:
            for client in clients:
                async for endpoint in await client.webhook_endpoints.list():
                    if endpoint.last_success_at or endpoint.last_failure_at:
                        path = endpoint.url.rpartition("/")[2]
                        outcomes[path] = endpoint.last_success_at is not None
            return len(outcomes) == len(behaviours)

        await until(tried)
        # Its status decides, however an answer goes on.
        assert {path for path, is_good in outcomes.items() if is_good} == {"big", "bomb"}
        assert elsewhere.connections == 0
        assert peak_megabytes(running) - before < 10


async def test_an_address_that_is_no_longer_public_is_not_reached(
    tmp_path: Path, authority: Authority
) -> None:
    place, context = str(tmp_path / "service.db"), authority.context("127.0.0.1", "127.0.0.2")
    allowed = variables(authority, "127.0.0.1/32")
    async with AsyncExitStack() as stack:
        private = await stack.enter_async_context(
            receiver(context, answer("200 OK"), host="127.0.0.2")
        )
        running = stack.enter_context(serving(place, tmp_path, **allowed))
        known = await stack.enter_async_context(books(place))
        client = await stack.enter_async_context(running.async_client(await known.key("acme")))
        await client.webhook_endpoints.create(url=url(private))
        # As if the name had changed its address since it was registered.
        await known.execute(
            "UPDATE webhook_endpoints SET url = $1", url(private).replace("0.0.1", "0.0.2")
        )
        await client.orders.create(plan_id=PLAN, reference="r")

        async def failed() -> bool:
            [endpoint] = (await client.webhook_endpoints.list()).items
            return endpoint.last_failure_at is not None

        await until(failed)
        assert private.connections == 0


def peak_megabytes(running: Running) -> float:
    """The most memory that the process has had."""
    status = Path(f"/proc/{running.process.pid}/status").read_text("ascii")
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1000
