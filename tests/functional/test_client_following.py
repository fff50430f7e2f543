"""Iterating over lists, following them, and waiting for states, in both clients."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from specwright.pipeline import InvalidDocument
from tests.functional.conftest import Generate
from tests.functional.documents import THING, content, document, operation, ref
from tests.functional.origin import Answer, Fault, Origin
from tests.functional.test_client import (
    API,
    ERROR,
    LIST,
    PAGINATION,
    TEXT,
    Caller,
    page,
    problem,
)

INTERVAL = 5
CURSOR = {"name": "cursor", "in": "query", "schema": TEXT}
EVENTS = operation(
    ref("ThingList"),
    operationId="listThings",
    parameters=[CURSOR],
    **{
        "x-contract-pagination": {
            **PAGINATION,
            "interval_seconds": INTERVAL,
            "expired": "too_old",
        }
    },
)
GET = operation(
    ref("Job"),
    operationId="getJob",
    parameters=[{"name": "id", "in": "path", "required": True, "schema": TEXT}],
    **{
        "x-contract-final": {
            "at": "/progress/state",
            "states": ["done", "failed"],
            "interval_seconds": 2,
        }
    },
)
JOB = {
    "type": "object",
    "required": ["progress"],
    "properties": {
        "progress": {"type": "object", "required": ["state"], "properties": {"state": TEXT}}
    },
}
FEED = document(
    paths={
        "/things": {"get": {**EVENTS, "tags": ["things"]}},
        "/jobs/{id}": {"get": {**GET, "tags": ["jobs"]}},
    },
    schemas={
        "Thing": THING,
        "ThingList": LIST,
        "Job": JOB,
        "Error": API["components"]["schemas"]["Error"],
    },
    components={"securitySchemes": {"apiKey": {"type": "http", "scheme": "bearer"}}},
    security=[{"apiKey": []}],
    **{
        "x-contract-error": {
            **{name: each for name, each in ERROR.items() if name != "request_id_header"},
            "codes": {**ERROR["codes"], "too_old": {"status": 400, "type": "invalid"}},
        }
    },
)
OUTAGE = [problem(503), Answer(fault=Fault.RESET), problem(429), problem(500)]
Batches = Callable[[Any], Any]


class OverError(Exception):
    """The test has seen enough pauses."""


class Time:
    """A time that passes only in pauses; `lasts` of them at most."""

    def __init__(self, lasts: int = 1000) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []
        self._lasts = lasts

    def rule(self, client: Any) -> Any:
        client._calls.clock = lambda: self.now
        client._calls.sleep = (
            self._sleep_async if type(client).__name__.startswith("Async") else self._sleep
        )
        return client

    def _sleep(self, seconds: float) -> None:
        if len(self.pauses) == self._lasts:
            raise OverError
        self.pauses.append(seconds)
        self.now += seconds

    async def _sleep_async(self, seconds: float) -> None:
        self._sleep(seconds)


@pytest.fixture(params=["sync", "async"])
def caller(request: pytest.FixtureRequest, package: Generate, origin: Origin) -> Caller:
    return Caller(package(FEED, short_method_names=True), origin, request.param == "async")


def first(count: int, batches: Batches, time: Time) -> Callable[[Any], Any]:
    """Take so many batches in either client."""

    def call(client: Any) -> Any:
        found = batches(time.rule(client))
        if isinstance(found, Iterator):
            return [next(found) for _ in range(count)]
        assert isinstance(found, AsyncIterator)

        async def collect() -> list[Any]:
            return [await anext(found) for _ in range(count)]

        return collect()

    return call


def followed(client: Any) -> Any:
    return client.things.follow()


def ids(batches: list[Any]) -> list[list[str]]:
    return [[each.id for each in batch] for batch in batches]


def job(state: str) -> Answer:
    return Answer(body=json.dumps({"progress": {"state": state}}).encode())


# --- lists that have an end


def pages_of(client: Any, call: Callable[[Any], Any]) -> Any:
    found = call(client)
    if isinstance(found, Iterator):
        return list(found)

    async def collect() -> list[Any]:
        return [each async for each in found]

    return collect()


def test_a_list_can_be_read_page_by_page(caller: Caller, origin: Origin) -> None:
    origin.answer(page("a", cursor="c1", more=True), page("b", "c"))
    found = caller(lambda client: pages_of(client, lambda it: it.things.list().pages()))
    assert [[item.id for item in one.items] for one in found] == [["a"], ["b", "c"]]
    assert [one.next_cursor for one in found] == ["c1", None]


def test_a_page_has_no_length_since_it_goes_on_to_the_next_ones(
    caller: Caller, origin: Origin
) -> None:
    origin.answer(page("a", cursor="c1", more=True))
    one = caller(lambda client: client.things.list())
    with pytest.raises(TypeError):
        len(one)
    assert one
    assert len(one.items) == 1


def test_a_list_that_has_more_and_gives_no_cursor_is_an_error(
    caller: Caller, origin: Origin
) -> None:
    origin.answer(page("a", more=True))
    with pytest.raises(caller.module.PaginationError, match="no cursor"):
        caller.items(lambda client: client.things.list())


def test_a_list_says_that_a_cursor_has_expired(caller: Caller, origin: Origin) -> None:
    origin.answer(problem(400, "too_old"))
    with pytest.raises(caller.module.CursorExpiredError) as caught:
        caller.items(lambda client: client.things.list(cursor="c0"))
    assert (caught.value.status, caught.value.code) == (400, "too_old")


# --- lists that are followed


def test_following_asks_again_where_the_list_ended(caller: Caller, origin: Origin) -> None:
    origin.answer(page("a", cursor="c1"), page(cursor="c1"), page("b", cursor="c2"))
    batches = caller(first(2, followed, Time()))
    assert ids(batches) == [["a"], ["b"]]
    assert [asked.target for asked in origin.asked] == [
        "/api/things",
        "/api/things?cursor=c1",
        "/api/things?cursor=c1",
    ]


def test_following_waits_only_where_there_is_nothing_more(caller: Caller, origin: Origin) -> None:
    origin.answer(
        page("a", cursor="c1", more=True),
        page("b", cursor="c2", more=True),
        page("c", cursor="c3"),
        page("d", cursor="c4"),
    )
    time = Time()
    assert ids(caller(first(4, followed, time))) == [["a"], ["b"], ["c"], ["d"]]
    assert time.pauses == [INTERVAL]


def test_the_cursor_of_a_batch_leads_to_what_comes_after_it(caller: Caller, origin: Origin) -> None:
    origin.answer(page("a", "b", cursor="c1", more=True), page("c", "d", cursor="c2"))
    one, two = caller(first(2, followed, Time()))
    assert (one.cursor, len(one), list(one)) == ("c1", 2, one.items)
    # A worker that ends between c and d has stored this, and is given both again.
    stored = one.cursor
    origin.script = [page("c", "d", cursor="c2")]
    again = caller(first(1, lambda client: client.things.follow(cursor=stored), Time()))
    assert origin.asked[-1].target == "/api/things?cursor=c1"
    assert ids(again) == ids([two])


def test_a_cursor_that_moves_on_without_items_is_given_too(caller: Caller, origin: Origin) -> None:
    origin.answer(page(cursor="c1"), page(cursor="c1"), page(cursor="c2"))
    batches = caller(first(2, followed, Time()))
    assert [(batch.items, batch.cursor) for batch in batches] == [([], "c1"), ([], "c2")]


def test_a_feed_at_rest_is_asked_once_in_an_interval(caller: Caller, origin: Origin) -> None:
    origin.answer(page(cursor="c1"))
    time = Time(lasts=20)
    with pytest.raises(OverError):
        caller(first(2, followed, time))
    assert time.pauses == [INTERVAL] * 20
    assert len(origin.asked) == 21


def test_pages_without_items_are_not_read_in_haste(caller: Caller, origin: Origin) -> None:
    origin.answer(*(page(cursor=f"c{number}", more=True) for number in range(1, 4)))
    time = Time()
    caller(first(3, followed, time))
    assert time.pauses == [INTERVAL] * 2


@pytest.mark.parametrize("items", [(), ("a",)], ids=["empty", "full"])
def test_a_cursor_that_comes_again_while_there_is_more_ends_it(
    caller: Caller, origin: Origin, items: tuple[str, ...]
) -> None:
    origin.answer(page(*items, cursor="c1", more=True))
    with pytest.raises(caller.module.PaginationError, match="c1"):
        caller(first(9, followed, Time()))
    assert len(origin.asked) == 2


def test_a_feed_without_a_cursor_cannot_be_followed(caller: Caller, origin: Origin) -> None:
    origin.answer(page("a"))
    with pytest.raises(caller.module.PaginationError, match="no cursor"):
        caller(first(1, followed, Time()))


def test_time_that_the_caller_takes_is_part_of_the_interval(package: Generate) -> None:
    module = package(FEED, short_method_names=True)
    time = Time()
    answers = [{"data": [{"id": "a"}], "has_more": False, "next_cursor": f"c{n}"} for n in range(3)]
    fake = module.testing.FakeTransport(lambda _: module.testing.response(answers.pop(0)))
    with module.Client("key", base_url="http://x", transport=fake) as client:
        found = time.rule(client).things.follow()
        next(found)
        time.now += 2
        next(found)
        time.now += 60
        next(found)
    assert time.pauses == [INTERVAL - 2]


def test_an_outage_is_waited_out(caller: Caller, origin: Origin) -> None:
    origin.answer(page("a", cursor="c1"), *OUTAGE * 3, page("b", cursor="c2"))
    time = Time()
    assert ids(caller(first(2, followed, time), max_retries=2)) == [["a"], ["b"]]
    assert len(origin.asked) == 14
    assert len(time.pauses) == 13
    # They double up to a minute, and up to half is chance.
    rest, *outage = time.pauses
    assert rest == INTERVAL
    for number, pause in enumerate(outage):
        assert 1 < pause / min(60, INTERVAL * 2**number) <= 1.5
    assert len(set(outage[4:])) == len(outage[4:])


def test_an_outage_may_last_for_days(package: Generate) -> None:
    module = package(FEED, short_method_names=True)
    fake = module.testing.FakeTransport(lambda _: module.testing.response({}, 503))
    time = Time(lasts=2000)
    with (
        module.Client("key", base_url="http://x", transport=fake) as client,
        pytest.raises(OverError),
    ):
        next(time.rule(client).things.follow())
    assert time.pauses[-1] >= 60


def test_a_caller_may_give_up(caller: Caller, origin: Origin) -> None:
    origin.answer(page("a", cursor="c1"), problem(503))
    time = Time()
    with pytest.raises(caller.module.ServerError):
        caller(first(2, lambda client: client.things.follow(give_up_after=100), time))
    assert 1000 + INTERVAL + 30 <= time.now <= 1000 + INTERVAL + 100


def test_the_time_to_give_up_begins_with_the_last_answer(caller: Caller, origin: Origin) -> None:
    origin.answer(*[page(cursor="c1"), problem(503)] * 40, page("a", cursor="c2"))
    time = Time()
    batches = caller(first(2, lambda client: client.things.follow(give_up_after=13), time))
    assert ids(batches) == [[], ["a"]]
    assert time.now > 1000 + 40 * INTERVAL


def test_the_service_may_ask_for_a_longer_pause(caller: Caller, origin: Origin) -> None:
    origin.answer(problem(429, Retry_After="900"), problem(503, Retry_After="1"), page(cursor="c1"))
    time = Time()
    caller(first(1, followed, time))
    assert time.pauses == [900, INTERVAL]


@pytest.mark.parametrize("asked", ["1000000000", "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_service_may_ask_for_a_pause_of_a_day_at_most(
    caller: Caller, origin: Origin, asked: str
) -> None:
    origin.answer(problem(429, Retry_After=asked), page(cursor="c1"))
    time = Time()
    caller(first(1, followed, time))
    assert time.pauses == [86_400]


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_what_no_waiting_mends_is_raised_at_once(
    caller: Caller, origin: Origin, status: int
) -> None:
    origin.answer(page("a", cursor="c1"), problem(status))
    with pytest.raises(caller.module.ApiStatusError) as caught:
        caller(first(2, followed, Time()))
    assert caught.value.status == status
    assert len(origin.asked) == 2


def test_an_answer_that_is_too_large_stays_so(caller: Caller, origin: Origin) -> None:
    origin.answer(page("a" * 500, cursor="c1"))
    with pytest.raises(caller.module.ResponseTooLargeError):
        caller(first(1, followed, Time(lasts=0)), max_response_bytes=100)


def test_an_expired_cursor_is_an_error_of_its_own(caller: Caller, origin: Origin) -> None:
    origin.answer(problem(400, "too_old"))
    with pytest.raises(caller.module.CursorExpiredError):
        caller(first(1, lambda client: client.things.follow(cursor="c0"), Time()))
    assert len(origin.asked) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"interval": 4.9},
        {"interval": float("nan")},
        {"interval": float("inf")},
        {"give_up_after": -1},
        {"give_up_after": float("nan")},
    ],
)
def test_the_declared_interval_is_the_shortest(
    caller: Caller, origin: Origin, options: dict[str, float]
) -> None:
    with pytest.raises(caller.module.InvalidArgumentError):
        caller(lambda client: client.things.follow(**options))
    assert origin.asked == []


def test_each_failure_is_logged_and_says_nothing_of_the_body(
    caller: Caller, origin: Origin, caplog: pytest.LogCaptureFixture
) -> None:
    origin.answer(problem(503, code="whsec_1"), Answer(fault=Fault.RESET), page(cursor="c1"))
    caller(first(1, followed, Time()))
    warnings = [
        record.getMessage() for record in caplog.records if record.levelno == logging.WARNING
    ]
    assert len(warnings) == 2
    assert "503" in warnings[0]
    assert "listThings" in warnings[1]
    assert "whsec_1" not in caplog.text


# --- states that are waited for


def wait(time: Time, timeout: float = 60) -> Callable[[Any], Any]:
    return lambda client: time.rule(client).jobs.wait("j1", timeout=timeout)


def test_waiting_reads_until_the_state_is_final(caller: Caller, origin: Origin) -> None:
    origin.answer(job("queued"), job("a state from the future"), job("running"), job("failed"))
    time = Time()
    found = caller(wait(time))
    assert found.progress.state == "failed"
    assert [asked.target for asked in origin.asked] == ["/api/jobs/j1"] * 4
    assert time.pauses == [2, 3, 4.5]


def test_what_is_final_already_is_read_once(caller: Caller, origin: Origin) -> None:
    origin.answer(job("done"))
    assert caller(wait(Time(lasts=0))).progress.state == "done"
    assert len(origin.asked) == 1


def test_a_timeout_has_what_was_read_last(caller: Caller, origin: Origin) -> None:
    origin.answer(job("queued"), job("running"))
    time = Time()
    with pytest.raises(caller.module.WaitTimeoutError, match="getJob: not final") as caught:
        caller(wait(time))
    assert isinstance(caught.value, TimeoutError)
    assert caught.value.value.progress.state == "running"
    assert min(time.pauses) >= 2
    assert max(time.pauses) <= 10
    # The last look is one interval before the end at most, and never after it.
    assert 1000 + 58 <= time.now < 1000 + 60


def test_silence_ends_with_the_wait(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(fault=Fault.SILENCE))
    with pytest.raises(caller.module.WaitTimeoutError) as caught:
        caller(lambda client: client.jobs.wait("j1", timeout=0.1))
    assert caught.value.value is None


@pytest.mark.parametrize(("deadline", "longest"), [(None, 7), (3, 3)])
def test_a_read_lasts_no_longer_than_the_wait(
    package: Generate, deadline: float | None, longest: float
) -> None:
    module = package(FEED, short_method_names=True)
    state = {"progress": {"state": "done"}}
    fake = module.testing.FakeTransport(lambda _: module.testing.response(state))
    options = {"base_url": "http://x", "transport": fake, "deadline": deadline}
    with module.Client("key", **options) as client:
        client.jobs.wait("j1", timeout=7)
    assert longest - 1 < fake.requests[0].deadline <= longest


def test_reads_are_tried_again_as_calls_are(caller: Caller, origin: Origin) -> None:
    origin.answer(job("queued"), problem(503, Retry_After="0"), job("done"))
    assert caller(wait(Time()), max_retries=1).progress.state == "done"


def test_a_read_that_fails_ends_the_wait(caller: Caller, origin: Origin) -> None:
    origin.answer(job("queued"), problem(404))
    with pytest.raises(caller.module.NotFoundError):
        caller(wait(Time()))
    assert len(origin.asked) == 2


def test_arguments_are_checked_before_anything_is_sent(caller: Caller, origin: Origin) -> None:
    for bad in (-1, float("nan")):
        with pytest.raises(caller.module.InvalidArgumentError, match="timeout"):
            caller(lambda client, bad=bad: client.jobs.wait("j1", timeout=bad))
    with pytest.raises(caller.module.InvalidArgumentError, match="id"):
        caller(lambda client: client.jobs.wait("", timeout=5))
    assert origin.asked == []


def test_a_wait_can_be_cancelled(package: Generate) -> None:
    module = package(FEED, short_method_names=True)
    fake = module.testing.AsyncFakeTransport(
        lambda _: module.testing.response({"progress": {"state": "queued"}})
    )

    async def run() -> None:
        async with module.AsyncClient("key", base_url="http://x", transport=fake) as client:
            task = asyncio.ensure_future(client.jobs.wait("j1"))
            while not fake.requests:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(run())


# --- what a document does not say


def test_only_a_get_is_waited_for(package: Generate) -> None:
    written = document(
        {
            "/jobs": {
                "post": {
                    **operation(ref("Job"), operationId="createJob"),
                    "x-contract-final": GET["x-contract-final"],
                    "requestBody": content(ref("Job")),
                }
            }
        },
        {"Job": JOB},
    )
    with pytest.raises(InvalidDocument):
        package(written)


def test_a_list_that_declares_no_interval_leaves_it_to_the_caller(
    package: Generate, origin: Origin
) -> None:
    module = package(API, short_method_names=True)
    origin.answer(page(cursor="c1"))
    for options, interval in (({}, 5), ({"interval": 0.5}, 0.5)):
        time = Time(lasts=3)
        with module.Client("key", base_url=origin.url) as client, pytest.raises(OverError):
            list(time.rule(client).things.follow(**options))
        assert time.pauses == [interval] * 3


def test_names_of_own_arguments_make_way_for_those_of_the_document(package: Generate) -> None:
    query = [{"name": name, "in": "query", "schema": TEXT} for name in ("interval", "timeout")]
    listed = {**EVENTS, "parameters": [CURSOR, *query]}
    read = {**GET, "parameters": [*GET["parameters"], *query]}
    changed = {
        **FEED,
        "paths": {"/things": {"get": listed}, "/jobs/{id}": {"get": read}},
    }
    module = package(changed)
    with module.Client("key", base_url="http://x") as client:
        follow, waits = client.things.follow_list_things, client.things.wait_for_job
    assert follow.__annotations__["interval_"] == "float"
    assert waits.__annotations__["timeout_"] == "float"
