"""The options of a client, of a copy of it, and of one call."""

from __future__ import annotations

import inspect
import json
import math
import pydoc
from collections.abc import Callable, Iterator
from types import FrameType, ModuleType, TracebackType
from typing import Any

import httpx2
import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import Json
from tests.functional.origin import Answer, Fault, Origin
from tests.functional.test_client import API, KEY, Caller, caller, page, problem, thing

__all__ = ["caller"]


@pytest.fixture
def module(package: Generate) -> ModuleType:
    return package(API, short_method_names=True)


def get(client: Any) -> Any:
    return client.things.get("a")


# --- what an option may be

SECONDS = "a number of seconds above 0, or None"


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        *(("timeout", each, SECONDS) for each in (0, -1, math.inf, math.nan, "30", True)),
        *(("deadline", each, SECONDS) for each in (0, -1, math.inf, math.nan, "30")),
        *(("max_retries", each, "an integer of at least 0") for each in (-1, 1.5, True, None)),
        *(("max_response_bytes", each, "an integer above 0") for each in (0, -1, 1.5)),
        ("headers", {"Content-Length": "5"}, "the client sets the header Content-Length itself"),
        ("headers", {"host": "other"}, "the client sets the header host itself"),
        ("headers", {"X-Number": 5}, "X-Number"),
        ("headers", "X: y", "a mapping"),
        ("app_name", "a\nb", "app_name"),
    ],
)
def test_an_option_that_cannot_be_is_refused_and_told_what_can(
    caller: Caller, option: str, value: object, allowed: str
) -> None:
    with pytest.raises(caller.module.InvalidArgumentError, match=allowed) as caught:
        caller(get, **{option: value})
    assert option in str(caught.value)


@pytest.mark.parametrize("step", ["connect", "read", "write", "pool"])
def test_each_step_has_a_timeout_of_its_own_that_is_checked(caller: Caller, step: str) -> None:
    timeout = caller.module.Timeout(**{step: 0})
    with pytest.raises(caller.module.InvalidArgumentError, match=f"timeout.{step} must be"):
        caller(get, timeout=timeout)


def test_steps_have_timeouts_of_their_own(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(fault=Fault.SILENCE))
    timeout = caller.module.Timeout(connect=20, read=0.1)
    with pytest.raises(caller.module.ApiTimeoutError) as caught:
        caller(get, timeout=timeout)
    assert "getThing: no response within 0.1 s while reading" in str(caught.value)


def test_a_deadline_that_is_over_at_once_is_a_timeout(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(fault=Fault.SILENCE))
    with pytest.raises(caller.module.ApiTimeoutError, match="deadline"):
        caller(get, deadline=1e-9)


def test_there_need_be_no_timeout(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())
    assert caller(get, timeout=None).id == "a"


# --- headers


@pytest.mark.parametrize("name", ["Authorization", "USER-AGENT", "accept", "Accept-Encoding"])
def test_a_header_of_the_caller_replaces_the_clients(
    caller: Caller, origin: Origin, name: str
) -> None:
    origin.answer(thing())
    caller(get, headers={name: "identity"})
    (asked,) = origin.asked
    assert [text for each, text in asked.fields if each.lower() == name.lower()] == ["identity"]


def test_the_latest_header_of_a_name_counts_in_whatever_case(
    caller: Caller, origin: Origin
) -> None:
    origin.answer(thing())
    options = {"extra_headers": {"x-team": "2"}}
    caller(lambda client: client.things.get("a", request_options=options), headers={"X-Team": "1"})
    (asked,) = origin.asked
    assert [text for name, text in asked.fields if name.lower() == "x-team"] == ["2"]


def test_the_header_of_the_key_stands_in_for_a_key(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())
    caller(get, api_key=None, headers={"authorization": "Bearer other"})
    assert origin.asked[0].headers["authorization"] == "Bearer other"


def test_a_program_may_add_its_name(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())
    caller(get, app_name="shop/2.1")
    assert origin.asked[0].headers["user-agent"].endswith(" shop/2.1")


