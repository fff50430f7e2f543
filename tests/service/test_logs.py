"""Logs: JSON lines that tell everything but secrets."""

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import structlog
import uvicorn.config

from esim_service import logs

KEY = "pes_live_" + "0123456789abcdef" * 3
SECRET = "whsec_" + "Ab+/" * 10 + "AbcDEf=="
ACTIVATION = "LPA:1$smdp.example.com$K2-ABCDE-12345"


@contextmanager
def configured() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers = []
    stream = io.StringIO()
    logs.configure("info", stream)
    yield stream
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    with configured() as stream:
        yield stream


def entries(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_an_entry_is_one_line_of_json(stream: io.StringIO) -> None:
    with structlog.contextvars.bound_contextvars(request_id="req_1"):
        structlog.get_logger("esim_service").info("order placed", quantity=2, label="Zoë\n")
    [entry] = entries(stream)
    assert entry.pop("timestamp")
    assert entry == {
        "event": "order placed",
        "level": "info",
        "logger": "esim_service",
        "request_id": "req_1",
        "quantity": 2,
        "label": "Zoë\n",
    }


def test_other_libraries_write_the_same_form(stream: io.StringIO) -> None:
    logging.getLogger("uvicorn.error").warning("started on %s", "127.0.0.1", extra={"port": 8000})
    [entry] = entries(stream)
    assert entry["event"] == "started on 127.0.0.1"
    assert (entry["level"], entry["logger"], entry["port"]) == ("warning", "uvicorn.error", 8000)


def test_a_server_that_set_up_its_own_loggers_writes_the_same_form() -> None:
    uvicorn.config.Config(app="", log_level="critical")
    with configured() as stream:
        logging.getLogger("uvicorn.error").warning("late")
        assert [entry["event"] for entry in entries(stream)] == ["late"]


def test_less_severe_entries_are_left_out(stream: io.StringIO) -> None:
    structlog.get_logger("esim_service").debug("detail")
    logging.getLogger("other").debug("detail")
    assert entries(stream) == []


@pytest.mark.parametrize("secret", [KEY, SECRET, ACTIVATION, f"Bearer {KEY}", "bearer x.y-z"])
def test_secrets_are_taken_out_wherever_they_stand(stream: io.StringIO, secret: str) -> None:
    logger = structlog.get_logger("esim_service")
    logger.info(f"saw {secret}!", text=secret, deep={"list": [("x", secret)]}, thing=_Thing(secret))
    logging.getLogger("other").error("saw %s", secret)
    try:
        raise ValueError(secret)
    except ValueError:
        logger.exception("failed")
    assert len(entries(stream)) == 3
    assert secret not in stream.getvalue()
    assert secret[-12:] not in stream.getvalue()
    assert "[redacted]" in stream.getvalue()


@pytest.mark.parametrize("name", ["activation_code", "matching_id", "Authorization", "secret"])
def test_fields_that_hold_secrets_are_taken_out(stream: io.StringIO, name: str) -> None:
    structlog.get_logger("esim_service").info("seen", inner={name: "plain"}, **{name: "plain"})
    [entry] = entries(stream)
    assert entry[name] == "[redacted]"
    assert entry["inner"] == {name: "[redacted]"}


class _Thing:
    def __init__(self, secret: str) -> None:
        self.secret = secret

    def __repr__(self) -> str:
        return f"_Thing({self.secret})"
