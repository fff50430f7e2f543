"""`esim-service listen`: registered, verified, shown, passed on, and removed at the end."""

from __future__ import annotations

import asyncio
import json
import signal
import ssl
import stat
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from esim_service.listener import listen as listener
from esim_service.listener.identity import identity
from esim_service.listener.receiver import Received
from esim_service.listener.terminal import line
from esim_service.store.changes.database import OperatorError
from partner_esim import EsimClient, webhooks

from .receiver import answer, receiver
from .running import COMMAND, DEADLINE, Running, environment, esim_service, eventually, serving

pytestmark = pytest.mark.anyio

PLAN = "pln_jp-5gb-30d"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Iterator[Running]:
    """A service that knows the authority of the listener."""
    place = tmp_path_factory.mktemp("service")
    with serving("service.db", place, "--demo", XDG_CACHE_HOME=str(cache)) as started:
        yield started


@dataclass
class Listening:
    """A listener that runs, as its terminal shows it."""

    process: subprocess.Popen[bytes]
    output: Path

    def line_with(self, words: str) -> str:
        """The first line with some words, as soon as it is there."""

        def look() -> str | None:
            lines = self.output.read_text().splitlines()
            return next((each for each in lines if words in each), None)

        return eventually(look)

    @property
    def url(self) -> str:
        return self.line_with(" is the endpoint ").split()[0]

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(DEADLINE)


@contextmanager
def listening(running: Running, key: str, cache: Path, *options: str) -> Iterator[Listening]:
    output = running.cwd / f"{key[-8:]}.txt"
    variables = {
        "PARTNER_ESIM_API_KEY": key,
        "PARTNER_ESIM_BASE_URL": running.base_url,
        "XDG_CACHE_HOME": str(cache),
    }
    with output.open("w") as file:
        process = subprocess.Popen(
            [COMMAND, "listen", *options],
            cwd=running.cwd,
            env=environment(variables),
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    try:
        yield Listening(process, output)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(DEADLINE)


def completed(client: EsimClient) -> str:
    """Buy something; return the id of the event that tells so."""
    client.orders.create(plan_id=PLAN, reference="r1")

    def look() -> str | None:
        return next((each.id for each in client.events.list(type="order.completed").items), None)

    return eventually(look)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_deliveries_are_shown_until_the_end(
    running: Running, cache: Path, number: signal.Signals
) -> None:
    key = running.key("test", f"shown-{number}")
    with running.client(key) as client, listening(running, key, cache) as seen:
        assert "  204  webhook.test  evt_" in seen.line_with("webhook.test")
        event_id = completed(client)
        assert f"  204  order.completed  {event_id}" in seen.line_with("order.completed")
        [endpoint] = client.webhook_endpoints.list().items
        assert endpoint.url == seen.url
        assert seen.stop(number) == 0
        assert seen.line_with("is removed").split()[0] == endpoint.id
        assert list(client.webhook_endpoints.list().items) == []
    text = seen.output.read_text()
    assert key not in text and "whsec_" not in text and "Traceback" not in text


async def test_what_the_service_did_not_sign_is_refused(running: Running, cache: Path) -> None:
    key = running.key("test", "forged")
    with listening(running, key, cache) as seen:
        seen.line_with("webhook.test")
        body = b'{"id":"evt_\x1b[31mforged","type":"esim.usage"}'
        forged = {webhooks.SIGNATURE_HEADER: webhooks.sign(body, "whsec_guessed")}
        trusted = ssl.create_default_context(cafile=cache / "esim-service/listen/authority.pem")
        with httpx2.Client(verify=trusted) as http:
            for headers in (forged, {}):
                assert http.post(seen.url, content=body, headers=headers).status_code == 400
            assert http.post(seen.url, content=b"x" * (1024 * 1024 + 1)).status_code == 413
            assert http.get(seen.url).status_code == 405
        assert "  400  refused: " in seen.line_with("refused")
        assert seen.stop() == 0
        assert "forged" not in seen.output.read_text()


def statuses(running: Running, partner: str) -> dict[str, int]:
    """What the last attempts were answered, by the type of the event."""
    text = running.run("deliveries", "list", "--partner", partner, "--json")
    found = [json.loads(each) for each in text.splitlines()]
    return {each["event_type"]: each["last_attempt"]["status"] for each in found}


async def test_deliveries_are_passed_on_as_they_came(
    running: Running, cache: Path, tmp_path: Path
) -> None:
    key = running.key("test", "forwarded")
    async with receiver(None, answer("503 Service Unavailable")) as application:
        url = f"http://127.0.0.1:{application.port}/hooks?a=b"
        with listening(running, key, cache, "--forward-to", url) as seen:
            shown = await asyncio.to_thread(seen.line_with, "webhook.test")
            assert "  503  " in shown and f"from 127.0.0.1:{application.port} in " in shown
            with running.client(key) as client:
                application.behave = answer("200 OK")
                event_id = await asyncio.to_thread(completed, client)
                shown = await asyncio.to_thread(seen.line_with, event_id)
                assert "  200  order.completed" in shown
            # The service knows how it went.
            expected = {"webhook.test": 503, "order.completed": 200}
            await asyncio.to_thread(eventually, lambda: statuses(running, "forwarded") == expected)
            assert await asyncio.to_thread(seen.stop) == 0
    request = next(
        each for each in application.requests if each.headers["Service-Event-Id"] == event_id
    )
    assert request.line == "POST /hooks?a=b HTTP/1.1"
    assert json.loads(request.body)["type"] == "order.completed"
    assert request.headers["Service-Event-Type"] == "order.completed"
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["Service-Signature"].startswith("t=")


async def test_an_answer_that_http_does_not_have_is_a_502(running: Running, cache: Path) -> None:
    key = running.key("test", "odd")
    async with receiver(None, answer("999 What")) as application:
        url = f"http://127.0.0.1:{application.port}/"
        with listening(running, key, cache, "--forward-to", url) as seen:
            shown = await asyncio.to_thread(seen.line_with, "answered 999")
            assert "  502  webhook.test" in shown
            assert await asyncio.to_thread(seen.stop) == 0


async def test_an_application_that_is_away_is_a_502(running: Running, cache: Path) -> None:
    key = running.key("test", "away")
    with listening(running, key, cache, "--forward-to", "http://127.0.0.1:1/") as seen:
        assert "  502  webhook.test" in seen.line_with("not passed on: ConnectError")
        assert seen.stop() == 0


def refused(done: subprocess.CompletedProcess[str]) -> str:
    assert (done.returncode, done.stdout) == (2, "")
    [told] = done.stderr.splitlines()
    return told


async def test_a_service_that_does_not_send_to_this_machine_is_told_of(tmp_path: Path) -> None:
    with serving("service.db", tmp_path) as strict:
        variables = {
            "PARTNER_ESIM_API_KEY": strict.key(),
            "PARTNER_ESIM_BASE_URL": strict.base_url,
            "XDG_CACHE_HOME": str(tmp_path),
        }
        told = refused(esim_service("listen", cwd=tmp_path, **variables))
    file = tmp_path / "esim-service" / "listen" / "authority.pem"
    assert "invalid_webhook_url" in told
    assert f"ESIM_WEBHOOK_ALLOW_CIDR=127.0.0.1/32 ESIM_WEBHOOK_CA_FILE={file}" in told
    assert file.is_file()


async def test_a_service_that_does_not_trust_it_raises_a_doubt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "PATIENCE_SECONDS", 0.1)
    said: list[str] = []
    setting = listener.Setting(identity(tmp_path / "listen"), 0, None)
    with serving("service.db", tmp_path, ESIM_WEBHOOK_ALLOW_CIDR="127.0.0.0/8") as strict:
        async with strict.async_client(strict.key()) as client:
            task = asyncio.create_task(listener.listen(client, setting, said.append))
            async with asyncio.timeout(DEADLINE):
                while not any(each.startswith("Nothing came") for each in said):
                    await asyncio.sleep(0.01)
            task.cancel()
            await asyncio.wait([task])
            assert not (await client.webhook_endpoints.list()).items


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("pes_live_" + "0" * 48, "is a live key"),
        ("", "set PARTNER_ESIM_API_KEY"),
        ("pes_test_" + "0" * 48, "http://127.0.0.1:1/api/v1: "),
    ],
)
async def test_mistakes_are_told_in_one_line(tmp_path: Path, key: str, words: str) -> None:
    done = esim_service(
        "listen",
        cwd=tmp_path,
        XDG_CACHE_HOME=str(tmp_path),
        PARTNER_ESIM_API_KEY=key,
        PARTNER_ESIM_BASE_URL="http://127.0.0.1:1/api/v1",
    )
    told = refused(done)
    assert told.startswith("error: ") and words in told
    assert "0" * 48 not in told


