"""`specwright listen`: registered, verified, shown, passed on, and removed at the end."""

from __future__ import annotations

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click
import httpx2
import pytest

from specwright.cli import cli
from specwright.commands import listen as command
from specwright.conformance.checks.webhooks.authority import Authority
from specwright.conformance.checks.webhooks.connection import MAX_BODY_BYTES
from specwright.document.sources.load import load
from specwright.vocabulary.keywords.webhook_endpoint import WEBHOOK_ENDPOINT
from tests.conformance.webhooks.provider import DOCUMENT, Attempt, Event, Hook, Provider

COMMAND = Path(sys.executable).with_name("specwright")
DEADLINE = 30.0
KEY = "key-for-the-test-of-listen"


@dataclass
class Noting(Provider):
    """Keeps how its attempts were answered, and makes each but once."""

    answers: list[int] = field(default_factory=list)
    timeout = DEADLINE

    def pauses(self) -> list[float]:
        return []

    def post(self, hook: Hook, attempt: Attempt) -> bool:
        answer = self.http.post(hook.url, content=attempt.body, headers=attempt.headers)
        self.answers.append(answer.status_code)
        return True


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.at(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def provider(authority: Authority) -> Iterator[Noting]:
    with Noting(authority.file) as opened:
        yield opened


def written(path: Path, document: dict[str, Any]) -> Path:
    """Write a document that lets senders wait for as long as the tests do."""
    patient = json.loads(json.dumps(document))
    for item in patient["webhooks"].values():
        item["post"]["x-contract-delivery"]["timeout_seconds"] = int(DEADLINE)
    path.write_text(json.dumps(patient), "utf-8")
    return path


@pytest.fixture
def document(tmp_path: Path) -> Path:
    return written(tmp_path / "parcels.json", DOCUMENT)


@pytest.fixture
def guarded(tmp_path: Path) -> Path:
    """The document with a key."""
    scheme = {"type": "apiKey", "in": "header", "name": "X-Key"}
    components = {"securitySchemes": {"key": scheme}}
    more = {"security": [{"key": []}], "components": components}
    return written(tmp_path / "guarded.json", DOCUMENT | more)


@dataclass
class Listening:
    """A listener that runs, as its terminal shows it."""

    process: subprocess.Popen[bytes]
    output: Path

    def line_with(self, words: str) -> str:
        """The first line with some words, as soon as it is there."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            text = self.output.read_text("utf-8")
            if found := next((line for line in text.splitlines() if words in line), None):
                return found
            time.sleep(0.02)
        raise AssertionError(f"no {words!r} in {text}")

    def stop(self, number: signal.Signals = signal.SIGINT) -> str:
        """End it; return all that it has shown."""
        self.process.send_signal(number)
        assert self.process.wait(DEADLINE) == 0
        return self.output.read_text("utf-8")


Listen = Callable[..., Any]


@pytest.fixture
def listening(document: Path, authority: Authority, tmp_path: Path) -> Listen:
    @contextmanager
    def start(url: str, *options: str) -> Iterator[Listening]:
        output = tmp_path / "shown.txt"
        where = () if "--public-url" in options else ("--receiver-authority", authority.file.parent)
        with output.open("w") as file:
            process = subprocess.Popen(
                [COMMAND, "listen", url, "--document", document, *where, *options],
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        try:
            yield Listening(process, output)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait(DEADLINE)

    return start


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_deliveries_are_shown_until_the_end(
    provider: Noting, listening: Listen, number: signal.Signals
) -> None:
    with listening(provider.url) as seen:
        seen.line_with("  200  hook.ping  ")
        [hook] = provider.hooks.values()
        assert seen.line_with("is the endpoint").startswith(f"{hook.url} is the endpoint 1 ")
        assert hook.wanted == ["parcel.sent", "parcel.broken", "boxes.few"]
        provider.emit(Event("e1", "parcel.sent"))
        seen.line_with("  200  parcel.sent  e1")
        text = seen.stop(number)
    assert hook.is_gone and text.splitlines()[-1] == "1 is removed"
    assert hook.secret not in text


def test_the_sender_did_not_sign_it_so_it_is_refused(
    provider: Noting, listening: Listen, authority: Authority
) -> None:
    with listening(provider.url) as seen:
        seen.line_with("hook.ping")
        [hook] = provider.hooks.values()
        trust = ssl.create_default_context(cafile=str(authority.file))
        genuine = provider.attempt(hook, Event("e1", "parcel.sent"), 0)
        with httpx2.Client(verify=trust, trust_env=False) as http:

            def status(method: str, url: str, body: bytes, headers: dict[str, str]) -> int:
                return http.request(method, url, content=body, headers=headers).status_code

            assert status("POST", hook.url, genuine.body + b" ", genuine.headers) == 400
            assert status("POST", hook.url, b'{"kind": "forged\x1b[31m"}', {}) == 400
            assert status("POST", hook.url, b"x" * (MAX_BODY_BYTES + 1), genuine.headers) == 413
            assert status("GET", hook.url, b"", genuine.headers) == 405
            assert status("POST", hook.url[:-1], genuine.body, genuine.headers) == 404
            assert status("POST", hook.url, genuine.body, genuine.headers) == 200
        text = seen.stop()
    assert text.count("  400  refused: ") == 2
    assert "forged" not in text


def test_text_of_a_sender_does_not_act_and_secrets_are_not_shown(
    provider: Noting, listening: Listen
) -> None:
    with listening(provider.url) as seen:
        seen.line_with("hook.ping")
        [hook] = provider.hooks.values()
        for told in ("\x1b[2J\u202e\r\n" + "x" * 5000, f"<{hook.secret}>"):
            attempt = provider.attempt(hook, Event(told, "parcel.sent"), 0)
            provider.post(hook, replace(attempt, headers=attempt.headers | {"Parcel-Event": "e1"}))
        shown = seen.line_with("\\x1b[2J\\u202e\\r\\nxxx")
        assert shown.isprintable() and len(shown) < 500
        assert seen.line_with("<[redacted]>").isprintable()
        assert hook.secret not in seen.stop()


@dataclass
class Application:
    """The application that deliveries are forwarded to."""

    server: ThreadingHTTPServer
    status: int
    requests: list[tuple[str, dict[str, str], bytes]]

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.server.server_port}"


@pytest.fixture
def application() -> Iterator[Application]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            made.requests.append((self.path, dict(self.headers), body))
            self.send_response_only(made.status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made = Application(server, 200, [])
        threading.Thread(target=server.serve_forever, args=[0.02]).start()
        yield made
        server.shutdown()


def test_deliveries_are_passed_on_as_they_came(
    provider: Noting, listening: Listen, application: Application
) -> None:
    application.status = 503
    url = f"http://{application.place}/hooks?a=b"
    with listening(provider.url, "--forward-to", url) as seen:
        assert f"from {application.place} in " in seen.line_with("  503  hook.ping")
        [hook] = provider.hooks.values()
        application.status = 204
        attempt = provider.attempt(hook, Event("e1", "parcel.sent"), 0)
        more = [("Parcel-More", b"\xe9"), ("Connection", b"close")]
        sent = [*((name, value.encode()) for name, value in attempt.headers.items()), *more]
        assert provider.http.post(hook.url, content=attempt.body, headers=sent).status_code == 204
        seen.line_with("  204  parcel.sent  e1")
        seen.stop()
    assert provider.answers == [503]
    path, headers, body = application.requests[-1]
    assert (path, body) == ("/hooks?a=b", attempt.body)
    assert headers.items() >= attempt.headers.items()
    assert (headers["Host"], headers["Parcel-More"]) == (application.place, "\xe9")
    assert headers["Connection"] != "close"


@pytest.mark.parametrize(
    ("status", "place", "words"),
    [(999, None, "responded with 999"), (200, "127.0.0.1:1", "not forwarded: ConnectError")],
)
def test_an_application_that_cannot_answer_is_a_502(
    provider: Noting,
    listening: Listen,
    application: Application,
    status: int,
    place: str | None,
    words: str,
) -> None:
    application.status = status
    with listening(provider.url, "--forward-to", f"http://{place or application.place}/") as seen:
        assert "  502  hook.ping" in seen.line_with(words)
        seen.stop()
    assert provider.answers == [502]


def test_behind_a_tunnel_it_speaks_plain_http(provider: Noting, listening: Listen) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with listening(provider.url, "--public-url", f"{url}/", "--receiver-port", str(port)) as seen:
        seen.line_with("  200  hook.ping")
        assert seen.stop().startswith(f"{url}/")


def test_a_document_without_signatures_has_deliveries_that_are_not_verified(
    provider: Noting, listening: Listen, document: Path
) -> None:
    plain = json.loads(json.dumps(DOCUMENT))
    for item in plain["webhooks"].values():
        del item["post"]["x-contract-signature"]
    written(document, plain)
    with listening(provider.url) as seen:
        assert seen.line_with("  200  hook.ping").endswith("  not verified")
        seen.stop()


def test_a_sender_that_does_not_trust_the_authority_is_told_of(
    listening: Listen, authority: Authority, tmp_path: Path
) -> None:
    with Provider(Authority.at(tmp_path / "another").file) as strict, listening(strict.url) as seen:
        assert seen.line_with("before the TLS handshake").endswith(
            f"does it trust {authority.file}?"
        )
        with httpx2.Client(trust_env=False) as another, pytest.raises(httpx2.ConnectError):
            another.post(strict.hooks[1].url)
        assert seen.stop().count("before the TLS handshake") == 1


def test_silence_raises_a_doubt(
    document: Path, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent(Provider):
        def start(self, hook: Hook, event: Event) -> None:
            """Send nothing."""

    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        if str(authority.file) in line:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(command, "say", say)
    monkeypatch.setattr(command, "PATIENCE_SECONDS", 0.01)
    before = signal.getsignal(signal.SIGINT)
    with Silent(authority.file) as provider:
        options = ("--document", str(document), "--receiver-authority", str(authority.file.parent))
        # Below the group: the command keeps the help option of its first context.
        above = click.Context(cli, **cli.context_settings)
        with command.listen.make_context("listen", [provider.url, *options], above) as context:
            command.listen.invoke(context)
        assert provider.hooks[1].is_gone
    assert str(authority.file) in said[-2] and said[-1] == "1 is removed"
    assert signal.getsignal(signal.SIGINT) is before


def failed(*arguments: str | Path, key: str = KEY) -> str:
    """Return the error message of a command that cannot listen."""
    done = subprocess.run(
        [COMMAND, "listen", *arguments],
        env={**os.environ, "KEY": key},
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    return done.stderr


class Refusing(Noting):
    """Refuses to register, or else to test."""

    refused = "hooks"

    def handle(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if path.endswith(self.refused):
            return 422, {"error": f"{KEY} cannot \x1b[31m do this"}
        return super().handle(method, path, body)


def test_a_refusal_is_shown_without_the_key(guarded: Path, authority: Authority) -> None:
    with Refusing(authority.file) as provider:
        told = failed(
            *(provider.url, "--document", guarded, "--api-key-env", "KEY"),
            *("--receiver-authority", authority.file.parent),
        )
    first, second, third = told.splitlines()
    assert first == f"error: {provider.url}: addHook was answered with 422"
    assert second.startswith('{"error": "[redacted] cannot \\u001b[31m do this"}')
    assert third.endswith(f"to remove it: DELETE {provider.url}/hooks/{{hook}}")


def test_an_endpoint_that_cannot_be_tested_is_removed(document: Path, authority: Authority) -> None:
    class Untested(Refusing):
        refused = "ping"

    with Untested(authority.file) as provider:
        options = ("--document", document, "--receiver-authority", authority.file.parent)
        done = subprocess.run(
            [COMMAND, "listen", provider.url, *options],
            capture_output=True,
            text=True,
            check=False,
            timeout=DEADLINE,
        )
        assert provider.hooks[1].is_gone
    assert done.returncode == 2 and "pingHook was answered with 422" in done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "pass --receiver-authority or --public-url"),
        (("--public-url", "tunnel.example"), "is not an http or https URL"),
        (("--public-url", "http://x"), "requires a credential"),
        *(
            (("--forward-to", url), "is not an http or https URL")
            for url in ("ftp://x/", "http://", "127.0.0.1:80", "http://x:99999/", "http://ü/")
        ),
        (("--forward-to", "http://a:b@x/"), "must not hold user information"),
    ],
)
def test_mistakes_are_told(
    guarded: Path, tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    told = failed("http://127.0.0.1:1", "--document", guarded, *options, key="live_" + "0" * 9)
    assert words in told and "0" * 9 not in told
    assert list(tmp_path.glob("*.pem")) == []


def test_a_document_must_say_how_endpoints_are_registered(tmp_path: Path) -> None:
    silent = json.loads(json.dumps(DOCUMENT))
    del silent["paths"]["/hooks"]["post"][WEBHOOK_ENDPOINT.name]
    path = written(tmp_path / "silent.json", silent)
    assert load(path)
    told = failed("http://127.0.0.1:1", "--document", path, "--public-url", "http://x")
    assert "does not declare how endpoints of webhooks are registered" in told
