"""`specwright init`: missing files are written, and existing ones are kept."""

from __future__ import annotations

import functools
import json
import re
import threading
import tomllib
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from specwright.cli import COMMANDS, cli
from specwright.config import read_config
from specwright.document.operations.pagination import with_pagination
from specwright.document.sources.load import load_in_part
from specwright.document.sources.upgrade import upgrade
from specwright.project.ci import SERVICES
from specwright.project.files import settings_table
from specwright.project.proposals import proposals
from tests.conftest import Run
from tests.functional.documents import Json, document, operation, ref
from tests.repository import Repository

NUMBER: Json = {"schema": {"type": "integer", "default": 0}, "in": "query"}
THINGS: Json = {"type": "array", "items": {"type": "object", "properties": {"a": {}}}}
LIST = operation(THINGS, operationId="list", parameters=[{"name": "skip", **NUMBER}])
BEARER: Json = {"type": "http", "scheme": "bearer"}
TEXT: Json = {"type": "string"}
WORKFLOW = SERVICES["github"].file
IGNORED = "/reports/\n!/generated/**\n/generated/**/__pycache__/\n"
FILES = {".gitattributes", ".github/workflows/contract.yml", ".gitignore", "pyproject.toml"}


def written(place: Path) -> set[str]:
    files = (path for path in place.rglob("*") if path.is_file())
    return {file.relative_to(place).as_posix() for file in files}


def api(**members: Any) -> str:
    paths = {"/things": {"get": LIST}}
    return json.dumps({**document(paths), "servers": [{"url": "https://a.example/v1"}], **members})


def settings(place: Path) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((place / "pyproject.toml").read_text("utf-8"))
    settings: dict[str, Any] = found["tool"]["specwright"]
    return settings