@pytest.mark.parametrize(
    "url", ["ftp://x/", "http://", "127.0.0.1:80", "http://x:99999/", "http://a:b@x/"]
)
async def test_an_address_to_pass_on_to_is_checked(tmp_path: Path, url: str) -> None:
    done = esim_service("listen", "--forward-to", url, cwd=tmp_path)
    assert done.returncode == 2 and "must be an http or https address" in done.stderr


def test_the_identity_is_its_owners_alone_and_stays(tmp_path: Path) -> None:
    made = identity(tmp_path / "a" / "listen")
    assert stat.S_IMODE(made.receiver.stat().st_mode) == 0o600
    assert stat.S_IMODE(made.receiver.parent.stat().st_mode) == 0o700
    assert b"PRIVATE KEY" not in made.authority.read_bytes()
    before = made.receiver.read_bytes()
    assert identity(tmp_path / "a" / "listen") == made
    assert made.receiver.read_bytes() == before
    assert [each.name for each in (tmp_path / "a").iterdir()] == ["listen"]


def test_of_identities_that_are_made_at_the_same_time_one_stays(tmp_path: Path) -> None:
    directory = tmp_path / "listen"
    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(identity, [directory] * 4))
    assert len(set(made)) == 1 and made[0].is_complete
    assert [each.name for each in tmp_path.iterdir()] == ["listen"]


def test_a_directory_with_half_an_identity_is_a_mistake(tmp_path: Path) -> None:
    made = identity(tmp_path / "listen")
    made.receiver.unlink()
    with pytest.raises(OperatorError, match="listen cannot be used"):
        identity(tmp_path / "listen")


def test_what_comes_over_the_network_does_nothing_to_a_terminal() -> None:
    shown = line(Received("evt_\x1b[2J", "esim.\u202eusage\r\n", 204, "x" * 5000))
    assert shown.isprintable() and len(shown) < 500
