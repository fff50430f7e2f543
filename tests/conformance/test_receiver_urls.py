"""URLs of receivers that lead into networks of the service."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

from specwright.conformance.checks.requests.receiver_urls import receiver_urls
from tests.conformance.fastapi_apps import driver_of, messages

HOOK = {
    "url": "/url",
    "event_types": None,
    "id": "/id",
    "secret": None,
    "remove": "removeHook",
    "test": None,
    "public": True,
}
USUAL = "https://hooks.example.com/parcels"


class Hook(BaseModel):
    url: str


def hooks(bug: str = "", usual: str = USUAL, **declared: Any) -> FastAPI:
    app, made = FastAPI(), list[str]()

    @app.post("/hooks", status_code=201)
    def add(hook: Hook) -> dict[str, Any]:
        parts = urlsplit(hook.url)
        is_private = not (parts.hostname or "").endswith("example.com")
        if is_private and bug not in ("any network", parts.netloc):
            raise HTTPException(400)
        if parts.username is not None and bug != "any user":
            raise HTTPException(400)
        made.append(hook.url)
        return {"id": len(made)}

    @app.delete("/hooks/{id}", status_code=204, operation_id="removeHook")
    def remove(id: int) -> None:
        """Remove nothing."""

    document = app.openapi()
    document["components"]["schemas"]["Hook"]["properties"]["url"]["example"] = usual
    # FastAPI leaves null out.
    document["paths"]["/hooks"]["post"]["x-contract-webhook-endpoint"] = HOOK | declared
    return app


@pytest.mark.parametrize(
    ("bug", "said"),
    [
        ("", []),
        ("any network", ["accepted a URL of a network that is not public: 201"]),
        ("169.254.169.254", ["accepted a URL of a network that is not public: 201"]),
        ("[::ffff:10.0.0.1]", ["accepted a URL of a network that is not public: 201"]),
        ("167772161", ["accepted a URL of a network that is not public: 201"]),
        ("any user", ["accepted a URL with user information: 201"]),
    ],
)
def test_urls_of_the_networks_behind_a_service_are_refused(
    tmp_path: Path, bug: str, said: list[str]
) -> None:
    with driver_of(hooks(bug), tmp_path) as driver:
        receiver_urls(driver)
        assert messages(driver, "invalid-accepted") == [f"POST /hooks {each}" for each in said]


def test_later_calls_register_the_usual_url(tmp_path: Path) -> None:
    with driver_of(hooks("any network"), tmp_path) as driver:
        receiver_urls(driver)
        add = next(
            operation
            for operation in driver.contract.operations.values()
            if operation.method == "POST"
        )
        call, _ = driver.successes[add.pointer]
        assert call.body == {"url": USUAL}


@pytest.mark.parametrize(
    ("usual", "declared"), [(USUAL, {"public": False}), ("https://[not-a-host", {})]
)
def test_where_nothing_is_declared_or_no_url_is_known_none_is_tried(
    tmp_path: Path, usual: str, declared: dict[str, Any]
) -> None:
    with driver_of(hooks("any network", usual, **declared), tmp_path) as driver:
        receiver_urls(driver)
        assert messages(driver, "invalid-accepted") == []
