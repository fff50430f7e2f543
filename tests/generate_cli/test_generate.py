"""`specwright generate` keeps an output in line with its document and never harms it."""

from __future__ import annotations

import copy
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from specwright.cli import cli
from specwright.emit.cache import cache_directory
from specwright.emit.manifest import LOCK, digest
from specwright.emit.write_lock import alone_in

from .conftest import DOCUMENT, content, snapshot, write_document

HEAVY = ("datamodel_code_generator", "jinja2", "jsonschema_rs", "pydantic", "rich", "yaml")


def test_what_is_left_out_is_said_in_one_line_and_in_the_lock_file(
    tmp_path: Path, specwright
) -> None:
    document = copy.deepcopy(DOCUMENT)
    get = document["paths"]["/things/{id}"]["get"]
    form = {"content": {"multipart/mixed": {"schema": {"type": "object"}}}}
    document["paths"]["/things"] = {"post": {**get, "operationId": "add", "requestBody": form}}
    called = {"responses": get["responses"], "requestBody": form}
    get["callbacks"] = {"done": {"{$url}": {"post": called}}}
    document["components"]["schemas"]["Thing"]["not"] = {"required": ["nothing"]}
    write_document(tmp_path, document)
    done = specwright("generate", "--document", "api.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1] == (
        "0 of 2 operations, 0 of 1 webhooks in full; left out: 2 unsupported-body, "
        "1 unsupported-schema"
    )
    lock = json.loads((tmp_path / "generated" / LOCK).read_text())
    assert lock["contents"]["left_out"]["unsupported-body"] == 2


def change_document(project: Path) -> None:
    file = project / "api.json"
    file.write_text(file.read_text().replace("What it is called", "Its name"))


def test_the_result_is_a_package_that_python_can_import(project: Path) -> None:
    modules = "from shop import ShopClient, errors, models, server, testing, webhooks"
    probe = f"{modules}; print(models.Thing(name='x').name, ShopClient.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", probe],
        cwd=project / "generated",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "x ShopClient\n", done.stderr


def test_a_second_run_touches_nothing_and_loads_nothing_heavy(project: Path) -> None:
    before = snapshot(project / "generated")
    probe = (
        "import sys\nfrom specwright.cli import main\nsys.argv = ['specwright', 'generate']\n"
        "try:\n    main()\nexcept SystemExit as exit:\n    code = exit.code\n"
        f"print(code, [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], cwd=project, capture_output=True, text=True, check=True
    )
    assert re.fullmatch(
        r"generated \d+ files \(nothing changed\) in \d+\.\d s\n"
        r"1 of 1 operations, 1 of 1 webhooks in full; nothing left out\n0 \[\]\n",
        done.stdout,
    )
    assert snapshot(project / "generated") == before


def test_without_a_cache_the_result_is_the_same(specwright, project: Path) -> None:
    before = snapshot(project / "generated")
    for entry in cache_directory().iterdir():
        entry.write_text("damaged\n{}")
    assert "nothing changed" in specwright("generate", cwd=project).stdout
    assert snapshot(project / "generated") == before