# --- a copy of the client


def test_a_copy_has_other_options_and_the_same_connections(
    module: ModuleType, origin: Origin
) -> None:
    origin.answer(problem(503, Retry_After="0"), thing(), thing())
    with module.Client(KEY, base_url=origin.url, max_retries=0, headers={"X-A": "1"}) as client:
        things = client.things
        with client.with_options(max_retries=1, headers={"x-b": "2"}) as copy:
            assert copy.things.get("a").id == "a"
        assert client.things is things
        client.things.get("a")
    assert len({asked.connection for asked in origin.asked}) == 1
    of_copy, last = origin.asked[1:]
    assert (of_copy.headers["x-a"], of_copy.headers["x-b"]) == ("1", "2")
    assert "x-b" not in last.headers


def test_a_copy_refuses_what_the_client_refuses(caller: Caller) -> None:
    for options in ({"timeout": 0}, {"timeouts": 5}):
        with pytest.raises(caller.module.InvalidArgumentError):
            caller(lambda client, given=options: client.with_options(**given))


# --- one call


def test_one_call_may_have_other_options(caller: Caller, origin: Origin) -> None:
    origin.answer(problem(503, Retry_After="0"), thing())
    options: Json = {
        "max_retries": 1,
        "timeout": 5,
        "deadline": 10,
        "extra_headers": {"AUTHORIZATION": "Bearer of-this-call", "X-Trace": "t"},
        "extra_query": {"new": ["a b", True], "none": None},
    }
    made = caller(lambda client: client.things.get("a", request_options=options))
    assert made.id == "a"
    asked = origin.asked[-1]
    assert asked.target == "/api/things/a?new=a%20b&new=true"
    assert [text for name, text in asked.fields if name.lower() == "authorization"] == [
        "Bearer of-this-call"
    ]
    assert asked.headers["x-trace"] == "t"


def test_the_body_of_one_call_may_have_more_members(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())
    options = {"extra_body": {"size": "large", "new": [1]}}
    caller(lambda client: client.things.create(reference="r", size=1, request_options=options))
    assert json.loads(origin.asked[0].body) == {"reference": "r", "size": "large", "new": [1]}


def test_all_pages_of_a_list_have_the_options_of_its_call(caller: Caller, origin: Origin) -> None:
    origin.answer(page("a", cursor="c1", more=True), page("b"))
    options = {"extra_headers": {"X-Trace": "t"}, "extra_query": {"limit": 7}}
    caller.items(lambda client: client.things.list(limit=5, request_options=options))
    assert [asked.headers["x-trace"] for asked in origin.asked] == ["t", "t"]
    assert all(asked.target.endswith("limit=7") for asked in origin.asked)


@pytest.mark.parametrize(
    "options",
    [
        {"retries": 5},
        {"timeout": 0},
        {"extra_headers": {"Host": "x"}},
        {"extra_query": "a=b"},
        ["request_options"],
    ],
)
def test_an_option_of_one_call_is_checked(caller: Caller, origin: Origin, options: Json) -> None:
    with pytest.raises(caller.module.InvalidArgumentError, match=next(iter(options))):
        caller(lambda client: client.things.get("a", request_options=options))
    assert origin.asked == []


# --- what no method stands for


def test_a_request_may_be_for_an_operation_that_is_new(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(207, b'{"new": 1}', {"Request-Id": "req_5", "X-Left": "3"}))
    thing_of = caller.module.models.ThingCreate(reference="r1")
    raw = caller(
        lambda client: client.request("post", "/new", query={"a": "b c"}, body=[thing_of, 1])
    )
    (asked,) = origin.asked
    assert (asked.method, asked.target) == ("POST", "/api/new?a=b%20c")
    assert json.loads(asked.body) == [{"reference": "r1"}, 1]
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert (raw.status, raw.value, raw.request_id) == (207, {"new": 1}, "req_5")
    assert raw.headers["x-left"] == "3"


