"""What fuzzing proves about a server: its faults, by rule, and nothing about a correct one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from specwright.conformance.fuzzing.profile import Profile
from specwright.conformance.fuzzing.source import fuzz
from specwright.conformance.record import Record
from specwright.conformance.target import MAIN, NOBODY, Credential, Target
from specwright.document.model import Document
from specwright.document.sources.load import load
from specwright.document.upgrade import upgrade
from tests.conformance.fuzzing.widgets import DOCUMENT, KEY, Widgets
from tests.serving import Server

SMALL = Profile(seconds=20, examples=3, phases=("coverage", "fuzzing", "stateful"), processes=1)


@pytest.fixture
def contract(tmp_path: Path) -> Document:
    place = tmp_path / "widgets.json"
    place.write_text(json.dumps(DOCUMENT))
    return upgrade(load(place))


def run(document: Document, app: object, seed: int = 1, profile: Profile = SMALL) -> Record:
    record = Record()
    with Server(app) as server:
        keys = {MAIN: KEY}
        with Target(f"{server.url}/v1", Credential.of(document), record, keys) as target:
            fuzz(document, target, profile, seed)
    return record


@pytest.mark.parametrize("seed", range(5))
def test_a_correct_server_is_not_accused(contract: Document, seed: int) -> None:
    record = run(contract, Widgets().app, seed)
    assert not record.violations
    assert not record.skips
    reached = {each.operation for each in record.exchanges if each.response.is_success}
    assert reached >= {
        "/paths/~1widgets/get",
        "/paths/~1widgets/post",
        "/paths/~1widgets~1{id}/get",
    }
    assert len(record.checked["invalid-accepted"]) >= 2
    assert len(record.checked["valid-refused"]) == 4
    assert set(Counter(each.role for each in record.exchanges)) == {MAIN, NOBODY}


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        (
            {"lenient", "strict", "open", "put", "loses"},
            {
                ("invalid-accepted", "/paths/~1widgets/post/requestBody"),
                ("valid-refused", "/paths/~1widgets/post"),
                ("credentials-ignored", "/paths/~1widgets/get"),
                ("method-not-allowed", "/paths/~1widgets"),
                ("created-is-found", "/paths/~1widgets~1{id}/get"),
            },
        ),
        ({"keeps"}, {("deleted-is-gone", "/paths/~1widgets~1{id}/get")}),
    ],
)
def test_faults_are_found(
    contract: Document, faults: set[str], expected: set[tuple[str, str]]
) -> None:
    record = run(contract, Widgets(faults).app, profile=Profile(20, 10, SMALL.phases))
    found = {(each.rule, each.pointer): each for each in record.violations}
    assert found.keys() >= expected
    assert {rule for rule, _ in found} == {rule for rule, _ in expected}
