"""The helpdesk on the stub and the one in FastAPI: the same behaviour, with fewer lines."""

from __future__ import annotations

import importlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType

import httpx2
import pytest

from tests import checkers
from tests.conftest import COMMAND, ROOT

EXAMPLE = ROOT / "examples" / "helpdesk"
SERVICES = ("stub_service", "fastapi_service")
STARTED = re.compile(r"running on (http://127\.0\.0\.1:\d+)")
# Contents that differ in each run.
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)")
# Codes of the rules that both services share; what a framework refuses has its own.
SHARED = {"wrong_password", "not_found", "ticket_closed", "ticket_open", "report_pending"}
SECRET = re.compile(r'"(token|secret|next_cursor)":"[^"]+"')


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the generated package."""
    place = tmp_path_factory.mktemp("sdk")
    command = [COMMAND, "generate", "--output", place]
    done = subprocess.run(command, cwd=EXAMPLE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "25 of 25 operations in full; nothing left out" in done.stdout
    return place


@pytest.fixture(scope="module")
def sdk(packages: Path) -> Iterator[ModuleType]:
    sys.path.insert(0, str(packages))
    yield importlib.import_module("helpdesk_sdk")
    sys.path.remove(str(packages))


@contextmanager
def served(service: str, packages: Path, place: Path) -> Iterator[str]:
    """The URL of a service, started as its documentation says."""
    place.mkdir()
    path = os.pathsep.join([str(EXAMPLE), str(packages)])
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "uvicorn", "--factory", f"{service}:create"),
            *("--port", "0", "--no-access-log"),
        ],
        cwd=place,
        env={**os.environ, "PYTHONPATH": path},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        lines: list[str] = []
        for line in process.stderr:
            lines.append(line)
            if started := STARTED.search(line):
                break
        else:
            raise AssertionError("".join(lines))
        # Else a full pipe would stop the service.
        with (place / "log.txt").open("w") as log:
            drain = subprocess.Popen(["cat"], stdin=process.stderr, stdout=log)
            yield started[1]
    finally:
        process.terminate()
        assert process.wait(30) in (0, -signal.SIGTERM)
        drain.wait(30)


@pytest.fixture(scope="module")
def urls(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    place = tmp_path_factory.mktemp("services")
    with ExitStack() as stack:
        stub, fastapi = (
            stack.enter_context(served(service, packages, place / service)) for service in SERVICES
        )
        yield stub, fastapi


class Recorder(httpx2.BaseTransport):
    """Sends requests, and records the responses without what differs in each run."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str, int, str, str]] = []
        self._transport = httpx2.HTTPTransport()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = self._transport.handle_request(request)
        response.read()
        text = SECRET.sub(r'"\1":…', TIME.sub("TIME", response.text))
        if response.is_error:
            text = text if response.json()["code"] in SHARED else "another code"
        # FastAPI names one for responses without content, too.
        kind = response.headers["content-type"].partition(";")[0] if response.content else ""
        headers = {
            name: response.headers[name]
            for name in ("location", "content-disposition", "www-authenticate")
            if name in response.headers
        }
        path = re.sub(r"cursor=[^&]+", "cursor=…", str(request.url.raw_path, "ascii"))
        self.said.append((request.method, path, response.status_code, f"{kind} {headers}", text))
        # The content is not compressed any more.
        response.headers.pop("content-encoding", None)
        return httpx2.Response(
            response.status_code, headers=response.headers, content=response.content
        )


