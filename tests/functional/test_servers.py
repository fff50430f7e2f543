"""The servers of requests: those of the document, of paths and of operations, and variables."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import THING, Json, document, operation, ref
from tests.functional.origin import Answer, Fault, Origin, running


@pytest.fixture(scope="module")
def origins() -> Iterator[tuple[Origin, Origin]]:
    """Two servers, whose addresses stay: tests of one document share its package."""
    with running() as first, running() as second:
        yield first, second


@pytest.fixture
def origin(origins: tuple[Origin, Origin]) -> Origin:
    return without_requests(origins[0])


@pytest.fixture
def other(origins: tuple[Origin, Origin]) -> Origin:
    return without_requests(origins[1])


def without_requests(origin: Origin) -> Origin:
    origin.script.clear()
    origin.asked.clear()
    return origin


def api(servers: Any = None, **items: Any) -> Json:
    """A document with these servers, and path items with servers of their own."""
    paths = {"/things": {"get": operation(ref("Thing"), operationId="getThing")}}
    for name, item in items.items():
        declared = {"get": operation(ref("Thing"), operationId=name), **item}
        paths[f"/{name}"] = declared
    data = document(paths, {"Thing": THING})
    del data["servers"]
    return data if servers is None else {**data, "servers": servers}


def call(
    module: Any, method: str = "get_thing", asynchronous: bool = False, **options: Any
) -> None:
    options = {"max_retries": 0, **options}
    if not asynchronous:
        with module.Client(**options) as client:
            getattr(client.things, method)()
        return

    async def run() -> None:
        async with module.AsyncClient(**options) as client:
            await getattr(client.things, method)()

    asyncio.run(run())


THING_ANSWER = Answer(body=b'{"id": "a"}')
both = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])


@both
def test_an_operation_is_called_at_its_own_server(
    package: Generate, origin: Origin, other: Origin, asynchronous: bool
) -> None:
    own: Json = {"servers": [{"url": f"{other.url}/own"}]}
    nearest = operation(ref("Thing"), operationId="nearest", servers=[{"url": f"{other.url}/op/"}])
    module = package(
        api([{"url": f"{origin.url}/api"}], at_path=own, at_operation={**own, "get": nearest})
    )
    for each in (origin, other):
        each.answer(THING_ANSWER)
    call(module, "at_path", asynchronous)
    call(module, "nearest", asynchronous)
    call(module, "get_thing", asynchronous)
    assert [request.target for request in other.asked] == ["/own/at_path", "/op/at_operation"]
    assert [request.headers["host"] for request in other.asked] == [other.url[7:]] * 2
    assert [request.target for request in origin.asked] == ["/api/things"]


@both
def test_an_address_of_the_caller_is_for_all_operations(
    package: Generate, origin: Origin, other: Origin, asynchronous: bool
) -> None:
    module = package(
        api([{"url": "http://127.0.0.1:1"}], at_path={"servers": [{"url": f"{other.url}/own"}]})
    )
    origin.answer(THING_ANSWER)
    call(module, "at_path", asynchronous, base_url=f"{origin.url}/test")
    assert [request.target for request in origin.asked] == ["/test/at_path"]
    assert not other.asked


def test_another_server_of_the_document_leaves_the_operations_theirs(
    package: Generate, origin: Origin, other: Origin
) -> None:
    module = package(
        api(
            [{"url": "http://127.0.0.1:1"}, {"url": f"{origin.url}/eu"}],
            at_path={"servers": [{"url": other.url}]},
        )
    )
    for each in (origin, other):
        each.answer(THING_ANSWER)
    call(module, base_url=f"{origin.url}/eu/")
    call(module, "at_path", base_url=f"{origin.url}/eu")
    assert [request.target for request in origin.asked] == ["/eu/things"]
    assert [request.target for request in other.asked] == ["/at_path"]


@both
def test_another_server_of_an_operation_is_chosen_for_it_alone(
    package: Generate, origin: Origin, other: Origin, asynchronous: bool
) -> None:
    beta = f"{other.url}/beta"
    own: Json = {"servers": [{"url": f"{origin.url}/v4"}, {"url": f"{beta}/"}]}
    module = package(api([{"url": f"{origin.url}/api"}], at_path=own, at_operation=own))
    for each in (origin, other):
        each.answer(THING_ANSWER)
    call(module, "at_path", asynchronous)
    for name in ("at_path", "get_thing"):
        call(module, name, asynchronous, base_url=beta)
    assert [request.target for request in origin.asked] == ["/v4/at_path", "/api/things"]
    assert [request.target for request in other.asked] == ["/beta/at_path"]
    assert f"Servers of some operations: `{origin.url}/v4`, `{beta}/`." in module.Client.__doc__


REGIONS: Json = {
    "url": "http://{region}.{host}/{version}",
    "variables": {
        "region": {"enum": ["us", "eu"], "default": "us"},
        "host": {"default": "example.com"},
        "version": {"default": "v1"},
    },
}


def test_variables_of_a_server_are_arguments(package: Generate) -> None:
    module = package(api([REGIONS]))
    taken = inspect.signature(module.Client).parameters
    assert taken["region"].annotation == "Literal['us', 'eu']"
    assert (taken["region"].default, taken["host"].default) == ("us", "example.com")
    assert taken["host"].annotation == "str"
    assert module.Client().base_url == "http://us.example.com/v1"
    made = module.Client(region="eu", host="example.org", version="v2")
    assert made.base_url == "http://eu.example.org/v2"
    assert module.AsyncClient(region="eu").base_url == "http://eu.example.com/v1"
    assert module.Client(base_url="http://127.0.0.1/x").base_url == "http://127.0.0.1/x"


@pytest.mark.parametrize(
    "options", [{"region": "moon"}, {"host": "a b"}, {"host": ""}, {"host": 5}]
)
def test_a_variable_is_checked(package: Generate, options: Json) -> None:
    module = package(api([REGIONS]))
    with pytest.raises(module.InvalidArgumentError, match=next(iter(options))):
        module.Client(**options)


def test_servers_share_a_variable_and_keep_their_defaults(
    package: Generate, origin: Origin, other: Origin
) -> None:
    own: Json = {
        "servers": [{"url": f"{other.url}/{{org}}/own", "variables": {"org": {"default": "b"}}}]
    }
    module = package(
        api([{"url": f"{origin.url}/{{org}}", "variables": {"org": {"default": "a"}}}], at_path=own)
    )
    for each in (origin, other):
        each.answer(THING_ANSWER)
    for options in ({}, {"org": "c"}):
        call(module, **options)
        call(module, "at_path", **options)
    assert [request.target for request in origin.asked] == ["/a/things", "/c/things"]
    assert [request.target for request in other.asked] == ["/b/own/at_path", "/c/own/at_path"]


def test_another_server_is_chosen_as_the_document_writes_it(package: Generate) -> None:
    module = package(api([{"url": "http://example.com"}, REGIONS]))
    assert (
        module.Client(base_url=REGIONS["url"], region="eu").base_url == "http://eu.example.com/v1"
    )


def test_a_url_that_is_one_variable_is_the_base_url(package: Generate) -> None:
    values: Json = {"default": "http://a.test", "enum": ["http://b.test", "http://a.test"]}
    module = package(api([{"url": "{base_url}", "variables": {"base_url": values}}]))
    assert not [name for name in inspect.signature(module.Client).parameters if "variable" in name]
    assert module.Client().base_url == "http://a.test"
    assert "http://b.test" in (inspect.getdoc(module.Client) or "")


def test_a_variable_without_a_default_has_to_be_given(package: Generate) -> None:
    # Required by the specification, and left out by documents.
    module = package(api([{"url": "http://example.com/{org-id}"}]))
    with pytest.raises(module.InvalidArgumentError, match="org_id"):
        module.Client()
    assert module.Client(org_id="x").base_url == "http://example.com/x"


def test_a_document_without_servers_wants_an_address(package: Generate) -> None:
    for servers, reason in (
        (None, "the document declares no server"),
        ([{"url": "/"}], "the document declares no server"),
        ([{"url": "/v2"}], "the document's server URL has no host"),
        ([{"url": "<your-host>"}], "the document's server URL is not a valid HTTP URL"),
    ):
        module = package(api(servers))
        for client in (module.Client, module.AsyncClient):
            with pytest.raises(module.InvalidArgumentError) as caught:
                client()
            prefix = module.__name__.upper()
            assert str(caught.value) == f"{reason}; pass base_url or set {prefix}_BASE_URL"


def test_the_servers_of_a_document_are_told(package: Generate) -> None:
    module = package(api([{"url": "https://api.example.com", "description": "Live."}, REGIONS]))
    told = inspect.getdoc(module.Client) or ""
    assert "https://api.example.com" in told
    assert REGIONS["url"] in told


@both
def test_each_host_has_the_proxy_that_the_environment_names_for_it(
    package: Generate,
    origin: Origin,
    other: Origin,
    monkeypatch: pytest.MonkeyPatch,
    asynchronous: bool,
) -> None:
    module = package(
        api(
            [{"url": f"{origin.url}/api"}],
            at_path={"servers": [{"url": "http://elsewhere.example/own"}]},
        )
    )
    for each in (origin, other):
        each.answer(THING_ANSWER)
    monkeypatch.setenv("http_proxy", other.url)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    call(module, "get_thing", asynchronous)
    call(module, "at_path", asynchronous)
    assert [request.target for request in origin.asked] == ["/api/things"]
    assert [request.target for request in other.asked] == ["http://elsewhere.example/own/at_path"]


@both
def test_a_host_of_its_own_keeps_to_the_deadline(
    package: Generate, origin: Origin, other: Origin, asynchronous: bool
) -> None:
    module = package(api([{"url": origin.url}], at_path={"servers": [{"url": f"{other.url}/own"}]}))
    other.answer(Answer(fault=Fault.DRIPPING_BODY, body=b"{}"))
    with pytest.raises(module.ApiTimeoutError):
        call(module, "at_path", asynchronous, deadline=0.2)
