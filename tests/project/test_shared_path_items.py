"""A path item that three paths refer to: no command loses an operation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from specwright.check.sound import sound
from specwright.document.operations.sites import operations
from specwright.document.sources import shared_path_items
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.errors import InputError, Location
from specwright.pointer import join, resolve
from tests.conftest import Run
from tests.generate_cli.running import running
from tests.repository import Repository

Json = dict[str, Any]
PATHS = ["/teams/{id}/members", "/users/{id}/members", "/groups/{id}/members"]
OPERATIONS = {f"{method} {path}" for path in PATHS for method in ("GET", "POST")}
NAME = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}


def answer(schema: Json) -> Json:
    return {"description": "An answer.", "content": {"application/json": {"schema": schema}}}


ITEM: Json = {
    "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
    "get": {"tags": ["members"], "responses": {"200": answer({"type": "array", "items": NAME})}},
    "post": {
        "tags": ["members"],
        "requestBody": {"required": True, "content": {"application/json": {"schema": NAME}}},
        "responses": {"201": answer(NAME)},
    },
}


def document(version: str, item: Json, **members: Json) -> dict[str, Json]:
    """The files of a document in which one path is written as another one, as all versions can."""
    written = {PATHS[1]: "members.yaml", PATHS[2]: f"#/paths/{PATHS[1].replace('/', '~1')}"}
    root = {
        "info": {"title": "Members", "version": "1.0.0"},
        "tags": [{"name": "members"}],
        "paths": {PATHS[0]: {"$ref": "members.yaml"}}
        | {path: {"$ref": ref} for path, ref in written.items()},
        **members,
    }
    return {"openapi.yaml": {"openapi": version, **root}, "members.yaml": item}


def write(place: Path, files: dict[str, Json]) -> Path:
    for name, content in files.items():
        (place / name).write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")
    return place / "openapi.yaml"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory, specwright: Run) -> Repository:
    """A project with a package."""
    repository = Repository(tmp_path_factory.mktemp("shared"))
    write(repository.top, document("3.1.1", ITEM))
    for command in ("init", "generate"):
        done = specwright(command, cwd=repository.top)
        assert done.returncode == 0, done.stderr
    repository.commit()
    return repository


@pytest.fixture(scope="module")
def tested(
    repository: Repository, specwright: Run, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path]]:
    """The URL of a mock, and the directory with the report of a test of it."""
    report = tmp_path_factory.mktemp("report")
    with running(repository.top, "mock") as mock:
        url = mock.line().partition(" ")[0]
        done = specwright("test", url, "--seed", "1", "--report-dir", report, cwd=repository.top)
        assert done.returncode in (0, 1), done.stderr
        yield url, report


@pytest.mark.parametrize("version", ["3.0.3", "3.1.1"])
def test_validate_asks_each_path_for_its_variables(
    specwright: Run, tmp_path: Path, version: str
) -> None:
    files = document(version, ITEM)
    files["openapi.yaml"]["paths"]["/groups/{group}"] = {"$ref": "members.yaml"}
    write(tmp_path, files)
    done = specwright("validate", "openapi.yaml", "--format", "json", cwd=tmp_path)
    found = [
        finding["message"]
        for finding in json.loads(done.stdout)["findings"]
        if finding["rule"] == "path-parameters"
    ]
    said = "the path has {group}, but no parameter is named group (did you mean id?)"
    assert found == [said]


def test_an_id_of_a_shared_item_is_one_too_many_for_the_other_paths(
    specwright: Run, tmp_path: Path
) -> None:
    write(tmp_path, document("3.1.1", {**ITEM, "get": {"operationId": "find", **ITEM["get"]}}))
    done = specwright("validate", "openapi.yaml", cwd=tmp_path)
    lines = [line for line in done.stdout.splitlines() if "operation-id-unique" in line]
    said = "error operation-id-unique operationId 'find' is already used by GET"
    places = [f"openapi.yaml:{line}:3: {said} {PATHS[0]}" for line in (10, 12)]
    assert (done.returncode, lines) == (1, places)


def methods(package: Path) -> list[str]:
    return re.findall(r"    def ((?:get|post|find|list|join)_?\w*)\(", package.read_text("utf-8"))


def test_generate_has_a_method_for_each(repository: Repository) -> None:
    made = repository.top / "generated/members"
    names = [
        f"{method}_{kind}_id_members"
        for kind in ("teams", "users", "groups")
        for method in ("get", "post")
    ]
    assert methods(made / "client.py") == names


def test_names_of_settings_are_for_one_of_the_paths(specwright: Run, tmp_path: Path) -> None:
    named = "\n".join(f'"GET {path}" = "list{number}"' for number, path in enumerate(PATHS, 1))
    write(tmp_path, document("3.1.1", {"parameters": ITEM["parameters"], "get": ITEM["get"]}))
    (tmp_path / "pyproject.toml").write_text(
        '[tool.specwright]\ndocument = "openapi.yaml"\n'
        f"[tool.specwright.names.operations]\n{named}\n"
    )
    done = specwright("generate", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert methods(tmp_path / "generated/members/client.py") == ["list1", "list2", "list3"]


def test_a_clash_of_names_leaves_the_first_path_its_own(specwright: Run, tmp_path: Path) -> None:
    write(
        tmp_path,
        document(
            "3.1.1",
            {"parameters": ITEM["parameters"], "get": {"operationId": "find", **ITEM["get"]}},
        ),
    )
    done = specwright("generate", "openapi.yaml", "--output", "made", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert methods(tmp_path / "made/members/client.py") == [
        "find",
        "get_users_id_members",
        "get_groups_id_members",
    ]


def test_the_pages_have_each(specwright: Run, repository: Repository, tmp_path: Path) -> None:
    done = specwright("docs", "--output", tmp_path / "page.html", cwd=repository.top)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "page.html").read_text("utf-8")
    for kind in ("teams", "users", "groups"):
        for method in ("get", "post"):
            assert f'id="{method}-{kind}-id-members"' in text


def test_the_mock_and_the_test_have_each(tested: tuple[str, Path]) -> None:
    _, report = tested
    coverage = json.loads((report / "result.json").read_text("utf-8"))["coverage"]
    reached = {item["name"] for item in coverage if item["kind"] == "status" and item["reached"]}
    assert reached == {f"{name} {'200' if name[0] == 'G' else '201'}" for name in OPERATIONS}


def test_one_of_the_paths_is_tested_alone(
    specwright: Run, repository: Repository, tested: tuple[str, Path], tmp_path: Path
) -> None:
    only = ("--include", PATHS[1], "--seed", "1", "--report-dir", tmp_path)
    specwright("test", tested[0], *only, cwd=repository.top)
    requests = json.loads((tmp_path / "report.har").read_text("utf-8"))["log"]["entries"]
    kinds = {urlsplit(entry["request"]["url"]).path.split("/")[1] for entry in requests}
    assert "users" in kinds
    assert kinds.isdisjoint({"teams", "groups"})


def test_recorded_traffic_is_that_of_each(
    specwright: Run, repository: Repository, tested: tuple[str, Path]
) -> None:
    url, report = tested
    traffic = (report / "report.har", "--base-url", url, "--format", "json")
    done = specwright("check-traffic", *traffic, cwd=repository.top)
    findings = json.loads(done.stdout)["findings"]
    assert {name for finding in findings for name in finding["operations"]} == OPERATIONS


def test_a_change_of_the_item_is_one_finding(specwright: Run, tmp_path: Path) -> None:
    closed = {**NAME, "properties": {"name": {"type": "string", "maxLength": 9}}}
    body = {"required": True, "content": {"application/json": {"schema": closed}}}
    changed = {**ITEM, "post": {**ITEM["post"], "requestBody": body}}
    for name, item in (("base", ITEM), ("revision", changed)):
        (tmp_path / name).mkdir()
        write(tmp_path / name, document("3.1.1", item))
    sides = ("base/openapi.yaml", "revision/openapi.yaml")
    done = specwright("diff", *sides, "--format", "json", cwd=tmp_path)
    (finding,) = (
        finding for finding in json.loads(done.stdout)["findings"] if "operations" in finding
    )
    assert (finding["rule"], finding["counterexample"]) == ("length-narrowed", "aaaaaaaaaa")
    assert finding["operations"] == [f"POST {path}" for path in PATHS]


def test_a_path_that_is_removed_is_found(specwright: Run, tmp_path: Path) -> None:
    write(tmp_path, document("3.1.1", ITEM))
    fewer = document("3.1.1", ITEM)["openapi.yaml"]
    del fewer["paths"][PATHS[0]]
    (tmp_path / "fewer.yaml").write_text(yaml.safe_dump(fewer), "utf-8")
    done = specwright("diff", "openapi.yaml", "fewer.yaml", cwd=tmp_path)
    removed = re.findall(r"(\w+ /\S+) was removed", done.stdout)
    assert set(removed) == {f"GET {PATHS[0]}", f"POST {PATHS[0]}"}


def test_the_stub_has_a_handler_for_each(
    specwright: Run, repository: Repository, tmp_path: Path
) -> None:
    done = specwright("scaffold", "--into", tmp_path, cwd=repository.top)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "members.py").read_text("utf-8")
    names = re.findall(r"async def (\w+)", text)
    assert len(set(names)) == len(OPERATIONS)


def test_each_operation_has_a_place(tmp_path: Path) -> None:
    item = {**ITEM, "additionalOperations": {"LINK": {**ITEM["get"], "operationId": "link"}}}
    hooks = {"joined": {"$ref": "members.yaml"}, "x-note": {"$ref": "members.yaml"}}
    files = document("3.2.0", item, webhooks=hooks)
    # The path that the last one is written as comes after it.
    files["openapi.yaml"]["paths"] = dict(reversed(files["openapi.yaml"]["paths"].items()))
    upgraded = upgrade(load(write(tmp_path, files)))
    sites = list(operations(upgraded))
    places = {site.pointer for site in sites}
    assert len(places) == len(sites) == 12
    assert all(resolve(upgraded.data, place) for place in places)
    written = {upgraded.as_written(place) for place in places}
    assert len(written) == 3
    ids = {upgraded.locate(site / "operationId") for site in sites if site.method == "LINK"}
    others = {Location(f"{tmp_path}/openapi.yaml", line, 3) for line in (10, 12, 15)}
    assert ids == {Location(f"{tmp_path}/members.yaml", 42, 5), *others}


def test_a_path_that_has_the_item_keeps_it(tmp_path: Path) -> None:
    one, other = PATHS[:2]
    reference = {"$ref": f"#/paths/{other.replace('/', '~1')}"}
    files = document("3.0.3", ITEM)
    files["openapi.yaml"]["paths"] = {one: reference, other: ITEM}
    places = [site.pointer for site in operations(upgrade(load(write(tmp_path, files))))]
    assert places == [
        join("paths", path, method) for path in (one, other) for method in ("get", "post")
    ]


def test_a_copy_belongs_to_its_path_alone(tmp_path: Path) -> None:
    upgraded = upgrade(load(write(tmp_path, document("3.1.1", ITEM))))
    first, *others = (site for site in operations(upgraded) if site.method == "GET")
    others[0].value["responses"] = {}
    assert first.value["responses"] == others[1].value["responses"] != {}


def test_a_reference_to_another_object_is_no_path_item(specwright: Run, tmp_path: Path) -> None:
    files = document("3.1.1", ITEM, components={"schemas": {"Name": NAME}})
    wrong = {"$ref": "#/components/schemas/Name"}
    files["openapi.yaml"]["paths"] = {"/one": wrong, "/other": wrong}
    write(tmp_path, files)
    done = specwright("validate", "openapi.yaml", cwd=tmp_path)
    assert done.stdout.count("error reference-kind") == 2


def test_an_error_in_the_item_concerns_each_path(tmp_path: Path) -> None:
    broken = {**ITEM, "get": {**ITEM["get"], "responses": {"200": {"content": 1}}}}
    part = sound(upgrade(load(write(tmp_path, document("3.0.3", broken)))))
    left = {f"{site.method} {site.key}" for site, _ in part.left_out}
    assert left == {f"GET {path}" for path in PATHS}


def test_a_short_document_cannot_ask_for_any_amount(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tagged = {"get": {"tags": [str(number) for number in range(50)], "responses": {}}}
    path = write(tmp_path, document("3.1.1", tagged))
    # Two copies with the item itself, the operation, its tags, and its responses.
    monkeypatch.setattr(shared_path_items, "MOST_VALUES", 2 * 54)
    upgrade(load(path))
    monkeypatch.setattr(shared_path_items, "MOST_VALUES", 2 * 54 - 1)
    with pytest.raises(InputError, match="more than 107 values") as raised:
        upgrade(load(path))
    assert raised.value.location == Location(str(path), 12, 3)