def uses(sdk: ModuleType, url: str) -> list[tuple[str, str, int, str, str]]:
    """Call every operation, and let some fail; return the responses."""
    recorder = Recorder()
    http = httpx2.Client(transport=recorder)
    base = f"{url}/api"
    anyone = sdk.HelpdeskClient(base_url=base, http_client=http)
    assert anyone.account.get_health().healthy
    with pytest.raises(sdk.AuthenticationError) as wrong:
        anyone.account.log_in(name="ann", password="guess")
    assert wrong.value.code == "wrong_password"
    token = anyone.account.log_in(name="ann", password="secret of Ann").token

    ann = sdk.HelpdeskClient(token=token, base_url=base, http_client=http)
    assert ann.account.get_me().name == "ann"
    key = ann.account.create_key(label="import")
    assert [each.label for each in ann.account.list_keys()] == ["import"]

    program = sdk.HelpdeskClient(key=key.secret, base_url=base, http_client=http)
    for number in range(5):
        ticket = program.tickets.create_ticket(
            subject=f"Lamp {number} is dark", customer="eve@example.com", priority="urgent"
        )
    page = ann.tickets.list_tickets(q="LAMP", limit=2)
    assert [each.subject[5] for each in page] == ["4", "3", "2", "1", "0"]
    assert ann.tickets.change_ticket(ticket.id, priority="low").priority == "low"
    assert ann.tickets.assign_ticket(ticket.id, agent_id=2).agent_id == 2
    with pytest.raises(sdk.NotFoundError):
        ann.tickets.assign_ticket(ticket.id, agent_id=99)
    ann.tickets.add_comment(ticket.id, text="It is the fuse — 3 A.")
    assert [each.author for each in ann.tickets.list_comments(ticket.id)] == ["ann"]

    file = ann.files.upload_file(
        ticket.id, file=sdk.File(b"\x00\xff" * 300_000, "Sicherung №1.png"), note="the fuse"
    )
    assert (file.size, file.media_type) == (600_000, "image/png")
    assert ann.files.list_files(ticket.id) == [file]
    assert ann.files.download_file(file.id) == b"\x00\xff" * 300_000
    ann.files.delete_file(file.id)
    with pytest.raises(sdk.NotFoundError):
        ann.files.download_file(file.id)

    assert ann.tickets.close_ticket(ticket.id).status == "closed"
    for refused in (
        lambda: ann.tickets.close_ticket(ticket.id),
        lambda: ann.tickets.add_comment(ticket.id, text="Too late."),
        lambda: ann.tickets.reopen_ticket(1),
    ):
        with pytest.raises(sdk.ConflictError):
            refused()
    assert ann.tickets.reopen_ticket(ticket.id).status == "open"
    ann.tickets.close_ticket(ticket.id)
    with ann.tickets.watch_ticket(ticket.id) as changes:
        kinds = [change.kind for change in changes]
    assert kinds == [
        *("created", "changed", "changed", "commented", "closed", "reopened", "closed")
    ]
    with pytest.raises(sdk.NotFoundError):
        ann.tickets.watch_ticket(77)

    report = ann.reports.create_report()
    assert report.status == "pending"
    # How often it asks depends on the clock.
    with sdk.HelpdeskClient(token=token, base_url=base) as patient:
        patient.reports.wait_for_report(report.id)
    assert ann.reports.get_report(report.id).status == "done"
    assert ann.reports.download_report(report.id).splitlines()[1] == "1,Lamp 0 is dark,open"

    ann.tickets.delete_ticket(ticket.id)
    with pytest.raises(sdk.NotFoundError):
        ann.tickets.get_ticket(ticket.id)
    ann.account.delete_key(key.id)
    with pytest.raises(sdk.AuthenticationError):
        program.account.get_me()
    ann.account.log_out()
    with pytest.raises(sdk.AuthenticationError):
        ann.account.get_me()
    return recorder.said


def test_both_services_respond_alike(sdk: ModuleType, urls: tuple[str, str]) -> None:
    ours, theirs = (uses(sdk, url) for url in urls)
    assert ours == theirs


