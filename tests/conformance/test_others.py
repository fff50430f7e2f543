"""Documents that other people wrote, without `x-contract-*`, and small implementations of them.

Each is tested as it is, and then with one bug, which must be found.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

import pytest
import yaml
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.conformance.others import data_sets, tictactoe, trains
from tests.conformance.shop import serving
from tests.conftest import Run

KEY = "test-key-0123456789"


class Implementation(Protocol):
    def application(self) -> Starlette: ...


class Outcome:
    """The exit code of a run, its findings and its coverage."""

    def __init__(
        self, specwright: Run, document: Path, implementation: Implementation, *options: str
    ) -> None:
        with serving(implementation.application()) as base_url:
            place = ("--document", str(document), "--seed", "1", "--format", "json")
            done = specwright("test", base_url.removesuffix("/v1"), *place, *options)
        assert "Traceback" not in done.stderr
        report = json.loads(done.stdout)
        self.exit_code, self.complaint = done.returncode, done.stderr
        self.report = report["findings"]
        self.findings = sorted(
            (finding["rule"], finding["message"]) for finding in report["findings"]
        )
        self.covered = {
            row[0]: f"{row[1]} of {row[2]}"
            for table in report["tables"]
            if table["title"] == "Coverage of the contract"
            for row in table["rows"]
        }


@pytest.fixture
def specs(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KEY", KEY)
    return corpus / "specs"


def test_a_game_is_reached_in_full(specwright: Run, specs: Path) -> None:
    game = tictactoe.Game(KEY)
    options = ("--api-key-env", "KEY", "--min-coverage", "100")
    outcome = Outcome(specwright, specs / tictactoe.DOCUMENT, game, *options)
    # A note: the document leaves out the refusal of others, and of nothing else.
    said = "status 401 is not declared for a caller who is not allowed: 3 operations"
    assert outcome.findings == [("undeclared-refusal", said)]
    assert outcome.covered["operation"] == "3 of 3"
    # Some statuses of every document are never seen.
    assert outcome.exit_code == 3
    assert "--min-coverage requires 100 %" in outcome.complaint


class OpenGame(tictactoe.Game):
    """Its squares ask for a token, and anybody may mark them."""

    def guarded(self, handler: tictactoe.Handler) -> tictactoe.Handler:
        asking = super().guarded(handler)
        return asking if handler == self.get_board else handler


def test_a_scheme_whose_token_nobody_gave_is_found_ignored(specwright: Run, specs: Path) -> None:
    game = OpenGame(KEY)
    outcome = Outcome(specwright, specs / tictactoe.DOCUMENT, game, "--api-key-env", "KEY")
    wrong = [found for found in outcome.report if found["rule"] == "credentials-ignored"]
    square = "/board/{row}/{column}"
    assert [f"GET {square}", f"PUT {square}"] in [each["operations"] for each in wrong]
    assert outcome.exit_code == 1


class NarrowGame(tictactoe.Game):
    def status(self) -> dict[str, object]:
        return {**super().status(), "board": [row[:2] for row in self.board]}


def test_a_board_that_is_too_narrow_is_found(specwright: Run, specs: Path) -> None:
    game = NarrowGame(KEY)
    outcome = Outcome(specwright, specs / tictactoe.DOCUMENT, game, "--api-key-env", "KEY")
    wrong = {rule for rule, message in outcome.findings if "'/board/*'" in message}
    assert wrong == {"response-schema"}


def test_data_sets_are_reached_in_full(specwright: Run, specs: Path) -> None:
    outcome = Outcome(specwright, specs / data_sets.DOCUMENT, data_sets.DataSets())
    assert outcome.findings == []
    assert outcome.covered["operation"] == "3 of 3"
    assert outcome.exit_code == 0


class UncountedDataSets(data_sets.DataSets):
    async def list(self, request: Request) -> Response:
        return JSONResponse({"total": "many", "apis": []})


def test_a_number_that_is_a_text_is_found(specwright: Run, specs: Path) -> None:
    outcome = Outcome(specwright, specs / data_sets.DOCUMENT, UncountedDataSets())
    assert {rule for rule, _ in outcome.findings} == {"response-schema"}
    assert outcome.exit_code == 1


@pytest.fixture
def schemas(specs: Path) -> dict[str, Any]:
    found = yaml.safe_load((specs / trains.DOCUMENT).read_text("utf-8"))["components"]["schemas"]
    assert isinstance(found, dict)
    return found


def test_bookings_are_reached_in_full(
    specwright: Run, specs: Path, schemas: dict[str, Any]
) -> None:
    railway = trains.Trains(schemas, KEY)
    outcome = Outcome(specwright, specs / trains.DOCUMENT, railway, "--api-key-env", "KEY")
    assert outcome.findings == []
    assert outcome.covered["operation"] == "7 of 7"
    assert outcome.exit_code == 0


class ForgetfulTrains(trains.Trains):
    async def one_booking(self, request: Request) -> Response:
        booking = self.found(request)
        if request.method == "DELETE":
            return Response(status_code=204)
        return JSONResponse(booking)


def test_a_booking_that_stays_is_found(
    specwright: Run, specs: Path, schemas: dict[str, Any]
) -> None:
    railway = ForgetfulTrains(schemas, KEY)
    outcome = Outcome(specwright, specs / trains.DOCUMENT, railway, "--api-key-env", "KEY")
    assert {rule for rule, _ in outcome.findings} == {"deleted-is-gone"}
    assert outcome.exit_code == 1


class AnySchemeTrains(trains.Trains):
    def is_known(self, authorization: str) -> bool:
        return authorization.rpartition(" ")[2] == self.key


def test_a_key_under_another_scheme_is_found_accepted(
    specwright: Run, specs: Path, schemas: dict[str, Any]
) -> None:
    railway = AnySchemeTrains(schemas, KEY)
    outcome = Outcome(specwright, specs / trains.DOCUMENT, railway, "--api-key-env", "KEY")
    assert {rule for rule, _ in outcome.findings} == {"credentials-ignored"}
    (message,) = (message for _, message in outcome.findings)
    assert message == "a request without valid credentials is not rejected: 7 operations"
    assert outcome.exit_code == 1
