"""Lists in pages of every kind, called at a server by the synchronous and asynchronous client."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from specwright.errors import SpecwrightError
from tests.functional.conftest import Generate
from tests.functional.documents import THING, Json, content, document, operation, ref
from tests.functional.origin import Answer, Origin

NONE = dict.fromkeys(("cursor", "limit", "next", "more", "id"))
NUMBER = {"type": "integer"}
LIST = {"type": "array", "items": ref("Thing")}
PAGE = {
    "allOf": [
        {"type": "object", "properties": {"items": LIST}},
        {
            "type": "object",
            "properties": {
                "total": NUMBER,
                "pages": NUMBER,
                "hasMore": {"type": "boolean"},
                "meta": {
                    "anyOf": [
                        {
                            "type": "object",
                            "properties": {"nextCursor": {"type": ["string", "integer"]}},
                        },
                        {"type": "null"},
                    ]
                },
                "links": {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
            },
        },
    ]
}


def api(answer: Json, names: tuple[str, ...], **declared: Any) -> Json:
    """A list with these query parameters; those of numbers are integers."""
    parameters = [
        {"name": name, "in": "query", "schema": {"type": "string"} if "after" in name else NUMBER}
        for name in names
    ]
    get = operation(operationId="listThings", parameters=parameters)
    get["responses"] = {"200": {"description": "Some.", **content(answer)}}
    get["x-contract-pagination"] = {**NONE, "items": "/items", **declared}
    return document({"/things": {"get": get}}, {"Thing": THING, "Page": PAGE})


def things(*ids: str) -> list[Json]:
    return [{"id": id_} for id_ in ids]


# What is declared, what the server answers, and what it is asked.
Kind = tuple[Json, list[Any], list[str]]
KINDS: dict[str, Kind] = {
    "offset in a plain list": (
        api(LIST, ("skip", "limit"), offset="skip", limit="limit", items=""),
        [things("a", "b"), things("c"), []],
        ["", "?skip=2", "?skip=3"],
    ),
    "offset with a total": (
        api(ref("Page"), ("offset",), offset="offset", total="/total"),
        [{"items": things("a", "b"), "total": 3}, {"items": things("c"), "total": 3}],
        ["", "?offset=2"],
    ),
    "pages in a plain list": (
        api(LIST, ("page",), page="page", items=""),
        [things("a", "b"), things("c"), []],
        ["", "?page=2", "?page=3"],
    ),
    "pages with their number": (
        api(ref("Page"), ("page",), page="page", pages="/pages"),
        [{"items": things("a", "b"), "pages": 2}, {"items": things("c"), "pages": 2}],
        ["", "?page=2"],
    ),
    "pages from 0 with a mark at the end": (
        api(ref("Page"), ("page",), page="page", first_page=0, more="/hasMore"),
        [{"items": things("a", "b"), "hasMore": True}, {"items": things("c"), "hasMore": False}],
        ["", "?page=1"],
    ),
    "a cursor deeper in the page": (
        api(ref("Page"), ("after",), cursor="after", next="/meta/nextCursor"),
        [
            {"items": things("a"), "meta": {"nextCursor": "x y"}},
            {"items": things("b"), "meta": {"nextCursor": 7}},
            {"items": things("c"), "meta": {"nextCursor": ""}},
        ],
        ["", "?after=x%20y", "?after=7"],
    ),
    "the URL of the next page": (
        api(ref("Page"), ("page",), next_url="/links/next"),
        [
            {"items": things("a", "b"), "links": {"next": "https://else.test/x?page=2&q=a+b%26"}},
            {"items": things("c"), "links": {"next": None}},
        ],
        ["", "?page=2&q=a+b%26"],
    ),
}


def called(made: Any, origin: Origin, answers: list[Answer], asynchronous: bool) -> list[str]:
    """The ids of all things, from the client of that kind."""
    origin.answer(*answers)
    if not asynchronous:
        with made.Client(base_url=origin.url, max_retries=0) as client:
            return [thing.id for thing in client.things.list_things()]

    async def run() -> list[str]:
        async with made.AsyncClient(base_url=origin.url, max_retries=0) as client:
            return [thing.id async for thing in client.things.list_things()]

    return asyncio.run(run())


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_list_is_read_to_its_end(
    package: Generate, origin: Origin, kind: str, asynchronous: bool
) -> None:
    declared, pages, queries = KINDS[kind]
    answers = [Answer(body=json.dumps(page).encode()) for page in pages]
    assert called(package(declared), origin, answers, asynchronous) == ["a", "b", "c"]
    assert [request.target for request in origin.asked] == [f"/things{query}" for query in queries]


@pytest.mark.parametrize(
    "link",
    [
        '<https://else.test/y?page=2>; rel="next"',
        '</things?page=2>; title="a, b; rel=prev"; rel="last next", </things?page=9>; rel=last',
        "</things?page=1>;rel=prev,<?page=2>;rel=NEXT",
    ],
)
@pytest.mark.parametrize("asynchronous", [False, True])
def test_the_header_link_leads_on(
    package: Generate, origin: Origin, link: str, asynchronous: bool
) -> None:
    made = package(api(LIST, ("page",), link=True, items=""))
    first = Answer(body=json.dumps(things("a")).encode(), headers={"Link": link})
    last = Answer(
        body=json.dumps(things("b")).encode(), headers={"Link": '</things?page=1>; rel="prev"'}
    )
    assert called(made, origin, [first, last], asynchronous) == ["a", "b"]
    assert [request.target for request in origin.asked] == ["/things", "/things?page=2"]


def test_a_list_is_read_from_the_page_that_was_asked_for(package: Generate, origin: Origin) -> None:
    made = package(KINDS["offset with a total"][0])
    pages: list[Json] = [
        {"items": things("d", "e"), "total": 6},
        {"items": things("f"), "total": 6},
    ]
    origin.answer(*(Answer(body=json.dumps(each).encode()) for each in pages))
    with made.Client(base_url=origin.url) as client:
        page = client.things.list_things(offset=3)
        assert (page.next_cursor, page.has_more) == ("5", True)
        assert [each.id for each in page] == ["d", "e", "f"]
    assert [request.target for request in origin.asked] == ["/things?offset=3", "/things?offset=5"]


def test_a_header_of_the_same_name_does_not_choose_pages(package: Generate, origin: Origin) -> None:
    declared = api(LIST, ("skip",), offset="skip", items="")
    parameters = declared["paths"]["/things"]["get"]["parameters"]
    parameters.insert(0, {"name": "skip", "in": "header", "schema": NUMBER})
    answers = [Answer(body=json.dumps(each).encode()) for each in (things("a", "b"), [])]
    assert called(package(declared), origin, answers, asynchronous=False) == ["a", "b"]
    assert [request.target for request in origin.asked] == ["/things", "/things?skip=2"]


def test_a_page_without_items_is_the_last_one(package: Generate, origin: Origin) -> None:
    made = package(KINDS["pages from 0 with a mark at the end"][0])
    origin.answer(Answer(body=b'{"hasMore": true}'))
    with made.Client(base_url=origin.url) as client:
        assert list(client.things.list_things()) == []


def test_a_url_that_names_no_page_is_an_error(package: Generate, origin: Origin) -> None:
    made = package(KINDS["the URL of the next page"][0])
    origin.answer(Answer(body=b'{"items": [], "links": {"next": "https://else.test/x"}}'))
    with made.Client(base_url=origin.url) as client, pytest.raises(made.PaginationError):
        client.things.list_things()


def test_a_url_cannot_write_another_request(package: Generate) -> None:
    made = package(KINDS["the URL of the next page"][0])
    url = "http://else.test/?a=b c\r\nX-Evil: 1\u00e9"
    pages: list[Json] = [{"items": things("a"), "links": {"next": url}}, {"items": []}]
    answers = iter([made.testing.response(page) for page in pages])
    transport = made.testing.FakeTransport(lambda request: next(answers))
    with made.Client(base_url="http://things.test", transport=transport) as client:
        assert len(list(client.things.list_things())) == 1
    expected = "http://things.test/things?a=b%20cX-Evil:%201%C3%A9"
    assert transport.requests[1].url == expected


def test_a_model_is_not_iterated_as_pairs(package: Generate) -> None:
    made = package(KINDS["offset with a total"][0])
    with pytest.raises(TypeError, match="not iterable"):
        list(made.models.Page(total=1))


@pytest.mark.parametrize("name", ["listThings", "GET /things"])
def test_settings_declare_pages_of_a_document_that_does_not(
    package: Generate, origin: Origin, name: str
) -> None:
    silent = api(LIST, ("skip",))
    del silent["paths"]["/things"]["get"]["x-contract-pagination"]
    made = package(silent, pagination={name: {"offset": "skip", "items": ""}})
    answers = [Answer(body=json.dumps(each).encode()) for each in (things("a", "b"), [])]
    assert called(made, origin, answers, asynchronous=False) == ["a", "b"]


def test_settings_win_over_the_document(package: Generate, origin: Origin) -> None:
    declared = api(LIST, ("skip", "page"), page="page", items="")
    made = package(declared, pagination={"listThings": {"offset": "skip", "items": ""}})
    answers = [Answer(body=json.dumps(each).encode()) for each in (things("a", "b"), [])]
    assert called(made, origin, answers, asynchronous=False) == ["a", "b"]
    assert origin.asked[1].target == "/things?skip=2"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"listThing": {"offset": "skip"}}, "'listThing', which is not an operation"),
        ({"listThings": {"offset": "skipped"}}, "contract-reference"),
        ({"listThings": {"ofset": "skip"}}, "contract-shape"),
        ({"listThings": {"offset": 5}}, "contract-shape"),
    ],
)
def test_settings_are_judged_as_declarations_are(
    package: Generate, settings: Json, said: str
) -> None:
    with pytest.raises(SpecwrightError) as caught:
        package(api(LIST, ("skip",), offset="skip", items=""), pagination=settings)
    report = getattr(caught.value, "report", None)
    found = [finding.rule for finding in report.findings] if report else str(caught.value)
    assert said in found
