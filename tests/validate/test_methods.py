"""A declaration about reading belongs on an operation that reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specwright.check.checks import check
from specwright.document.sources.load import load
from specwright.policy import Settings
from tests.functional.documents import THING, document, operation, ref

FINAL = {"at": "/state", "states": ["done"], "interval_seconds": 1}
STATED = {**THING, "properties": {**THING["properties"], "state": {"type": "string"}}}


@pytest.mark.parametrize(("method", "is_fine"), [("get", True), ("post", False), ("put", False)])
def test_a_final_state_is_declared_where_it_is_read(
    tmp_path: Path, method: str, is_fine: bool
) -> None:
    declared = operation(ref("Thing"), operationId="thing", **{"x-contract-final": FINAL})
    path = tmp_path / "api.json"
    path.write_text(json.dumps(document({"/thing": {method: declared}}, {"Thing": STATED})))
    found = [
        finding for finding in check(load(path), Settings()).findings if "final" in finding.message
    ]
    assert [finding.rule for finding in found] == ([] if is_fine else ["contract-key"])