@pytest.mark.parametrize(
    ("method", "attempts"),
    [("GET", 2), ("PUT", 2), ("DELETE", 2), ("POST", 1), ("PATCH", 1)],
)
def test_a_request_is_repeated_if_its_method_is_idempotent(
    caller: Caller, origin: Origin, method: str, attempts: int
) -> None:
    origin.answer(problem(503, Retry_After="0"))
    with pytest.raises(caller.module.ServerError):
        caller(lambda client: client.request(method, "/new"), max_retries=1)
    assert len(origin.asked) == attempts


@pytest.mark.parametrize("path", ["new", "//x y", "/a?b=c", "/a#b", "/é", "/a\nb"])
def test_a_request_has_a_path_below_the_base_url(caller: Caller, path: str) -> None:
    with pytest.raises(caller.module.InvalidArgumentError, match="path"):
        caller(lambda client: client.request("GET", path))


# --- what raw answers tell


def test_a_raw_answer_has_the_id_of_its_request(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(body=b'{"id": "a"}', headers={"REQUEST-ID": "req_1"}))
    raw = caller(lambda client: client.with_raw_response(client.things.get, "a"))
    assert raw.request_id == "req_1"
    assert "req_1" not in repr(raw.headers)


# --- deletions


@pytest.mark.parametrize("first", [Answer(fault=Fault.RESET), problem(502, Retry_After="0")])
def test_a_deletion_that_was_done_unseen_has_succeeded(
    caller: Caller, origin: Origin, first: Answer
) -> None:
    origin.answer(first, problem(404))
    assert caller(lambda client: client.things.delete("a"), max_retries=1) is None
    assert len(origin.asked) == 2


def test_a_deletion_of_what_is_not_there_fails(caller: Caller, origin: Origin) -> None:
    origin.answer(problem(404))
    with pytest.raises(caller.module.NotFoundError):
        caller(lambda client: client.things.delete("a"), max_retries=1)


# --- the key


