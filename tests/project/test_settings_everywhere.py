"""What `init` writes for a document of FastAPI is read by every command, and none contradicts it.

The filter of the list is only valid with the pagination of the settings, and operationIds are
only short in the settings.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest

from specwright.cli import COMMANDS
from specwright.testing import check
from tests.conformance.test_command import Exchange, playing
from tests.conftest import Run
from tests.generate_cli.running import running
from tests.project.test_named_documents import COMMAND_LINES, LASTING, URL, WITHOUT
from tests.repository import Repository

# What each command says of it, apart from those that wait. A document without webhooks has
# nothing to receive.
ANSWERS = {
    "init": (2, "the project has [tool.specwright] already"),
    "validate": (0, "openapi.json: no findings"),
    "fmt": (0, ""),
    "generate": (0, " files are up to date with openapi.json"),
    "scaffold": (0, "service/parcels.py: written"),
    "docs": (0, "wrote page.html: 1 page"),
    "test": (1, "invalid-accepted"),
    "replay": (1, "filter: GET /parcels: items that do not match"),
    "check-traffic": (1, "invalid-accepted"),
    "listen": (2, "x-contract-webhook-endpoint"),
    "test-receiver": (2, "no webhook of the document has"),
    "diff": (0, "no breaking changes in 3 operations; no findings"),
    "review": (0, "no findings"),
    "changelog": (0, "No changes for users of the API."),
}
LONG_NAMES = ("parcels_get", "parcels_post", "parcel_id__get")


def document() -> dict[str, Any]:
    text = {"type": "string", "minLength": 1, "example": "new"}
    parcel = {"type": "object", "required": ["id", "status"]}
    parcel["properties"] = {"id": text, "status": text}
    page = {"type": "object", "required": ["items", "total"]}
    parcels = {"type": "array", "items": {"$ref": "#/components/schemas/Parcel"}}
    page["properties"] = {"items": parcels, "total": {"type": "integer", "minimum": 0}}

    def operation(identifier: str, schema: str, *parameters: Any) -> dict[str, Any]:
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
        return {
            "tags": ["parcels"],
            "summary": f"{schema} of {identifier[:4]}",
            "operationId": identifier,
            "parameters": [*parameters],
            "responses": {"200": {"description": "Right.", "content": content}},
        }

    def query(name: str, schema: Any, **members: Any) -> dict[str, Any]:
        return {"name": name, "in": "query", "description": "Q.", "schema": schema, **members}

    place = {"name": "parcel_id", "in": "path", "required": True, "description": "P."}
    body = {"application/json": {"schema": {"$ref": "#/components/schemas/Parcel"}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Parcel Desk", "version": "1.0.0"},
        "servers": [{"url": "https://parcels.example"}],
        "security": [],
        "tags": [{"name": "parcels", "description": "Parcels."}],
        "paths": {
            "/parcels": {
                "get": operation(
                    "list_parcels_parcels_get",
                    "Page",
                    query("offset", {"type": "integer", "minimum": 0, "default": 0}),
                    query("limit", {"type": "integer", "minimum": 1, "maximum": 9, "default": 5}),
                    query(
                        *("status", text),
                        **{"x-contract-filter": {"property": "/status", "match": "equals"}},
                    ),
                ),
                "post": {
                    **operation("create_parcel_parcels_post", "Parcel"),
                    "requestBody": {"required": True, "content": body},
                },
            },
            "/parcels/{parcel_id}": {
                "get": operation(
                    "get_parcel_parcels__parcel_id__get", "Parcel", {**place, "schema": text}
                )
            },
        },
        "components": {"schemas": {"Parcel": parcel, "Page": page}},
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, specwright: Run) -> Path:
    """A project after `init` and `generate`, with a copy of the document beside it."""
    repository = Repository(tmp_path_factory.mktemp("parcels"))
    repository.write("openapi.json", json.dumps(document(), indent=2))
    for command in ("fmt", "init", "generate"):
        done = specwright(command, cwd=repository.top)
        assert done.returncode == 0, done.stderr
    shutil.copy(repository.top / "openapi.json", repository.top / "old.json")
    repository.commit()
    return repository.top


@pytest.fixture(scope="module")
def served(project: Path, specwright: Run) -> Iterator[str]:
    """The URL of the mock, and in the project the result and the traffic of a test of it."""
    with running(project, "mock") as mock:
        url = mock.line().partition(" ")[0]
        done = specwright("test", url, "--seed", "1", "--report-dir", "report", cwd=project)
        assert done.returncode == 1, done.stderr
        shutil.copy(project / "report/result.json", project / "result.json")
        shutil.copy(project / "report/report.har", project / "traffic.har")
        yield url


def failure(project: Path) -> str:
    """The name of the failure of the filter in the report of the test."""
    findings = json.loads((project / "report/report.json").read_text("utf-8"))["findings"]
    (found,) = [finding for finding in findings if finding["rule"] == "filter"]
    name: str = found["evidence"][0]["text"]
    return name


def test_every_command_about_a_document_is_tried() -> None:
    assert set(ANSWERS) | LASTING | WITHOUT == set(COMMANDS)


def test_init_finds_the_pagination_and_short_names(project: Path) -> None:
    text = (project / "pyproject.toml").read_text("utf-8")
    assert "[tool.specwright.pagination]\nlist_parcels_parcels_get = {" in text
    assert 'get_parcel_parcels__parcel_id__get = "get_parcel"' in text


@pytest.mark.parametrize("name", ANSWERS)
def test_no_command_contradicts_the_settings(
    specwright: Run, project: Path, served: str, name: str
) -> None:
    before, after = COMMAND_LINES[name]
    meant = {URL: served, "F1": failure(project)}
    arguments = [meant.get(word, word) for word in (*before, *after)]
    done = specwright(name, *arguments, cwd=project)
    output = done.stdout + done.stderr
    code, words = ANSWERS[name]
    assert done.returncode == code, output
    assert words in output
    assert "contract-" not in output.replace("x-contract-", "")
    assert "with errors" not in output


def test_generate_reads_all_operations(specwright: Run, project: Path, tmp_path: Path) -> None:
    done = specwright("generate", "--output", tmp_path, cwd=project)
    assert "3 of 3 operations in full; nothing left out" in done.stdout
    assert done.stderr == ""


def test_test_and_check_traffic_judge_the_filter_and_the_pages(
    specwright: Run, project: Path, served: str
) -> None:
    """The mock filters nothing, and sends the same page again."""
    commands = (("test", served, "--seed", "1"), ("check-traffic", "traffic.har"))
    for command, *arguments in commands:
        base = () if command == "test" else ("--base-url", served)
        done = specwright(command, *arguments, *base, "--format", "json", cwd=project)
        rules = {finding["rule"] for finding in json.loads(done.stdout)["findings"]}
        assert "filter" in rules
        assert "page-size" in rules or command == "check-traffic"


def test_the_document_at_an_address_has_the_pages_of_the_settings(
    specwright: Run, project: Path, served: str
) -> None:
    def respond(exchange: Exchange) -> None:
        exchange.answer(200, json.dumps(document()).encode())

    with playing(respond) as port:
        named = f"http://127.0.0.1:{port}/parcels.json"
        done = specwright(*("test", served, named, "--seed", "1", "--format", "json"), cwd=project)
    assert done.returncode == 1, done.stderr
    rules = {finding["rule"] for finding in json.loads(done.stdout)["findings"]}
    assert {"filter", "page-size"} <= rules


class Parcels:
    """An application that has its document, filters nothing and sends the same page again."""

    def openapi(self) -> dict[str, Any]:
        return document()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        start_response("200 OK", [("Content-Type", "application/json")])
        parcel = {"id": "1", "status": "other"}
        is_list = environ["REQUEST_METHOD"] == "GET" and environ["PATH_INFO"] == "/parcels"
        page = {"items": [parcel] * 10, "total": 10}
        return [json.dumps(page if is_list else parcel).encode()]


def test_the_document_of_an_application_has_the_pages_of_the_settings(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    outcome = check(Parcels())
    rules = {finding.rule for finding in outcome.operations["GET /parcels"].findings}
    assert {"filter", "page-size"} <= rules


def test_calls_and_handlers_have_the_names_of_the_settings(
    specwright: Run, project: Path, tmp_path: Path
) -> None:
    assert specwright("docs", "--output", tmp_path / "page.html", cwd=project).returncode == 0
    assert specwright("scaffold", "--into", tmp_path, cwd=project).returncode == 0
    page = (tmp_path / "page.html").read_text("utf-8")
    client = (project / "generated/parcel_desk/client.py").read_text("utf-8")
    handlers = (tmp_path / "parcels.py").read_text("utf-8")
    for name in ("list_parcels", "get_parcel", "create_parcel"):
        assert f"client.parcels.{name}(" in page
        assert f"def {name}(" in client
        assert f"async def {name}(" in handlers
    for text in (client, handlers):
        assert not [name for name in LONG_NAMES if name in text]


def test_watch_makes_what_generate_makes(project: Path) -> None:
    with running(project, "watch") as watch:
        assert " files (nothing changed) in " in watch.line()
