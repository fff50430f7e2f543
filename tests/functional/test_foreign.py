"""The package of a document without any keyword of ours: the bicycles of the golden tree."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.origin import Answer, Fault, Origin

TOKEN = "a-token-of-the-town"
CITY = {"kind": "city", "number": "7"}
RENTAL = {"id": "r1", "bicycle": "7"}


@pytest.fixture(scope="module")
def velo(package: Generate, root: Path) -> Any:
    document = root / "tests" / "golden" / "bicycle_rental" / "input.json"
    return package(json.loads(document.read_text("utf-8")), short_method_names=True)


@pytest.fixture
def client(velo: Any, origin: Origin) -> Iterator[Any]:
    with velo.Client(TOKEN, base_url=origin.url) as made:
        yield made


def says(origin: Origin, body: object, status: int = 200, media: str = "application/json") -> None:
    origin.answer(Answer(status, json.dumps(body).encode(), {"content-type": media}))


def test_members_that_an_answer_leaves_out_are_none(client: Any, origin: Origin) -> None:
    says(origin, CITY)
    bicycle = client.bicycles.get("7")
    assert bicycle.name is bicycle.gears is bicycle.colour is bicycle.station is None
    assert f"{bicycle.name}" == "None"
    assert bicycle.model_fields_set == {"kind", "number"}


def test_null_is_told_from_what_is_left_out(client: Any, origin: Origin) -> None:
    says(origin, {**CITY, "colour": None})
    bicycle = client.bicycles.get("7")
    assert bicycle.colour is None
    assert bicycle.model_fields_set == {"kind", "number", "colour"}


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("name", "longer than twenty characters"),
        ("gears", 27),
        ("state", "stolen"),
        ("number", "more than twelve"),
    ],
)
def test_an_answer_may_outgrow_its_limits(
    member: str, value: object, client: Any, origin: Origin
) -> None:
    says(origin, {**CITY, member: value})
    assert getattr(client.bicycles.get("7"), member) == value


def test_a_bicycle_of_a_new_kind_keeps_its_page(client: Any, origin: Origin) -> None:
    says(origin, {"items": [CITY, {"kind": "tandem", "number": "8", "seats": 2}]})
    known, unknown = client.bicycles.list().items
    assert known.number == "7"
    assert unknown.kind == "tandem"
    assert unknown.model_dump()["seats"] == 2


def test_pages_are_asked_for_by_number(client: Any, origin: Origin) -> None:
    says(origin, {"items": [CITY], "page": 2, "pages": 2, "total": 3})
    page = client.bicycles.list(page=2, per_page=2)
    assert (page.page, page.pages, page.total) == (2, 2, 3)
    assert origin.asked[0].target == "/bicycles?page=2&per_page=2"


def test_the_token_is_sent_as_the_document_says(client: Any, origin: Origin) -> None:
    says(origin, CITY)
    client.bicycles.get("7")
    assert origin.asked[0].headers["velo-token"] == TOKEN
    assert "authorization" not in origin.asked[0].headers


def test_an_error_says_the_detail_of_its_problem(velo: Any, client: Any, origin: Origin) -> None:
    detail = "Bicycle 7 was taken out of the river."
    says(origin, {"title": "Gone", "detail": detail}, 404, "application/problem+json")
    with pytest.raises(velo.NotFoundError) as caught:
        client.bicycles.get("7")
    assert detail in str(caught.value)


def test_a_problem_without_a_detail_has_its_title(velo: Any, client: Any, origin: Origin) -> None:
    says(origin, {"title": "Gone", "detail": None}, 404, "application/problem+json")
    with pytest.raises(velo.NotFoundError) as caught:
        client.bicycles.get("7")
    assert "Gone" in str(caught.value)


def test_a_rental_is_not_started_twice(velo: Any, client: Any, origin: Origin) -> None:
    origin.answer(Answer(fault=Fault.RESET), Answer(201, json.dumps(RENTAL).encode()))
    with pytest.raises(velo.ApiConnectionError):
        client.rentals.start(bicycle="7")
    assert len(origin.asked) == 1


def test_an_answer_without_a_body_is_none(client: Any, origin: Origin) -> None:
    origin.answer(Answer(204, b""))
    assert client.rentals.end("r1") is None


def test_the_document_has_no_keyword_of_ours(root: Path) -> None:
    document = root / "tests" / "golden" / "bicycle_rental" / "input.json"
    assert "x-contract" not in document.read_text("utf-8")
