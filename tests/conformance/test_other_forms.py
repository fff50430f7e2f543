"""Valid requests in another form: other offsets, no optional body, numbers, encoded texts."""

from __future__ import annotations

from base64 import b64decode
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import Body, FastAPI, HTTPException

from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.checks.requests.validation import validation
from specwright.conformance.driver.driver import Driver
from tests.conformance.fastapi_apps import driver_of, messages

MOMENT = {"type": "string", "format": "date-time"}


def application(member: dict[str, Any], accepts: Any, *, required: bool = True) -> FastAPI:
    """Takes bodies with one member if a function does; a body may be missing."""
    app = FastAPI()

    @app.post("/things")
    def add(thing: Annotated[Any, Body()] = None) -> dict[str, Any]:
        if not accepts(thing):
            raise HTTPException(422)
        return {}

    body = app.openapi()["paths"]["/things"]["post"]["requestBody"]
    schema = {"type": "object", "required": ["it"], "properties": {"it": member}}
    body["content"]["application/json"]["schema"] = schema
    body["required"] = required
    return app


def refused(app: FastAPI, place: Path) -> list[tuple[str, str]]:
    """The rules and messages about valid requests that were refused."""
    with driver_of(app, place) as driver:
        explore(driver)
        validation(driver)
        return [
            (rule, message)
            for rule in ("valid-refused", "whole-number")
            for message in messages(driver, rule)
        ]


def it(thing: Any) -> Any:
    return thing.get("it") if isinstance(thing, dict) else None


def test_a_server_that_knows_one_offset_is_found(tmp_path: Path) -> None:
    app = application(MOMENT, lambda thing: str(it(thing)).endswith("Z"))
    [(rule, message)] = refused(app, tmp_path)
    assert rule == "valid-refused"
    assert 'POST /things refused it = "2026-01-31T14:00:00+02:00" as malformed: 422' in message


def test_a_server_that_knows_every_offset_is_right(tmp_path: Path) -> None:
    def accepts(thing: Any) -> bool:
        try:
            return datetime.fromisoformat(it(thing)).tzinfo is not None
        except (TypeError, ValueError):
            return False

    assert refused(application(MOMENT, accepts), tmp_path) == []


@pytest.mark.parametrize(("required", "count"), [(False, 1), (True, 0)])
def test_a_body_that_is_optional_may_be_missing(tmp_path: Path, required: bool, count: int) -> None:
    app = application(MOMENT, lambda thing: it(thing) is not None, required=required)
    assert (
        refused(app, tmp_path)
        == [
            (
                "valid-refused",
                "POST /things: a request without its optional body is refused as malformed: 422",
            )
        ]
        * count
    )


def test_a_server_that_takes_nothing_twice_is_not_blamed(tmp_path: Path) -> None:
    taken = list[datetime]()

    def accepts(thing: Any) -> bool:
        # Of the successes that explore needs, all but the last one are at other times.
        is_first = len(taken) < 5
        taken.append(thing)
        return is_first and it(thing) is not None

    assert refused(application(MOMENT, accepts, required=False), tmp_path) == []


def test_an_integer_with_a_decimal_point_that_is_refused_is_a_note(tmp_path: Path) -> None:
    app = application({"type": "integer"}, lambda thing: type(it(thing)) is int)
    [(rule, message)] = refused(app, tmp_path)
    assert rule == "whole-number"
    assert "refused it = 1.0 as malformed: 422" in message


def test_a_server_that_decodes_what_it_gets_is_right(tmp_path: Path) -> None:
    received = list[str]()

    def accepts(thing: Any) -> bool:
        received.append(str(it(thing)))
        try:
            return bool(b64decode(received[-1], validate=True))
        except ValueError:
            return False

    app = application({"type": "string", "contentEncoding": "base64"}, accepts)
    with driver_of(app, tmp_path) as driver:
        explore(driver)
        assert _succeeded(driver)
        validation(driver)
        assert messages(driver, "valid-refused") == []
    assert "Zoë 名前 🎒" in {b64decode(text).decode() for text in received if _is_base64(text)}


def test_a_number_beyond_its_format_is_not_sent_as_a_valid_one(tmp_path: Path) -> None:
    received = list[Any]()

    def accepts(thing: Any) -> bool:
        received.append(it(thing))
        return isinstance(it(thing), int)

    limit = 2**40
    app = application({"type": "integer", "format": "int32", "maximum": limit}, accepts)
    with driver_of(app, tmp_path) as driver:
        explore(driver)
        validation(driver)
    assert limit + 1 in received
    assert limit not in received


def _succeeded(driver: Driver) -> bool:
    return driver.successes.keys() == driver.contract.operations.keys()


def _is_base64(text: str) -> bool:
    try:
        b64decode(text, validate=True).decode()
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(("style", "is_odd_sent"), [("cookie", False), ("form", True)])
def test_a_cookie_has_only_what_it_can_carry(tmp_path: Path, style: str, is_odd_sent: bool) -> None:
    app = FastAPI()
    app.openapi_version = "3.2.0"
    parameter = {"name": "colour", "in": "cookie", "style": style, "schema": {"type": "string"}}

    @app.get("/it", openapi_extra={"parameters": [parameter]})
    def read() -> None: ...

    with driver_of(app, tmp_path) as driver:
        explore(driver)
        validation(driver)
        cookies = [
            exchange.request.header("cookie") or ""
            for exchange in driver.target.record.exchanges
            if exchange.response is not None
        ]
        assert not driver.target.record.failures
        assert len(cookies) == len(driver.target.record.exchanges)
    assert any("%00" in cookie for cookie in cookies) is is_odd_sent
