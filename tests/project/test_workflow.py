"""The workflow that `init` writes runs on a pull request, at the top of the repository."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from specwright.project.ci import SERVICES
from tests.conftest import Run
from tests.generate_cli.running import running
from tests.project import actions
from tests.repository import Repository

WORKFLOW = SERVICES["github"].file
PROJECTS = ("apis/orders", "apis/bill", ".")
PULL_REQUEST = {"github.base_ref": "main"}


def document(limit: int = 100, **members: Any) -> dict[str, Any]:
    number = {"type": "integer", "minimum": 1, "maximum": limit, "description": "How many."}
    money = {"$ref": "#/components/schemas/Money"}
    ok = {"description": "All.", "content": {"application/json": {"schema": money}}}
    operation = {
        "operationId": "listThings",
        "summary": "List things",
        "tags": ["things"],
        "parameters": [{"name": "limit", "in": "query", "schema": number}],
        "responses": {"200": ok},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1.0.0"},
        "servers": [{"url": "https://things.example"}],
        "security": [],
        "tags": [{"name": "things", "description": "Things."}],
        "paths": {"/things": {"get": operation}},
        "components": {"schemas": {"Money": {"$ref": "../../shared/Money.json"}}},
        **members,
    }


def of(project: str, limit: int = 100) -> str:
    own = document(limit)
    if project == ".":
        own["components"]["schemas"]["Money"]["$ref"] = "shared/Money.json"
    return json.dumps(own, indent=2)


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory, specwright: Run) -> Repository:
    """The branch `main`, in which three projects have begun with `init`."""
    repository = Repository(tmp_path_factory.mktemp("upstream"))
    money = {"type": "object", "properties": {"amount": {"type": "integer"}}}
    repository.write("shared/Money.json", json.dumps(money))
    # Where the workflow has its clone of the toolkit.
    repository.write(".gitignore", "/specwright\n")
    for project in PROJECTS:
        repository.write(f"{project}/openapi.json", of(project))
        for command in ("init", "generate"):
            done = specwright(command, cwd=repository.top / project)
            assert (done.returncode, done.stderr) == (0, "")
    repository.commit()
    return repository


@pytest.fixture
def checkout(upstream: Repository, tmp_path: Path) -> Repository:
    """A clone on the branch of a pull request."""
    place = upstream.clone(tmp_path / "checkout")
    clone = Repository(place)
    clone.git("checkout", "-qb", "change", "origin/main")
    (place / "specwright").symlink_to(actions.ROOT)
    return clone


def outcome(
    checkout: Repository, name: str, contexts: Mapping[str, str]
) -> list[tuple[str, int, str]]:
    """The commands of a job, after the installation, with their codes and outputs."""
    job = actions.jobs_of(checkout.top / WORKFLOW)[name]
    assert actions.runs(job, contexts)
    install, *others = actions.steps(job, checkout.top, contexts)
    assert (install.run, install.code) == ("pip install './specwright[test]'", 0), install.output
    return [(step.run.split()[1], step.code, step.output) for step in others]


def test_there_is_one_workflow(upstream: Repository) -> None:
    workflows = sorted(upstream.top.rglob(".github/workflows/*"))
    assert workflows == [upstream.top / WORKFLOW]
    names = list(actions.jobs_of(upstream.top / WORKFLOW))
    assert names == [
        *("review-apis-orders", "test-apis-orders", "review-apis-bill", "test-apis-bill"),
        *("review", "test"),
    ]


def test_a_pull_request_that_changes_nothing_passes(checkout: Repository) -> None:
    results = outcome(checkout, "review-apis-orders", PULL_REQUEST)
    assert [(name, code) for name, code, _ in results] == [("review", 0)], results


@pytest.mark.parametrize(("project", "job"), [("apis/bill", "review-apis-bill"), (".", "review")])
def test_a_breaking_change_fails_at_its_line_in_the_repository(
    specwright: Run, checkout: Repository, project: str, job: str
) -> None:
    file = checkout.write(f"{project}/openapi.json", of(project, limit=50))
    [(name, code, output)] = outcome(checkout, job, PULL_REQUEST)
    assert (name, code) == ("review", 1)
    # What the finding says to run is what helps.
    hint = output.partition("run: ")[2].partition("%0A")[0].split()
    assert specwright(*hint[1:], cwd=checkout.top).returncode == 0
    checkout.commit()
    *_, (name, code, output) = outcome(checkout, job, PULL_REQUEST)
    assert (name, code) == ("review", 1)
    path = file.relative_to(checkout.top).as_posix()
    assert f"::error file={path},line=" in output


def test_an_error_of_the_document_is_shown_at_its_line_in_the_repository(
    checkout: Repository,
) -> None:
    checkout.write("apis/bill/openapi.json", of("apis/bill").replace('"integer"', '"intger"'))
    [(name, code, output)] = outcome(checkout, "review-apis-bill", PULL_REQUEST)
    assert (name, code) == ("review", 1)
    assert "::error file=apis/bill/openapi.json,line=" in output


@pytest.mark.parametrize(
    ("project", "suffix"), [("apis/bill", "_APIS_BILL"), (".", "")], ids=["below", "top"]
)
def test_a_sandbox_is_tested_where_there_is_one(
    checkout: Repository, project: str, suffix: str
) -> None:
    name = "test" + suffix.lower().replace("_", "-")
    assert not actions.runs(actions.jobs_of(checkout.top / WORKFLOW)[name], {})
    with running(checkout.top, "mock", f"{project}/openapi.json") as mock:
        url = mock.line().partition(" ")[0]
        contexts = {f"vars.CONTRACT_URL{suffix}": url, f"vars.CONTRACT_HOST{suffix}": "127.0.0.1"}
        [(command, code, output)] = outcome(checkout, name, contexts)
    assert command == "test"
    # The mock checks no requests.
    assert "invalid-accepted" in output or code == 0, output
