"""Resources with an ETag, changed with and without conditions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import FastAPI, Header, HTTPException, Request, Response
from pydantic import BaseModel

from specwright.conformance.checks.lifecycle import conditions as module
from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.checks.responses.statuses import UNDECLARED_STATUS
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (
    module.CONDITION_IS_REQUIRED,
    module.DECLARED_NOT_MODIFIED,
    module.ETAG_CHANGES,
    module.OUTDATED_IS_REFUSED,
    module.CURRENT_IS_ACCEPTED,
    module.NOT_MODIFIED,
)
Responses = dict[int | str, dict[str, Any]]
AT = "PATCH /items/{item_id}"
RESENT = f"{AT}: what has not changed is sent again, in spite of If-None-Match"


class Item(BaseModel):
    title: str = "plain"


@dataclass
class Server:
    """A server of items that have a version.

    Attributes:
        is_weak: its tags are weak.
        has_tags: it sends any.
        frozen: the tag never changes.
        ignored: it ignores If-Match.
        unequal: it compares If-Match without the quotes.
        resends: it ignores If-None-Match.
        required: it refuses changes without If-Match.
        declared: the document requires the header, too.
        stuck: changes have no effect.
        statuses: further ones that the document declares for both operations.
    """

    is_weak: bool = False
    has_tags: bool = True
    frozen: bool = False
    ignored: bool = False
    unequal: bool = False
    resends: bool = False
    required: bool = False
    declared: bool = False
    stuck: bool = False
    statuses: tuple[int, ...] = ()

    def app(self) -> FastAPI:
        app, versions, titles = FastAPI(), {"i1": 1}, {"i1": "plain"}

        def tag(id_: str) -> str:
            quoted = f'"{0 if self.frozen else versions[id_]}"'
            return f"W/{quoted}" if self.is_weak else quoted

        @app.get("/items")
        def items() -> list[dict[str, str]]:
            return [{"id": id_, "title": title} for id_, title in titles.items()]

        more: Responses = {status: {"description": "It."} for status in self.statuses}

        @app.get("/items/{item_id}", responses=more)
        def read(
            item_id: str, response: Response, if_none_match: Annotated[str | None, Header()] = None
        ) -> Item:
            if item_id not in titles:
                raise HTTPException(404)
            if self.has_tags:
                response.headers["ETag"] = tag(item_id)
            if if_none_match == tag(item_id) and not self.resends:
                raise HTTPException(304)
            return Item(title=titles[item_id])

        @app.patch("/items/{item_id}", responses=more)
        def change(
            item_id: str, item: Item, if_match: Annotated[str | None, Header()] = None
        ) -> Item:
            if item_id not in titles:
                raise HTTPException(404)
            if if_match is None and self.required:
                raise HTTPException(428)
            current = tag(item_id).strip('"') if self.unequal else tag(item_id)
            # Weak tags never match (RFC 9110, 8.8.3.2).
            is_current = if_match == current and not self.is_weak
            if not self.ignored and if_match is not None and not is_current:
                raise HTTPException(412)
            if not self.stuck:
                titles[item_id] = item.title
                versions[item_id] += 1
            return item

        if self.declared:
            (header,) = (
                parameter
                for parameter in app.openapi()["paths"]["/items/{item_id}"]["patch"]["parameters"]
                if parameter["in"] == "header"
            )
            header |= {"required": True, "schema": {"type": "string"}}

        return app


@pytest.mark.parametrize(
    ("server", "violations"),
    [
        (Server(), []),
        (Server(is_weak=True), []),
        (Server(has_tags=False), []),
        (Server(required=True), []),
        (Server(stuck=True), []),
        (Server(frozen=True), [f"{AT}: the ETag is the same after a change"]),
        (
            Server(ignored=True),
            [f"{AT}: a change with the If-Match of an earlier version is made"],
        ),
        (
            Server(unequal=True),
            [f"{AT}: a change with the If-Match of the current version is refused"],
        ),
        (Server(resends=True), [RESENT]),
        (Server(resends=True, statuses=(304,)), [RESENT]),
        (Server(statuses=(304,)), []),
        (
            Server(statuses=(428,)),
            [f"{AT}: a change without If-Match is made, and 428 is declared"],
        ),
        (Server(statuses=(428,), required=True), []),
        (Server(statuses=(428,), required=True, declared=True), []),
    ],
)
def test_conditions(tmp_path: Path, server: Server, violations: list[str]) -> None:
    with driver_of(server.app(), tmp_path) as driver:
        for operation in driver.contract.operations.values():
            assert driver.first_success(operation) is not None
        module.conditions(driver)
        assert messages(driver, *PROVEN) == violations


@pytest.mark.parametrize("declared", [False, True])
def test_a_status_that_is_declared_is_relied_on(tmp_path: Path, declared: bool) -> None:
    server = Server(resends=True, statuses=(304,) if declared else ())
    with driver_of(server.app(), tmp_path) as driver:
        explore(driver)
        module.conditions(driver)
        rule = module.DECLARED_NOT_MODIFIED if declared else module.NOT_MODIFIED
        assert messages(driver, rule) == [RESENT]


@pytest.mark.parametrize("declared", [False, True])
def test_a_change_that_requires_a_condition_is_reached(tmp_path: Path, declared: bool) -> None:
    with driver_of(Server(required=True, declared=declared).app(), tmp_path) as driver:
        explore(driver)
        assert driver.successes.keys() == driver.contract.operations.keys()
        # Later calls have the tag of the version that they find.
        change = driver.contract.operations["/paths/~1items~1{item_id}/patch"]
        assert driver.first_success(change) is not None
        call = driver.successes[change.pointer][0]
        assert driver.probe(call).succeeded


def test_what_http_says_to_a_condition_need_not_be_declared(tmp_path: Path) -> None:
    app, titles = FastAPI(), ["plain"]

    def checked(request: Request, response: Response) -> None:
        tag = f'"{len(titles)}"'
        response.headers["ETag"] = tag
        if request.headers.get("If-None-Match") == tag:
            raise HTTPException(304)
        if request.headers.get("If-Match", tag) != tag:
            raise HTTPException(412)

    @app.get("/item")
    def read(request: Request, response: Response) -> Item:
        checked(request, response)
        return Item(title=titles[-1])

    @app.patch("/item")
    def change(item: Item, request: Request, response: Response) -> Item:
        checked(request, response)
        if item.title == "gone":
            # Without a condition, the document has to say so.
            raise HTTPException(412)
        titles.append(item.title)
        return item

    with driver_of(app, tmp_path) as driver:
        explore(driver)
        module.conditions(driver)
        statuses = {
            exchange.response.status
            for exchange in driver.target.record.exchanges
            if exchange.response is not None
        }
        assert {304, 412} <= statuses
        assert messages(driver, UNDECLARED_STATUS) == []
        patch = driver.successes["/paths/~1item/patch"][0]
        driver.probe(patch.with_member("/title", "gone"))
        said = "PATCH /item: status 412 is not declared (declared: 200, 422)"
        assert messages(driver, UNDECLARED_STATUS) == [said]
