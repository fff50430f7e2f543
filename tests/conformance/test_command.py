"""`specwright test` with arguments and servers that cannot be used, and runs that end early."""

from __future__ import annotations

import json
import os
import signal
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import trustme

from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.preflight import reach
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.record import Record
from specwright.document.sources.load import load
from specwright.errors import InputError
from tests.conformance.shop import DOCUMENT, KEYS
from tests.conformance.webhooks.provider import DOCUMENT as PARCELS
from tests.conftest import COMMAND, Run

KEY, OTHER, *_ = KEYS


class Exchange(BaseHTTPRequestHandler):
    """One request to a server that a test plays."""

    protocol_version = "HTTP/1.1"
    # The client would acknowledge the head 40 ms later, and the body wait for that.
    disable_nagle_algorithm = True
    respond: Callable[[Exchange], None]
    sent: bytes

    def handle_one_request(self) -> None:
        """Answer one request; without an answer, hang up."""
        self.is_answered = False
        self.raw_requestline = self.rfile.readline(65_537)
        if self.raw_requestline and self.parse_request():
            self.sent = self.rfile.read(int(self.headers.get("content-length") or 0))
            type(self).respond(self)
        self.close_connection = not self.is_answered

    def answer(self, status: int, body: bytes = b"{}", **headers: str) -> None:
        self.send_response(status)
        given = {"content_type": "application/json", "content_length": str(len(body)), **headers}
        for name, value in given.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)
        self.is_answered = True

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: the command under test hangs up when it likes."""


@contextmanager
def playing(
    respond: Callable[[Exchange], None], authority: trustme.CA | None = None
) -> Iterator[int]:
    """The port of a server that answers as `respond` does."""
    server = Server(("127.0.0.1", 0), type("Played", (Exchange,), {"respond": respond}))
    if authority is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1").configure_cert(context)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def always(status: int, body: bytes = b"{}", **headers: str) -> Callable[[Exchange], None]:
    return lambda exchange: exchange.answer(status, body, **headers)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", KEY)


def arguments(url: str) -> tuple[str, ...]:
    return "test", url, "--document", str(DOCUMENT), "--api-key-env", "KEY", "--seed", "1"


def refused(run: subprocess.CompletedProcess[str], *said: str) -> None:
    """Exit code 2, with a reason and a way out, and nothing that is not for people."""
    assert run.returncode == 2, run.stdout + run.stderr
    assert run.stdout == ""
    assert "Traceback" not in run.stderr
    assert KEY not in run.stderr
    for text in said:
        assert text in run.stderr


def test_a_server_that_is_not_there(specwright: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    refused(
        specwright(*arguments(f"http://127.0.0.1:{port}")),
        f"http://127.0.0.1:{port} does not respond",
        "hint: start it",
    )


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://127.0.0.1", "is not an http or https URL"),
        ("http://127.0.0.1:port", "is not an http or https URL"),
        ("http://127.0.0.1/v1?x=1", "is not the base URL"),
        ("http://me:secret@127.0.0.1", "must not hold user information"),
        ("http://sandbox.invalid", "--allow-host sandbox.invalid"),
        ("http://127.0.0.1.sandbox.invalid", "is another machine"),
    ],
)
def test_a_url_that_is_none_or_of_another_machine(specwright: Run, url: str, said: str) -> None:
    run = specwright(*arguments(url))
    refused(run, said)
    assert "secret" not in run.stderr


def test_a_host_that_is_allowed_is_asked(specwright: Run) -> None:
    run = specwright(*arguments("http://sandbox.invalid"), "--allow-host", "sandbox.invalid")
    refused(run, "http://sandbox.invalid does not respond")


def test_a_certificate_that_nobody_vouches_for(specwright: Run) -> None:
    with playing(always(401), trustme.CA()) as port:
        run = specwright(*arguments(f"https://127.0.0.1:{port}"))
    refused(run, "does not respond", "SSL_CERT_FILE")


def test_a_certificate_of_an_authority_that_is_named(
    specwright: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    with playing(always(401), authority) as port:
        run = specwright(*arguments(f"https://127.0.0.1:{port}"))
    refused(run, "refuses the key with 401")


def test_fuzzing_trusts_an_authority_that_is_named(
    specwright: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    document = {
        "openapi": "3.1.1",
        "info": {"title": "One", "version": "1"},
        "paths": {"/a": {"get": {"responses": {"200": {"description": "It."}}}}},
    }
    api, reports = tmp_path / "openapi.json", tmp_path / "reports"
    api.write_text(json.dumps(document), "utf-8")
    with playing(always(200), authority) as port:
        specwright(
            *("test", f"https://127.0.0.1:{port}", "--document", str(api), "--seed", "1"),
            *("--report-dir", str(reports)),
        )
    entries = json.loads((reports / "report.har").read_text("utf-8"))["log"]["entries"]
    fuzzed = [entry for entry in entries if "fuzzing" in entry["comment"]]
    assert fuzzed
    assert all(each["response"]["status"] == 200 for each in fuzzed)


def test_https_where_only_http_is_spoken(specwright: Run) -> None:
    with playing(always(200)) as port:
        run = specwright(*arguments(f"https://127.0.0.1:{port}"))
    refused(run, "does not respond", "http://")
    assert "SSL_CERT_FILE" not in run.stderr


@pytest.mark.parametrize(
    ("respond", "said"),
    [
        (always(401), "refuses the key with 401"),
        (always(403), "returns 403 for every read"),
        (always(429), "returned 429 to the first request"),
        (always(200, b"<html>", content_type="text/html; charset=utf-8"), "a web page"),
        pytest.param(
            always(200, b"no gzip", content_encoding="gzip"),
            "the body cannot be decoded as its Content-Encoding says",
        ),
        (lambda exchange: exchange.wfile.write(b"SSH-2.0-OpenSSH\r\n"), "does not respond"),
        (lambda exchange: None, "does not respond"),
    ],
    ids=["401", "403", "429", "html", "broken gzip", "another protocol", "hangs up"],
)
def test_a_server_that_is_of_no_use(
    specwright: Run, respond: Callable[[Exchange], None], said: str
) -> None:
    with playing(respond) as port:
        refused(specwright(*arguments(f"http://127.0.0.1:{port}")), said)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("", "is not set or is empty"),
        ("sk_prod_0123456789", "does not look like a test key"),
        ("test-key-with-a-line\nbreak", "characters that are not allowed in a header"),
    ],
)
def test_a_key_that_cannot_be_used(
    specwright: Run, monkeypatch: pytest.MonkeyPatch, key: str, said: str
) -> None:
    monkeypatch.setenv("KEY", key)
    run = specwright(*arguments("http://api.invalid"), "--allow-host", "api.invalid")
    refused(run, "KEY", said)
    assert not key or key not in run.stderr


def missing(prefix: str, body: bytes = b"{}", **headers: str) -> Callable[[Exchange], None]:
    """Answers below a prefix only; elsewhere as servers do that do not know a path."""

    def respond(exchange: Exchange) -> None:
        is_there = exchange.path.startswith(f"{prefix}/")
        exchange.answer(401 if is_there else 404, body, **headers)

    return respond


@pytest.mark.parametrize("prefix", ["/api", "/declared/v7"])
@pytest.mark.parametrize("headers", [{}, {"content_type": "text/html"}], ids=["json", "html"])
def test_a_base_url_where_no_path_of_the_document_is(
    specwright: Run, tmp_path: Path, prefix: str, headers: dict[str, str]
) -> None:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    document["servers"] = [{"url": "https://api.example.com/declared/v7"}]
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(document), "utf-8")
    with playing(missing(prefix, **headers)) as port:
        url = f"http://127.0.0.1:{port}"
        run = specwright("test", url, "--document", str(path), "--api-key-env", "KEY")
    refused(run, "returns 404 for every read", f"below {url}{prefix}\n")


@pytest.mark.parametrize("other", [404, 401], ids=["nowhere", "below"])
def test_a_declared_404_for_every_read_is_no_sign_of_the_api(tmp_path: Path, other: int) -> None:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    document["servers"] = [{"url": "https://api.example.com/declared/v7"}]
    content = {"application/json": {"schema": {"type": "object"}}}
    for item in document["paths"].values():
        if "get" in item:
            item["get"]["responses"]["404"] = {"description": "Missing.", "content": content}
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(document), "utf-8")
    contract = Contract(load(path))

    def respond(exchange: Exchange) -> None:
        is_there = exchange.path.startswith("/declared/v7/")
        exchange.answer(other if is_there else 404, b"{}", content_type="application/json")

    with (
        playing(respond) as port,
        TargetServer(f"http://127.0.0.1:{port}", None, Record(), {}) as target,
    ):
        if other == 404:
            reach(contract, target)
        else:
            with pytest.raises(InputError) as caught:
                reach(contract, target)
            assert caught.value.lines[0].endswith("returns 404 for every read")
            assert str(caught.value).endswith(f"127.0.0.1:{port}/declared/v7")


def test_a_base_url_that_is_nowhere(specwright: Run) -> None:
    with playing(always(404)) as port:
        run = specwright(*arguments(f"http://127.0.0.1:{port}"))
    refused(run, "returns 404 for every read", "is this the base URL of the API?")


def test_a_live_key_is_used_when_that_is_asked_for(
    specwright: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "sk_prod_0123456789")
    with playing(always(401)) as port:
        run = specwright(*arguments(f"http://127.0.0.1:{port}"), "--live")
    refused(run, "refuses the key with 401")


def test_no_key_where_one_is_needed(specwright: Run) -> None:
    run = specwright("test", "http://127.0.0.1:1", "--document", str(DOCUMENT))
    refused(run, "--api-key-env")


def test_a_document_with_errors(specwright: Run, tmp_path: Path) -> None:
    wrong = json.loads(DOCUMENT.read_text("utf-8"))
    del wrong["info"]["version"]
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(wrong), "utf-8")
    run = specwright("test", "http://127.0.0.1:1", "--document", str(path))
    refused(run, "specwright validate")


def test_a_document_that_is_missing(specwright: Run, tmp_path: Path) -> None:
    path = tmp_path / "missing.json"
    refused(specwright("test", "http://127.0.0.1:1", "--document", str(path)), "missing.json")


def facts(reports: Path) -> dict[str, str]:
    report = json.loads((reports / "report.json").read_text("utf-8"))
    assert report["findings"]
    return {fact["label"]: fact["value"] for fact in report["facts"]}


def test_a_server_that_dies_half_way_is_reported_as_far_as_it_was_seen(
    specwright: Run, tmp_path: Path
) -> None:
    seen: list[str] = []

    def respond(exchange: Exchange) -> None:
        seen.append(exchange.path)
        if len(seen) <= 12:
            exchange.answer(200)

    with playing(respond) as port:
        run = specwright(*arguments(f"http://127.0.0.1:{port}"), "--report-dir", str(tmp_path))
    assert run.returncode == 2
    assert run.stderr == ""
    found = facts(tmp_path)
    assert "in a row got no response" in found["Stopped"]
    assert "Stopped" in run.stdout
    assert 12 < int(found["Requests"]) <= len(seen)


def test_when_a_server_dies_its_webhooks_are_waited_for_no_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other partner registers an endpoint, and waits for webhooks that are never sent."""
    monkeypatch.setenv("OTHER", OTHER)
    document = json.loads(json.dumps(PARCELS))
    document["security"] = [{"key": []}]
    scheme = {"type": "apiKey", "in": "header", "name": "X-Key"}
    document["components"] = {"securitySchemes": {"key": scheme}}
    # The first request is one of the other partner, and not a GET of the preflight.
    del document["paths"]["/boxes"], document["webhooks"]["boxes.few"]
    for item in document["webhooks"].values():
        item["post"]["x-contract-trigger"]["within_seconds"] = 600
    path = tmp_path / "parcels.json"
    path.write_text(json.dumps(document), "utf-8")
    waits = threading.Event()

    def respond(exchange: Exchange) -> None:
        if exchange.headers["x-key"] == OTHER:
            exchange.answer(201, b'{"number": 1, "key": {"text": "whsec_0"}}')
            if exchange.path.endswith("/ping"):
                waits.set()
        else:
            # The server dies when the other partner has come to wait.
            waits.wait(30)

    with playing(respond) as port:
        done = subprocess.run(
            [
                *(COMMAND, "test", f"http://127.0.0.1:{port}", "--document", path, "--seed", "1"),
                *("--api-key-env", "KEY", "--other-tenant-api-key-env", "OTHER"),
                *("--receiver-authority", tmp_path / "authority"),
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    assert done.returncode == 2, done.stderr
    assert waits.is_set()
    assert "in a row got no response" in done.stdout


@pytest.mark.parametrize("after", [1, 15])
def test_an_interrupt_reports_what_was_seen(tmp_path: Path, after: int) -> None:
    seen: list[str] = []
    held, ended = threading.Event(), threading.Event()

    def respond(exchange: Exchange) -> None:
        seen.append(exchange.path)
        if len(seen) < after:
            exchange.answer(200)
        else:
            held.set()
            ended.wait(60)

    with playing(respond) as port:
        process = subprocess.Popen(
            [COMMAND, *arguments(f"http://127.0.0.1:{port}"), "--report-dir", str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "NO_COLOR": "1"},
        )
        assert held.wait(60)
        process.send_signal(signal.SIGINT)
        shown, complaint = process.communicate(timeout=60)
        ended.set()
    assert process.returncode == 130
    assert "Traceback" not in complaint
    if after == 1:
        # Nothing was seen yet.
        assert complaint.strip() == "interrupted"
    else:
        assert facts(tmp_path)["Stopped"] == "interrupted"
        assert "Stopped: interrupted" in shown


def test_what_is_no_worse_than_in_the_baseline_fails_no_run(
    specwright: Run, tmp_path: Path
) -> None:
    path = tmp_path / "openapi.json"
    responses = {"204": {"description": "Done."}, "404": {"description": "There is none."}}

    def respond(exchange: Exchange) -> None:
        exchange.answer(404 if exchange.path.startswith("/none") else 500)

    def run(name: str, paths: Sequence[str], *options: str) -> tuple[int, int]:
        items = {path: {"get": {"responses": responses}} for path in paths}
        document = {"openapi": "3.1.1", "info": {"title": "T", "version": "1"}, "paths": items}
        path.write_text(json.dumps(document), "utf-8")
        url, directory = f"http://127.0.0.1:{port}", tmp_path / name
        command = ("test", url, "--document", str(path), "--report-dir", str(directory))
        ended = specwright(*command, *options)
        result = json.loads((directory / "result.json").read_text("utf-8"))
        return ended.returncode, result["seed"]

    with playing(respond) as port:
        assert run("first", ["/fails"], "--seed", "41") == (1, 41)
        known = ("--baseline", str(tmp_path / "first" / "result.json"))
        assert run("again", ["/fails"], *known) == (0, 41)
        assert run("other", ["/fails"], *known, "--seed", "7") == (0, 7)
        assert run("failing", ["/fails", "/fails-too"], *known) == (1, 41)
        assert run("missing", ["/fails", "/none"], *known) == (3, 41)
