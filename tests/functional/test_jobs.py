"""Jobs that a service accepts and finishes later, in both clients."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import document
from tests.functional.origin import Answer, Fault, Origin
from tests.functional.test_client import KEY, Caller
from tests.functional.test_client_following import Time

API = document(
    paths={
        "/reports": {
            "post": {
                "tags": ["reports"],
                "operationId": "createReport",
                "responses": {"202": {"description": "Accepted."}},
            }
        }
    },
    components={"securitySchemes": {"apiKey": {"type": "http", "scheme": "bearer"}}},
    security=[{"apiKey": []}],
)


@pytest.fixture(params=["sync", "async"])
def caller(request: pytest.FixtureRequest, package: Generate, origin: Origin) -> Caller:
    return Caller(package(API, short_method_names=True), origin, request.param == "async")


def accepted(place: str | None = "/jobs/1?part=a", **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(202, b"", named | ({"location": place} if place else {}))


def state(value: Any, status: int = 200, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, json.dumps(value).encode(), named)


def result(
    time: Time | None = None, *, is_timed: bool = False, **options: Any
) -> Callable[[Any], Any]:
    """Create a report and wait for it in either client; without the clock of the test if timed."""
    options = {"timeout": 60, **options}

    def call(client: Any) -> Any:
        if not is_timed:
            (time or Time()).rule(client)
        raw = client.with_raw_response(client.reports.create)
        if hasattr(raw, "status"):
            return client.wait_for_job(raw, **options)

        async def wait() -> Any:
            return await client.wait_for_job(await raw, **options)

        return wait()

    return call


def test_a_job_is_read_until_it_is_done(caller: Caller, origin: Origin) -> None:
    time = Time()
    origin.answer(
        accepted(Retry_After="7"),
        Answer(202, b'{"done": 0}', {"retry-after": "3"}),
        Answer(202, b""),
        state({"pages": 5}, Request_Id="req_1"),
    )
    raw = caller(result(time))
    assert (raw.status, raw.value, raw.headers["request-id"]) == (200, {"pages": 5}, "req_1")
    assert raw.url == f"{origin.url}/jobs/1?part=a"
    assert [asked.target for asked in origin.asked[1:]] == ["/jobs/1?part=a"] * 3
    assert {asked.method for asked in origin.asked[1:]} == {"GET"}
    assert all(asked.headers["authorization"] == f"Bearer {KEY}" for asked in origin.asked)
    assert time.pauses[:2] == [7, 3]


def test_pauses_grow_up_to_a_limit(caller: Caller, origin: Origin) -> None:
    time = Time()
    origin.answer(*[accepted()] * 20, state(1))
    caller(result(time, timeout=1000))
    assert time.pauses[:3] == [1, 1.5, 2.25]
    assert max(time.pauses) == 10


@pytest.mark.parametrize(
    "place", ["/results/1", "../results/1", "http://HOST/results/1", "/results/1#top"]
)
def test_a_303_names_the_result(caller: Caller, origin: Origin, place: str) -> None:
    place = place.replace("HOST", origin.url.removeprefix("http://"))
    origin.answer(accepted(), Answer(303, b"", {"location": place}), state("result"))
    raw = caller(result())
    assert raw.value == "result"
    assert origin.asked[-1].target == "/results/1"


def test_a_303_without_a_place_is_an_error(caller: Caller, origin: Origin) -> None:
    origin.answer(accepted(), Answer(303, b""))
    with pytest.raises(caller.module.ApiStatusError, match="303"):
        caller(result())


def test_the_place_of_the_operation_comes_first_and_may_move(
    caller: Caller, origin: Origin
) -> None:
    origin.answer(
        accepted("/reports/1", Operation_Location="/operations/1"),
        accepted("/operations/2"),
        state(None),
    )
    caller(result())
    assert [asked.target for asked in origin.asked[1:]] == ["/operations/1", "/operations/2"]


def test_the_caller_may_say_when_a_job_is_done(caller: Caller, origin: Origin) -> None:
    origin.answer(accepted(), state({"status": "Running"}), state({"status": "Succeeded"}))
    raw = caller(result(is_done=lambda raw: raw.value["status"] != "Running"))
    assert raw.value == {"status": "Succeeded"}


@pytest.mark.parametrize(
    ("body", "media_type", "value"),
    [(b"%PDF", "application/pdf", b"%PDF"), (b"a,b", "text/csv", "a,b"), (b"", "x/y", None)],
)
def test_a_result_may_be_no_json(
    caller: Caller, origin: Origin, body: bytes, media_type: str, value: object
) -> None:
    origin.answer(accepted(), Answer(200, body, {"content-type": media_type}))
    assert caller(result()).value == value


@pytest.mark.parametrize(
    "place",
    [
        "http://127.0.0.1:9/jobs/1",
        "https://HOST/jobs/1",
        "//other.example/jobs/1",
        "http://user@HOST/jobs/1",
        "http://HOST@other.example/",
        "http://[/jobs/1",
        "http://HOST:x/jobs/1",
        "ftp://HOST/jobs",
        "/a b",
    ],
)
def test_credentials_stay_at_their_origin(caller: Caller, origin: Origin, place: str) -> None:
    place = place.replace("HOST", origin.url.removeprefix("http://"))
    for script in (
        [accepted(place)],
        [accepted(), accepted(place)],
        [accepted(), Answer(303, b"", {"location": place})],
    ):
        origin.script, origin.asked = list(script), []
        with pytest.raises(caller.module.InvalidResponseError, match="another origin"):
            caller(result())
        assert len(origin.asked) == len(script)


def test_a_job_without_a_place_is_an_error(caller: Caller, origin: Origin) -> None:
    origin.answer(accepted(None))
    with pytest.raises(caller.module.InvalidResponseError, match="names no place of the job"):
        caller(result())


def test_only_an_accepted_job_is_waited_for(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(201, b"", {"location": "/jobs/1"}))
    with pytest.raises(caller.module.InvalidArgumentError, match="201"):
        caller(result())


@pytest.mark.parametrize("timeout", [-1, float("nan")])
def test_the_timeout_is_checked(caller: Caller, origin: Origin, timeout: float) -> None:
    origin.answer(accepted())
    with pytest.raises(caller.module.InvalidArgumentError, match="timeout"):
        caller(result(timeout=timeout))


@pytest.mark.parametrize("headers", [{}, {"Retry_After": "8"}, {"Retry_After": "0"}])
def test_time_is_limited(caller: Caller, origin: Origin, headers: dict[str, str]) -> None:
    time = Time()
    origin.answer(accepted(**headers), Answer(202, b'{"done": 1}', headers))
    with pytest.raises(caller.module.WaitTimeoutError, match="not final after 15 s") as caught:
        caller(result(time, timeout=15))
    assert caught.value.value.value == {"done": 1}
    assert sum(time.pauses) <= 15
    # Without a hot loop.
    assert min(time.pauses) >= 0.1


def test_a_silent_service_is_waited_for_no_longer(caller: Caller, origin: Origin) -> None:
    origin.answer(accepted(Retry_After="0"), Answer(fault=Fault.SILENCE))
    with pytest.raises(caller.module.WaitTimeoutError):
        caller(result(timeout=0.5, is_timed=True))


def test_a_connection_that_breaks_is_an_error_without_the_query(
    caller: Caller, origin: Origin
) -> None:
    origin.answer(accepted(), Answer(fault=Fault.RESET))
    with pytest.raises(caller.module.ApiConnectionError) as caught:
        caller(result())
    assert f"GET {origin.url}/jobs/1, 1 attempt" in str(caught.value)


def test_a_job_is_read_at_the_server_of_its_operation(package: Generate) -> None:
    post = {**API["paths"]["/reports"]["post"], "servers": [{"url": "https://jobs.example/api"}]}
    module = package({**API, "paths": {"/reports": {"post": post}}}, short_method_names=True)
    requests: list[Any] = []

    class Jobs:
        def send(self, request: Any) -> Any:
            requests.append(request)
            status = 202 if len(requests) == 1 else 200
            return module.Response(status, [("location", "/jobs/1")], b"")

    client = Time().rule(module.Client(KEY, transport=Jobs()))
    client.wait_for_job(client.with_raw_response(client.reports.create), timeout=10)
    headers = dict(requests[-1].headers)
    assert requests[-1].url == "https://jobs.example/jobs/1"
    assert headers["host"] == "jobs.example"
    # The credentials are for the server of the client.
    assert "Authorization" not in {name.title() for name in headers}


@pytest.mark.parametrize("status", [307, 404, 503])
def test_an_error_is_raised(caller: Caller, origin: Origin, status: int) -> None:
    origin.answer(accepted(), Answer(status, headers={"location": "/jobs/2"}))
    with pytest.raises(caller.module.ApiStatusError):
        caller(result())
    assert len(origin.asked) == 2


def test_reads_are_retried(caller: Caller, origin: Origin) -> None:
    origin.answer(accepted(), Answer(fault=Fault.RESET), Answer(503), state(1))
    assert caller(result(), max_retries=2).value == 1
