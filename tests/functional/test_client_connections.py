"""The connections of a client: its own, or those of an HTTP client that it was given."""

from __future__ import annotations

import asyncio
import importlib
import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx2
import pytest
from opentelemetry.instrumentation.httpx import HTTPX2ClientInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.functional.conftest import Generate
from tests.functional.origin import Answer, Fault, Origin
from tests.functional.test_client import API, KEY, Caller, caller, thing

__all__ = ["caller"]


@pytest.fixture
def module(package: Generate) -> ModuleType:
    return package(API, short_method_names=True)


def http_client(caller: Caller, **options: Any) -> Any:
    """The HTTP client of a partner, of the kind that fits the caller."""
    return (httpx2.AsyncClient if caller.asynchronous else httpx2.Client)(**options)


def hook(caller: Caller, notice: Any) -> Any:
    """An event hook of the kind that fits the caller."""

    async def noticed(what: Any) -> None:
        found = notice(what)
        if found is not None:
            await found

    return noticed if caller.asynchronous else notice


@pytest.fixture
def patient(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, no connection is idle for too long."""
    pools = importlib.import_module(f"{module.__name__}._runtime.client.transport.pools")
    monkeypatch.setattr(pools, "IDLE_SECONDS", 3600.0)


# --- connections of the client's own


def test_a_process_has_connections_of_its_own(module: ModuleType, origin: Origin) -> None:
    origin.answer(thing())
    with module.Client(base_url=origin.url, api_key=KEY) as client:
        client.things.get("parent")
        with warnings.catch_warnings():
            # The server of this test is a thread.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            try:
                client.things.get("child")
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        client.things.get("parent")
    first, of_child, last = origin.asked
    assert of_child.target == "/things/child"
    assert first.connection == last.connection != of_child.connection


@pytest.mark.usefixtures("patient")
def test_a_burst_leaves_its_connections_to_the_next(module: ModuleType, origin: Origin) -> None:
    origin.answer(thing())
    with (
        module.Client(base_url=origin.url, api_key=KEY) as client,
        ThreadPoolExecutor(50) as threads,
    ):
        for _ in range(10):
            list(threads.map(client.things.get, ["a"] * 50))
    assert len(origin.asked) == 500
    assert len({asked.connection for asked in origin.asked}) <= 60


@pytest.mark.usefixtures("patient")
def test_an_asynchronous_burst_leaves_its_connections_to_the_next(
    module: ModuleType, origin: Origin
) -> None:
    origin.answer(thing())

    async def burst() -> None:
        async with module.AsyncClient(base_url=origin.url, api_key=KEY) as client:
            for _ in range(10):
                await asyncio.gather(*(client.things.get("a") for _ in range(50)))

    asyncio.run(burst())
    assert len({asked.connection for asked in origin.asked}) <= 60


@pytest.mark.filterwarnings("ignore:unclosed transport:ResourceWarning")
def test_an_asynchronous_client_works_in_another_event_loop(
    module: ModuleType, origin: Origin
) -> None:
    origin.answer(thing())
    client = module.AsyncClient(base_url=origin.url, api_key=KEY, max_retries=0)

    async def get() -> Any:
        return await client.things.get("a")

    assert [asyncio.run(get()).id for _ in range(3)] == ["a", "a", "a"]


def test_a_client_that_is_closed_says_so(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())

    def call(client: Any) -> Any:
        if not caller.asynchronous:
            client.things.get("a")
            client.close()
            return client.things.get("a")

        async def calls() -> Any:
            await client.things.get("a")
            await client.close()
            return await client.things.get("a")

        return calls()

    with pytest.raises(caller.module.ClientStateError, match="closed"):
        caller(call)
    assert len(origin.asked) == 1


def test_the_http_library_is_imported_when_a_request_is_sent(module: ModuleType) -> None:
    program = (
        f"import sys; from {module.__name__} import AsyncClient, Client; "
        "Client('k', base_url='https://127.0.0.1:9'); "
        "print({'httpx2', 'httpcore2'} & sys.modules.keys())"
    )
    place = Path(module.__file__ or "").parents[1]
    run = subprocess.run([sys.executable, "-c", program], cwd=place, capture_output=True, text=True)
    assert run.stdout.strip() == "set()", run.stderr


def test_rooms_that_few_documents_need_are_imported_when_they_are_used(module: ModuleType) -> None:
    program = (
        f"import sys; from {module.__name__} import AsyncClient, Client; "
        "Client('k', base_url='https://127.0.0.1:9'); "
        "rooms = ('.xml.reading', '.xml.writing', '.server', '.cassettes', '.signature'); "
        "print([name for name in sys.modules if name.endswith(rooms)])"
    )
    place = Path(module.__file__ or "").parents[1]
    run = subprocess.run([sys.executable, "-c", program], cwd=place, capture_output=True, text=True)
    assert run.stdout.strip() == "[]", run.stderr


@pytest.mark.parametrize("named", ["argument", "environment"])
def test_a_socks_proxy_without_its_package_names_what_to_install(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)
    options = {}
    if named == "argument":
        options = {"proxy": "socks5://127.0.0.1:1080"}
    else:
        monkeypatch.setenv("all_proxy", "socks5://127.0.0.1:1080")
    with pytest.raises(caller.module.InvalidArgumentError, match=r"httpx2\[socks\]"):
        caller(lambda client: None, base_url="http://api.example", **options)


# --- a client that was given


def test_hooks_of_a_given_client_see_request_and_answer(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())
    seen: list[Any] = []

    def read(answer: Any) -> Any:
        seen.append(answer.status_code)
        return answer.aread() if caller.asynchronous else answer.read() and None

    client = http_client(
        caller,
        event_hooks={
            "request": [
                hook(caller, lambda request: seen.append((request.method, request.content)))
            ],
            "response": [hook(caller, read)],
        },
    )
    made = caller(lambda client: client.things.create(reference="r1"), http_client=client)
    assert made.id == "a"
    assert seen == [("POST", b'{"reference":"r1"}'), 200]


def test_a_given_client_stays_open(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())
    client = http_client(caller)
    caller(lambda client: client.things.get("a"), http_client=client)
    assert not client.is_closed


def test_headers_of_a_given_client_are_sent_and_none_twice(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())
    client = http_client(
        caller,
        headers={"X-Tenant": "t", "Accept": "text/html", "authorization": "Bearer other"},
        auth=("user", "password"),
    )
    caller(lambda client: client.things.get("a"), http_client=client)
    (asked,) = origin.asked
    names = [name.lower() for name, _ in asked.fields]
    assert len(names) == len(set(names))
    assert asked.headers["x-tenant"] == "t"
    assert asked.headers["accept"] == "application/json"
    assert asked.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed_whatever_the_given_client_does(
    caller: Caller, origin: Origin, status: int
) -> None:
    origin.answer(Answer(status, b"", {"Location": f"{origin.url}/elsewhere"}))
    with pytest.raises(caller.module.ApiStatusError) as caught:
        caller(
            lambda client: client.things.get("a"),
            http_client=http_client(caller, follow_redirects=True),
        )
    assert caught.value.status == status
    assert len(origin.asked) == 1


def test_the_deadline_holds_for_a_body_that_a_given_client_gets_drop_by_drop(
    caller: Caller, origin: Origin
) -> None:
    origin.answer(Answer(body=b'{"id": "a"}', fault=Fault.DRIPPING_BODY))
    with pytest.raises(caller.module.ApiTimeoutError, match="deadline"):
        caller(
            lambda client: client.things.get("a"),
            http_client=http_client(caller),
            deadline=0.3,
        )


def test_a_given_client_may_call_an_application_in_the_same_process(module: ModuleType) -> None:
    async def application(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"id": "%s"}' % scope["raw_path"][-1:]})

    async def call() -> Any:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(application)) as given:
            client = module.AsyncClient(KEY, base_url="http://app", http_client=given)
            return await client.things.get("z")

    assert asyncio.run(call()).id == "z"


def test_a_given_client_of_another_event_loop_is_a_clear_error(
    module: ModuleType, origin: Origin
) -> None:
    origin.answer(thing())
    given = httpx2.AsyncClient()
    client = module.AsyncClient(KEY, base_url=origin.url, http_client=given, max_retries=0)

    async def get() -> Any:
        return await client.things.get("a")

    asyncio.run(get())
    with pytest.raises(module.ClientStateError, match="event loop"):
        asyncio.run(get())


def test_a_given_client_of_another_process_is_a_clear_error(
    module: ModuleType, origin: Origin
) -> None:
    origin.answer(thing())
    with httpx2.Client() as given:
        client = module.Client(KEY, base_url=origin.url, http_client=given)
        client.things.get("a")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            try:
                client.things.get("a")
            except module.ClientStateError:
                os._exit(7)
            finally:
                os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert len(origin.asked) == 1


def test_a_given_client_that_is_closed_is_a_clear_error(caller: Caller) -> None:
    given = http_client(caller)
    asyncio.run(given.aclose()) if caller.asynchronous else given.close()
    with pytest.raises(caller.module.ClientStateError, match="closed"):
        caller(lambda client: client.things.get("a"), http_client=given)


def test_another_kind_of_client_is_refused(caller: Caller) -> None:
    other = httpx2.Client() if caller.asynchronous else httpx2.AsyncClient()
    for given in (other, object()):
        with pytest.raises(caller.module.InvalidArgumentError, match=r"httpx2\.(Async)?Client"):
            caller(lambda client: None, http_client=given)


def test_requests_have_one_way_to_travel(caller: Caller) -> None:
    with pytest.raises(caller.module.InvalidArgumentError, match="proxy and http_client"):
        caller(lambda client: None, http_client=http_client(caller), proxy="http://127.0.0.1:9")


# --- tracing


def test_instrumentation_of_httpx2_sees_each_request(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())
    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    instrumentor = HTTPX2ClientInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    try:
        caller(lambda client: client.things.get("a"))
    finally:
        instrumentor.uninstrument()
    (span,) = spans.get_finished_spans()
    assert span.name == "GET"
    assert "traceparent" in origin.asked[0].headers


def test_time_may_run_out_where_the_client_sets_no_limit(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())

    def late(request: httpx2.Request) -> None:
        raise TimeoutError

    client = http_client(caller, event_hooks={"request": [hook(caller, late)]})
    with pytest.raises(caller.module.ApiTimeoutError, match="no response in time, GET"):
        caller(
            lambda client: client.things.get("a"),
            http_client=client,
            timeout=None,
            max_retries=0,
        )
