"""Links in the document that schemathesis gets: each id below the parent that it belongs to."""

from __future__ import annotations

from pathlib import Path

from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.fuzzing.plan import derive
from specwright.conformance.fuzzing.profile import FuzzingLimits
from specwright.conformance.fuzzing.source import fuzz
from tests.conformance.fastapi_apps import driver_of, messages
from tests.conformance.test_links import nested

LIMITS = FuzzingLimits(seconds=90, examples=5, phases=("stateful",), processes=1)


def test_the_ids_of_parents_and_of_children_are_told_apart(tmp_path: Path) -> None:
    with driver_of(nested(), tmp_path) as driver:
        explore(driver)
        seen, target = driver.target.record.exchanges, driver.target
        derived = derive(driver.contract, ContractRoutes(driver.contract, target.base_url), seen, 1)
        made = derived["paths"]["/users/{user}/posts"]["post"]["responses"]["201"]["links"]
        expected = {"user_id": "$request.path.user", "post_id": "$response.body#/id"}
        assert {f"path.{name}": value for name, value in expected.items()} in [
            each["parameters"] for each in made.values()
        ]
        before = len(seen)
        fuzz(driver.contract, target, LIMITS, 1)
        found = {
            len(each.request.url.removeprefix(f"{target.base_url}/").split("/")): each
            for each in seen[before:]
            if each.request.method == "GET" and each.response and each.response.is_success
        }
        assert 4 in found, "no post was read below its user"
        assert messages(driver, "created-is-found", "deleted-is-gone") == []