def test_no_verdict_is_taken_from_the_cache(
    specwright, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same edit in the cache and in the output still differs from the document."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(project.parent))
    assert specwright("generate", cwd=project).returncode == 0
    (entry,) = cache_directory().iterdir()
    remembered = json.loads(entry.read_text())
    for path in ("shop/client.py", LOCK):
        text = remembered["files"][path]
        if path == LOCK:
            lock = json.loads(text)
            lock["files"]["shop/client.py"] = digest(remembered["files"]["shop/client.py"].encode())
            text = json.dumps(lock)
        else:
            text = f"{text}# a door at the back\n"
        remembered["files"][path] = text
        (project / "generated" / path).write_text(text)
    entry.write_text(json.dumps(remembered))
    # The cache is as it would be after a run of this user, so `generate` takes it.
    assert "nothing changed" in specwright("generate", cwd=project).stdout
    checked = specwright("generate", "--check", cwd=project)
    assert checked.returncode == 1
    assert "generated/shop/client.py: changed" in checked.stdout
    assert "-# a door at the back" in specwright("generate", "--diff", cwd=project).stdout


def test_nothing_of_the_cache_lies_in_the_project(specwright, project: Path) -> None:
    write_document(project, {**DOCUMENT, "info": {"title": "Shop", "version": "9.9.9"}})
    assert specwright("generate", cwd=project).returncode == 0
    assert {path.name for path in project.iterdir()} == {"api.json", "generated", "pyproject.toml"}


@pytest.mark.parametrize("edited", ["package/README.md.jinja", "notice.txt"])
def test_a_template_that_was_edited_counts(specwright, project: Path, edited: str) -> None:
    own = project / "own"
    (own / "package").mkdir(parents=True)
    (own / "package" / "README.md.jinja").write_text("{% include 'notice.txt' %}")
    (own / "notice.txt").write_text("first\n")
    again = ("generate", "--templates", "own")
    assert specwright(*again, cwd=project).returncode == 0
    assert "nothing changed" in specwright(*again, cwd=project).stdout
    (own / edited).write_text("second\n")
    if edited != "notice.txt":
        (own / "notice.txt").unlink()
    assert "2 changed" in specwright(*again, cwd=project).stdout
    assert "second" in (project / "generated" / "README.md").read_text()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "packge/README.md.jinja",
            "",
            "own/packge/README.md.jinja:1:1: 'packge/README.md.jinja' is not",
        ),
        (
            "package/README.md.jinja",
            '{% extends "builtin/package/README.md.jinja" %}\n\n{% block instal %}{% endblock %}',
            "own/package/README.md.jinja:3:1: the template that this one extends has no block",
        ),
    ],
)
@pytest.mark.parametrize("command", [("generate",), ("scaffold", "--into", "service")])
def test_a_misspelled_template_is_named(
    specwright, project: Path, command: tuple[str, ...], name: str, text: str, message: str
) -> None:
    (project / "own" / name).parent.mkdir(parents=True)
    (project / "own" / name).write_text(text)
    done = specwright(*command, "--templates", "own", cwd=project)
    assert done.returncode == 2
    assert message in done.stderr and "did you mean" in done.stderr
    assert not (project / "service").exists()


def test_a_second_document_does_not_take_the_place_of_the_first(specwright, project: Path) -> None:
    write_document(project, {**DOCUMENT, "info": {"title": "Library", "version": "1"}})
    before = snapshot(project / "generated")
    done = specwright("generate", cwd=project)
    assert done.returncode == 2
    assert "generated: contains the package 'shop'" in done.stderr and "'library'" in done.stderr
    assert "delete generated first" in done.stderr
    assert snapshot(project / "generated") == before


def test_who_comes_second_is_told_to_wait(specwright, project: Path) -> None:
    change_document(project)
    before = snapshot(project / "generated")
    with alone_in(project / "generated"):
        done = specwright("generate", cwd=project)
    assert done.returncode == 2
    assert "generated: another run of specwright is writing here" in done.stderr
    assert snapshot(project / "generated") == before


def test_arguments_may_lead_out_of_the_project(specwright, project: Path) -> None:
    (project / "inner").mkdir()
    (project / "inner" / "pyproject.toml").write_text('[tool.specwright]\noutput = "out"\n')
    places = ("--document", "../api.json", "--output", "../far/out")
    assert specwright("generate", *places, cwd=project / "inner").returncode == 0
    assert (project / "far" / "out" / LOCK).is_file()


def test_check_names_every_file_that_differs_and_writes_nothing(specwright, project: Path) -> None:
    assert specwright("generate", "--check", cwd=project).returncode == 0
    package = project / "generated" / "shop"
    (package / "client.py").write_text("# mine\n")
    (package / "webhooks.py").unlink()
    (package / "extra.py").write_text("# mine\n")
    change_document(project)
    before = snapshot(project / "generated")
    done = specwright("generate", "--check", cwd=project)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "generated/shop/client.py: edited by hand",
        "generated/shop/extra.py: foreign",
        "generated/shop/models.py: changed",
        "generated/shop/webhooks.py: missing",
        f"generated/{LOCK}: changed",
        f"5 of {len(before) + 1} files differ; run: specwright generate",
    ]
    assert snapshot(project / "generated") == before


def test_a_diff_shows_what_would_change(specwright, project: Path) -> None:
    assert specwright("generate", "--diff", cwd=project).stdout == ""
    change_document(project)
    done = specwright("generate", "--diff", cwd=project)
    assert done.returncode == 1
    assert "--- a/shop/models.py\n+++ b/shop/models.py\n" in done.stdout
    assert re.search(r"^-.*What it is called", done.stdout, re.MULTILINE)
    assert re.search(r"^\+.*Its name", done.stdout, re.MULTILINE)


