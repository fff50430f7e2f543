"""The contract of this repository, held by an implementation in another language."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Run
from tests.contract.implementations import HAS_NODE, given, node


@pytest.mark.skipif(not HAS_NODE, reason="node is not on the path")
def test_one_file_for_node_keeps_the_contract_webhooks_included(
    specwright: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with node() as served:
        variables, options = given(served)
        for name, key in variables.items():
            monkeypatch.setenv(name, key)
        run = specwright(
            *("test", served.base_url, *options, "--seed", "1", "--format", "json"),
            *("--receiver-authority", str(served.authority), "--retry-scale", served.retry_scale),
        )
    assert run.returncode == 0, run.stdout + run.stderr
    report = json.loads(run.stdout)
    coverage = next(each for each in report["tables"] if each["title"].startswith("Coverage"))
    reached = {name: (done, declared) for name, done, declared, *_ in coverage["rows"]}
    assert reached["operation"][0] == reached["operation"][1]