@pytest.mark.parametrize(
    "name", ["openapi.json", "spec/openapi.yaml", "docs/openapi.yml", "api/swagger.json"]
)
def test_a_project_begins_with_the_document_that_is_there(
    specwright: Run, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(api(security=[]), "utf-8")
    done = specwright("init", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert written(tmp_path) == FILES | {name}
    assert settings(tmp_path) == {
        "document": name,
        "output": "generated",
        "package": "small_api",
        "pagination": {"list": {"offset": "skip", "items": ""}},
    }
    assert (tmp_path / ".gitignore").read_text() == IGNORED
    assert (tmp_path / ".gitattributes").read_text() == "generated/** linguist-generated=true\n"
    assert "pagination (1)" in done.stdout
    assert done.stdout.endswith("  specwright test http://127.0.0.1:8000/v1\n")
    assert specwright("generate", cwd=tmp_path).returncode == 0
    assert specwright("generate", "--check", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("server", "shown"),
    [
        ("http://127.0.0.1:8700/api/v1", "http://127.0.0.1:8700/api/v1"),
        ("https://localhost/", "https://localhost"),
        ("http://localhost.example:1/v1", "http://127.0.0.1:8000/v1"),
        ("ftp://localhost/v1", "http://127.0.0.1:8000/v1"),
        ("/v1", "http://127.0.0.1:8000/v1"),
    ],
)
def test_the_url_to_test_is_that_of_the_document_if_it_is_here(
    specwright: Run, tmp_path: Path, server: str, shown: str
) -> None:
    (tmp_path / "openapi.json").write_text(api(servers=[{"url": server}], security=[]), "utf-8")
    assert specwright("init", cwd=tmp_path).stdout.endswith(f"  specwright test {shown}\n")


def test_a_project_that_has_settings_stays_as_it_is(specwright: Run, tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_text(api(), "utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.specwright]\n", "utf-8")
    done = specwright("init", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the project has [tool.specwright] already" in done.stderr
    assert written(tmp_path) == {"openapi.json", "pyproject.toml"}


def test_files_that_are_there_are_added_to_or_kept(specwright: Run, tmp_path: Path) -> None:
    workflow = tmp_path / ".github/workflows/contract.yml"
    workflow.parent.mkdir(parents=True)
    before = {
        tmp_path / "pyproject.toml": '[project]\nname = "shop"',
        tmp_path / ".gitignore": f"*.pyc\n{IGNORED}",
        tmp_path / ".gitattributes": "* text=auto",
        workflow: "name: ours\n",
        tmp_path / "openapi.json": api(),
    }
    for file, text in before.items():
        file.write_text(text, "utf-8")
    done = specwright("init", "openapi.json", cwd=tmp_path)
    assert done.returncode == 0
    assert [line for line in done.stdout.splitlines() if line.startswith("wrote")] == [
        "wrote pyproject.toml: [tool.specwright], pagination (1)",
        "wrote .gitattributes: generated code is marked",
    ]
    kept = "kept .github/workflows/contract.yml: jobs cannot be added at its end; add these for "
    assert f"{kept}openapi.json yourself:\n  review:\n    runs-on: " in done.stdout
    after = {file: file.read_text("utf-8") for file in before}
    assert after[workflow] == before[workflow]
    assert after[tmp_path / ".gitignore"] == before[tmp_path / ".gitignore"]
    assert after[tmp_path / ".gitattributes"] == (
        "* text=auto\ngenerated/** linguist-generated=true\n"
    )
    text = after[tmp_path / "pyproject.toml"]
    assert text.startswith('[project]\nname = "shop"\n\n[tool.specwright]\n')
    assert tomllib.loads(text)["project"] == {"name": "shop"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tool = {}\n", "pyproject.toml:1:1: error: cannot be added to"),
        ("tool = 1\n", "the project has [tool.specwright] already"),
        ("[tool\n", "not TOML"),
    ],
)
def test_settings_that_cannot_be_added_to_are_refused(
    specwright: Run, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "openapi.json").write_text(api(), "utf-8")
    (tmp_path / "pyproject.toml").write_text(text, "utf-8")
    done = specwright("init", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said.rpartition(": ")[2] in done.stderr
    assert (tmp_path / "pyproject.toml").read_text() == text
    assert written(tmp_path) == {"openapi.json", "pyproject.toml"}


@pytest.mark.parametrize("name", ["pyproject.toml", ".gitignore", ".gitattributes", ".github"])
def test_a_link_to_another_place_is_not_followed(
    specwright: Run, tmp_path: Path, name: str
) -> None:
    place, theirs = tmp_path / "project", tmp_path / "theirs"
    place.mkdir()
    (place / "openapi.json").write_text(api(), "utf-8")
    theirs.mkdir() if name == ".github" else theirs.write_text("# secret\n", "utf-8")
    (place / name).symlink_to(theirs)
    done = specwright("init", cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert "symbolic link" in done.stderr
    assert (place / name).is_symlink()
    assert written(theirs) == set() if theirs.is_dir() else theirs.read_text() == "# secret\n"
    assert sorted(path.name for path in place.iterdir()) == sorted([name, "openapi.json"])


def test_bytes_of_others_are_kept(specwright: Run, tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_text(api(), "utf-8")
    (tmp_path / ".gitignore").write_bytes(b"caf\xe9\r\n")
    assert specwright("init", cwd=tmp_path).returncode == 0
    text = (tmp_path / ".gitignore").read_bytes()
    assert text.startswith(b"caf\xe9\r\n/reports/\n!/generated/**\n")


def test_a_directory_in_the_place_of_a_file_is_refused(specwright: Run, tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_text(api(), "utf-8")
    (tmp_path / ".gitignore").mkdir()
    done = specwright("init", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert ".gitignore:1:1" in done.stderr and "cannot be read" in done.stderr


@pytest.mark.parametrize(
    ("files", "arguments", "said"),
    [
        ([], [], "there is no document here"),
        (["openapi.json", "openapi.yml"], [], "more than one document: openapi.json, openapi.yml"),
        (["../outside.json"], ["../outside.json"], "the document is not below this directory"),
        ([], ["missing.json"], "missing.json"),
    ],
)
def test_without_one_document_nothing_is_written(
    specwright: Run, tmp_path: Path, files: list[str], arguments: list[str], said: str
) -> None:
    place = tmp_path / "project"
    place.mkdir()
    for file in files:
        (place / file).write_text(api(), "utf-8")
    before = written(place)
    done = specwright("init", *arguments, cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert written(place) == before


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    root = tmp_path / "server"
    root.mkdir()
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(root))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        yield root, f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()
        thread.join()


@pytest.mark.parametrize("name", ["openapi.json", "openapi.yaml"])
def test_a_document_at_an_address_is_copied(
    specwright: Run, tmp_path: Path, server: tuple[Path, str], name: str
) -> None:
    root, address = server
    data = json.loads(api())
    content = api() if name.endswith("json") else yaml.safe_dump(data)
    (root / "api").write_text(content, "utf-8")
    place = tmp_path / "project"
    place.mkdir()
    assert specwright("init", f"{address}/api", cwd=place).returncode == 0
    assert (place / name).read_text("utf-8") == content
    assert settings(place)["document"] == name
    (place / "pyproject.toml").unlink()
    done = specwright("init", f"{address}/api", cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{name}:1:1" in done.stderr and "already exists" in done.stderr


@pytest.mark.parametrize("content", [None, b"<html>"])
def test_an_address_without_a_document_writes_nothing(
    specwright: Run, tmp_path: Path, server: tuple[Path, str], content: bytes | None
) -> None:
    root, address = server
    if content is not None:
        (root / "api").write_bytes(content)
    place = tmp_path / "project"
    place.mkdir()
    done = specwright("init", f"{address}/api", cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert written(place) == set()


@pytest.mark.parametrize("secured", [False, True])
def test_the_workflow_calls_commands_as_they_are(
    specwright: Run, tmp_path: Path, secured: bool
) -> None:
    own: Json = {"components": {"securitySchemes": {"key": BEARER}}, "security": [{"key": []}]}
    (tmp_path / "openapi.json").write_text(api(**(own if secured else {"security": []})), "utf-8")
    assert specwright("init", cwd=tmp_path).returncode == 0
    text = (tmp_path / ".github/workflows/contract.yml").read_text("utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    runs = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    calls = [run.split() for run in runs if run.startswith("specwright ")]
    assert [call[1] for call in calls] == ["review", "test"]
    for _, name, *arguments in calls:
        command = cli.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None
        known = {option for parameter in command.params for option in parameter.opts}
        assert {argument for argument in arguments if argument.startswith("--")} <= known
    used = set(re.findall(r"\$([A-Z]+)", " ".join(runs))) | ({"KEY"} if secured else set())
    given = [step["env"] for job in jobs.values() for step in job["steps"] if "env" in step]
    assert {name for variables in given for name in variables} == used
    assert ("--api-key-env KEY" in text) is secured


def proposed(tmp_path: Path, data: Json) -> Any:
    path = tmp_path / "api.json"
    path.write_text(json.dumps(data), "utf-8")
    return proposals(upgrade(load_in_part(path)))


def test_methods_are_called_as_the_functions_of_a_framework(tmp_path: Path) -> None:
    ids = {
        ("/items/{item_id}", "get"): "read_item_items__item_id__get",
        ("/users", "get"): "listUsersUsingGET",
        ("/users", "post"): "createUserUsingPOST_1",
        # Two functions of one name, one of another's, and names of people.
        ("/a", "get"): "show_a_get",
        ("/b", "get"): "show_b_get",
        ("/c", "get"): "show_all_c_get",
        ("/d", "get"): "showAll",
        ("/e", "get"): "class_e_get",
        # None, and one of people.
        ("/f", "get"): "_f_get",
        ("/g", "get"): "get_g",
    }
    paths: Json = {}
    for (path, method), name in ids.items():
        paths.setdefault(path, {})[method] = operation(operationId=name)
    assert proposed(tmp_path, document(paths)).names == {
        "read_item_items__item_id__get": "read_item",
        "listUsersUsingGET": "list_users",
        "createUserUsingPOST_1": "create_user",
        "class_e_get": "class_",
    }


def login(**changes: Any) -> Json:
    asked: Json = {"type": "object", "properties": {"email": TEXT, "password": TEXT}}
    answered: Json = {"type": "object", "properties": {"data": ref("Session")}}
    body = {"content": {"application/json": {"schema": changes.get("asked", asked)}}}
    made = operation(changes.get("answered", answered), operationId="logIn", requestBody=body)
    session: Json = {"type": "object", "properties": {"accessToken": TEXT}}
    paths = {changes.get("path", "/auth/login"): {changes.get("method", "post"): made}}
    found = document(paths, {"Session": session})
    found["components"]["securitySchemes"] = changes.get("schemes", {"door": BEARER})
    found["security"] = [{name: []} for name in found["components"]["securitySchemes"]]
    return found


def test_a_login_that_is_plain_is_a_setting(tmp_path: Path) -> None:
    assert proposed(tmp_path, login()).sign_in == {
        "door": {
            "operation": "logIn",
            "body": {"email": "{user}", "password": "{password}"},
            "token": "$response.body#/data/accessToken",
        }
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"path": "/orders"},
        {"method": "put"},
        {"schemes": {"door": {"type": "http", "scheme": "basic"}}},
        {"schemes": {"door": BEARER, "gate": BEARER}},
        {"asked": {"type": "object", "properties": {"email": TEXT}}},
        {"asked": {"properties": {"email": {"type": "integer"}, "password": TEXT}}},
        {"answered": {"type": "object", "properties": {"ok": TEXT}}},
    ],
)
def test_a_login_that_is_not_plain_is_left_to_people(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    assert proposed(tmp_path, login(**changes)).sign_in == {}


def test_lists_that_declare_their_pages_need_no_setting(tmp_path: Path) -> None:
    paths = {"/things": {"get": {**LIST, "x-contract-pagination": {}}}}
    assert proposed(tmp_path, document(paths)).pagination == {}


def test_two_operations_of_one_id_are_told_apart(tmp_path: Path) -> None:
    paths = {"/a": {"get": LIST}, "/b": {"get": LIST}}
    assert set(proposed(tmp_path, document(paths)).pagination) == {"GET /a", "GET /b"}


@pytest.mark.parametrize("name", ['a"b', "a\nb", "a\\b", "\x7f", "é.x", "a'''b", "]\n[x"])
def test_names_of_a_document_stay_texts(specwright: Run, tmp_path: Path, name: str) -> None:
    paths = {"/things": {"get": {**LIST, "operationId": name}}}
    title = {"title": name, "version": "1"}
    (tmp_path / "openapi.json").write_text(api(paths=paths, info=title), "utf-8")
    assert specwright("init", cwd=tmp_path).returncode == 0
    assert set(settings(tmp_path)["pagination"]) == {name}


@pytest.mark.published
def test_settings_for_published_documents_have_a_meaning(corpus: Path, tmp_path: Path) -> None:
    count = 0
    for file in sorted((corpus / "specs").glob("*.[jy]*")):
        if file.name == "index.json":
            continue
        read = upgrade(load_in_part(file))
        found = proposals(read)
        text = settings_table({"document": "a.json"}, found)
        (tmp_path / "pyproject.toml").write_text(text, "utf-8")
        config = read_config(tmp_path / "pyproject.toml")
        with_pagination(read, config.options.pagination)
        assert dict(config.options.pagination) == dict(found.pagination)
        assert dict(config.options.names.operations) == dict(found.names)
        assert set(config.test.sign_in) == set(found.sign_in)
        count += len(found.pagination)
    assert count > 500


def test_a_document_with_settings_beside_it_gets_none_above_it(
    specwright: Run, tmp_path: Path
) -> None:
    """Commands would read the nearer ones."""
    (tmp_path / "apis").mkdir()
    (tmp_path / "apis/openapi.json").write_text(api(), "utf-8")
    assert specwright("init", cwd=tmp_path / "apis").returncode == 0
    done = specwright("init", "apis/openapi.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "apis/pyproject.toml:1:1: the project has [tool.specwright] already" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["apis"]


SHARED = json.dumps({"type": "object", "properties": {"amount": {"type": "integer"}}})


def mono(top: Path) -> Repository:
    """A repository of three APIs, two of which share a schema that is above them."""
    repository = Repository(top)
    repository.write("shared/Money.json", SHARED)
    money = {"Money": {"$ref": "../../shared/Money.json"}}
    for name in ("orders", "bill"):
        repository.write(f"apis/{name}/openapi.json", api(components={"schemas": money}))
    repository.write("plain/openapi.json", api())
    return repository


def jobs(top: Path) -> dict[str, Any]:
    workflow: dict[str, Any] = yaml.safe_load((top / WORKFLOW).read_text("utf-8"))
    found: dict[str, Any] = workflow["jobs"]
    return found


def test_the_workflow_is_where_github_looks_for_it(specwright: Run, tmp_path: Path) -> None:
    mono(tmp_path)
    done = specwright("init", cwd=tmp_path / "apis/orders")
    assert (done.returncode, done.stderr) == (0, "")
    assert "wrote ../../.github/workflows/contract.yml: review and test" in done.stdout
    assert not (tmp_path / "apis/orders/.github").exists()
    assert (tmp_path / "apis/orders/pyproject.toml").is_file()
    assert list(jobs(tmp_path)) == ["review-apis-orders", "test-apis-orders"]
    for job in jobs(tmp_path).values():
        assert job["env"] == {"DOCUMENT": "apis/orders/openapi.json"}
        for step in job["steps"]:
            assert "specwright " not in step.get("run", "") or '"$DOCUMENT"' in step["run"]
    assert jobs(tmp_path)["test-apis-orders"]["if"] == "vars.CONTRACT_URL_APIS_ORDERS != ''"


def test_each_project_of_a_repository_adds_its_jobs_to_one_workflow(
    specwright: Run, tmp_path: Path
) -> None:
    mono(tmp_path)
    for place in ("apis/orders", "apis/bill", "plain"):
        before = (tmp_path / WORKFLOW).read_text() if (tmp_path / WORKFLOW).exists() else ""
        done = specwright("init", cwd=tmp_path / place)
        assert (done.returncode, done.stderr) == (0, "")
        assert (tmp_path / WORKFLOW).read_text().startswith(before)
    assert list(jobs(tmp_path)) == [
        *("review-apis-orders", "test-apis-orders", "review-apis-bill", "test-apis-bill"),
        *("review-plain", "test-plain"),
    ]
    documents = {job["env"]["DOCUMENT"] for job in jobs(tmp_path).values()}
    assert documents == {f"{name}/openapi.json" for name in ("apis/orders", "apis/bill", "plain")}


def test_a_workflow_with_the_jobs_already_is_kept(specwright: Run, tmp_path: Path) -> None:
    mono(tmp_path)
    assert specwright("init", cwd=tmp_path / "plain").returncode == 0
    text = (tmp_path / WORKFLOW).read_text()
    (tmp_path / "plain/pyproject.toml").unlink()
    done = specwright("init", cwd=tmp_path / "plain")
    assert "kept ../.github/workflows/contract.yml: it has the jobs of this document" in done.stdout
    assert (tmp_path / WORKFLOW).read_text() == text


@pytest.mark.parametrize(
    ("theirs", "why"),
    [
        ("name: ours\n", "jobs cannot be added at its end"),
        ("jobs: {a: {steps: []}}\n", "jobs cannot be added at its end"),
        ("jobs:\n  a: {}\non: push\n", "jobs cannot be added at its end"),
        ("jobs:\n  review-plain: {}\n", "it has other jobs with the names review-plain"),
        ("a: [\n", "jobs cannot be added at its end"),
        ("\x00", "jobs cannot be added at its end"),
    ],
)
def test_a_workflow_that_cannot_be_added_to_is_kept_and_named(
    specwright: Run, tmp_path: Path, theirs: str, why: str
) -> None:
    mono(tmp_path).write(WORKFLOW, theirs)
    done = specwright("init", cwd=tmp_path / "plain")
    assert done.returncode == 0
    kept = f"kept ../.github/workflows/contract.yml: {why}; add these for plain/openapi.json"
    assert kept in done.stdout
    assert (tmp_path / WORKFLOW).read_text() == theirs


@pytest.mark.parametrize("name", ["ünï", "a b", "$(touch x)", "${{ github.token }}", '"', "a: #b"])
def test_names_of_directories_stay_names(specwright: Run, tmp_path: Path, name: str) -> None:
    Repository(tmp_path).write(f"{name}/openapi.json", api())
    assert specwright("init", cwd=tmp_path / name).returncode == 0
    environments = {job["env"]["DOCUMENT"] for job in jobs(tmp_path).values()}
    shown = name.replace("${{", "${{ '${{' }}")
    assert environments == {f"{shown}/openapi.json"}
    runs = [step.get("run", "") for job in jobs(tmp_path).values() for step in job["steps"]]
    assert 'specwright review "$DOCUMENT" --base "origin/$BASE" --format github' in runs


def test_files_of_the_repository_are_referred_to_before_and_after_it(
    specwright: Run, tmp_path: Path
) -> None:
    mono(tmp_path)
    place = tmp_path / "apis/bill"
    for command in ("validate", "init", "validate", "generate"):
        done = specwright(command, cwd=place)
        assert "outside the project" not in done.stderr
        assert done.returncode == 0, done.stderr


def test_a_file_outside_the_repository_needs_the_option(specwright: Run, tmp_path: Path) -> None:
    place, shared = tmp_path / "project", tmp_path / "shared"
    shared.mkdir()
    (shared / "Money.json").write_text(SHARED, "utf-8")
    schemas = {"Money": {"$ref": "../shared/Money.json"}}
    Repository(place).write("openapi.json", api(components={"schemas": schemas}))
    assert "pass --allow-refs-from" in specwright("init", cwd=place).stderr
    assert specwright("init", "--allow-refs-from", shared, cwd=place).returncode == 0


def test_it_is_the_first_command() -> None:
    assert next(iter(COMMANDS)) == "init"