def test_a_file_that_is_no_longer_generated_goes(specwright, project: Path) -> None:
    document = copy.deepcopy(DOCUMENT)
    del document["webhooks"]
    write_document(project, document)
    assert "webhooks.py: stale" in specwright("generate", "--check", cwd=project).stdout
    assert specwright("generate", cwd=project).returncode == 0
    assert not (project / "generated" / "shop" / "webhooks.py").exists()
    assert specwright("generate", "--check", cwd=project).returncode == 0


@pytest.mark.parametrize("name", ["client.py", "extra.py"])
def test_nobodys_work_is_lost(specwright, project: Path, name: str) -> None:
    (project / "generated" / "shop" / name).write_text("# mine\n")
    before = snapshot(project / "generated")
    done = specwright("generate", cwd=project)
    assert done.returncode == 2
    assert f"shop/{name}" in done.stderr and "hint: " in done.stderr
    assert snapshot(project / "generated") == before


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("\n{% if %}", "README.md.jinja:2:1: template error"),
        ("\n\n{{ api.title }}", "README.md.jinja:3:1: template error: text from the document"),
        ("{{ api.titel }}", "README.md.jinja:1:1: template error"),
        (
            "{% extends 'builtin/nowhere' %}",
            "README.md.jinja:1:1: the template 'builtin/nowhere' does not exist",
        ),
    ],
)
def test_a_template_error_names_its_line(
    specwright, project: Path, template: str, message: str
) -> None:
    own = project / "own" / "package"
    own.mkdir(parents=True)
    (own / "README.md.jinja").write_text(template)
    before = snapshot(project / "generated")
    done = specwright("generate", "--templates", "own", cwd=project)
    assert done.returncode == 2
    assert f"own/package/{message}" in done.stderr
    assert "Traceback" not in done.stderr
    assert snapshot(project / "generated") == before


def test_a_template_whose_output_is_not_python_is_named(specwright, project: Path) -> None:
    own = project / "own" / "package"
    own.mkdir(parents=True)
    (own / "errors.py.jinja").write_text("x = (\n")
    done = specwright("generate", "--templates", "own", cwd=project)
    assert done.returncode == 2
    assert "shop/errors.py:1:" in done.stderr and "not Python" in done.stderr


def test_overriding_every_block_with_a_copy_changes_nothing(specwright, project: Path) -> None:
    before = content(project / "generated")
    listed = specwright("templates", "list", cwd=project).stdout.splitlines()
    for name, _, names in (line.partition(": ") for line in listed):
        if names:
            blocks = [part for each in names.split(", ") for part in ("--block", each)]
            copied = specwright("templates", "copy", name, *blocks, cwd=project)
            assert copied.returncode == 0, copied.stderr
    done = specwright("generate", "--templates", "templates", cwd=project)
    assert done.returncode == 0, done.stderr
    after = content(project / "generated")
    assert json.loads(after.pop(LOCK))["templates"]
    assert after == {path: data for path, data in before.items() if path != LOCK}


def test_a_mistake_costs_its_element_and_is_said_each_time(specwright, project: Path) -> None:
    document = copy.deepcopy(DOCUMENT)
    parameters = document["paths"]["/things/{id}"]["get"]["parameters"]
    parameters.append({"in": "query", "schema": {}})
    write_document(project, document)
    for _ in ("made", "remembered"):
        done = specwright("generate", cwd=project)
        assert done.returncode == 0
        assert re.search(r"^api\.json:\d+:\d+: warning left-out", done.stderr, re.MULTILINE)
        assert "0 of 1 operations, 1 of 1 webhooks in full; left out: 1 left-out" in done.stdout


def test_a_variable_without_a_parameter_is_said_each_time(specwright, project: Path) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["paths"]["/others/{other}"] = {"get": {"operationId": "other", "responses": {}}}
    document["paths"]["/others/{other}"]["get"]["responses"] = {"204": {"description": "None."}}
    write_document(project, document)
    for _ in ("made", "remembered"):
        done = specwright("generate", cwd=project)
        assert done.returncode == 0
        assert re.search(
            r"^api\.json:\d+:\d+: warning path-parameters the path has \{other\}, but no parameter",
            done.stderr,
            re.MULTILINE,
        )
        assert "2 of 2 operations" in done.stdout


