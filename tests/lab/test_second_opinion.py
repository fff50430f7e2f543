"""The findings on responses are those of an independent validator on the recorded traffic."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from lab.shops.serving import SHOPS
from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.checks.requests.validation import validation
from specwright.conformance.checks.responses.bodies import RESPONSE_SCHEMA, UNDECLARED_MEDIA_TYPE
from specwright.conformance.checks.responses.headers import RESPONSE_HEADER
from specwright.conformance.checks.responses.statuses import UNDECLARED_STATUS
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.monitors import Monitors
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Record
from specwright.document.operations.security import Credential
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from tests.serving import Server

# It wants an older openapi-spec-validator than the toolkit, and so an environment of its own.
WHERE = "openapi-core is installed by `nox -s second_opinion`"
core = pytest.importorskip("openapi_core", reason=WHERE)
testing = pytest.importorskip("openapi_core.testing", reason=WHERE)

# The rules that openapi-core has, too.
SHAPE = frozenset(
    {
        UNDECLARED_STATUS,
        UNDECLARED_MEDIA_TYPE,
        RESPONSE_SCHEMA,
        RESPONSE_HEADER,
    }
)
BUGS = (
    "none",
    "price-of-another-type",
    "list-lacks-a-field",
    "created-is-200",
    "date-is-not-a-date",
    "no-location",
    "deleted-has-a-body",
    "not-found-is-html",
)


def traffic(bug: str, directory: Path) -> tuple[Any, list[Exchange], set[int]]:
    """Return the document of a shop with a bug, the exchanges, and the numbers of blamed ones."""
    _, document = SHOPS["fastapi"]("none")
    app, _ = SHOPS["fastapi"](bug)
    file = directory / "openapi.json"
    file.write_text(json.dumps(document), "utf-8")
    contract, record = Contract(upgrade(load(file))), Record()
    record.monitors = (Monitors(contract, record),)
    credential = Credential.of(contract.document)
    with (
        Server(app) as server,
        TargetServer(server.url, credential, record, {MAIN: "test-alice"}) as target,
    ):
        driver = Driver(contract, target, "scenarios")
        explore(driver)
        validation(driver)
    exchanges = [
        exchange for exchange in record.exchanges if exchange.operation and exchange.response
    ]
    blamed = {
        violation.exchanges[-1].number for violation in record.violations if violation.rule in SHAPE
    }
    return document, exchanges, blamed


def second_opinion(document: Any, exchanges: list[Exchange]) -> Iterator[tuple[int, list[str]]]:
    """The errors of openapi-core by the numbers of exchanges."""
    openapi = core.OpenAPI.from_dict(document)
    for exchange in exchanges:
        url, response = urlsplit(exchange.request.url), exchange.response
        assert response is not None
        request = testing.MockRequest(
            f"{url.scheme}://{url.netloc}",
            exchange.request.method,
            url.path,
            args=dict(parse_qsl(url.query)),
            headers=dict(exchange.request.headers),
            data=exchange.request.body,
            content_type=exchange.request.header("content-type") or "",
        )
        headers = {name.title(): value for name, value in response.headers}
        type_ = (response.header("content-type") or "").partition(";")[0]
        answer = testing.MockResponse(response.body, response.status, headers, type_)
        errors = openapi.iter_response_errors(request, answer)
        yield exchange.number, [f"{type(error).__name__}: {error}" for error in errors]


@pytest.mark.parametrize("bug", BUGS)
def test_both_blame_the_same_answers(bug: str, tmp_path: Path) -> None:
    document, exchanges, blamed = traffic(bug, tmp_path)
    said = dict(second_opinion(document, exchanges))
    assert len(said) > 60
    assert {number for number, errors in said.items() if errors} == blamed & said.keys()
    assert blamed or bug == "none"