@pytest.mark.parametrize(
    ("method", "path", "headers", "body"),
    [
        ("GET", "/", {}, b""),
        ("GET", "/nothing", {}, b""),
        ("GET", "/api/nothing", {}, b""),
        ("PUT", "/api/tickets", {}, b""),
        ("GET", "/api/tickets", {"authorization": ""}, b""),
        ("GET", "/api/tickets", {"authorization": "Bearer guess"}, b""),
        ("GET", "/api/tickets?limit=0", {}, b""),
        ("GET", "/api/tickets?limit=many", {}, b""),
        ("GET", "/api/tickets?status=lost", {}, b""),
        ("GET", "/api/tickets?cursor=guess", {}, b""),
        ("GET", "/api/tickets/0", {}, b""),
        ("GET", "/api/tickets/one", {}, b""),
        ("POST", "/api/tickets", {}, b"{"),
        ("POST", "/api/tickets", {}, b"{}"),
        ("POST", "/api/tickets", {}, b'{"subject": "", "customer": "eve@example.com"}'),
        ("POST", "/api/tickets", {}, b'{"subject": 1, "customer": "eve@example.com"}'),
        ("POST", "/api/tickets", {}, b'{"subject": "a", "customer": "b", "colour": 1}'),
        ("PATCH", "/api/tickets/1", {}, b"{}"),
        ("PATCH", "/api/tickets/1", {}, b'{"subject": null}'),
        ("POST", "/api/tickets/1/files", {"content-type": "multipart/form-data"}, b"--"),
        ("GET", "/api/health", {"origin": "https://desk.example.com"}, b""),
        ("GET", "/api/health", {"origin": "https://other.example.com"}, b""),
        ("GET", "/api/tickets/one", {"origin": "https://desk.example.com"}, b""),
        (
            "OPTIONS",
            "/api/tickets",
            {"origin": "https://desk.example.com", "access-control-request-method": "GET"},
            b"",
        ),
    ],
)
def test_both_services_refuse_alike(
    sdk: ModuleType,
    urls: tuple[str, str],
    method: str,
    path: str,
    headers: dict[str, str],
    body: bytes,
) -> None:
    answers = []
    for url in urls:
        with sdk.HelpdeskClient(base_url=f"{url}/api") as anyone:
            token = anyone.account.log_in(name="ben", password="secret of Ben").token
        sent = {"content-type": "application/json", "authorization": f"Bearer {token}", **headers}
        response = httpx2.request(
            method, url + path, headers={k: v for k, v in sent.items() if v}, content=body
        )
        shared = {k: v for k, v in response.headers.items() if k.startswith("access-control")}
        answers.append((response.status_code, shared))
    assert answers[0] == answers[1]


def test_the_implementation_passes_strict_type_checks(packages: Path, tmp_path: Path) -> None:
    place = tmp_path / "helpdesk"
    place.mkdir()
    for file in ("stub_service.py", "store.py", "work.py"):
        (place / file).write_bytes((EXAMPLE / file).read_bytes())
    assert checkers.mypy(place, [str(packages)]) == []
    assert checkers.pyright(place, [str(packages)]) == []


def lines(file: str) -> int:
    """The lines with code."""
    rows = (EXAMPLE / file).read_text("utf-8").splitlines()
    return sum(bool(row.strip()) and not row.lstrip().startswith("#") for row in rows)


def test_the_readme_counts_the_lines() -> None:
    text = (EXAMPLE / "README.md").read_text("utf-8")
    for file in ("stub_service.py", "fastapi_service.py", "openapi.yaml"):
        assert f"`{file}` | {lines(file)} |" in text


def test_the_contract_test_finds_no_fault(sdk: ModuleType, packages: Path, tmp_path: Path) -> None:
    with served("stub_service", packages, tmp_path / "service") as url:
        with sdk.HelpdeskClient(base_url=f"{url}/api") as anyone:
            token = anyone.account.log_in(name="ann", password="secret of Ann").token
        with sdk.HelpdeskClient(token=token, base_url=f"{url}/api") as ann:
            key = ann.account.create_key(label="test").secret
        keys = ("--api-key-env", "AGENT", "--api-key-env", "key=KEY")
        done = subprocess.run(
            [COMMAND, "test", f"{url}/api", *keys, "--seed", "1", "--max-time", "60"],
            cwd=EXAMPLE,
            env={**os.environ, "AGENT": "ann:secret of Ann", "KEY": key},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
