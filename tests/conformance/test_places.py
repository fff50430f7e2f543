"""The URLs at which resources are found after they were created."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, Response

from specwright.conformance.checks.lifecycle.locations import located
from specwright.conformance.checks.requests.explore import explore
from tests.conformance.fastapi_apps import driver_of, messages


def items(location: str) -> FastAPI:
    app, found = FastAPI(), dict[int, dict[str, Any]]()

    @app.post("/items", status_code=201)
    def add(response: Response) -> dict[str, Any]:
        id = len(found) + 1
        found[id] = {"id": id}
        response.headers["Location"] = location.format(id)
        return found[id]

    @app.get("/items/{id}")
    def get(id: int) -> dict[str, Any]:
        return found[id] if id in found else Response(status_code=404)  # type: ignore[return-value]

    return app


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("/v1/items/{}", None),
        ("items/{}", None),
        ("/v1/items/1", "Location refers to a different resource"),
        ("/v1/items/999", "Location refers to a missing resource"),
        # What the document does not have, and other hosts, are not asked.
        ("/v1/things/{}", None),
        ("http://127.0.0.1:1/v1/items/999", None),
    ],
)
def test_location_leads_to_what_was_created(
    tmp_path: Path, location: str, said: str | None
) -> None:
    with driver_of(items(location), tmp_path) as driver:
        explore(driver)
        located(driver)
        assert messages(driver, "location") == ([f"POST /items: {said}"] if said else [])


@pytest.mark.parametrize(
    ("read", "is_another"),
    [
        ({"id": 1, "uuid": "b"}, False),
        ({"id": 2, "uuid": "a"}, True),
        ({"uuid": "a"}, False),
        ({"uuid": "b"}, True),
        ({"name": "b"}, False),
    ],
)
def test_resources_are_compared_by_the_first_id_that_both_have(
    tmp_path: Path, read: dict[str, Any], is_another: bool
) -> None:
    app = FastAPI()

    @app.post("/items", status_code=201)
    def add(response: Response) -> dict[str, Any]:
        response.headers["Location"] = "/v1/items/1"
        return {"id": 1, "uuid": "a"}

    @app.get("/items/{id}")
    def get(id: int) -> dict[str, Any]:
        return read

    with driver_of(app, tmp_path) as driver:
        explore(driver)
        located(driver)
        said = ["POST /items: Location refers to a different resource"] if is_another else []
        assert messages(driver, "location") == said
