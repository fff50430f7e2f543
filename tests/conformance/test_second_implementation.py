"""The contract of this repository, held by an implementation in another language."""

from __future__ import annotations

import json

import httpx2
import pytest

from lab.seeds.implementations import HAS_NODE, given, node
from tests.conftest import Run


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
            # All deliveries arrive on a busy machine too.
            *("--max-time", "300"),
        )
    assert run.returncode == 0, run.stdout + run.stderr
    report = json.loads(run.stdout)
    coverage = next(table for table in report["tables"] if table["title"].startswith("Coverage"))
    reached = {name: (done, declared) for name, done, declared, *_ in coverage["rows"]}
    assert reached["operation"][0] == reached["operation"][1]
    # Deliveries arrive.
    assert reached["event"][0] == reached["event"][1]


@pytest.mark.skipif(not HAS_NODE, reason="node is not on the path")
def test_it_delivers_to_public_addresses_of_both_families() -> None:
    urls = {
        "https://8.8.8.8/hooks": 201,
        "https://[2606:4700::1111]/hooks": 201,
        "https://10.0.0.1/hooks": 400,
        "https://[fd00::1]/hooks": 400,
        "https://[::ffff:10.0.0.1]/hooks": 400,
    }
    with node() as served:
        headers = {"Authorization": f"Bearer {served.keys[0]}"}
        place = f"{served.base_url}/webhook-endpoints"
        found = {url: httpx2.post(place, json={"url": url}, headers=headers) for url in urls}
    assert {url: each.status_code for url, each in found.items()} == urls
