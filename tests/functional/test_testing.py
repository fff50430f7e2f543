"""The package's helpers for tests: in-memory transports, examples and events."""

from __future__ import annotations

import asyncio
import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from tests.functional.conftest import Generate
from tests.functional.documents import Json, content, document, operation, ref
from tests.functional.test_webhooks import SECRET, SIGNED, api

TEXT = {"type": "string"}
SCHEMAS = {
    "Trip": {
        "type": "object",
        "required": ["id", "leaves", "price", "class"],
        "properties": {
            "id": {"type": "string", "pattern": "^trp_[0-9]{4}$"},
            "leaves": {"type": "string", "format": "date-time"},
            "price": {"type": "string", "format": "decimal", "pattern": r"^\d+\.\d\d$"},
            "class": {"type": "string", "enum": ["first", "second"]},
            "note": TEXT,
            "key": {"type": "string", "x-contract-sensitive": True, "example": "a secret"},
        },
    },
    "TripList": {
        "type": "object",
        "required": ["trips", "more", "next"],
        "properties": {
            "trips": {"type": "array", "items": ref("Trip"), "minItems": 1},
            "more": {"type": "boolean"},
            "next": {"type": ["string", "null"]},
        },
    },
}
PAGINATION = {
    "cursor": "after",
    "limit": None,
    "items": "/trips",
    "next": "/next",
    "more": "/more",
    "id": "/id",
    "resume": False,
}
ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 3}}
PATHS = {
    "/trips": {
        "get": operation(
            ref("TripList"),
            operationId="listTrips",
            parameters=[{"name": "after", "in": "query", "schema": TEXT}],
            **{"x-contract-pagination": PAGINATION},
        )
    },
    "/trips/{id}": {"get": operation(ref("Trip"), operationId="getTrip", parameters=[ID])},
    "/names": {"get": operation({"type": "array", "items": TEXT}, operationId="listNames")},
}
API = document(PATHS, SCHEMAS)


@pytest.fixture
def made(package: Generate) -> ModuleType:
    return package(API, short_method_names=True)


def client(made: ModuleType, transport: Any) -> Any:
    return made.Client(base_url="http://test", transport=transport, max_retries=0)


def test_a_document_without_examples_gets_some_that_are_valid(made: ModuleType) -> None:
    trip = client(made, made.testing.FakeTransport()).things.get_trip("abc")
    assert trip == made.testing.example(made.models.Trip)
    written = trip.model_dump(mode="json", by_alias=True, exclude_unset=True)
    Draft202012Validator(SCHEMAS["Trip"]).validate(written)
    assert trip.note is not None, "an example shows what may be left out, too"


def test_examples_are_the_same_each_time(made: ModuleType, package: Generate) -> None:
    again = package(API, short_method_names=True, env_prefix="OTHER")
    assert again is not made
    assert again.testing._BOOK.examples == made.testing._BOOK.examples


