"""Signing secrets in the database are encrypted, on both databases, and their key is rotated."""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import httpx2
import pytest

from esim_service.store.drivers.open import open_database
from esim_service.store.tables import events
from partner_esim import AsyncEsimClient, webhooks

from .receiver import Authority, Receiver, answer, receiver
from .running import Running, esim_service, serving, until

pytestmark = pytest.mark.anyio

OLD, NEW, OTHER = (base64.urlsafe_b64encode(os.urandom(32)).decode() for _ in range(3))


@pytest.fixture
async def hooks(tmp_path: Path) -> AsyncIterator[tuple[Receiver, dict[str, str]]]:
    """A receiver, and the settings that let webhooks reach it."""
    authority = Authority(tmp_path)
    async with receiver(authority.context("localhost"), answer("204 No Content")) as opened:
        settings = {"ESIM_WEBHOOK_ALLOW_CIDR": "127.0.0.0/8,::1/128"}
        yield opened, settings | {"ESIM_WEBHOOK_CA_FILE": str(authority.file)}


async def registered(running: Running, hook: Receiver) -> tuple[str, str]:
    """Register a receiver; return the id of the endpoint and its secret."""
    async with running.async_client(running.key()) as client:
        made = await client.webhook_endpoints.create(url=f"https://localhost:{hook.port}/")
        return made.id, made.signing_secret


async def delivers(client: AsyncEsimClient, endpoint_id: str, hook: Receiver, secret: str) -> None:
    """Have a test event delivered, and check its signature."""
    before = len(hook.requests)
    await client.webhook_endpoints.test(endpoint_id)

    async def arrived() -> bool:
        return len(hook.requests) > before

    await until(arrived)
    last = hook.requests[-1]
    assert webhooks.parse(last.body, last.headers, secret).type == "webhook.test"


async def stored(place: str) -> list[str]:
    async with open_database(place, exclusive=False) as database:
        return list((await database.read(events.secrets)).values())


async def refused(*arguments: str, cwd: Path, **variables: str) -> str:
    """The one line with which a command refuses."""
    run = partial(esim_service, *arguments, cwd=cwd, **variables)
    done = await asyncio.to_thread(run)
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert not any(key in line for key in (OLD, NEW, OTHER))
    return line


async def test_secrets_are_encrypted_and_their_key_is_rotated(
    ready: str, tmp_path: Path, hooks: tuple[Receiver, dict[str, str]]
) -> None:
    hook, settings = hooks
    with serving(ready, tmp_path, ESIM_SECRETS_KEY=OLD, **settings) as running:
        key = running.key()
        endpoint_id, secret = await registered(running, hook)
        async with running.async_client(key) as client:
            await delivers(client, endpoint_id, hook, secret)
        [before] = await stored(ready)
        assert before.startswith("fernet:") and secret not in before
        assert running.stop() == 0
        assert OLD not in str(running.log())
    serve = ("serve", "--database", ready, "--port=0", "--metrics-port=0")
    assert "ESIM_SECRETS_KEY is not set" in await refused(*serve, cwd=tmp_path)
    line = await refused(*serve, cwd=tmp_path, ESIM_SECRETS_KEY=OTHER)
    assert "a key that is not in ESIM_SECRETS_KEY" in line
    rotate = ("secrets", "rotate", "--database", ready)
    assert "is not set" in await refused(*rotate, cwd=tmp_path)
    assert "not in ESIM_SECRETS_KEY" in await refused(*rotate, cwd=tmp_path, ESIM_SECRETS_KEY=NEW)
    assert await stored(ready) == [before]
    done = await asyncio.to_thread(
        partial(esim_service, *rotate, cwd=tmp_path, ESIM_SECRETS_KEY=f"{NEW}, {OLD}")
    )
    assert (done.returncode, done.stdout) == (0, "encrypted 1 signing secrets\n"), done.stderr
    with serving(ready, tmp_path, ESIM_SECRETS_KEY=NEW, **settings) as running:
        async with running.async_client(key) as client:
            await delivers(client, endpoint_id, hook, secret)
        # Beside a process that has not got the next key yet.
        done = await asyncio.to_thread(
            partial(esim_service, *rotate, cwd=tmp_path, ESIM_SECRETS_KEY=f"{OTHER},{NEW}")
        )
        assert done.returncode == 0, done.stderr
        told = httpx2.get(f"{running.operations}/readyz")
        assert (told.status_code, "not in ESIM_SECRETS_KEY" in told.text) == (503, True)


async def test_secrets_from_before_there_was_a_key_go_on_until_they_are_encrypted(
    empty_postgres: str, tmp_path: Path, hooks: tuple[Receiver, dict[str, str]]
) -> None:
    hook, settings = hooks
    place = str(tmp_path / "service.db")
    with serving(place, tmp_path, **settings) as running:
        key = running.key()
        endpoint_id, secret = await registered(running, hook)
    assert await stored(place) == [secret]
    with serving(place, tmp_path, ESIM_SECRETS_KEY=NEW, **settings) as running:
        async with running.async_client(key) as client:
            await delivers(client, endpoint_id, hook, secret)
        rotate = partial(esim_service, "secrets", "rotate", "--database", place, cwd=tmp_path)
        done = await asyncio.to_thread(partial(rotate, ESIM_SECRETS_KEY=NEW))
        assert done.returncode == 0, done.stderr
        running.run("backup", "copy.db")
        async with running.async_client(key) as client:
            await delivers(client, endpoint_id, hook, secret)
    copy = ("copy", "copy.db", "--database", empty_postgres)
    done = await asyncio.to_thread(partial(esim_service, *copy, cwd=tmp_path))
    assert done.returncode == 0, done.stderr
    for there in (place, str(tmp_path / "copy.db"), empty_postgres):
        [found] = await stored(there)
        assert found.startswith("fernet:")
    with serving(empty_postgres, tmp_path, ESIM_SECRETS_KEY=NEW, **settings) as running:
        async with running.async_client(key) as client:
            await delivers(client, endpoint_id, hook, secret)
