"""Plain names of methods: `generate` points to them, and `init --names` writes them."""

from __future__ import annotations

import json
import shutil
import signal
import tomllib
from pathlib import Path
from typing import Any

import pytest

from specwright.config import Renames, read_config
from specwright.document.sources.load import load_in_part
from specwright.project.proposals import plain_names
from tests.conftest import Run
from tests.functional.documents import Json, document, operation
from tests.generate_cli.running import running

SETTINGS = '[tool.specwright]\ndocument = "api.json"\n'
FLOWS = {
    "create_flow_flows_post": ("/flows", "post"),
    "read_flow_flows__id__get": ("/flows/{id}", "get"),
}
NEW = {"read_log_logs_get": ("/logs", "get")}


def write_api(place: Path, ids: dict[str, tuple[str, str]], name: str = "api.json") -> None:
    paths: Json = {}
    for identifier, (path, method) in ids.items():
        id_in_path = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        parameters = [id_in_path] if "{" in path else []
        made = operation(operationId=identifier, parameters=parameters)
        paths.setdefault(path, {})[method] = made
    (place / name).write_text(json.dumps(document(paths)), "utf-8")


def generated(specwright: Run, place: Path, *arguments: str) -> list[str]:
    """The lines of `generate` after the first two."""
    done = specwright("generate", *arguments, cwd=place)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()[2:]


def names_of(place: Path) -> dict[str, str]:
    return dict(read_config(place / "pyproject.toml").options.names.operations)


def methods(place: Path) -> str:
    return (place / "generated/small_api/client.py").read_text("utf-8")


HINT = (
    "plain names for 2 methods, such as create_flow for create_flow_flows_post: "
    "specwright init --names api.json"
)


def test_a_new_package_is_pointed_to_plain_names_once(specwright: Run, tmp_path: Path) -> None:
    write_api(tmp_path, FLOWS)
    (tmp_path / "pyproject.toml").write_text(SETTINGS, "utf-8")
    assert generated(specwright, tmp_path) == [HINT]
    assert "def create_flow_flows_post(" in methods(tmp_path)
    # Later, callers have the names.
    assert generated(specwright, tmp_path) == []
    write_api(tmp_path, {**FLOWS, **NEW})
    assert generated(specwright, tmp_path) == []
    # A package from the cache of earlier runs is as new.
    write_api(tmp_path, FLOWS)
    shutil.rmtree(tmp_path / "generated")
    assert generated(specwright, tmp_path) == [HINT]


