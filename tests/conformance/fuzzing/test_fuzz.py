"""Fuzzing: a server's faults by rule, nothing about a correct one, and how the processes end."""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from specwright.conformance.checks.robustness.fuzzed import NOTHING_FUZZED
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.roles import ANONYMOUS, MAIN
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.fuzzing import process, source
from specwright.conformance.fuzzing.profile import QUICK, FuzzingLimits
from specwright.conformance.fuzzing.source import fuzz
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Record, Violation
from specwright.document.model import Document
from specwright.document.operations.security import Credential
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.errors import InputError
from tests.conformance.fuzzing.widgets import DOCUMENT, KEY, Widgets
from tests.service.running import serving
from tests.serving import Server

PROVEN = (NOTHING_FUZZED,)
PHASES = ("coverage", "fuzzing", "stateful")
SMALL = FuzzingLimits(seconds=60, examples=3, phases=PHASES, processes=1)
LIST, CREATE = "/paths/~1widgets/get", "/paths/~1widgets/post"
SIZE = "/components/schemas/WidgetCreate/properties/size"
GET, DELETE = "/paths/~1widgets~1{id}/get", "/paths/~1widgets~1{id}/delete"
EXCHANGE = {
    **{"kind": "exchange", "id": "a", "path": "/widgets", "method": "GET", "url": "http://x/v1"},
    **{"headers": [], "body": None, "sent_at": 1.0, "seconds": 0.5, "response": None},
}
WRITES = f"""
import json, os, signal, sys, time
write = lambda line: print(json.dumps(line), flush=True)
write({{"kind": "started"}}); write({EXCHANGE!r} | {{"url": str(os.getpid())}})
"""


def exhaustive(*seeds: int) -> list[object]:
    return [pytest.param(seed, marks=pytest.mark.exhaustive) for seed in seeds]


@pytest.fixture
def contract(tmp_path: Path) -> Document:
    place = tmp_path / "widgets.json"
    place.write_text(json.dumps(DOCUMENT))
    return upgrade(load(place))


def run(
    document: Document,
    url: str,
    key: str = KEY,
    seed: int = 1,
    profile: FuzzingLimits = SMALL,
) -> Record:
    record, contract = Record(), Contract(document)
    with TargetServer(url, Credential.of(document), record, {MAIN: key}) as target:
        fuzz(contract, target, profile, seed)
    return record


def reached(record: Record) -> set[str | None]:
    return {
        exchange.operation
        for exchange in record.exchanges
        if exchange.response and exchange.response.is_success
    }


@pytest.mark.parametrize("seed", [1, *exhaustive(2, 3, 4, 5)])
def test_a_correct_server_is_not_accused(contract: Document, seed: int) -> None:
    with Server(Widgets().app) as server:
        record = run(contract, f"{server.url}/v1", seed=seed)
    assert not record.violations
    assert not record.skips
    assert reached(record) == {LIST, CREATE, GET, DELETE}
    assert {exchange.role for exchange in record.exchanges} == {MAIN, ANONYMOUS}
    # Those that checks send, too.
    assert all(
        exchange.request.body
        for exchange in record.exchanges
        if exchange.operation == CREATE and exchange.role == ANONYMOUS
    )
    # An idempotency key that was used would hide what else is wrong with a request.
    assert 422 not in {
        exchange.response.status for exchange in record.exchanges if exchange.response
    }
    assert [exchange.number for exchange in record.exchanges] == [
        *range(1, len(record.exchanges) + 1)
    ]
    assert record.checked["invalid-accepted"] == {LIST, CREATE}
    assert record.checked["valid-refused"] == {LIST, CREATE, GET, DELETE}
    assert record.checked["credentials-ignored"] == {LIST, CREATE, GET, DELETE}
    assert record.checked["method-not-allowed"] == {"/paths/~1widgets", "/paths/~1widgets~1{id}"}


def test_faults_are_found(contract: Document) -> None:
    """Except for deleted resources that are still there: a scenario looks for those."""
    with Server(Widgets({"lenient", "strict", "open", "put", "loses"}).app) as server:
        record = run(contract, f"{server.url}/v1", profile=FuzzingLimits(60, 12, PHASES, 1))
    assert {(violation.rule, violation.pointer) for violation in record.violations} == {
        ("invalid-accepted", SIZE),
        ("valid-refused", CREATE),
        ("credentials-ignored", LIST),
        ("method-not-allowed", "/paths/~1widgets"),
        ("created-is-found", CREATE),
    }
    for violation in record.violations:
        assert violation.exchanges[-1] in record.exchanges


@pytest.mark.parametrize("seed", [1, *exhaustive(2)])
def test_the_reference_service_is_not_accused(root: Path, tmp_path: Path, seed: int) -> None:
    document = upgrade(load(root / "spec" / "openapi.json"))
    with serving(str(tmp_path / "service.db"), tmp_path) as service:
        limits = ("--read-limit", "1000000", "--write-limit", "1000000")
        key = service.key("test", "fuzz", *limits)
        record = run(document, service.base_url, key, seed, QUICK)
        assert service.stop() == 0
    assert not record.violations
    assert record.exchanges
    assert key not in repr(record)


