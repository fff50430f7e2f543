"""The programs of a partner do their work against the reference service."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest
from werkzeug.serving import make_server

from tests.conftest import COMMAND
from tests.service.running import DEADLINE, Running, eventually, serving
from tests.serving import Server

PLAN = "pln_jp-5gb-30d"
SECRET = "whsec_of_a_receiver"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    place = tmp_path_factory.mktemp("service")
    with serving(str(place / "service.db"), place) as running:
        yield running


@pytest.fixture
def key(service: Running, request: pytest.FixtureRequest) -> str:
    """A key of a partner of this test's own."""
    return service.key(partner=request.node.name.replace("_", "-")[:40])


def started(
    root: Path, service: Running, key: str, name: str, *arguments: str
) -> subprocess.Popen[str]:
    settings = {"PARTNER_ESIM_API_KEY": key, "PARTNER_ESIM_BASE_URL": service.base_url}
    return subprocess.Popen(
        [sys.executable, root / "examples" / name, *arguments],
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ran(root: Path, service: Running, key: str, *arguments: str) -> tuple[int, str, str]:
    process = started(root, service, key, "order_esims.py", *arguments)
    output, errors = process.communicate(timeout=DEADLINE)
    return process.returncode, output, errors


def test_the_order_tool_prints_what_to_install(root: Path, service: Running, key: str) -> None:
    code, output, errors = ran(root, service, key, PLAN, "trip-1", "2")
    assert (code, errors) == (0, "")
    head, *esims = output.splitlines()
    assert head.startswith(f"2 x {PLAN} for ")
    assert len(esims) == 2
    with service.client(key) as client:
        for line in esims:
            iccid, activation_code = line.split(" ", 1)
            assert client.esims.get(iccid).activation.activation_code == activation_code


def test_the_order_tool_orders_once_however_often_it_is_run(
    root: Path, service: Running, key: str
) -> None:
    first, second = (ran(root, service, key, PLAN, "trip-1", "1") for _ in range(2))
    assert first == second
    with service.client(key) as client:
        assert len(client.orders.list().items) == 1


def test_the_worker_goes_on_where_it_was(
    root: Path, service: Running, key: str, tmp_path: Path
) -> None:
    place = tmp_path / "cursor.txt"
    before = None
    for reference in ("trip-1", "trip-2"):
        assert ran(root, service, key, PLAN, reference, "1")[0] == 0
        worker = started(root, service, key, "follow_events.py", str(place))
        assert worker.stdout is not None
        # The first event that it sees is the one that it has not dealt with.
        assert worker.stdout.readline().startswith(f"completed {reference} ")
        before = eventually(lambda before=before: changed(place, before))
        worker.kill()
        worker.communicate()


def changed(place: Path, before: str | None) -> str | None:
    """The cursor, once another one than before is stored."""
    now = place.read_text() if place.exists() else None
    return now if now != before else None


@contextmanager
def served(module: ModuleType) -> Iterator[str]:
    """The address of a receiver, by the kind of server that its framework wants."""
    if module.__name__ == "receive_fastapi":
        with Server(module.app) as server:
            yield server.url
        return
    flask = make_server("127.0.0.1", 0, module.app, threaded=True)
    thread = threading.Thread(target=flask.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{flask.server_port}"
    finally:
        flask.shutdown()
        thread.join()


@pytest.mark.parametrize("name", ["receive_fastapi", "receive_flask"])
def test_a_receiver_answers_rightly(name: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBHOOK_SECRET", SECRET)
    spec = importlib.util.spec_from_file_location(name, root / "examples" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    options = ("--secret-env", "WEBHOOK_SECRET", "--format", "json")
    with served(module) as url:
        done = subprocess.run(
            [COMMAND, "test-receiver", f"{url}/webhooks/esim", *options],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    findings = json.loads(done.stdout)["findings"]
    assert {finding["level"] for finding in findings} == {"info"}
    assert len(findings) == 20
