"""Parameters that are filters by their names, and several filters together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from fastapi import FastAPI, Header, HTTPException
from pydantic import BaseModel

from specwright.conformance.checks.lists.pages import FILTERED_ITEMS
from specwright.conformance.checks.lists.plain_filters import (
    PLAIN_FILTER,
    empty_filters,
    plain_filters,
)
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (PLAIN_FILTER,)
AT = "GET /items: "
ANOTHER = AT + "items with another '{}' than the requested one are returned"


class Item(BaseModel):
    id: int
    state: Literal["new", "sold"]
    is_open: bool
    owner_id: str | None
    title: str


ITEMS = [
    Item(id=1, state="new", is_open=True, owner_id="a", title="one"),
    Item(id=2, state="sold", is_open=False, owner_id="b", title="one or two"),
    Item(id=3, state="sold", is_open=True, owner_id="b", title="three"),
]


@dataclass
class Server:
    """A server of a list.

    Attributes:
        ignored: the parameters without an effect.
        first: of several parameters, one alone has an effect.
        wrapped: the list is a member of the response.
        refused: filters by the state are refused.
        declared: all filters are declared.
        items: the items.
    """

    ignored: tuple[str, ...] = ()
    first: bool = False
    wrapped: bool = False
    refused: bool = False
    declared: bool = False
    items: tuple[Item, ...] = tuple(ITEMS)

    def app(self) -> FastAPI:
        app = FastAPI()

        def kept(values: dict[str, Any]) -> list[Item]:
            given = [name for name, value in values.items() if value is not None]
            used = [name for name in given if name not in self.ignored]
            used = used[:1] if self.first else used
            return [
                item
                for item in self.items
                if all(getattr(item, name) == values[name] for name in used)
            ]

        def items(
            state: Literal["new", "sold"] | None = None,
            is_open: bool | None = None,
            owner_id: str | None = None,
            title: str | None = None,
            id: Annotated[int | None, Header()] = None,
        ) -> Any:
            if self.refused and state is not None:
                raise HTTPException(403)
            names = {"state": state, "is_open": is_open, "owner_id": owner_id, "title": title}
            shown = kept(names)
            return {"data": shown, "count": len(shown)} if self.wrapped else shown

        app.get("/items", status_code=200)(items)
        if self.declared:
            operation = app.openapi()["paths"]["/items"]["get"]
            for parameter in operation["parameters"]:
                name = parameter["name"]
                parameter["x-contract-filter"] = {"property": f"/{name}", "match": "equals"}
        return app


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize(
    ("server", "violations"),
    [
        (lambda wrapped: Server(wrapped=wrapped), []),
        (
            lambda wrapped: Server(ignored=("state",), wrapped=wrapped),
            [ANOTHER.format("state")],
        ),
        (
            lambda wrapped: Server(ignored=("is_open", "owner_id"), wrapped=wrapped),
            [ANOTHER.format("is_open"), ANOTHER.format("owner_id")],
        ),
        # A text may be a search.
        (lambda wrapped: Server(ignored=("title",), wrapped=wrapped), []),
        (
            lambda wrapped: Server(first=True, wrapped=wrapped),
            [
                f"{AT}items that match only one of 'state' and 'is_open' are returned",
                f"{AT}items that match only one of 'is_open' and 'owner_id' are returned",
            ],
        ),
        # A value that all items have tells nothing.
        (
            lambda wrapped: Server(ignored=("state",), items=(ITEMS[1],) * 2, wrapped=wrapped),
            [],
        ),
        (lambda wrapped: Server(items=(ITEMS[0],), wrapped=wrapped), []),
        (lambda wrapped: Server(items=(), wrapped=wrapped), []),
    ],
)
def test_plain_filters(
    tmp_path: Path, server: Callable[[bool], Server], violations: list[str], wrapped: bool
) -> None:
    with driver_of(server(wrapped).app(), tmp_path) as driver:
        operation = driver.contract.operations["/paths/~1items/get"]
        assert driver.first_success(operation) is not None
        plain_filters(driver)
        assert messages(driver, PLAIN_FILTER) == violations


def test_declared_filters_are_tried_together_by_their_own_rule(tmp_path: Path) -> None:
    with driver_of(Server(first=True, declared=True).app(), tmp_path) as driver:
        operation = driver.contract.operations["/paths/~1items/get"]
        assert driver.first_success(operation) is not None
        plain_filters(driver)
        assert messages(driver, PLAIN_FILTER) == []
        said = f"{AT}items that match only one of 'state' and 'is_open' are returned"
        assert said in messages(driver, FILTERED_ITEMS)


def test_a_filter_that_is_refused_is_not_checked(tmp_path: Path) -> None:
    with driver_of(Server(refused=True).app(), tmp_path) as driver:
        operation = driver.contract.operations["/paths/~1items/get"]
        assert driver.first_success(operation) is not None
        plain_filters(driver)
        names = {
            pointer.rpartition("/")[2] for pointer in driver.target.record.checked[PLAIN_FILTER]
        }
        # The second and the third parameter, by their places in the document.
        assert names == {"1", "2"}


def test_items_without_a_value_tell_nothing(tmp_path: Path) -> None:
    items = tuple(item.model_copy(update={"owner_id": None}) for item in ITEMS)
    with driver_of(Server(declared=True, items=items).app(), tmp_path) as driver:
        operation = driver.contract.operations["/paths/~1items/get"]
        assert driver.first_success(operation) is not None
        plain_filters(driver)
        assert messages(driver, PLAIN_FILTER, FILTERED_ITEMS) == []


@dataclass
class Tagged:
    """A server of a list with a filter by a text.

    Attributes:
        ignored: a text that nothing has selects everything.
        nearest: it selects the nearest item.
        other: the parameter has another meaning.
        tags: those of the items.
        plural: the member is a list, with a name in the plural.
    """

    ignored: bool = False
    nearest: bool = False
    other: bool = False
    tags: tuple[str, ...] = ("a", "b", "b")
    plural: bool = True

    def app(self) -> FastAPI:
        app = FastAPI()

        @app.get("/items")
        def items(tag: str | None = None) -> list[dict[str, Any]]:
            rows = [
                {"tags": [own]} if self.plural else {"tag": own}
                for own in self.tags
                if tag in (None, own) or self.other
            ]
            if rows or tag is None:
                return rows
            return items() if self.ignored else items()[:1] if self.nearest else []

        return app


IGNORED = [f"{AT}all items are returned for a 'tag' that none of them has"]


@pytest.mark.parametrize("plural", [False, True])
@pytest.mark.parametrize(
    ("server", "violations"),
    [
        ({}, []),
        ({"ignored": True}, IGNORED),
        ({"nearest": True}, []),
        # A language of the response, perhaps.
        ({"other": True}, []),
        ({"ignored": True, "tags": ("a", "a")}, []),
        ({"ignored": True, "tags": ()}, []),
    ],
)
def test_a_filter_that_nothing_fits_is_not_ignored(
    tmp_path: Path, server: dict[str, Any], violations: list[str], plural: bool
) -> None:
    with driver_of(Tagged(**server, plural=plural).app(), tmp_path) as driver:
        operation = driver.contract.operations["/paths/~1items/get"]
        assert driver.first_success(operation) is not None
        empty_filters(driver)
        assert messages(driver, PLAIN_FILTER) == violations
