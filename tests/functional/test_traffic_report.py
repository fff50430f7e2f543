"""`traffic_report`: a client that records where responses differ from the document."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwright.conformance.checks.table import BY_ID
from tests.command import run
from tests.functional.conftest import Generate, codecs
from tests.functional.documents import Json, content, document, operation, ref
from tests.functional.origin import Answer, Origin
from tests.report import published

TEXT: Json = {"type": "string"}
CARD: Json = {
    "type": "object",
    "required": ["type", "card"],
    "properties": {"type": {"const": "card"}, "card": TEXT},
    "additionalProperties": False,
}
BANK: Json = {
    "type": "object",
    "required": ["type", "iban"],
    "properties": {"type": {"const": "bank"}, "iban": TEXT},
}
CAT: Json = {"type": "object", "required": ["lives"], "properties": {"lives": {"type": "integer"}}}
DOG: Json = {"type": "object", "required": ["owner"], "properties": {"owner": TEXT}}
ORDER: Json = {
    "type": "object",
    "required": ["id", "count"],
    "properties": {
        "id": {"type": "string", "maxLength": 8},
        "count": {"type": "integer", "minimum": 0},
        "state": {"enum": ["open", "paid"]},
        "ref": {"type": "string", "format": "uuid"},
        "lines": {"type": "array", "items": ref("Cat"), "maxItems": 3},
        "by": {"type": "object", "additionalProperties": ref("Cat")},
        "source": {"oneOf": [ref("Card"), ref("Bank")], "discriminator": {"propertyName": "type"}},
        "sources": {
            "type": "array",
            "items": {
                "oneOf": [ref("Card"), ref("Bank")],
                "discriminator": {"propertyName": "type"},
            },
        },
        "pet": {"anyOf": [ref("Cat"), ref("Dog")]},
        "next": ref("Order"),
    },
    "additionalProperties": False,
}
PROBLEM: Json = {"type": "object", "required": ["title"], "properties": {"title": TEXT}}
IDENTIFIED: Json = {"name": "id", "in": "path", "required": True, "schema": TEXT}
LINES: Json = {"content": {"application/jsonl": {"itemSchema": ref("Cat")}}}
XML: Json = {"description": "Done.", "content": {"application/xml": {"schema": ref("Cat")}}}
PATHS: Json = {
    "/orders/{id}": {
        "get": {
            "operationId": "getOrder",
            "tags": ["things"],
            "parameters": [IDENTIFIED],
            "responses": {
                "200": {"description": "Done.", **content(ref("Order"))},
                "202": {"description": "Later."},
                "4XX": {
                    "description": "Refused.",
                    "content": {"application/problem+json": {"schema": ref("Problem")}},
                },
            },
        },
        "delete": operation(operationId="deleteOrder", parameters=[IDENTIFIED]),
    },
    "/health": {"get": operation(TEXT, operationId="health")},
    "/lines": {
        "get": {
            "operationId": "watch",
            "tags": ["things"],
            "responses": {"200": {"description": "Done.", **LINES}},
        }
    },
    "/picture": {
        "get": {
            "operationId": "picture",
            "tags": ["things"],
            "responses": {"default": {"description": "Any.", "content": {"image/*": {}}}},
        },
        "head": operation(TEXT, operationId="hasPicture"),
        "additionalOperations": {"COPY": operation(operationId="copyPicture")},
    },
    "/anything": {
        "get": {
            "operationId": "anything",
            "tags": ["things"],
            "responses": {"200": {"description": "Done.", "content": {"*/*": {}}}},
        }
    },
    "/versions": {
        "get": {
            "operationId": "versions",
            "tags": ["things"],
            "responses": {
                "200": {
                    "description": "Done.",
                    "content": {
                        "application/json;v=1": {"schema": ref("Cat")},
                        "application/json;v=2": {"schema": ref("Dog")},
                    },
                }
            },
        }
    },
    "/cat": {"get": {"operationId": "cat", "tags": ["things"], "responses": {"200": XML}}},
}
SCHEMAS: Json = {
    **{"Order": ORDER, "Card": CARD, "Bank": BANK, "Cat": CAT, "Dog": DOG, "Problem": PROBLEM}
}
SOUND: Json = {"id": "a", "count": 5}
ORDERS = "/paths/~1orders~1{id}/get/responses"
DOCUMENT: Json = {**document(PATHS, SCHEMAS), "openapi": "3.2.0"}
# Bodies that differ, the places, and the words of the first one.
BODIES: dict[str, tuple[object, set[str], str]] = {
    "a wrong type": ({**SOUND, "count": "s3cret"}, {"/count"}, "should be a valid integer"),
    "a missing member": ({"id": "a"}, {"/count"}, "Field required"),
    "a limit": ({**SOUND, "count": -1}, {"/count"}, "greater than or equal to 0"),
    "a long text": ({**SOUND, "id": "s3cret-s3cret"}, {"/id"}, "at most 8 characters"),
    "another value": ({**SOUND, "state": "s3cret"}, {"/state"}, "'open' or 'paid'"),
    "a part of a value": ({**SOUND, "ref": "s3cret"}, {"/ref"}, "valid UUID, …"),
    "an undeclared member": ({**SOUND, "newName": "s3cret"}, {"/newName"}, "not permitted"),
    "a value as a name": ({**SOUND, "s3cret@example.com": 1}, {"/*"}, "not permitted"),
    "items": (
        {**SOUND, "lines": [{"lives": 9}, {"lives": "s3cret"}, {}]},
        {"/lines/*/lives"},
        "valid integer",
    ),
    "too many items": ({**SOUND, "lines": [{"lives": 9}] * 4}, {"/lines"}, "at most 3 items"),
    "a map": ({**SOUND, "by": {"s3cret": {"lives": None}}}, {"/by/*/lives"}, "valid integer"),
    "a member with the name of the tag": (
        {**SOUND, "source": {"type": "card", "card": 4}},
        {"/source/card"},
        "valid string",
    ),
    "a member beside one with the name of the tag": (
        {**SOUND, "source": {"type": "card", "card": "4", "more": "s3cret"}},
        {"/source/more"},
        "not permitted",
    ),
    "another tag": ({**SOUND, "source": {"type": "s3cret"}}, {"/source"}, "tag '…' found"),
    "items with several tags": (
        {**SOUND, "sources": [{"type": "card"}, {"type": "bank"}]},
        {"/sources/*/card", "/sources/*/iban"},
        "Field required",
    ),
    "no alternative": ({**SOUND, "pet": {"s3cret": 1}}, {"/pet"}, "fit one of the alternatives"),
    "below": ({**SOUND, "next": {**SOUND, "count": None}}, {"/next/count"}, "valid integer"),
    "null": (None, {""}, "should be an object"),
}


@pytest.fixture
def made(package: Generate) -> ModuleType:
    return package(DOCUMENT)


@pytest.fixture
def report(made: ModuleType) -> Any:
    return made.TrafficReport("api/openapi.json")


def written(value: object, status: int = 200, media_type: str = "application/json") -> Answer:
    return Answer(status, json.dumps(value).encode(), {"content-type": media_type})


def watched(made: ModuleType, origin: Origin, report: Any, **options: Any) -> Any:
    client = made.Client(base_url=origin.url, max_retries=0)
    return client.with_options(traffic_report=report, check_responses=False, **options)


def seen(report: Any) -> list[tuple[str, str, str]]:
    return [(each.rule, each.level, each.pointer) for each in report.differences]


@pytest.mark.parametrize("name", BODIES)
def test_a_body_is_judged_by_place_and_without_its_values(
    made: ModuleType, origin: Origin, report: Any, name: str
) -> None:
    body, places, words = BODIES[name]
    origin.answer(written(body))
    with suppress(made.ApiError):
        watched(made, origin, report).things.get_order("s3cret")
    assert {each.message.rpartition(" at ")[2].strip("'") for each in report.differences} == places
    assert words in report.differences[0].message
    assert set(seen(report)) == {("response-schema", "error", f"{ORDERS}/200")}
    assert "s3cret" not in report.as_json()


@pytest.mark.parametrize(
    ("answer", "difference"),
    [
        (written(SOUND), None),
        (Answer(202, b""), None),
        (Answer(202, b"anything", {"content-type": "text/plain"}), None),
        (written({"title": "no"}, 404, "application/problem+json"), None),
        (written({"title": "no"}, 404, "APPLICATION/problem+JSON; charset=utf-8"), None),
        (written({}, 201), ("undeclared-status", "error", ORDERS)),
        (written({}, 307), ("undeclared-status", "error", ORDERS)),
        (written({}, 503), ("server-error", "error", ORDERS)),
        (written({"title": "no"}, 404), ("undeclared-media-type", "error", f"{ORDERS}/4XX")),
        (
            written({"name": 1}, 404, "application/problem+json"),
            ("response-schema", "error", f"{ORDERS}/4XX"),
        ),
        (
            Answer(200, b"<p>", {"content-type": "s3cret"}),
            ("undeclared-media-type", "error", f"{ORDERS}/200"),
        ),
        (Answer(200, b"{s3cret"), ("response-schema", "error", f"{ORDERS}/200")),
        (Answer(200, b"\xff\xfe"), ("response-schema", "error", f"{ORDERS}/200")),
    ],
)
def test_status_and_media_type(
    made: ModuleType, origin: Origin, report: Any, answer: Answer, difference: Any
) -> None:
    origin.answer(answer)
    with suppress(made.ApiError):
        watched(made, origin, report).things.get_order("a")
    assert seen(report) == ([] if difference is None else [difference])
    assert "s3cret" not in report.as_json()


def test_a_refusal_that_documents_leave_out_is_no_error(
    made: ModuleType, origin: Origin, report: Any
) -> None:
    origin.answer(written({}, 404))
    client = watched(made, origin, report)
    for call in (lambda: client.things.delete_order("a"), client.things.health):
        with suppress(made.ApiError):
            call()
    assert [(rule, level) for rule, level, _ in seen(report)] == [
        ("undeclared-refusal", "info"),
        ("undeclared-status", "error"),
    ]
    for rule, level, _ in seen(report):
        assert BY_ID[rule].description.recommended == level


def test_each_difference_is_counted_once_for_each_response(
    made: ModuleType, origin: Origin, report: Any
) -> None:
    origin.answer(written({**SOUND, "count": None, "lines": [{}, {}]}), written({"id": "a"}))
    times = iter((10.0, 10.0, 20.0, 30.0, 40.0))
    report.clock = lambda: next(times)
    client = watched(made, origin, report)
    for _ in range(3):
        client.things.get_order("a")
    assert [(each.values[1], each.count, each.first, each.last) for each in report.differences] == [
        ('"int_type"', 1, 10.0, 10.0),
        ('"missing"', 1, 10.0, 10.0),
        ('"missing"', 2, 20.0, 30.0),
    ]


def test_the_report_has_the_published_format(made: ModuleType, origin: Origin, report: Any) -> None:
    origin.answer(written({**SOUND, "count": None}), Answer(503), written({}, 404))
    report.clock = lambda: datetime(2026, 11, 28, tzinfo=UTC).timestamp()
    client = watched(made, origin, report)
    for call in (client.things.get_order, client.things.get_order, client.things.delete_order):
        with suppress(made.ApiError):
            call("a")
    value = published.read(report.as_json())
    first = value["findings"][0]
    fingerprints = {finding.pop("fingerprint") for finding in value["findings"]}
    assert len(fingerprints) == 3
    assert value["document"] == "api/openapi.json"
    assert value["summary"] == {"errors": 2, "warnings": 0, "infos": 1, "waived": 0}
    assert first == {
        "rule": "response-schema",
        "level": "error",
        "file": "api/openapi.json",
        "line": 1,
        "column": 1,
        "pointer": f"{ORDERS}/200",
        "message": "200: Input should be a valid integer at '/count'",
        "operations": ["GET /orders/{id}"],
        "count": 1,
        "first": "2026-11-28T00:00:00.000+00:00",
        "last": "2026-11-28T00:00:00.000+00:00",
    }


def test_the_number_of_records_is_limited(made: ModuleType, origin: Origin) -> None:
    report = made.TrafficReport(max_records=2)
    origin.answer(*[written({"id": "a", "count": 1, f"name{n}": 1}) for n in range(5)])
    client = watched(made, origin, report)
    for _ in range(5):
        client.things.get_order("a")
    assert [each.count for each in report.differences] == [1, 1]
    facts = {fact["label"]: fact["value"] for fact in json.loads(report.as_json())["facts"]}
    assert facts == {"Responses": "5", "Differences left out": "3"}


def test_a_client_with_checks_raises_as_before(
    made: ModuleType, origin: Origin, report: Any
) -> None:
    origin.answer(written({"id": "a"}))
    client = made.Client(base_url=origin.url).with_options(traffic_report=report)
    with pytest.raises(made.InvalidResponseError):
        client.things.get_order("a")
    assert len(report.differences) == 1
    with pytest.raises(made.InvalidResponseError):
        client.with_options(traffic_report=None).things.get_order("a")
    assert report.differences[0].count == 1


def test_each_attempt_counts(made: ModuleType, origin: Origin, report: Any) -> None:
    origin.answer(Answer(503, headers={"retry-after": "0"}), written(SOUND))
    assert watched(made, origin, report, max_retries=1).things.get_order("a").id == "a"
    assert [(each.rule, each.count) for each in report.differences] == [("server-error", 1)]


def test_the_items_of_a_stream_are_not_judged(
    made: ModuleType, origin: Origin, report: Any
) -> None:
    body = b'{"lives": 9}\n{"lives": null}\n'
    origin.answer(
        Answer(200, body, {"content-type": "application/jsonl"}),
        Answer(200, body, {"content-type": "text/plain"}),
    )
    client = watched(made, origin, report)
    assert [cat.lives for cat in client.things.watch()] == [9, None]
    assert not report.differences
    [*client.things.watch()]
    assert [rule for rule, _, _ in seen(report)] == ["undeclared-media-type"]


def test_xml_is_judged(made: ModuleType, origin: Origin, report: Any) -> None:
    origin.answer(
        *[
            Answer(200, body, {"content-type": "application/xml"})
            for body in (b"<Cat><lives>9</lives></Cat>", b"<Cat/>", b"<Cat>")
        ]
    )
    for _ in range(3):
        with suppress(made.ApiError):
            watched(made, origin, report).things.cat()
    assert [each.message for each in report.differences] == [
        "200: Field required at '/lives'",
        "200: the body does not match its media type at ''",
    ]


def test_any_media_type_may_be_declared(made: ModuleType, origin: Origin, report: Any) -> None:
    origin.answer(Answer(200, b"{}", {"content-type": "application/json"}))
    watched(made, origin, report).things.anything()
    assert not report.differences


def test_a_parameter_of_a_media_type_tells_schemas_apart(
    made: ModuleType, origin: Origin, report: Any
) -> None:
    headers = {"content-type": "application/json; v=2"}
    origin.answer(Answer(200, b'{"owner": "a"}', headers), Answer(200, b'{"lives": 9}', headers))
    client = watched(made, origin, report)
    client.things.versions()
    assert not report.differences
    with suppress(made.ApiError):
        client.things.versions()
    assert [each.message for each in report.differences] == ["200: Field required at '/owner'"]


def test_ranges_and_methods(made: ModuleType, origin: Origin, report: Any) -> None:
    client = watched(made, origin, report)
    origin.answer(
        Answer(200, b"png", {"content-type": "image/png"}),
        Answer(200, b"text", {"content-type": "text/plain"}),
        Answer(200, b"", {"content-type": "text/plain"}),
    )
    client.things.picture()
    assert not report.differences
    client.things.picture()
    client.things.has_picture()
    with suppress(made.ApiError):
        client.things.copy_picture()
    assert [pointer for _, _, pointer in seen(report)] == [
        "/paths/~1picture/get/responses/default",
        "/paths/~1picture/additionalOperations/COPY/responses",
    ]


def test_requests_without_a_method_are_not_judged(
    made: ModuleType, origin: Origin, report: Any
) -> None:
    origin.answer(written({}, 202))
    watched(made, origin, report).request("GET", "/orders/a")
    assert json.loads(report.as_json())["facts"][0]["value"] == "0"


def test_clients_and_threads_share_a_report(made: ModuleType, origin: Origin, report: Any) -> None:
    origin.answer(written({"id": "a"}))

    def call() -> None:
        client = watched(made, origin, report)
        for _ in range(20):
            client.things.get_order("a")

    async def call_async() -> None:
        async with made.AsyncClient(base_url=origin.url) as client:
            watching = client.with_options(traffic_report=report, check_responses=False)
            await asyncio.gather(*[watching.things.get_order("a") for _ in range(20)])

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    asyncio.run(call_async())
    for thread in threads:
        thread.join()
    assert [each.count for each in report.differences] == [100]


@pytest.mark.parametrize("value", [True, "report.json", object()])
def test_the_option_is_a_report(made: ModuleType, origin: Origin, value: object) -> None:
    with pytest.raises(made.InvalidArgumentError, match="traffic_report must be a TrafficReport"):
        made.Client(base_url=origin.url).with_options(traffic_report=value)


SECRET = "s3cret!"
NAMES = st.sampled_from([*ORDER["properties"], "card", "bank", "type", "iban", "lives", SECRET])
LEAVES = st.none() | st.booleans() | st.integers() | st.sampled_from([SECRET, "card", "bank"])
VALUES = st.recursive(
    LEAVES, lambda under: st.lists(under, max_size=3) | st.dictionaries(NAMES, under, max_size=6)
)


@given(members=st.dictionaries(NAMES, VALUES, max_size=6), changed=st.booleans())
def test_any_body_differs_or_fits_as_the_models_say(
    package: Generate, members: Json, changed: bool
) -> None:
    made = package(DOCUMENT)
    report = made.TrafficReport()
    body = made.testing.response({**members, **({} if changed else SOUND)})
    client = made.Client(transport=made.testing.FakeTransport(lambda _: body))
    client.with_options(traffic_report=report, check_responses=False).things.get_order("a")
    assert bool(report.differences) is not _fits(made, body.content)
    assert SECRET not in report.as_json()


def _fits(made: ModuleType, data: bytes) -> bool:
    with suppress(ValueError):
        codecs(made)["Order"].decode(data)
        return True
    return False


def test_check_traffic_finds_the_same_differences(
    made: ModuleType, origin: Origin, report: Any, tmp_path: Path
) -> None:
    answers = [
        *(written(body) for body, _, _ in BODIES.values()),
        written({"title": "no"}, 404),
        written({}, 201),
        written(SOUND),
        Answer(503),
    ]
    client = watched(made, origin, report)
    for answer in answers:
        origin.script = [answer]
        with suppress(made.ApiError):
            client.things.get_order("a")
    (tmp_path / "openapi.json").write_text(json.dumps(DOCUMENT))
    log = {"version": "1.2", "entries": [_entry(origin.url, answer) for answer in answers]}
    (tmp_path / "traffic.har").write_text(json.dumps({"log": log}))
    arguments = ("--base-url", origin.url, "--document", "openapi.json", "--format", "json")
    done = run("check-traffic", "traffic.har", *arguments, cwd=tmp_path)
    offline = json.loads(done.stdout)["findings"]
    recorded = json.loads(report.as_json())["findings"]
    assert {finding["rule"] for finding in recorded} == {finding["rule"] for finding in offline}
    assert _places(recorded) == _places(offline)


def _places(findings: list[Json]) -> set[str]:
    """Return the places in bodies; that of a missing or an undeclared member is its object."""
    places = set[str]()
    for finding in findings:
        for found in finding.get("occurrences", [finding]):
            place = found["message"].rpartition(" at '")[2].rstrip("'").replace("s3cret", "*")
            is_member = "Field required" in found["message"] or "not permitted" in found["message"]
            if finding["rule"] == "response-schema":
                places.add(place.rpartition("/")[0] if is_member else place)
    return places


def _entry(url: str, answer: Answer) -> Json:
    headers = {"content-type": "application/json", **answer.headers}
    return {
        "startedDateTime": "2026-11-28T00:00:00Z",
        "time": 1,
        "request": {"method": "GET", "url": f"{url}/orders/a", "headers": []},
        "response": {
            "status": answer.status,
            "headers": [{"name": name, "value": value} for name, value in headers.items()],
            "content": {"size": len(answer.body), "text": answer.body.decode()},
        },
    }
