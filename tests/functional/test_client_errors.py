"""Errors of a generated client: their messages and data, copies and pickles."""

from __future__ import annotations

import copy
import json
import pickle
from concurrent.futures import ProcessPoolExecutor
from types import ModuleType
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import THING, content, document, operation, ref
from tests.functional.origin import Answer, Fault, Origin

TEXT = {"type": "string"}
ERROR = {
    "schema": "#/components/schemas/Problem",
    "code": "/code",
    "type": "/kind",
    "message": "/text",
    "request_id": "/request",
    "details": "/faults",
    "codes": {"too_big": {"status": 400, "type": "invalid"}},
}
SCHEMAS = {
    "Thing": THING,
    "Code": {"type": "string", "x-extensible-enum": ["too_big", "too_small"]},
    "Fault": {
        "type": "object",
        "required": ["at"],
        "properties": {"at": TEXT, "limit": {"type": "integer"}},
    },
    "Problem": {
        "type": "object",
        "required": ["code", "text"],
        "properties": {
            "code": ref("Code"),
            "kind": {"type": "string", "enum": ["invalid", "failed"]},
            "text": TEXT,
            "request": TEXT,
            "faults": {"type": "array", "items": ref("Fault")},
        },
    },
}
PATHS = {
    "/thing": {
        "get": {
            **operation(ref("Thing"), operationId="getThing"),
            "responses": {
                "200": {"description": "Done.", **content(ref("Thing"))},
                "400": {"description": "No.", **content(ref("Problem"))},
            },
        }
    }
}
API = document(PATHS, SCHEMAS, **{"x-contract-error": ERROR})
REFUSAL = {
    "code": "too_big",
    "kind": "invalid",
    "text": "No.",
    "request": "req_1",
    "faults": [{"at": "size", "limit": 5}, {"at": 7}, {"at": "name", "new": 1}],
}


@pytest.fixture
def made(package: Generate) -> ModuleType:
    return package(API)


def raised(made: ModuleType, origin: Origin, answer: Answer, **options: Any) -> Any:
    """The error that a call ends with when the server answers so."""
    origin.answer(answer)
    with (
        made.Client(base_url=origin.url, max_retries=0, **options) as client,
        pytest.raises(made.ApiError) as caught,
    ):
        client.things.get_thing()
    return caught.value


def refusal(status: int = 400, **headers: str) -> Answer:
    return Answer(status, json.dumps(REFUSAL).encode(), headers)


@pytest.mark.parametrize(
    "answer",
    [
        refusal(),
        refusal(429, **{"Retry-After": "3"}),
        Answer(503, b"<html>"),
        Answer(body=b"{}"),
        Answer(fault=Fault.RESET),
    ],
    ids=["400", "429", "503", "broken answer", "no answer"],
)
@pytest.mark.parametrize(
    "again", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy]
)
def test_an_error_can_be_pickled_and_copied(
    made: ModuleType, origin: Origin, answer: Answer, again: Any
) -> None:
    error = raised(made, origin, answer)
    other = again(error)
    assert type(other) is type(error)
    assert str(other) == str(error)
    assert vars(other) == vars(error)


def _fail(error: Exception) -> None:
    raise error


def test_an_error_in_a_worker_process_arrives_in_the_one_that_waits(
    made: ModuleType, origin: Origin
) -> None:
    error = raised(made, origin, refusal())
    with ProcessPoolExecutor(1) as pool:
        with pytest.raises(made.BadRequestError) as caught:
            pool.submit(_fail, error).result()
        assert pool.submit(abs, -1).result() == 1
    assert caught.value.details == error.details


def test_the_message_has_the_request_id(made: ModuleType, origin: Origin) -> None:
    error = raised(made, origin, refusal())
    assert str(error) == "400 too_big: No. (request req_1)"


def test_a_message_is_short_and_can_be_written_whatever_the_body_says(
    made: ModuleType, origin: Origin
) -> None:
    texts = dict.fromkeys(("code", "text", "request"), "\ud800" + "a" * 100_000)
    error = raised(made, origin, Answer(400, json.dumps(texts).encode()))
    assert len(str(error)) < 1500
    assert str(error).encode().startswith(b"400 \\ud800aaa")
    assert len(error.message) == len(error.code) == len(error.request_id) == 100_001


def test_details_are_models_and_one_of_another_form_is_left_out(
    made: ModuleType, origin: Origin
) -> None:
    error = raised(made, origin, refusal())
    assert [(type(detail).__name__, detail.at) for detail in error.details] == [
        ("Fault", "size"),
        ("Fault", "name"),
    ]


@pytest.mark.parametrize("faults", [None, 5, {}, [[]], "no"])
def test_details_of_another_form_are_none(made: ModuleType, origin: Origin, faults: Any) -> None:
    body = json.dumps({**REFUSAL, "faults": faults}).encode()
    assert raised(made, origin, Answer(400, body)).details == []


def test_a_page_for_people_is_named_as_what_it_is(made: ModuleType, origin: Origin) -> None:
    page = Answer(body=b"<!doctype html>", headers={"content-type": "text/html; charset=utf-8"})
    error = raised(made, origin, page)
    assert isinstance(error, made.InvalidResponseError)
    assert str(error).endswith("(200, text/html)")


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("https://user:secret@new.example/v2?key=secret#top", "https://new.example/v2"),
        ("/sign-in?next=secret", "/sign-in"),
        ("//new.example", "//new.example"),
        ("file:///etc/passwd", "file:///etc/passwd"),
        ("javascript:alert(1)", "javascript:alert(1)"),
        ("?secret", None),
        ("http://[::1", None),
    ],
)
@pytest.mark.parametrize("status", [301, 302, 308])
def test_a_redirection_says_where_it_leads(
    made: ModuleType, origin: Origin, status: int, location: str, shown: str | None
) -> None:
    error = raised(made, origin, Answer(status, b"", {"Location": location}))
    assert (error.status, error.location) == (status, shown)
    assert (f"redirects to {shown}" in str(error)) is (shown is not None)
    assert "secret" not in str(error)
    assert len(origin.asked) == 1


def test_only_a_redirection_leads_somewhere(made: ModuleType, origin: Origin) -> None:
    assert raised(made, origin, Answer(404, b"{}", {"Location": "/a"})).location is None


def test_a_long_answer_has_an_error_of_its_own(made: ModuleType, origin: Origin) -> None:
    error = raised(made, origin, Answer(body=b'{"id": "a"}'), max_response_bytes=5)
    assert isinstance(error, made.ResponseTooLargeError)
    assert not isinstance(error, made.ApiConnectionError)


def test_without_a_shared_error_body_the_usual_places_are_read(
    package: Generate, origin: Origin
) -> None:
    plain = package(document(PATHS, SCHEMAS))
    error = raised(plain, origin, refusal())
    assert (type(error).__name__, error.code, error.details) == ("BadRequestError", "too_big", [])
