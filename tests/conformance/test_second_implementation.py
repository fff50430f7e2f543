"""The contract of this repository, held by an implementation without generated code."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from tests.conformance.shop import serving
from tests.conftest import Run
from tests.contract.implementations import HAS_NODE, given, node

# Operations that the example for Node says it does not have.
LACKING = 10
KEY = "pes_test_" + "0" * 48


def test_a_starlette_file_keeps_the_contract(
    specwright: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", KEY)
    example = runpy.run_path(str(root / "examples" / "plain-starlette" / "app.py"))
    app = example["create_app"](example["read_keys"](f"acme:{KEY}:100000:100000"))
    with serving(app) as base_url:
        url = base_url.removesuffix("/v1") + "/api/v1"
        run = specwright("test", url, "--api-key-env", "KEY", "--seed", "1")
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.skipif(not HAS_NODE, reason="node is not on the path")
def test_a_node_file_keeps_the_part_of_the_contract_that_it_has(
    specwright: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with node() as served:
        variables, options = given(served)
        for name, key in variables.items():
            monkeypatch.setenv(name, key)
        run = specwright("test", served.base_url, *options, "--seed", "1", "--format", "json")
    assert run.returncode == 1, run.stdout + run.stderr
    found = {each["message"] for each in json.loads(run.stdout)["findings"]}
    assert len(found) == LACKING
    assert {message.partition(": ")[2] for message in found} == {"answered 501"}
