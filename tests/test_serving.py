"""Applications of this process, served for the time of a test."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from flask import Flask

from specwright.errors import InputError
from specwright.serving import listening, served, served_asgi


def wsgi(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [environ["PATH_INFO"].encode()]


async def asgi(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": scope["path"].encode()})


fastapi, flask = FastAPI(), Flask("app")
fastapi.get("/here")(lambda: "/here")
flask.get("/here")(lambda: "/here")


@pytest.mark.parametrize("app", [wsgi, asgi, fastapi, flask], ids=["wsgi", "asgi", "fa", "flask"])
def test_an_application_is_served(app: Any) -> None:
    with served(app) as url:
        assert httpx2.get(f"{url}/here").text.strip('"') == "/here"
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(f"{url}/here")


def test_the_lifespan_of_an_application_surrounds_its_requests() -> None:
    seen = []

    @asynccontextmanager
    async def lifespan(_: Any) -> Any:
        seen.append("begins")
        yield
        seen.append("ends")

    app = FastAPI(lifespan=lifespan)
    app.get("/")(lambda: seen.append("asked"))
    with served(app) as url:
        httpx2.get(url)
    assert seen == ["begins", "asked", "ends"]


def test_an_application_that_does_not_start_is_said() -> None:
    @asynccontextmanager
    async def lifespan(_: Any) -> Any:
        raise RuntimeError
        yield

    with pytest.raises(InputError, match="did not start"), served(FastAPI(lifespan=lifespan)):
        pass


def test_what_is_not_an_application_is_said() -> None:
    with pytest.raises(InputError, match="neither an ASGI or WSGI application"), served({}):
        pass


def test_a_port_can_be_used_again_at_once() -> None:
    with served_asgi(asgi, listening()) as url:
        # The side that closes a connection first has to remember it.
        httpx2.get(url, headers={"Connection": "close"})
    listening(int(url.rpartition(":")[2])).close()
