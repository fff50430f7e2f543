"""Calls over HTTP/2, by an HTTP client of the caller's."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import httpx2
import pytest

from tests.functional.conftest import Generate
from tests.functional.http2_origin import End, Http2Origin, Reply, running
from tests.functional.test_evil_responses import API, KEY, assert_is_told

Call = Callable[[Any], Any]
OK = Reply(pieces=(b'{"id"', b': "a"}'))
LOST = "the connection broke, or the response is not valid HTTP"


@pytest.fixture
def origin() -> Iterator[Http2Origin]:
    with running() as started:
        yield started


class Caller:
    """Calls either client through an HTTP client of its own, which offers HTTP/2."""

    def __init__(self, module: ModuleType, origin: Http2Origin, asynchronous: bool) -> None:
        self.module, self.origin, self.asynchronous = module, origin, asynchronous
        self.versions: list[str] = []

    def __call__(self, *calls: Call, **options: Any) -> list[Any]:
        """The outcome of each call: a value, the items of a stream, or an error of the package."""
        options = {"base_url": self.origin.url, "max_retries": 0, "token": KEY, **options}
        if self.asynchronous:
            return asyncio.run(self._outcomes(calls, options))
        with (
            httpx2.Client(**self._settings(self.versions.append)) as http_client,
            self.module.Client(http_client=http_client, **options) as client,
        ):
            return [self._outcome(call, client) for call in calls]

    def _settings(self, see: Any) -> dict[str, Any]:
        def hook(response: Any) -> None:
            see(response.http_version)

        async def async_hook(response: Any) -> None:
            hook(response)

        hooks = {"response": [async_hook if self.asynchronous else hook]}
        return {"http2": True, "verify": self.origin.trust, "event_hooks": hooks}

    def _outcome(self, call: Call, client: Any) -> Any:
        try:
            value = call(client)
        except self.module.ApiError as error:
            return error
        return list(self._items(value)) if hasattr(value, "__next__") else value

    def _items(self, stream: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from stream
        except self.module.ApiError as error:
            yield error

    async def _outcomes(self, calls: tuple[Call, ...], options: dict[str, Any]) -> list[Any]:
        async with (
            httpx2.AsyncClient(**self._settings(self.versions.append)) as http_client,
            self.module.AsyncClient(http_client=http_client, **options) as client,
        ):
            return [await self._async_outcome(call, client) for call in calls]

    async def _async_outcome(self, call: Call, client: Any) -> Any:
        try:
            value = call(client)
            value = await value if inspect.isawaitable(value) else value
        except self.module.ApiError as error:
            return error
        is_stream = hasattr(value, "__anext__")
        return [item async for item in self._async_items(value)] if is_stream else value

    async def _async_items(self, stream: AsyncIterator[Any]) -> AsyncIterator[Any]:
        try:
            async for item in stream:
                yield item
        except self.module.ApiError as error:
            yield error


@pytest.fixture(params=["sync", "async"])
def caller(request: pytest.FixtureRequest, package: Generate, origin: Http2Origin) -> Caller:
    return Caller(package(API), origin, request.param == "async")


def read(client: Any) -> Any:
    return client.things.read()


def write(client: Any) -> Any:
    return client.things.write(id="a", size=7)


def lines(client: Any) -> Any:
    return client.things.lines()


def test_calls_share_a_connection(caller: Caller, origin: Http2Origin) -> None:
    origin.reply(OK)
    got, made = caller(read, write)
    assert (got.id, made.id) == ("a", "a")
    assert caller.versions == ["HTTP/2", "HTTP/2"]
    first, second = origin.calls
    assert first.connection == second.connection
    assert (first.headers[":method"], first.headers[":path"]) == ("GET", "/thing")
    assert (second.headers[":method"], second.headers["content-length"]) == ("POST", "19")
    assert json.loads(second.body) == {"id": "a", "size": 7}
    for call in origin.calls:
        assert call.headers["authorization"] == f"Bearer {KEY}"
        assert not {"connection", "host", "transfer-encoding"} & call.headers.keys()


def test_calls_at_the_same_time_share_it_too(caller: Caller, origin: Http2Origin) -> None:
    origin.reply(OK)

    def many(client: Any) -> Any:
        if caller.asynchronous:
            return asyncio.gather(*(client.things.read() for _ in range(20)))
        with ThreadPoolExecutor(20) as threads:
            return [*threads.map(read, [client] * 20)]

    one, others = caller(read, many)
    assert [thing.id for thing in (one, *others)] == ["a"] * 21
    assert len({call.connection for call in origin.calls}) == 1


def test_a_body_larger_than_the_window_is_sent(caller: Caller, origin: Http2Origin) -> None:
    origin.reply(OK)
    caller(lambda client: client.things.write(id="a" * 300_000))
    (call,) = origin.calls
    assert json.loads(call.body) == {"id": "a" * 300_000}


def test_an_error_has_its_status(caller: Caller, origin: Http2Origin) -> None:
    origin.reply(Reply(404, (b'{"detail": "no such thing"}',)), OK)
    missing, got = caller(read, read)
    assert isinstance(missing, caller.module.NotFoundError)
    assert_is_told(caller.module, missing)
    assert "no such thing" in str(missing)
    assert got.id == "a"


def test_a_stream_is_read_as_it_arrives(caller: Caller, origin: Http2Origin) -> None:
    pieces = (b'{"id": "a"}\n{"i', b'd": "b"}\n', b'{"id": "c"}\n')
    origin.reply(Reply(pieces=pieces, headers={"content-type": "application/jsonl"}), OK)
    items, got = caller(lines, read)
    assert [item.id for item in items] == ["a", "b", "c"]
    assert got.id == "a"


CUT = (End.RESET, End.GOODBYE, End.UNPROCESSED, End.GARBAGE, End.DISCONNECT)


@pytest.mark.parametrize("end", CUT)
def test_a_body_that_is_cut_off_is_an_error_of_the_package(
    caller: Caller, origin: Http2Origin, end: End
) -> None:
    origin.reply(OK, Reply(pieces=(b'{"id"',), end=end), OK)
    _, lost, got = caller(read, read, read)
    assert isinstance(lost, caller.module.ApiConnectionError)
    assert_is_told(caller.module, lost)
    assert LOST in str(lost)
    assert got.id == "a"
    first, _, last = origin.calls
    # A reset ends one stream, and the others end with their connection.
    assert (first.connection == last.connection) is (end is End.RESET)


@pytest.mark.parametrize("end", CUT)
def test_a_stream_that_is_cut_off_has_the_items_before(
    caller: Caller, origin: Http2Origin, end: End
) -> None:
    headers = {"content-type": "application/jsonl"}
    origin.reply(OK, Reply(pieces=(b'{"id": "a"}\n{"i',), headers=headers, end=end), OK)
    _, (item, lost), got = caller(read, lines, read)
    assert item.id == "a"
    assert isinstance(lost, caller.module.ApiConnectionError)
    assert_is_told(caller.module, lost)
    assert LOST in str(lost)
    assert got.id == "a"


@pytest.mark.parametrize("end", [End.RESET, End.GOODBYE, End.GARBAGE, End.DISCONNECT])
def test_only_what_is_safe_to_repeat_is_sent_again(
    caller: Caller, origin: Http2Origin, end: End
) -> None:
    origin.reply(Reply(None, end=end), OK, Reply(None, end=end))
    got, lost = caller(read, write, max_retries=1)
    assert got.id == "a"
    assert isinstance(lost, caller.module.ApiConnectionError)
    assert_is_told(caller.module, lost)
    assert "response is not valid HTTP" in str(lost)
    assert [call.headers[":method"] for call in origin.calls] == ["GET", "GET", "POST"]


def test_what_a_server_has_not_processed_is_sent_again(caller: Caller, origin: Http2Origin) -> None:
    """Servers end connections like that when they restart."""
    origin.reply(OK, Reply(None, end=End.UNPROCESSED), OK)
    got, made = caller(read, write)
    assert (got.id, made.id) == ("a", "a")
    assert [call.headers[":method"] for call in origin.calls] == ["GET", "POST", "POST"]


def test_silence_is_a_timeout(caller: Caller, origin: Http2Origin) -> None:
    origin.reply(Reply(None, end=End.SILENCE))
    (late,) = caller(read, timeout=0.2)
    assert isinstance(late, caller.module.ApiTimeoutError)
    assert "while reading" in str(late)