def test_a_project_with_plain_names_hears_of_new_operations(
    specwright: Run, tmp_path: Path
) -> None:
    write_api(tmp_path, FLOWS)
    (tmp_path / "pyproject.toml").write_text(SETTINGS, "utf-8")
    done = specwright("init", "--names", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "wrote pyproject.toml: names (2)\n"
    assert generated(specwright, tmp_path) == []
    assert "def create_flow(" in methods(tmp_path)
    write_api(tmp_path, {**FLOWS, **NEW})
    assert generated(specwright, tmp_path) == [
        "plain names for 1 method, such as read_log for read_log_logs_get: "
        "specwright init --names api.json"
    ]
    assert specwright("init", "--names", cwd=tmp_path).returncode == 0
    assert (tmp_path / "pyproject.toml").read_text("utf-8") == (
        f"{SETTINGS}\n"
        "# Methods, named after the functions that a framework derived operationIds from.\n"
        "[tool.specwright.names.operations]\n"
        'create_flow_flows_post = "create_flow"\n'
        'read_flow_flows__id__get = "read_flow"\n'
        'read_log_logs_get = "read_log"\n'
    )
    done = specwright("init", "--names", cwd=tmp_path)
    assert done.stdout == "kept pyproject.toml: no method has a plainer name\n"
    assert {path.name for path in tmp_path.iterdir()} == {"api.json", "generated", "pyproject.toml"}


def test_without_settings_the_command_is_init(specwright: Run, tmp_path: Path) -> None:
    write_api(tmp_path, FLOWS, "my api.json")
    shown = generated(specwright, tmp_path, "--document", "my api.json", "--output", "sdk")
    assert [line.partition(": ")[2] for line in shown] == ["specwright init 'my api.json'"]
    # It is what the option does there, too.
    done = specwright("init", "--names", "my api.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert names_of(tmp_path) == {
        "create_flow_flows_post": "create_flow",
        "read_flow_flows__id__get": "read_flow",
    }


def test_watch_points_to_them_as_well(specwright: Run, tmp_path: Path) -> None:
    write_api(tmp_path, FLOWS)
    (tmp_path / "pyproject.toml").write_text(SETTINGS, "utf-8")
    with running(tmp_path, "watch") as watch:
        assert watch.line().startswith("generated ")
        assert watch.line() == HINT
        assert watch.line().startswith("watching ")
        assert watch.end(signal.SIGINT) == (0, [])


@pytest.mark.parametrize("command", ["--check", "--diff"])
def test_a_comparison_says_nothing_of_names(specwright: Run, tmp_path: Path, command: str) -> None:
    write_api(tmp_path, FLOWS)
    (tmp_path / "pyproject.toml").write_text(SETTINGS, "utf-8")
    assert "plain names for" not in specwright("generate", command, cwd=tmp_path).stdout


def test_names_of_a_project_are_kept_and_not_taken_twice(tmp_path: Path) -> None:
    write_api(
        tmp_path,
        {
            "a_x_get": ("/x", "get"),
            "b_y_get": ("/y", "get"),
            "c_z_get": ("/z", "get"),
            "other": ("/o", "get"),
        },
    )
    own = Renames(operations={"b_y_get": "mine", "GET /o": "c"})
    assert plain_names(load_in_part(tmp_path / "api.json"), own) == {"a_x_get": "a"}


def test_swagger_is_read_as_it_is_written(tmp_path: Path) -> None:
    responses: Json = {"200": {"description": "Good."}}
    paths = {"/users": {"get": {"operationId": "listUsersUsingGET", "responses": responses}}}
    data = {"swagger": "2.0", "info": {"title": "A", "version": "1"}, "paths": paths}
    (tmp_path / "api.json").write_text(json.dumps(data), "utf-8")
    names = plain_names(load_in_part(tmp_path / "api.json"), Renames())
    assert names == {"listUsersUsingGET": "list_users"}


PAIRS = 'create_flow_flows_post = "create_flow"\nread_flow_flows__id__get = "read_flow"\n'
ABOUT = "# Methods, named after the functions that a framework derived operationIds from.\n"
TABLE = f"\n{ABOUT}[tool.specwright.names.operations]\n{PAIRS}"
OWN = f'{SETTINGS}[tool.specwright.names.operations]\n"GET /flows/{{id}}" = "flow"\n'
ONE = 'create_flow_flows_post = "create_flow"\n'
SPACED = OWN.replace("[tool.specwright.names.operations]", "[ tool.specwright . names.operations ]")
OTHERS = '[[tool.specwright]]\ndocument = "api.json"\noutput = "a"\n'
OTHER = '[[tool.specwright]]\ndocument = "other.json"\noutput = "b"\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (SETTINGS, SETTINGS + TABLE),
        (SETTINGS.rstrip(), SETTINGS + TABLE),
        (f"{SETTINGS}\n# The end.\n", f"{SETTINGS}{TABLE}\n# The end.\n"),
        (OWN, OWN + ONE),
        (
            f"{OWN}\n# Groups.\n[tool.specwright.names.tags]\n",
            f"{OWN}{ONE}\n# Groups.\n[tool.specwright.names.tags]\n",
        ),
        (SPACED, SPACED + ONE),
        # In the table of this document.
        (OTHERS + OTHER, OTHERS + TABLE + OTHER),
        (OTHER + OTHERS, OTHER + OTHERS + TABLE),
        # A head in a text is none.
        (
            f'{SETTINGS}[tool.other]\ntext = """\n[tool.specwright.names.operations]\n"""\n',
            f'{SETTINGS}[tool.other]\ntext = """\n[tool.specwright.names.operations]\n"""\n{TABLE}',
        ),
    ],
)
def test_names_are_added_to_the_text_of_the_settings(
    specwright: Run, tmp_path: Path, before: str, after: str
) -> None:
    write_api(tmp_path, FLOWS)
    write_api(tmp_path, NEW, "other.json")
    (tmp_path / "pyproject.toml").write_text(before, "utf-8")
    done = specwright("init", "--names", "api.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "pyproject.toml").read_text("utf-8") == after


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            f'{SETTINGS}names = {{operations = {{"GET /flows/{{id}}" = "flow"}}}}\n',
            'hint: write into [tool.specwright.names.operations]: create_flow_flows_post = "',
        ),
        (OTHER.replace("[[", "[").replace("]]", "]"), "is for another document than api.json"),
    ],
)
def test_settings_that_cannot_have_the_names_are_kept(
    specwright: Run, tmp_path: Path, settings: str, message: str
) -> None:
    write_api(tmp_path, FLOWS)
    (tmp_path / "pyproject.toml").write_text(settings, "utf-8")
    done = specwright("init", "--names", "api.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert (tmp_path / "pyproject.toml").read_text("utf-8") == settings


def test_names_with_a_publishing_workflow(specwright: Run, tmp_path: Path) -> None:
    write_api(tmp_path, FLOWS)
    (tmp_path / "pyproject.toml").write_text(SETTINGS, "utf-8")
    done = specwright("init", "--names", "--publish", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    written: list[Any] = [line.partition(":")[0] for line in done.stdout.splitlines()]
    assert written == ["wrote .github/workflows/publish.yml", "wrote pyproject.toml"]


@pytest.mark.parametrize("name", ["\x1b[31m", "a\nb", '"'])
def test_names_of_a_document_stay_texts(specwright: Run, tmp_path: Path, name: str) -> None:
    identifier = f"show{name}_x_get"
    write_api(tmp_path, {identifier: ("/x", "get")})
    (tmp_path / "pyproject.toml").write_text(SETTINGS, "utf-8")
    lines = generated(specwright, tmp_path)
    assert len(lines) == 1
    assert "\x1b" not in lines[0]
    assert specwright("init", "--names", cwd=tmp_path).returncode == 0
    text = (tmp_path / "pyproject.toml").read_text("utf-8")
    assert list(tomllib.loads(text)["tool"]["specwright"]["names"]["operations"]) == [identifier]
