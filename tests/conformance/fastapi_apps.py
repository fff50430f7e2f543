"""Contracts that FastAPI writes of applications, which are then tested by these contracts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fastapi import FastAPI

from specwright.config import AddedLink
from specwright.conformance.contract.added_links import with_links
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.monitors import Monitors
from specwright.conformance.recording.record import Record
from specwright.document.sources.load import load
from tests.conformance.shop import serving


@contextmanager
def driver_of(app: FastAPI, place: Path, *links: AddedLink) -> Iterator[Driver]:
    """A driver at which nothing was called yet, with monitors."""
    path = place / "openapi.json"
    path.write_text(json.dumps(app.openapi()), "utf-8")
    contract, record = Contract(with_links(load(path), links)), Record()
    record.monitors = (Monitors(contract, record),)
    outer = FastAPI()
    outer.mount("/v1", app)
    with serving(outer) as url, TargetServer(url, None, record, {}) as target:
        yield Driver(contract, target, "scenarios")


def messages(driver: Driver, *rules: str) -> list[str]:
    """Return the messages of the failures that some rules found."""
    found = driver.target.record.failures.values()
    return [each.text for each in found if each.rule in rules]