def test_a_schema_that_takes_too_many_tries_has_no_example(
    package: Generate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("specwright.samples.witnesses._TRIES", 4)
    made = package(document(PATHS, SCHEMAS, tags=[{"name": "things"}]))
    assert made.testing._BOOK.examples.keys() == {"ListNames_Response"}
    with pytest.raises(KeyError):
        made.testing.example(made.models.Trip)


def test_a_schema_that_was_given_up_takes_no_example_from_another(
    package: Generate, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = {**{f"p{number:02}": TEXT for number in range(12)}, "trip": ref("Trip")}
    schemas: Json = {
        "Large": {"type": "object", "required": [*parts], "properties": parts},
        "Small": {"type": "object", "required": ["trip"], "properties": {"trip": ref("Trip")}},
    }
    paths = {
        f"/{name}": {"get": operation(ref(name), operationId=f"get{name}")} for name in schemas
    }
    monkeypatch.setattr("specwright.samples.witnesses._TRIES", 15)
    made = package(document(paths, {**schemas, **SCHEMAS}))
    assert made.testing._BOOK.examples.keys() == {"Small"}


def test_a_secret_is_no_example(made: ModuleType) -> None:
    assert made.testing.example(made.models.Trip).key != "a secret"


def test_a_list_of_examples_has_an_end(made: ModuleType) -> None:
    transport = made.testing.FakeTransport()
    items = list(client(made, transport).things.list_trips())
    assert items == [made.testing.example(made.models.Trip)]
    assert len(transport.requests) == 1


def test_an_example_in_the_document_that_fits_comes_first(package: Generate) -> None:
    def listing(*examples: Json) -> ModuleType:
        shown = {f"e{n}": {"value": each} for n, each in enumerate(examples)}
        body = {"application/json": {"schema": ref("Trip"), "examples": shown}}
        answer = {"200": {"description": "Done.", "content": body}}
        get = {**operation(operationId="getTrip", parameters=[ID]), "responses": answer}
        return package(document({"/trips/{id}": {"get": get}}, SCHEMAS))

    fits = {"id": "trp_7777", "leaves": "2026-03-01T00:00:00Z", "price": "1.50", "class": "first"}
    two = listing({**fits, "price": "free"}, fits)
    assert two.testing.example(two.models.Trip).id == "trp_7777"
    none = listing({**fits, "price": "free"})
    assert none.testing.example(none.models.Trip).id != "trp_7777"


def test_an_example_can_be_changed(made: ModuleType) -> None:
    example, trip = made.testing.example, made.models.Trip
    leaves = datetime.datetime(2027, 1, 2, tzinfo=datetime.UTC)
    assert example(trip, leaves=leaves).leaves == leaves
    assert example(trip, leaves="2027-01-02T00:00:00Z").leaves == leaves
    assert example(trip, class_="second").class_ == "second"
    assert "note" not in example(trip, note=None).model_fields_set
    with pytest.raises(TypeError, match="Trip has no field 'nte'"):
        example(trip, nte="a")


@pytest.mark.parametrize("reply", [200, None, {"id": "a"}, b"{}"])
def test_a_reply_that_is_no_response_is_refused_in_words(made: ModuleType, reply: Any) -> None:
    testing = made.testing
    with pytest.raises(TypeError, match=f"not a {type(reply).__name__}"):
        client(made, testing.FakeTransport(lambda request: reply)).things.get_trip("abc")
    with pytest.raises(TypeError, match=r"response\(\)"):
        testing.FakeTransport().reply("getTrip", reply)

    async def call() -> None:
        transport = testing.AsyncFakeTransport(lambda request: reply)
        async with made.AsyncClient(base_url="http://test", transport=transport) as calls:
            await calls.things.get_trip("abc")

    with pytest.raises(TypeError, match=r"response\(\)"):
        asyncio.run(call())


def test_a_model_is_answered_as_the_service_would_write_it(made: ModuleType) -> None:
    testing = made.testing
    trip = testing.example(made.models.Trip, note=None)
    transport = testing.FakeTransport(lambda request: testing.response(trip))
    assert client(made, transport).things.get_trip("abc") == trip
    assert b"note" not in testing.response(trip).content


def test_an_event_comes_from_the_document_and_can_be_delivered(package: Generate) -> None:
    made = package(api(**SIGNED))
    event = made.testing.event("gone", count=7)
    assert (type(event).__name__, event.type, event.count) == ("Gone", "gone", 7)
    body, headers = made.webhooks.fake_delivery(event, SECRET)
    assert made.webhooks.parse(body, headers, SECRET) == event
    with pytest.raises(KeyError):
        made.testing.event("other")
    with pytest.raises(TypeError, match="Gone has no field 'cuont'"):
        made.testing.event("gone", cuont=7)


def readme(package: Generate, **members: Any) -> str:
    """The first call of a README."""
    made = package(document(**{"paths": PATHS, "schemas": SCHEMAS, **members}))
    assert made.__file__ is not None
    text = (Path(made.__file__).parents[1] / "README.md").read_text("utf-8")
    return text.partition("as client:\n")[2].partition("\n```")[0].strip()


def test_a_readme_begins_with_a_call(package: Generate) -> None:
    assert readme(package) == 'print(client.things.get_trip("abcdefgh"))'


def test_the_call_has_the_arguments_of_the_document(package: Generate) -> None:
    shown = {**ID, "example": "trp_0042"}
    get = operation(ref("Trip"), operationId="getTrip", parameters=[shown])
    paths = {**PATHS, "/trips/{id}": {"get": get}}
    assert readme(package, paths=paths) == 'print(client.things.get_trip("trp_0042"))'


@pytest.mark.parametrize(
    ("paths", "call"),
    [
        (
            {"/trips": PATHS["/trips"]},
            "for item in client.things.list_trips():\n        print(item)",
        ),
        (
            {
                "/it": {
                    "post": operation(
                        operationId="addIt",
                        requestBody={
                            "required": True,
                            "content": {
                                "application/json": {
                                    "schema": {
                                        "type": "object",
                                        "required": ["name", "size"],
                                        "properties": {
                                            "name": TEXT,
                                            "size": {"type": "integer", "minimum": 4},
                                            "other": TEXT,
                                        },
                                    },
                                    "example": {"name": 'a"b', "size": 5},
                                }
                            },
                        },
                    )
                }
            },
            'client.things.add_it(name="a\\"b", size=5)',
        ),
        (
            {
                "/it": {
                    "put": operation(
                        operationId="putIt",
                        requestBody={"required": True, **content({"type": "object"})},
                    )
                }
            },
            "...",
        ),
        ({}, "..."),
    ],
    ids=["a list", "a write", "nothing that can be shown", "no operations"],
)
def test_the_call_is_what_the_document_allows(package: Generate, paths: Json, call: str) -> None:
    assert readme(package, paths=paths) == call
