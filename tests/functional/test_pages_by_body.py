"""Lists whose pages are chosen by members of the request body."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import THING, Json, content, document, operation, ref
from tests.functional.origin import Answer, Origin

NONE = dict.fromkeys(("cursor", "limit", "next", "more", "id"))
NUMBER: Json = {"type": "integer"}
LIST: Json = {"type": "array", "items": ref("Thing")}
POSITION: Json = {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}
PAGE: Json = {
    "type": "object",
    "properties": {"items": LIST, "pages": NUMBER, "next": POSITION},
}
SEARCH: Json = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "offset": NUMBER,
        "page": NUMBER,
        "after": POSITION,
        "limit": NUMBER,
        "paging": {"type": "object", "properties": {"from/to": POSITION, "size": NUMBER}},
    },
}


def api(answer: Json, *, required: bool = True, **declared: Any) -> Json:
    """A search by POST whose body has the pages."""
    post = operation(operationId="findThings")
    post["requestBody"] = {"required": required, **content(ref("Search"))}
    post["responses"] = {"200": {"description": "Some.", **content(answer)}}
    post["x-contract-pagination"] = {**NONE, "items": "/items", **declared}
    schemas = {"Thing": THING, "Page": PAGE, "Search": SEARCH}
    return document({"/things/search": {"post": post}}, schemas)


def things(*ids: str) -> list[Json]:
    return [{"id": id_} for id_ in ids]


# What is declared, what the server answers, and the bodies that it is asked with.
Kind = tuple[Json, list[Any], list[Json]]
KINDS: dict[str, Kind] = {
    "offset in a plain list": (
        api(LIST, offset="/offset", limit="/limit", items=""),
        [things("a", "b"), things("c"), []],
        [{}, {"offset": 2}, {"offset": 3}],
    ),
    "pages with their number": (
        api(ref("Page"), page="/page", pages="/pages"),
        [{"items": things("a", "b"), "pages": 2}, {"items": things("c"), "pages": 2}],
        [{}, {"page": 2}],
    ),
    "a cursor that is a text or a number": (
        api(ref("Page"), cursor="/after", next="/next"),
        [
            {"items": things("a"), "next": "7"},
            {"items": things("b"), "next": 7},
            {"items": things("c"), "next": None},
        ],
        [{}, {"after": "7"}, {"after": 7}],
    ),
    "a cursor in an object": (
        api(ref("Page"), cursor="/paging/from~1to", next="/next"),
        [{"items": things("a", "b"), "next": "x"}, {"items": things("c")}],
        [{}, {"paging": {"from/to": "x"}}],
    ),
}


def answers(pages: list[Any]) -> list[Answer]:
    return [Answer(body=json.dumps(page).encode()) for page in pages]


def bodies(origin: Origin) -> list[Json]:
    return [json.loads(request.body) for request in origin.asked]


def found(made: Any, origin: Origin, asynchronous: bool, **arguments: Any) -> list[str]:
    """The ids of all things, from the client of that kind."""
    if not asynchronous:
        with made.Client(base_url=origin.url, max_retries=0) as client:
            return [thing.id for thing in client.things.find_things(**arguments)]

    async def run() -> list[str]:
        async with made.AsyncClient(base_url=origin.url, max_retries=0) as client:
            return [thing.id async for thing in client.things.find_things(**arguments)]

    return asyncio.run(run())


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_search_is_read_to_its_end(
    package: Generate, origin: Origin, kind: str, asynchronous: bool
) -> None:
    declared, pages, asked = KINDS[kind]
    origin.answer(*answers(pages))
    assert found(package(declared), origin, asynchronous, text="é") == ["a", "b", "c"]
    assert bodies(origin) == [{"text": "é"} | body for body in asked]


def test_a_search_begins_where_the_caller_says(package: Generate, origin: Origin) -> None:
    made = package(KINDS["offset in a plain list"][0])
    origin.answer(*answers([things("a", "b"), []]))
    assert found(made, origin, False, offset=3, limit=2) == ["a", "b"]
    assert bodies(origin) == [{"offset": 3, "limit": 2}, {"offset": 5, "limit": 2}]


def test_other_members_beside_a_position_stay(package: Generate, origin: Origin) -> None:
    made = package(KINDS["a cursor in an object"][0])
    origin.answer(*answers([{"items": things("a"), "next": 2}, {"items": []}]))
    paging = made.models.Search.model_validate({"paging": {"size": 1}}).paging
    assert found(made, origin, False, paging=paging) == ["a"]
    assert bodies(origin)[1] == {"paging": {"size": 1, "from/to": 2}}


@pytest.mark.parametrize("asynchronous", [False, True])
def test_an_optional_body_is_sent_once_it_has_a_position(
    package: Generate, origin: Origin, asynchronous: bool
) -> None:
    made = package(api(LIST, required=False, offset="/offset", items=""))
    origin.answer(*answers([things("a"), []]))
    assert found(made, origin, asynchronous) == ["a"]
    first, second = origin.asked
    assert (first.body, "content-type" in first.headers) == (b"", False)
    assert (json.loads(second.body), second.headers["content-type"]) == (
        {"offset": 1},
        "application/json",
    )


def test_a_model_that_was_passed_stays_and_may_change(package: Generate, origin: Origin) -> None:
    made = package(api(LIST, required=False, offset="/offset", items=""))
    origin.answer(*answers([things("a"), things("b"), []]))
    search = made.models.Search(text="x")
    with made.Client(base_url=origin.url) as client:
        items = iter(client.things.find_things(body=search))
        next(items)
        assert search.model_dump(exclude_unset=True) == {"text": "x"}
        # The pages of a list are those of one search.
        search.text = "y"
        assert len(list(items)) == 1
    assert bodies(origin) == [{"text": "x"}, {"text": "x", "offset": 1}, {"text": "x", "offset": 2}]


def test_members_of_the_options_are_in_every_page(package: Generate, origin: Origin) -> None:
    made = package(KINDS["offset in a plain list"][0])
    origin.answer(*answers([things("a"), []]))
    options = {"extra_body": {"sort": "id", "offset": 4}}
    assert found(made, origin, False, request_options=options) == ["a"]
    assert bodies(origin) == [{"sort": "id", "offset": 4}, {"sort": "id", "offset": 5}]


def test_a_place_that_is_taken_is_an_error(package: Generate, origin: Origin) -> None:
    made = package(KINDS["a cursor in an object"][0])
    origin.answer(*answers([{"items": things("a"), "next": 2}]))
    with pytest.raises(made.PaginationError, match=r"body: has no place for paging\.from/to"):
        found(made, origin, False, request_options={"extra_body": {"paging": "all"}})


def test_a_cursor_that_comes_twice_is_an_error(package: Generate, origin: Origin) -> None:
    made = package(KINDS["a cursor that is a text or a number"][0])
    origin.answer(*answers([{"items": things("a"), "next": 7}] * 2))
    with pytest.raises(made.PaginationError, match="'7' twice"):
        found(made, origin, False)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_search_that_can_be_resumed_is_followed(
    package: Generate, origin: Origin, asynchronous: bool
) -> None:
    made = package(api(ref("Page"), cursor="/after", next="/next", resume=True))
    origin.answer(*answers([{"items": things("a"), "next": 1}, {"items": things("b"), "next": 2}]))
    followed = {"text": "x", "after": 0, "interval": 0}
    with made.Client(base_url=origin.url, max_retries=0) as client:
        if not asynchronous:
            batches = client.things.follow_find_things(**followed)
            cursors = [next(batches).cursor for _ in range(2)]
    if asynchronous:

        async def run() -> list[str]:
            async with made.AsyncClient(base_url=origin.url, max_retries=0) as client:
                batches = client.things.follow_find_things(**followed)
                return [(await anext(batches)).cursor for _ in range(2)]

        cursors = asyncio.run(run())
    assert cursors == ["1", "2"]
    assert bodies(origin) == [{"text": "x", "after": 0}, {"text": "x", "after": 1}]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_body_is_sent_with_each_page_of_a_url(
    package: Generate, origin: Origin, asynchronous: bool
) -> None:
    page = {"type": "object", "properties": {"items": LIST, "next": {"type": "string"}}}
    made = package(api(page, next_url="/next"))
    origin.answer(*answers([{"items": things("a"), "next": "/?page=2"}, {"items": things("b")}]))
    assert found(made, origin, asynchronous, text="x") == ["a", "b"]
    assert bodies(origin) == [{"text": "x"}] * 2
    assert origin.asked[1].target == "/things/search?page=2"
