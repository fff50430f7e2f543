"""Handlers that block, that leave work for later, and that raise errors of their own."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx2
import pytest

from tests import checkers
from tests.functional.conftest import Generate
from tests.functional.documents import THING, Json, document, operation, ref
from tests.serving import Server

# Long enough for a machine under load; only a failure waits for it.
PATIENCE = 30
LINES = {"application/jsonl": {"itemSchema": {"type": "integer"}}}


def api() -> Json:
    return document(
        {
            "/thing": {"get": operation(ref("Thing"), operationId="getThing")},
            "/other": {"get": operation(ref("Thing"), operationId="getOther")},
            "/lines": {
                "get": {
                    **operation(operationId="getLines"),
                    "responses": {"200": {"description": "Lines.", "content": LINES}},
                }
            },
        },
        {"Thing": THING},
        components={"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        security=[{"token": []}],
    )


@pytest.fixture(scope="module")
def made(package: Generate) -> ModuleType:
    return package(api())


def served(made: ModuleType, handlers: dict[str, Any], **options: Any) -> Server:
    """A server of these handlers; the others respond with 501."""
    things = type("Things", (made.server.UnimplementedThings,), handlers)()
    options = {"authenticate": None, "unimplemented": "501", **options}
    return Server(made.server.create_app(things=things, **options))


def in_parallel(server: Server, *paths: str) -> list[httpx2.Response]:
    async def calls() -> list[httpx2.Response]:
        async with httpx2.AsyncClient(base_url=server.url, timeout=PATIENCE) as client:
            return await asyncio.gather(*(client.get(path) for path in paths))

    return asyncio.run(calls())


# --- Handlers in threads --------------------------------------------------------------------------


def test_functions_that_block_are_served_at_the_same_time(made: ModuleType) -> None:
    meeting = threading.Barrier(2, timeout=PATIENCE)

    @made.server.in_thread
    def meet(self: Any, *, context: Any) -> Any:
        meeting.wait()
        return made.models.Thing(id="met")

    with served(made, {"get_thing": meet, "get_other": meet}) as server:
        answers = in_parallel(server, "/thing", "/other")
    assert [answer.json() for answer in answers] == [{"id": "met"}] * 2


def test_a_stream_of_a_generator_that_blocks_holds_up_no_other_request(made: ModuleType) -> None:
    called = threading.Event()

    async def lines(self: Any, *, context: Any) -> Iterator[int]:
        def numbers() -> Iterator[int]:
            yield 1
            assert called.wait(PATIENCE)
            yield 2

        return numbers()

    async def other(self: Any, *, context: Any) -> Any:
        called.set()
        return made.models.Thing(id="other")

    with served(made, {"get_lines": lines, "get_other": other}) as server:
        stream, _ = in_parallel(server, "/lines", "/other")
    assert stream.text == "1\n2\n"


def test_a_handler_in_a_thread_may_raise_a_problem(made: ModuleType) -> None:
    @made.server.in_thread
    def get_thing(self: Any, *, context: Any) -> Any:
        raise made.server.Problem("gone", "It is gone.", status=410)

    with served(made, {"get_thing": get_thing}) as server:
        answer = server.send("GET", "/thing")
    assert (answer.status, answer.json["code"]) == (410, "gone")


def test_the_arguments_of_a_function_in_a_thread_are_compared_with_its_operation(
    made: ModuleType,
) -> None:
    @made.server.in_thread
    def get_thing(self: Any, *, name: str, context: Any) -> Any:
        return made.models.Thing(id=name)

    with pytest.raises(made.server.ImplementationError, match="get_thing requires 'name'"):
        served(made, {"get_thing": get_thing})


# --- Work after the response ----------------------------------------------------------------------


def test_work_after_the_response_does_not_delay_it(made: ModuleType) -> None:
    received, done = threading.Event(), threading.Event()

    def work(name: str) -> None:
        assert received.wait(PATIENCE)
        assert name == "lamp"
        done.set()

    async def get_thing(self: Any, *, context: Any) -> Any:
        context.background.add_task(work, "lamp")
        return made.models.Thing(id="lamp")

    with served(made, {"get_thing": get_thing}) as server:
        assert server.send("GET", "/thing").json == {"id": "lamp"}
        received.set()
        assert done.wait(PATIENCE)


@pytest.mark.parametrize("status", [410, 500])
def test_work_of_a_request_that_failed_is_not_done(made: ModuleType, status: int) -> None:
    done: list[str] = []

    async def get_thing(self: Any, *, context: Any) -> Any:
        context.background.add_task(done.append, "failed")
        if status == 500:
            raise RuntimeError
        raise made.server.Problem("gone", "It is gone.", status=status)

    async def get_other(self: Any, *, context: Any) -> Any:
        context.background.add_task(done.append, "broken")
        return 3

    async def get_lines(self: Any, *, context: Any) -> Any:
        context.background.add_task(done.append, "unsent")
        context.headers["X-Name"] = "名前"
        return iter([1])

    handlers = {"get_thing": get_thing, "get_other": get_other, "get_lines": get_lines}
    with served(made, handlers) as server:
        assert server.send("GET", "/thing").status == status
        assert server.send("GET", "/other").status == 500
        assert server.send("GET", "/lines").status == 500
    assert done == []


def test_work_that_fails_is_logged_and_ends_no_other_work(
    made: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    done = threading.Event()

    async def fail() -> None:
        raise RuntimeError("no such printer")

    async def get_thing(self: Any, *, context: Any) -> Any:
        context.background.add_task(fail)
        context.background.add_task(done.set)
        return made.models.Thing(id="lamp")

    with served(made, {"get_thing": get_thing}) as server:
        assert server.send("GET", "/thing").status == 200
        assert done.wait(PATIENCE)
    (record,) = (each for each in caplog.records if each.levelno == logging.ERROR)
    assert record.name == made.__name__
    assert record.getMessage().startswith("a task after GET /thing failed, request ")
    assert record.exc_info is not None and str(record.exc_info[1]) == "no such printer"


# --- Exceptions of the application ----------------------------------------------------------------


class Gone(Exception):  # noqa: N818
    """An exception of the application's own."""


