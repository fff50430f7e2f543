"""Fields of the log records of both clients, for structured logs."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from tests.functional.origin import Answer, Fault, Origin
from tests.functional.test_client import KEY, Caller, caller, problem, thing
from tests.functional.test_client_following import Time

__all__ = ["caller"]

OF_LOGGING = {*vars(logging.makeLogRecord({})), "message", "asctime"}


def fields(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name, value in vars(record).items() if name not in OF_LOGGING}


def get(client: Any) -> Any:
    Time().rule(client)
    options = {"extra_query": {"secret": "hunter2"}}
    return client.things.get("secret-id", request_options=options)


def test_records_have_fields(
    caller: Caller, origin: Origin, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, caller.module.__name__)
    origin.answer(
        Answer(fault=Fault.RESET),
        problem(503, Request_Id="req_1", Retry_After="2"),
        Answer(body=b'{"id": "a"}', headers={"Request-Id": "req_2"}),
    )
    caller(get, max_retries=2)
    records = [record for record in caplog.records if record.name == caller.module.__name__]
    shown = [fields(record) for record in records]
    assert [
        (record.levelname, row["status"], row["attempt"])
        for record, row in zip(records, shown, strict=True)
    ] == [
        ("DEBUG", None, 1),
        ("INFO", None, 1),
        ("DEBUG", 503, 2),
        ("INFO", 503, 2),
        ("DEBUG", 200, 3),
    ]
    assert [row.get("pause") for row in shown][2:] == [None, 2, None]
    assert [row["request_id"] for row in shown] == [None, None, "req_1", "req_1", "req_2"]
    for row in shown:
        assert (row["operation"], row["method"], row["path"]) == ("getThing", "GET", "/things/{id}")
        assert 0 <= row["seconds"] < 30
    # Neither credentials nor arguments.
    for text in (KEY, "hunter2", "secret-id"):
        assert text not in repr([vars(record) for record in records])


def test_a_service_without_request_ids_has_none(
    caller: Caller, origin: Origin, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, caller.module.__name__)
    origin.answer(thing())
    caller(lambda client: client.things.get("a"))
    assert fields(caplog.records[-1])["request_id"] is None
