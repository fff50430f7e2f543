"""Keys without the role that an operation requires, and resources that are gone."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

import pytest
from fastapi import Depends, FastAPI, HTTPException
from fastapi.security import APIKeyHeader

from specwright.conformance.checks.access.permission import permission
from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import MAIN, UNSCOPED
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.record import Record
from specwright.document.operations.security import Credential
from specwright.document.sources.load import load
from tests.conformance.fastapi_apps import messages
from tests.serving import Server

EDITOR, READER = "editor", "reader"


def files(*, is_open: bool) -> FastAPI:
    """Files, which only editors may delete unless it is open."""
    app, numbers = FastAPI(), count(1)
    stored = set[int]()
    key = Depends(APIKeyHeader(name="X-Key"))

    @app.post("/files", status_code=201)
    def add(who: str = key) -> dict[str, int]:
        stored.add(number := next(numbers))
        return {"id": number}

    @app.delete("/files/{file_id}", status_code=204)
    def remove(file_id: int, who: str = key) -> None:
        # It is not said that a file is there to who may not know.
        if file_id not in stored or (who != EDITOR and not is_open):
            raise HTTPException(404)
        stored.remove(file_id)

    return app


@pytest.mark.parametrize("is_open", [False, True])
def test_a_file_that_is_gone_proves_nothing(is_open: bool, tmp_path: Path) -> None:
    app = files(is_open=is_open)
    document = app.openapi()
    document["paths"]["/files/{file_id}"]["delete"]["security"] = [{"APIKeyHeader": ["editor"]}]
    (path := tmp_path / "openapi.json").write_text(json.dumps(document))
    keys = {MAIN: EDITOR, UNSCOPED: READER}
    with Server(app) as server:
        contract = Contract(load(path))
        credential = Credential.of(contract.document)
        with TargetServer(server.url, credential, Record(), keys) as target:
            driver = Driver(contract, target, "scenarios")
            explore(driver)
            [remove] = [each for each in contract.operations.values() if each.method == "DELETE"]
            [add] = [each for each in contract.operations.values() if each.method == "POST"]
            # The newest file that is known is gone.
            driver.first_success(add)
            driver.first_success(add)
            assert driver.first_success(remove) is not None
            permission(driver)
            expected = ["DELETE /files/{file_id}: answered 204 to a key without editor"]
            assert messages(driver, "permission") == (expected if is_open else [])