class Keys:
    """A key that is another one whenever it is asked for."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> str:
        self.asked += 1
        return f"{KEY}-{self.asked}"


def test_a_key_may_be_asked_for_at_each_attempt(caller: Caller, origin: Origin) -> None:
    origin.answer(problem(503, Retry_After="0"), thing())
    caller(get, api_key=Keys(), max_retries=1)
    keys = [asked.headers["authorization"] for asked in origin.asked]
    assert keys == [f"Bearer {KEY}-1", f"Bearer {KEY}-2"]


def test_a_key_may_be_waited_for(module: ModuleType, origin: Origin) -> None:
    async def key() -> str:
        return KEY

    origin.answer(thing())
    Caller(module, origin, True)(get, api_key=key)
    assert origin.asked[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", ["", f"{KEY}\n", None, 5])
def test_a_key_that_no_header_carries_is_not_sent(
    caller: Caller, origin: Origin, key: object
) -> None:
    with pytest.raises(caller.module.InvalidArgumentError, match="key"):
        caller(get, api_key=lambda: key)
    assert origin.asked == []


def frames(error: BaseException) -> Iterator[FrameType]:
    """The frames of the package and its libraries that led to an error and to its causes."""
    pending: list[BaseException | None] = [error]
    for error in pending:
        if error is None:
            continue
        pending += [error.__cause__, error.__context__]
        trace: TracebackType | None = error.__traceback__
        while trace is not None:
            if "/tests/" not in trace.tb_frame.f_code.co_filename:
                yield trace.tb_frame
            trace = trace.tb_next


def holds(value: object, text: str) -> bool:
    """Whether a value shows a text, or a container shows it anywhere inside."""
    if isinstance(value, dict):
        return any(holds(key, text) or holds(each, text) for key, each in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return any(holds(each, text) for each in value)
    return text in repr(value)


def fail(what: Any) -> None:
    raise LookupError("a hook of the caller's failed")


async def fail_async(what: Any) -> None:
    fail(what)


def fail_for(caller: Caller) -> Any:
    hooks = {"response": [fail_async if caller.asynchronous else fail]}
    return (httpx2.AsyncClient if caller.asynchronous else httpx2.Client)(event_hooks=hooks)


FAILURES: dict[str, tuple[Answer, Callable[[Any], Any], Callable[[Caller], Json]]] = {
    "argument": (thing(), lambda client: client.things.get(5), lambda _: {}),
    "option": (thing(), get, lambda _: {"timeout": -1}),
    "address": (thing(), get, lambda _: {"base_url": "ftp://x"}),
    "proxy": (thing(), get, lambda _: {"proxy": "gopher://x"}),
    "broken key": (thing(), get, lambda _: {"api_key": f"{KEY}\n"}),
    "broken key of a function": (thing(), get, lambda _: {"api_key": lambda: f"{KEY}\n"}),
    "status": (problem(400), get, lambda _: {}),
    "answer": (Answer(body=b"{"), get, lambda _: {}),
    "reset": (Answer(fault=Fault.RESET), get, lambda _: {"max_retries": 1}),
    "silence": (Answer(fault=Fault.SILENCE), get, lambda _: {"timeout": 0.1}),
    "deadline": (Answer(fault=Fault.DRIPPING_HEAD), get, lambda _: {"deadline": 0.2}),
    "garbage": (Answer(fault=Fault.GARBAGE), get, lambda _: {}),
    "too large": (thing(), get, lambda _: {"max_response_bytes": 1}),
    "nobody": (thing(), get, lambda _: {"base_url": "http://127.0.0.1:9"}),
    "hook": (thing(), get, lambda caller: {"http_client": fail_for(caller)}),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_no_frame_of_an_error_has_the_key_in_a_variable(
    caller: Caller, origin: Origin, failure: str
) -> None:
    answer, call, options = FAILURES[failure]
    origin.answer(answer)
    with pytest.raises((caller.module.ApiError, LookupError)) as caught:
        caller(call, **options(caller))
    seen = list(frames(caught.value))
    assert seen
    telling = [
        f"{frame.f_code.co_qualname}: {name}"
        for frame in seen
        for name, value in frame.f_locals.items()
        if holds(value, KEY)
    ]
    assert not telling


# --- what completion and help show


def test_a_client_shows_its_groups_and_what_is_for_callers(module: ModuleType) -> None:
    for client in (module.Client, module.AsyncClient):
        shown = {name for name in dir(client) if not name.startswith("_")}
        methods = {"base_url", "close", "request", "run_all", "with_options", "with_raw_response"}
        methods |= {
            "wait_for_job",
            "with_reconnection",
            "with_streaming_response",
            "with_unchecked_response",
        }
        assert shown == {"things", *methods}
        assert "things" in pydoc.render_doc(client, renderer=pydoc.plaintext)
        instance = client(KEY, base_url="http://127.0.0.1:9")
        assert {name for name in dir(instance) if not name.startswith("_")} == shown
        assert inspect.getdoc(type(instance).things)


def test_what_a_transport_needs_is_public(module: ModuleType) -> None:
    names = "AsyncTransport Request RequestOptions Response Timeout Transport TransportError"
    for name in names.split():
        assert name in module.__all__
        assert getattr(module, name).__name__ == name


def test_a_transport_of_the_caller_carries_requests(module: ModuleType) -> None:
    class Echo:
        def send(self, request: Any) -> Any:
            if request.url.endswith("/lost"):
                raise module.TransportError("lost", step="read")
            return module.Response(200, [], b'{"id": "echo"}')

        def close(self) -> None: ...

    client = module.Client(KEY, base_url="http://x", transport=Echo(), max_retries=0)
    assert client.things.get("a").id == "echo"
    with pytest.raises(module.ApiConnectionError) as caught:
        client.things.get("lost")
    assert str(caught.value) == "getThing: lost, GET http://x/things/{id}, 1 attempt"
