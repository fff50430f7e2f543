"""Retries of calls: the conditions, the pauses and the outcome."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from typing import Any

import pytest

from specwright.runtime.client.calls.retries import Pause, attempts
from specwright.runtime.client.errors import (
    ApiConnectionError,
    ApiError,
    ApiStatusError,
    ApiTimeoutError,
    StatusErrors,
    retry_after,
    status_error,
)
from specwright.runtime.client.options import CallOptions
from specwright.runtime.client.transport.base import (
    BodyTooLargeError,
    Request,
    Response,
    TransportError,
)
from specwright.runtime.shared.codec import Codecs
from specwright.runtime.shared.operation import DeclaredError, ErrorShape, Operation

SAFE: Operation[Any] = Operation(
    "getThing",
    "get_thing",
    "GET",
    "/thing",
    idempotent=True,
    in_progress=DeclaredError(409, "in_progress"),
)
DELETE: Operation[Any] = Operation(
    "deleteThing", "delete_thing", "DELETE", "/thing", responses={"204": ()}, idempotent=True
)
UNSAFE: Operation[Any] = Operation("addThing", "add_thing", "POST", "/thing")
ROUTE = "https://api.example/things/{id}"
REQUEST = Request("GET", "https://api.example/things/a?b=c", [], route=ROUTE)
SILENT = TransportError("nothing came")
IN_PROGRESS = Response(409, [], b'{"code": "in_progress"}')

Outcome = Response | TransportError


class ConflictError(ApiStatusError):
    pass


class RateLimitError(ApiStatusError):
    pass


class ServerError(ApiStatusError):
    pass


def errors(**shape: Any) -> StatusErrors:
    classes = {"409": ConflictError, "429": RateLimitError, "5XX": ServerError}
    return StatusErrors(
        ErrorShape(**shape), {**classes, "default": ApiStatusError}, Codecs("models")
    )


class Clock:
    """Takes the place of the module `time` while calls are made."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(sys.modules[attempts.__module__], "time", made)
    return made


def answer(status: int, **headers: str) -> Response:
    return Response(status, [(name.replace("_", "-"), text) for name, text in headers.items()], b"")


def called(
    clock: Clock,
    *outcomes: Outcome,
    operation: Operation[Any] = SAFE,
    seconds: float = 0.0,
    **options: Any,
) -> tuple[list[Request], list[float], Response | ApiError]:
    """Return the requests, pauses and outcome of a call; each attempt takes so many seconds."""
    requests: list[Request] = []
    pauses: list[float] = []
    left = iter(outcomes)
    course = attempts(operation, REQUEST, CallOptions(**options), errors(code=("code",)))
    outcome: Outcome | None = None
    try:
        while True:
            step = course.send(outcome)
            if isinstance(step, Pause):
                pauses.append(float(step))
                clock.now += step
                outcome = None
            else:
                requests.append(step)
                clock.now += seconds
                outcome = next(left)
    except StopIteration as end:
        return requests, pauses, end.value
    except ApiError as error:
        return requests, pauses, error


@pytest.mark.parametrize(
    ("first", "is_repeated"),
    [
        *((answer(status), True) for status in (408, 429, 500, 502, 503, 504, 520, 529)),
        (IN_PROGRESS, True),
        *((answer(status), False) for status in (400, 401, 404, 409, 410, 422, 501, 519, 530)),
        (SILENT, True),
        (TransportError("late", timed_out=True), True),
        (BodyTooLargeError("large"), False),
    ],
    ids=str,
)
def test_what_may_help_is_tried_again(clock: Clock, first: Outcome, is_repeated: bool) -> None:
    requests, pauses, end = called(clock, first, answer(200))
    assert (len(requests), len(pauses)) == ((2, 1) if is_repeated else (1, 0))
    assert isinstance(end, Response) == is_repeated


@pytest.mark.parametrize("first", [answer(503), IN_PROGRESS, SILENT], ids=str)
def test_what_is_not_safe_to_repeat_is_sent_once(clock: Clock, first: Outcome) -> None:
    requests, _, end = called(clock, first, answer(200), operation=UNSAFE)
    assert len(requests) == 1
    assert isinstance(end, ApiError)


def test_another_request_in_progress_is_waited_for_where_that_is_declared(clock: Clock) -> None:
    other: Operation[Any] = Operation("get", "get", "GET", "/", idempotent=True)
    requests, _, end = called(clock, IN_PROGRESS, answer(200), operation=other)
    assert len(requests) == 1
    assert isinstance(end, ConflictError)


@pytest.mark.parametrize("retries", [0, 1, 2, 4])
def test_attempts_end_with_the_last_outcome(clock: Clock, retries: int) -> None:
    outcomes = (*[SILENT] * retries, answer(503), answer(200))
    requests, pauses, end = called(clock, *outcomes, max_retries=retries)
    assert (len(requests), len(pauses)) == (retries + 1, retries)
    assert isinstance(end, ServerError)


def test_pauses_grow_up_to_the_longest_and_half_of_each_is_chance(clock: Clock) -> None:
    _, pauses, _ = called(clock, *[SILENT] * 8, max_retries=7)
    longest = [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]
    assert all(most / 2 <= each <= most for each, most in zip(pauses, longest, strict=True))


@pytest.mark.parametrize(("after", "is_waited_for"), [(0, True), (60, True), (61, False)])
def test_a_pause_that_is_asked_for_is_made_up_to_a_minute(
    clock: Clock, after: int, is_waited_for: bool
) -> None:
    _, pauses, end = called(clock, answer(429, Retry_After=str(after)), answer(200))
    assert pauses == ([float(after)] if is_waited_for else [])
    assert isinstance(end, Response if is_waited_for else RateLimitError)