def says(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Start a program in the place of schemathesis."""
    monkeypatch.setattr(source, "command", lambda *_: [sys.executable, "-c", program])


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_what_a_process_wrote_before_it_died_is_kept(
    contract: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    says(monkeypatch, WRITES + "print('{\"cut', flush=True); os._exit(7)")
    record = run(contract, "http://127.0.0.1:1/v1")
    assert [exchange.operation for exchange in record.exchanges] == [LIST]
    unreached = "no request was generated for it before fuzzing ended"
    assert {(skip.pointer, skip.reason) for skip in record.skips} == {
        ("", "a schemathesis process exited early with code 7"),
        *((operation, unreached) for operation in (CREATE, GET, DELETE)),
    }


def test_a_method_that_a_path_does_not_have_is_no_valid_request(
    contract: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = base64.b64encode(b'{"code": "invalid"}').decode()
    refused = {"method": "PUT", "response": {"status": 400, "headers": [], "body": body}}
    failure = {"kind": "failure", "check": "positive_data_acceptance", "id": "a", "before": None}
    says(monkeypatch, f"{WRITES}write({EXCHANGE | refused!r}); write({failure!r})")
    assert run(contract, "http://127.0.0.1:1/v1").violations == []


def test_an_answer_that_is_too_long_is_none(
    contract: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = {"status": 200, "headers": [["a", "b"]], "body": None}
    says(monkeypatch, f"{WRITES}write({EXCHANGE | {'response': answer}!r})")
    none, long = run(contract, "http://127.0.0.1:1/v1").exchanges
    assert (none.response, long.response) == (None, None)
    assert none.failure == "the connection failed, or no response came in time"
    assert long.failure == "the body has more than 16,777,216 bytes"


def test_when_time_is_over_the_process_is_killed_and_its_exchanges_are_kept(
    contract: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    says(monkeypatch, WRITES + "signal.signal(2, signal.SIG_IGN); signal.pause()")
    record = run(contract, "http://127.0.0.1:1/v1", profile=FuzzingLimits(1.5, 1, PHASES, 2))
    pids = [int(exchange.request.url) for exchange in record.exchanges]
    assert len(pids) == 2
    assert not any(map(is_running, pids))
    assert {skip.pointer for skip in record.skips} == {CREATE, GET, DELETE}


def test_a_process_that_had_no_time_to_start_is_said(
    contract: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_START_SECONDS", 1.0)
    says(monkeypatch, "import signal; signal.pause()")
    record = run(contract, "http://127.0.0.1:1/v1", profile=FuzzingLimits(1, 1, PHASES, 1))
    assert "schemathesis did not start in time" in {skip.reason for skip in record.skips}


def test_the_time_begins_with_the_first_exchange(
    contract: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow machine may take seconds from the start of schemathesis to its first request."""
    started, later = WRITES.rsplit(";", 1)
    says(monkeypatch, f"{started}; time.sleep(1); {later}")
    # It would be over before the exchange, as the last second is for the end of the process.
    record = run(contract, "http://127.0.0.1:1/v1", profile=FuzzingLimits(1.1, 1, PHASES, 1))
    assert [exchange.operation for exchange in record.exchanges] == [LIST]


def test_an_interrupt_ends_the_processes(
    contract: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: Exchange) -> list[Violation]:
        raise KeyboardInterrupt

    says(monkeypatch, WRITES + "signal.pause()")
    record = Record((interrupt,))
    with (
        TargetServer("http://127.0.0.1:1/v1", None, record, {}) as target,
        pytest.raises(KeyboardInterrupt),
    ):
        fuzz(Contract(contract), target, SMALL, 1)
    assert not any(is_running(int(exchange.request.url)) for exchange in record.exchanges)


def test_a_process_that_does_not_start_is_an_error_that_says_why(
    contract: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    says(monkeypatch, f"import sys; print('no \\x1b {KEY}', flush=True); sys.exit('configuration')")
    with pytest.raises(InputError) as caught:
        run(contract, "http://127.0.0.1:1/v1")
    assert caught.value.lines[0] == "schemathesis failed to start"
    assert set(caught.value.details) == {r"no \x1b …", "configuration"}


def test_a_run_that_reaches_no_operation_says_so(
    contract: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    says(monkeypatch, 'print(\'{"kind": "started"}\', flush=True)')
    record = run(contract, "http://127.0.0.1:1/v1")
    (violation,) = record.violations
    assert (violation.rule, violation.message) == (
        NOTHING_FUZZED,
        "fuzzing reached none of 4 operations",
    )


def without(name: str) -> Callable[[str], object]:
    return lambda asked: None if asked == name else object()


def test_without_schemathesis_the_error_says_how_to_install_it(
    contract: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", without("schemathesis"))
    with pytest.raises(InputError, match=r"not installed\nhint: .*'specwright\[test\]'"):
        run(contract, "http://127.0.0.1:1/v1")


def test_beside_niquests_the_error_names_it(
    contract: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", without(""))
    with pytest.raises(InputError, match="niquests"):
        run(contract, "http://127.0.0.1:1/v1")