def gone(made: ModuleType) -> Callable[[Exception], Any]:
    def as_problem(error: Exception) -> Any:
        if isinstance(error, Gone):
            return made.server.Problem("gone", f"It is gone: {error}.", status=410)
        return None

    return as_problem


def test_an_exception_of_the_application_may_be_a_problem(made: ModuleType) -> None:
    async def get_thing(self: Any, *, context: Any) -> Any:
        raise Gone("lamp")

    async def get_other(self: Any, *, context: Any) -> Any:
        raise made.server.Problem("other", "Another one.", status=409)

    async def get_lines(self: Any, *, context: Any) -> Any:
        raise RuntimeError

    handlers = {"get_thing": get_thing, "get_other": get_other, "get_lines": get_lines}
    with served(made, handlers, as_problem=gone(made)) as server:
        answer = server.send("GET", "/thing")
        assert (answer.status, answer.json["detail"]) == (410, "It is gone: lamp.")
        assert server.send("GET", "/other").status == 409
        assert server.send("GET", "/lines").status == 500


def test_an_exception_of_authenticate_may_be_a_problem(made: ModuleType) -> None:
    async def authenticate(token: str, request: Any) -> object:
        raise Gone(token)

    with served(made, {}, authenticate=authenticate, as_problem=gone(made)) as server:
        assert server.send("GET", "/thing", key="t").json["detail"] == "It is gone: t."


# --- Types ----------------------------------------------------------------------------------------

PROGRAM = """
from dataclasses import dataclass

from {package} import models
from {package}.server import Context, Reply, UnimplementedThings, in_thread


@dataclass
class User:
    name: str


class Things(UnimplementedThings):
    @in_thread
    def get_thing(self, *, context: Context[User]) -> models.Thing:
        context.background.add_task(print, context.principal.name)
        return models.Thing(id=context.principal.name)

    async def get_other(self, *, context: Context) -> Reply[models.Thing]:
        return Reply(models.Thing(id=context.principal))
"""
MISTAKES = {
    "context.principal.name)": "context.principal.nam)",
    "-> models.Thing:": "-> str:",
    "self, *, context: Context[User]": "self, *, id: str, context: Context[User]",
    "print, context": "len, 3, context",
}


def test_type_checkers_know_principal_and_handlers_in_threads(
    made: ModuleType, tmp_path: Path
) -> None:
    assert made.__file__
    packages = [str(Path(made.__file__).parents[1])]
    program = PROGRAM.format(package=made.__name__)
    place = tmp_path / "programs"
    place.mkdir()
    (place / "right.py").write_text(program)
    for number, (old, new) in enumerate(MISTAKES.items()):
        (place / f"wrong_{number}.py").write_text(program.replace(old, new, 1))
    wrong = {f"wrong_{number}.py" for number in range(len(MISTAKES))}
    for check in (checkers.mypy, checkers.pyright):
        assert {error.partition(":")[0] for error in check(place, packages)} == wrong
