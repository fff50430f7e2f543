"""Downloads that continue after a broken connection, in both clients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request as StarletteRequest
from starlette.responses import FileResponse
from starlette.routing import Route

from tests.functional.conftest import Generate
from tests.functional.documents import document
from tests.functional.origin import Answer, Fault, Origin
from tests.functional.test_client import Caller
from tests.serving import Server

OCTETS = {"200": {"description": "It.", "content": {"application/octet-stream": {}}}}
FILES = document(
    paths={
        "/file": {
            "get": {"tags": ["files"], "operationId": "download", "responses": OCTETS},
            "post": {"tags": ["files"], "operationId": "render", "responses": OCTETS},
        }
    }
)
TAG = '"v1"'


@pytest.fixture(params=["sync", "async"])
def caller(request: pytest.FixtureRequest, package: Generate, origin: Origin) -> Caller:
    return Caller(package(FILES), origin, request.param == "async")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sea.png"


def save(path: Path, method: str = "download", **options: Any) -> Callable[[Any], Any]:
    """Save the response in either client, without pauses."""

    def call(client: Any) -> Any:
        opened = client.with_streaming_response(getattr(client.files, method))
        if hasattr(opened, "__enter__"):
            client._calls.sleep = lambda seconds: None
            with opened as response:
                return response.save(path, **options)

        async def no_pause(seconds: float) -> None:
            return None

        async def saved() -> None:
            async with opened as response:
                await response.save(path, **options)

        client._calls.sleep = no_pause
        return saved()

    return call


def whole(body: bytes, tag: str | None = TAG, *, sent: int | None = None, **more: str) -> Answer:
    """The whole content, of which so many bytes are sent before the connection breaks."""
    headers = {name.replace("_", "-"): value for name, value in more.items()}
    headers |= {"etag": tag} if tag else {}
    return Answer(200, body[:sent], headers, promised=None if sent is None else len(body))


def rest(body: bytes, start: int, end: int, *, tag: str | None = TAG, total: str = "10") -> Answer:
    headers = {"content-range": f"bytes {start}-{end - 1}/{total}"} | ({"etag": tag} if tag else {})
    return Answer(206, body[start:end], headers)


BODY = b"0123456789"
OTHER = b"abcdefghij"


def ranges(origin: Origin) -> list[tuple[str | None, str | None]]:
    return [(asked.headers.get("range"), asked.headers.get("if-range")) for asked in origin.asked]


def alone(path: Path) -> bool:
    """Whether nothing else is in the directory."""
    return list(path.parent.iterdir()) == [path]


def test_a_broken_download_continues_where_it_broke(
    caller: Caller, origin: Origin, path: Path
) -> None:
    origin.answer(whole(BODY, sent=4), rest(BODY, 4, 10))
    caller(save(path), max_retries=1)
    assert path.read_bytes() == BODY
    assert ranges(origin) == [(None, None), ("bytes=4-", TAG)]
    assert alone(path)


def test_a_rest_may_break_or_be_short(caller: Caller, origin: Origin, path: Path) -> None:
    broken = rest(BODY, 4, 10)
    origin.answer(
        whole(BODY, sent=4),
        Answer(206, BODY[4:6], broken.headers, promised=6),
        rest(BODY, 6, 8, tag=None),
        rest(BODY, 8, 10, total="*"),
    )
    caller(save(path), max_retries=2)
    assert path.read_bytes() == BODY
    assert [asked for asked, _ in ranges(origin)] == [None, "bytes=4-", "bytes=6-", "bytes=8-"]


def test_changed_content_begins_again(caller: Caller, origin: Origin, path: Path) -> None:
    origin.answer(
        whole(BODY, sent=8),
        whole(OTHER[:6], '"v2"', sent=2),
        rest(OTHER, 2, 6, tag='"v2"', total="6"),
    )
    caller(save(path, resume=True), max_retries=2)
    assert path.read_bytes() == OTHER[:6]
    assert ranges(origin)[1:] == [("bytes=8-", TAG), ("bytes=2-", '"v2"')]
    assert alone(path)


@pytest.mark.parametrize(
    "first",
    [
        whole(BODY, None, sent=4),
        whole(BODY, 'W/"v1"', sent=4),
        whole(BODY, sent=4, Accept_Ranges="none"),
        whole(
            BODY,
            None,
            sent=4,
            Last_Modified="Sat, 28 Nov 2026 10:00:00 GMT",
            Date="Sat, 28 Nov 2026 10:00:01 GMT",
        ),
        whole(BODY, sent=0),
    ],
)
def test_content_without_a_strong_validator_begins_again(
    caller: Caller, origin: Origin, path: Path, first: Answer
) -> None:
    origin.answer(first, whole(OTHER[:6], None))
    caller(save(path), max_retries=1)
    assert path.read_bytes() == OTHER[:6]
    assert ranges(origin)[1] == (None, None)


def test_an_old_date_is_a_validator(caller: Caller, origin: Origin, path: Path) -> None:
    date = "Sat, 28 Nov 2026 10:00:00 GMT"
    sent = "Sat, 28 Nov 2026 10:01:00 GMT"
    origin.answer(
        whole(BODY, None, sent=4, Last_Modified=date, Date=sent), rest(BODY, 4, 10, tag=None)
    )
    caller(save(path), max_retries=1)
    assert path.read_bytes() == BODY
    assert ranges(origin)[1] == ("bytes=4-", date)


@pytest.mark.parametrize(
    "wrong",
    [
        rest(BODY, 3, 10),
        rest(BODY, 5, 10),
        rest(BODY, 4, 10, tag='"v2"'),
        rest(BODY, 4, 10, total="11"),
        Answer(206, BODY[4:], {"etag": TAG}),
        Answer(206, b"", {"etag": TAG, "content-range": "bytes 4-3/10"}),
    ],
)
def test_a_range_that_was_not_requested_is_an_error(
    caller: Caller, origin: Origin, path: Path, wrong: Answer
) -> None:
    path.write_bytes(b"before")
    origin.answer(whole(BODY, sent=4), wrong)
    with pytest.raises(caller.module.InvalidResponseError, match="was not requested"):
        caller(save(path), max_retries=1)
    assert len(origin.asked) == 2
    assert path.read_bytes() == b"before"
    assert alone(path)


def test_a_rest_that_is_longer_than_announced_begins_again(
    caller: Caller, origin: Origin, path: Path
) -> None:
    longer = {"etag": TAG, "content-range": "bytes 4-5/10"}
    origin.answer(whole(BODY, sent=4), Answer(206, BODY[4:], longer), whole(OTHER, '"v2"'))
    caller(save(path), max_retries=2)
    assert path.read_bytes() == OTHER
    assert ranges(origin)[2] == (None, None)


def test_a_range_of_the_caller_is_a_whole(package: Generate, origin: Origin, path: Path) -> None:
    broken = rest(BODY, 2, 6)
    origin.answer(Answer(206, b"2", broken.headers, promised=4), broken)
    module = package(FILES)
    options = {"extra_headers": {"Range": "bytes=2-5"}}
    with module.Client(base_url=origin.url, max_retries=1) as client:
        client._calls.sleep = lambda seconds: None
        streamed = client.with_streaming_response(client.files.download, request_options=options)
        with streamed as response:
            response.save(path)
    assert path.read_bytes() == BODY[2:6]
    assert ranges(origin) == [("bytes=2-5", None)] * 2


def test_a_range_that_the_server_cannot_satisfy_begins_again(
    caller: Caller, origin: Origin, path: Path
) -> None:
    origin.answer(whole(BODY, sent=4), Answer(416), whole(OTHER[:3], '"v2"'))
    caller(save(path), max_retries=1)
    assert path.read_bytes() == OTHER[:3]


@pytest.mark.parametrize("retries", [0, 2])
def test_attempts_are_limited_and_leave_nothing(
    caller: Caller, origin: Origin, path: Path, retries: int
) -> None:
    path.write_bytes(b"before")
    origin.answer(whole(BODY, sent=4))
    with pytest.raises(caller.module.ApiConnectionError, match="download: "):
        caller(save(path), max_retries=retries)
    assert len(origin.asked) == 1 + retries
    assert path.read_bytes() == b"before"
    assert alone(path)


def test_an_error_in_place_of_the_rest_is_raised(
    caller: Caller, origin: Origin, path: Path
) -> None:
    origin.answer(whole(BODY, sent=4), Answer(404))
    with pytest.raises(caller.module.NotFoundError):
        caller(save(path), max_retries=1)
    assert not list(path.parent.iterdir())


def test_only_a_get_is_repeated(caller: Caller, origin: Origin, path: Path) -> None:
    origin.answer(whole(BODY, sent=4), whole(BODY))
    with pytest.raises(caller.module.ApiConnectionError):
        caller(save(path, "render"), max_retries=2)
    with pytest.raises(caller.module.InvalidArgumentError, match="only the response to a GET"):
        caller(save(path, "render", resume=True))
    assert len(origin.asked) == 2


def test_a_later_call_continues_if_asked_to(caller: Caller, origin: Origin, path: Path) -> None:
    origin.answer(whole(BODY, sent=4), whole(BODY), rest(BODY, 4, 10))
    with pytest.raises(caller.module.ApiConnectionError):
        caller(save(path, resume=True))
    (part,) = path.parent.iterdir()
    assert (part.read_bytes(), part.suffix) == (BODY[:4], ".part")
    caller(save(path, resume=True))
    assert path.read_bytes() == BODY
    assert ranges(origin)[2] == ("bytes=4-", TAG)
    assert alone(path)


def test_a_part_of_other_content_is_not_continued(
    caller: Caller, origin: Origin, path: Path
) -> None:
    origin.answer(whole(BODY, sent=4), whole(OTHER, '"v2"'))
    with pytest.raises(caller.module.ApiConnectionError):
        caller(save(path, resume=True))
    caller(save(path, resume=True))
    assert path.read_bytes() == OTHER


def test_a_part_of_another_url_is_not_continued(
    package: Generate, origin: Origin, path: Path
) -> None:
    origin.answer(whole(BODY, sent=4), whole(OTHER))
    module = package(FILES)
    with (
        module.Client(base_url=origin.url + "/a", max_retries=0) as client,
        pytest.raises(module.ApiConnectionError),
    ):
        save(path, resume=True)(client)
    with module.Client(base_url=origin.url + "/b", max_retries=0) as client:
        save(path, resume=True)(client)
    assert path.read_bytes() == OTHER
    assert ranges(origin) == [(None, None)] * 2


def test_a_part_that_is_complete_is_only_moved(caller: Caller, origin: Origin, path: Path) -> None:
    origin.answer(whole(BODY, sent=4))
    with pytest.raises(caller.module.ApiConnectionError):
        caller(save(path, resume=True))
    (part,) = path.parent.iterdir()
    part.write_bytes(BODY)
    origin.script = [whole(BODY)]
    caller(save(path, resume=True))
    assert path.read_bytes() == BODY
    assert len(origin.asked) == 2


def test_a_part_that_is_too_long_is_not_of_the_content(
    caller: Caller, origin: Origin, path: Path
) -> None:
    origin.answer(whole(BODY, sent=4))
    with pytest.raises(caller.module.ApiConnectionError):
        caller(save(path, resume=True))
    (part,) = path.parent.iterdir()
    part.write_bytes(OTHER * 2)
    origin.script = [whole(BODY)]
    caller(save(path, resume=True))
    assert path.read_bytes() == BODY
    assert len(origin.asked) == 2


def test_a_server_without_ranges_sends_a_part_again(
    caller: Caller, origin: Origin, path: Path
) -> None:
    origin.answer(whole(BODY, sent=4), whole(BODY))
    with pytest.raises(caller.module.ApiConnectionError):
        caller(save(path, resume=True))
    caller(save(path, resume=True))
    assert path.read_bytes() == BODY
    assert alone(path)


def test_a_directory_or_a_device_is_no_path(caller: Caller, origin: Origin, tmp_path: Path) -> None:
    origin.answer(whole(BODY))
    for place in (tmp_path, Path("/dev/null")):
        with pytest.raises(caller.module.InvalidArgumentError, match="path"):
            caller(save(place))


def test_a_link_stays_one(caller: Caller, origin: Origin, path: Path) -> None:
    link = path.with_name("link")
    link.symlink_to(path)
    origin.answer(whole(BODY))
    caller(save(link))
    assert path.read_bytes() == BODY
    assert link.is_symlink()


def test_a_response_is_saved_once(package: Generate, origin: Origin, path: Path) -> None:
    origin.answer(whole(BODY))
    module = package(FILES)
    client = module.Client(base_url=origin.url)
    with client.with_streaming_response(client.files.download) as response:
        assert b"".join(response.iter_bytes()) == BODY
        with pytest.raises(module.ClientStateError, match="already read"):
            response.save(path)
    with client.with_streaming_response(client.files.download) as response:
        response.save(path)
        with pytest.raises(module.ClientStateError, match="already read"):
            response.save(path)


def test_a_response_that_is_left_frees_its_connection(package: Generate, origin: Origin) -> None:
    origin.answer(whole(BODY * 200_000))
    module = package(FILES)
    with module.Client(base_url=origin.url) as client:
        with client.with_streaming_response(client.files.download):
            pass
        (http,) = client._calls.transport._clients.values()
        assert not http._transport._pool.connections


def test_a_server_of_another_project_sends_the_rest(
    package: Generate, tmp_path: Path, path: Path
) -> None:
    (tmp_path / "served").write_bytes(BODY)
    asked: list[str | None] = []

    async def file(request: StarletteRequest) -> FileResponse:
        asked.append(request.headers.get("range"))
        return FileResponse(tmp_path / "served")

    app = Starlette(routes=[Route("/file", file)])
    module = package(FILES)
    with Server(app) as server, module.Client(base_url=server.url) as client:
        transport = client._calls.transport

        class Breaking:
            """Breaks the first response, and then leaves the work to the client's transport."""

            def send(self, request: Any) -> Any:
                client._calls.transport = transport
                response = transport.send(request)
                return replace(response, chunks=self.broken(response.chunks))

            def broken(self, chunks: Any) -> Iterator[bytes]:
                yield next(chunks)[:4]
                chunks.close()
                raise module.TransportError("the connection broke")

        client._calls.transport = Breaking()
        save(path)(client)
    assert path.read_bytes() == BODY
    assert asked == [None, "bytes=4-"]


def test_faults_before_the_response_are_retried_as_always(
    caller: Caller, origin: Origin, path: Path
) -> None:
    origin.answer(whole(BODY, sent=4), Answer(fault=Fault.RESET), Answer(503), rest(BODY, 4, 10))
    caller(save(path), max_retries=2)
    assert path.read_bytes() == BODY