def test_what_the_project_calls_an_error_generates_nothing(specwright, project: Path) -> None:
    (project / "lint.toml").write_text('[levels]\nopenapi-schema = "error"\n')
    document = copy.deepcopy(DOCUMENT)
    document["paths"]["/things/{id}"]["get"]["responses"] = []
    write_document(project, document)
    before = snapshot(project / "generated")
    done = specwright("generate", cwd=project)
    assert done.returncode == 1
    assert re.search(r"^api\.json:\d+:\d+: error openapi-schema", done.stderr, re.MULTILINE)
    assert snapshot(project / "generated") == before


@pytest.mark.parametrize(
    ("files", "arguments", "message"),
    [
        ({"api.json": "{"}, (), "api.json:1:2: "),
        ({"api.json": '{"swagger": "1.2"}'}, (), "api.json:1:2: the field 'swagger' is '1.2'"),
        ({}, ("--document", "nowhere.json"), "nowhere.json:1:1: no such file"),
        ({}, ("--package", "a-b"), "--package must be a valid Python identifier, got 'a-b'"),
        ({}, ("--templates", "nowhere"), "this directory of templates does not exist"),
        ({"pyproject.toml": "[tool.specwright]\nx = 1"}, (), "pyproject.toml:2:1: unknown setting"),
        ({"pyproject.toml": "[tool.specwright]"}, (), "there is no document"),
        ({"out": "a file"}, ("--output", "out"), "out: is a file, not a directory"),
        ({"out": "a file"}, ("--output", "out/x"), "out: is a file, not a directory"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_message(
    specwright,
    project: Path,
    files: dict[str, str],
    arguments: tuple[str, ...],
    message: str,
) -> None:
    for name, text in files.items():
        (project / name).write_text(text)
    before = snapshot(project / "generated")
    done = specwright("generate", *arguments, cwd=project)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert snapshot(project / "generated") == before


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (PermissionError(13, "Permission denied", "models.py"), 2, "models.py: cannot be written"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_a_failure_halfway_leaves_everything_as_it_was(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    message: str,
) -> None:
    change_document(project)
    before = snapshot(project / "generated")
    real, calls = Path.replace, []

    def replace(self: Path, target: Path) -> Path:
        if "generated" in str(target):
            calls.append(target)
            if len(calls) == 2:
                raise error
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    monkeypatch.chdir(project)
    done = CliRunner().invoke(cli, ["generate"])
    assert (done.exit_code, len(calls)) == (code, 4)
    assert message in done.stderr
    assert snapshot(project / "generated") == before
    assert [path.name for path in project.glob(".generated*")] == []


# A run that reads its document until it is interrupted.
ENDLESS = """
import signal, sys
from specwright.arguments import packages
from specwright.cli import main
def load(*arguments, **options):
    print("reading", flush=True)
    signal.pause()
packages.load_in_part = load
sys.argv = ["specwright", "generate"]
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM], ids=lambda sent: sent.name)
def test_an_interrupted_run_leaves_everything_as_it_was(
    project: Path, sent: signal.Signals
) -> None:
    change_document(project)
    before = snapshot(project / "generated")
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS],
        cwd=project,
        # Nothing that another test made is remembered there.
        env={**os.environ, "XDG_CACHE_HOME": str(project / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "reading\n"
    process.send_signal(sent)
    _, said = process.communicate(timeout=30)
    assert (process.returncode, said.strip()) == (130, "interrupted")
    assert snapshot(project / "generated") == before


def test_a_part_of_the_document_in_another_file_counts(specwright, project: Path) -> None:
    document = copy.deepcopy(DOCUMENT)
    properties = document["components"]["schemas"]["Thing"]["properties"]
    part = project / "label.json"
    part.write_text(json.dumps(properties["name"]))
    properties["name"] = {"$ref": "label.json"}
    write_document(project, document)
    assert specwright("generate", cwd=project).returncode == 0
    assert "nothing changed" in specwright("generate", cwd=project).stdout
    part.write_text(part.read_text().replace("What it is called", "Its name"))
    done = specwright("generate", "--check", cwd=project)
    assert done.returncode == 1
    assert "models.py: changed" in done.stdout


def test_a_name_of_the_standard_library_is_not_taken(specwright, project: Path) -> None:
    write_document(project, {**DOCUMENT, "info": {"title": "JSON", "version": "v2"}})
    done = specwright("generate", "--output", "out", cwd=project)
    assert done.returncode == 0, done.stderr
    assert (project / "out" / "json_api" / "models.py").exists()
    assert 'version = "2"' in (project / "out" / "pyproject.toml").read_text()


def test_the_same_document_gives_the_same_bytes_everywhere(tmp_path: Path, project: Path) -> None:
    made = []
    for seed, place in (("1", tmp_path / "a" / "deep"), ("2", tmp_path / "b")):
        place.mkdir(parents=True)
        write_document(place)
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": f"UTC-{seed}"}
        command = ["generate", "--document", str(place / "api.json"), "--output", "out"]
        subprocess.run(
            [sys.executable, "-m", "specwright", *command], cwd=place, env=environment, check=True
        )
        made.append(content(place / "out"))
    assert made[0] == made[1]
    assert made[0] == content(project / "generated")


def test_what_was_allowed_once_is_not_taken_from_the_cache_later(project: Path, specwright) -> None:
    outside = project.parent / f"{project.name}-outside"
    outside.mkdir()
    (outside / "part.json").write_text('{"Thing": {"type": "object"}}')
    document = copy.deepcopy(DOCUMENT)
    there = f"../{outside.name}/part.json#/Thing"
    document["components"]["schemas"]["Thing"] = {"$ref": there}
    write_document(project, document)
    allowed = specwright("generate", "--allow-refs-from", str(outside), cwd=project)
    assert allowed.returncode == 0, allowed.stderr
    refused = specwright("generate", cwd=project)
    assert refused.returncode == 2
    assert "part.json" in refused.stderr


OLD_NAMES = """
[tool.specwright.deprecated]
"models.Item" = {use = "Thing", removal = 2999-12-31}
"client.Things.read" = {use = "get_thing", removal = %s}
"""


def test_an_old_name_stays_until_the_day_of_its_removal(project: Path, specwright) -> None:
    settings = project / "pyproject.toml"
    usual = settings.read_text()
    modules = {name: project / f"generated/shop/{name}.py" for name in ("models", "async_client")}
    settings.write_text(usual + OLD_NAMES % "2999-12-31")
    assert specwright("generate", "--check", cwd=project).returncode == 1
    assert specwright("generate", cwd=project).returncode == 0
    assert "Item: TypeAlias = Thing" in modules["models"].read_text()
    assert "def read(" in modules["async_client"].read_text()

    settings.write_text(usual + OLD_NAMES % "2026-01-01")
    checked = specwright("generate", "--check", cwd=project)
    assert (checked.returncode, "client.py: changed" in checked.stdout) == (1, True)
    done = specwright("generate", cwd=project)
    assert done.stderr.splitlines() == [
        "client.Things.read is removed: delete it from [tool.specwright.deprecated]"
    ]
    assert "Item: TypeAlias = Thing" in modules["models"].read_text()
    assert "def read(" not in modules["async_client"].read_text()


def test_an_old_name_of_nothing_is_an_error_of_the_settings(project: Path, specwright) -> None:
    settings = project / "pyproject.toml"
    text = (OLD_NAMES % "2999-12-31").replace("get_thing", "get_things")
    settings.write_text(settings.read_text() + text)
    done = specwright("generate", cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "error: deprecated: client.Things has no 'get_things', which 'client.Things.read' names",
        "hint: did you mean 'get_thing'?",
    ]


@pytest.mark.parametrize("earlier", [b"x = (\n", b"x = '\0'\n", b"\xff\n", b"(" * 5000])
def test_an_earlier_package_that_is_not_python_is_replaced(
    specwright, project: Path, earlier: bytes
) -> None:
    client, lock = project / "generated" / "shop" / "client.py", project / "generated" / LOCK
    generated = client.read_bytes()
    before = digest(generated)
    client.write_bytes(earlier)
    # The digest of the file is that of the lock file, so that nothing seems to be edited by hand.
    assert before in lock.read_text()
    lock.write_text(lock.read_text().replace(before, digest(earlier)))
    done = specwright("generate", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert "the earlier package is not Python" in done.stdout
    assert client.read_bytes() == generated
