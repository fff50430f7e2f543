"""Other bodies with a key that was used before."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import FastAPI, Header

from specwright.conformance.checks.idempotency.idempotency import idempotency
from specwright.conformance.checks.requests.explore import explore
from tests.conformance.fastapi_apps import driver_of, messages

TEXT = {"type": "string"}
LINE = {"type": "object", "properties": {"product_id": TEXT, "quantity": {"type": "integer"}}}
LINE |= {"required": ["product_id", "quantity"]}


def app(members: dict[str, Any], required: list[str]) -> FastAPI:
    """Return an application that looks at a key, and never at the body that comes with it."""
    made, first = FastAPI(), dict[str, Any]()

    @made.post("/orders", status_code=201)
    def order(order: dict[str, Any], idempotency_key: Annotated[str, Header()]) -> dict[str, Any]:
        found: dict[str, Any] = first.setdefault(idempotency_key, {"id": len(first)})
        return found

    operation = made.openapi()["paths"]["/orders"]["post"]
    schema = {"type": "object", "properties": members, "required": required}
    operation["requestBody"]["content"]["application/json"]["schema"] = schema
    operation["x-contract-idempotency"] = {
        "header": "idempotency-key",
        "replay": {"status": 201},
        "changed": {"status": 422},
        "scope": ["partner"],
    }
    return made


@pytest.mark.parametrize(
    ("members", "required", "changed"),
    [
        ({"lines": {"type": "array", "items": LINE, "minItems": 1}}, ["lines"], ["'lines'"]),
        ({"note": TEXT}, [], ["'note'"]),
        # Only responses must have it.
        ({"id": {**TEXT, "readOnly": True}, "note": TEXT}, ["id"], ["'note'"]),
        # Another one would be refused as unknown, and so would one of another form.
        ({"coupon_id": TEXT}, [], []),
        ({"at": {**TEXT, "format": "date"}}, [], []),
    ],
)
def test_a_number_in_a_list_and_a_text_that_was_left_out_are_changed(
    members: dict[str, Any], required: list[str], changed: list[str], tmp_path: Path
) -> None:
    with driver_of(app(members, required), tmp_path) as driver:
        explore(driver)
        idempotency(driver)
        said = messages(driver, "idempotency-changed")
    assert [each.partition("another ")[2].partition(" ")[0] for each in said] == changed