@pytest.mark.parametrize(
    ("deadline", "made"), [(10.0, []), (11.0, []), (11.5, [10.0])], ids=["before", "at", "after"]
)
def test_a_pause_ends_before_the_deadline(clock: Clock, deadline: float, made: list[float]) -> None:
    first = answer(429, Retry_After="10")
    _, pauses, end = called(clock, first, answer(200), seconds=1, deadline=deadline)
    assert pauses == made
    assert isinstance(end, Response if made else RateLimitError)


def test_each_attempt_has_what_is_left_of_the_deadline(clock: Clock) -> None:
    first = answer(429, Retry_After="10")
    requests, _, _ = called(clock, first, answer(200), seconds=1, deadline=35)
    assert [request.deadline for request in requests] == [35.0, 24.0]


@pytest.mark.parametrize(
    ("body", "is_repeated"),
    [
        (b'{"code": "in_progress"}', True),
        (b'{"code": "reference_reused"}', False),
        (b"{}", False),
        (b"<html>", False),
    ],
)
def test_a_conflict_is_repeated_only_where_its_code_says_in_progress(
    clock: Clock, body: bytes, is_repeated: bool
) -> None:
    requests, _, _ = called(clock, Response(409, [], body), answer(200))
    assert len(requests) == (2 if is_repeated else 1)


@pytest.mark.parametrize("gone", [404, 410])
@pytest.mark.parametrize(
    ("first", "is_done"),
    [
        (SILENT, True),
        (TransportError("late", timed_out=True, step="read"), True),
        (answer(502), True),
        (TransportError("refused", step="connect"), False),
        (TransportError("full", step="pool"), False),
        (answer(429), False),
    ],
    ids=str,
)
def test_what_an_unseen_success_has_deleted_is_deleted(
    clock: Clock, first: Outcome, is_done: bool, gone: int
) -> None:
    _, _, end = called(clock, first, answer(gone), operation=DELETE)
    assert isinstance(end, Response) == is_done


def test_what_was_not_there_at_first_is_not_deleted(clock: Clock) -> None:
    _, _, end = called(clock, answer(404), operation=DELETE)
    assert isinstance(end, ApiStatusError)


@pytest.mark.parametrize("changes", [{"method": "PUT"}, {"responses": {"200": "Thing"}}], ids=str)
def test_only_a_deletion_without_a_result_can_have_happened_unseen(
    clock: Clock, changes: dict[str, Any]
) -> None:
    other = replace(DELETE, **changes)
    _, _, end = called(clock, SILENT, answer(404), operation=other)
    assert isinstance(end, ApiStatusError)


@pytest.mark.parametrize(("retries", "attempts_"), [(0, "1 attempt"), (2, "3 attempts")])
def test_a_failure_names_the_step_the_address_and_the_attempts(
    clock: Clock, retries: int, attempts_: str
) -> None:
    late = TransportError("no response within 30 s while reading", timed_out=True, step="read")
    _, _, end = called(clock, *[late] * 3, max_retries=retries)
    assert str(end) == (
        f"getThing: no response within 30 s while reading, GET {ROUTE}, {attempts_}"
    )


def test_a_failure_names_the_deadline_that_is_over(clock: Clock) -> None:
    _, _, end = called(clock, SILENT, seconds=5, deadline=5)
    assert isinstance(end, ApiTimeoutError)
    assert "the deadline of 5 s has passed" in str(end)


@pytest.mark.parametrize(
    ("first", "cause"), [(answer(503), "status 503"), (SILENT, "nothing came")]
)
def test_the_line_about_another_attempt_names_the_cause(
    clock: Clock, caplog: pytest.LogCaptureFixture, first: Outcome, cause: str
) -> None:
    caplog.set_level(logging.INFO)
    called(clock, first, answer(200))
    assert [cause in line for line in caplog.messages] == [True]


@pytest.mark.parametrize(
    ("last", "kind"),
    [(SILENT, ApiConnectionError), (TransportError("late", timed_out=True), ApiTimeoutError)],
    ids=str,
)
def test_time_that_ran_out_is_told_apart(
    clock: Clock, last: TransportError, kind: type[ApiError]
) -> None:
    _, _, end = called(clock, last, max_retries=0)
    assert type(end) is kind


@pytest.mark.parametrize(
    ("status", "kind"),
    [(429, RateLimitError), (500, ServerError), (599, ServerError), (418, ApiStatusError)],
)
def test_a_status_has_its_exception(status: int, kind: type[ApiStatusError]) -> None:
    assert type(status_error(answer(status), errors())) is kind


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("7", 7.0),
        (" 7 ", 7.0),
        ("0", 0.0),
        # A day that has been.
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("-1", None),
        ("1.5", None),
        ("soon", None),
        ("\u00b2", None),
    ],
)
def test_a_pause_is_asked_for_in_seconds_or_by_a_date(written: str, seconds: float | None) -> None:
    assert retry_after(answer(429, Retry_After=written)) == seconds


def test_an_error_has_the_id_of_the_body_else_of_the_header() -> None:
    declared = errors(request_id=("id",), request_id_header="Request-Id")
    headers = [("request-id", "of-the-header")]
    for body, id_ in ((b'{"id": "of-the-body"}', "of-the-body"), (b"{}", "of-the-header")):
        assert status_error(Response(500, headers, body), declared).request_id == id_
