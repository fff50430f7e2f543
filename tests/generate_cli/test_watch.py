"""`specwright watch` follows the document, what it refers to, its settings and its templates."""

from __future__ import annotations

import copy
import json
import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from specwright.arguments.packages import PackageBuild
from specwright.commands.watch import _of_mock
from specwright.config import Config
from specwright.document.sources.bundle import Remote
from specwright.watching import Watched
from tests.conftest import Run
from tests.editors.problems import matcher
from tests.generate_cli.conftest import DOCUMENT, SETTINGS, write_document
from tests.generate_cli.running import Running, running
from tests.preview.test_preview import states

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT for one process")


# As an editor knows the runs.
BACKGROUND = matcher("specwright watch")["background"]


def changed(project: Path, old: str, new: str) -> None:
    """Change the document as editors do, which write another file and rename it."""
    path, written = project / "api.json", project / ".api.json.new"
    written.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    written.rename(path)


def run(watch: Running) -> list[str]:
    """The lines of the next run, from that of its cause to that of its end."""
    lines = [watch.line()]
    while not re.search(BACKGROUND["endsPattern"], lines[-1]):
        lines.append(watch.line())
    return lines


def test_the_package_follows(project: Path) -> None:
    client = project / "generated" / "shop" / "client.py"
    with running(project, "watch") as watch:
        first, end = run(watch)
        assert "files (nothing changed) in" in first
        assert end == "watching 2 files until Ctrl-C"

        changed(project, "Get a thing", "Find a thing")
        cause, outcome, end = run(watch)
        assert cause == "changed: api.json"
        assert re.search(BACKGROUND["beginsPattern"], cause)
        assert outcome.endswith("1 of 1 operations, 1 of 1 webhooks in full; nothing left out")
        assert end == "watching 2 files until Ctrl-C"
        assert "Find a thing" in client.read_text("utf-8")

        changed(project, '"openapi"', '"openapi')
        _, error, hint, _ = run(watch)
        assert error.startswith("error: api.json:2:")
        assert hint.startswith("hint: ")
        changed(project, '"openapi', '"openapi"')
        assert "files (nothing changed) in" in run(watch)[1]

        readme = project / "own" / "package" / "README.md.jinja"
        readme.parent.mkdir(parents=True)
        readme.write_text("Ours.\n", "utf-8")
        (project / "pyproject.toml").write_text(f'{SETTINGS}templates = "own"\n', "utf-8")
        # The lock file names the templates.
        cause, outcome, _ = run(watch)
        assert cause == "changed: pyproject.toml"
        assert "files (2 changed) in" in outcome
        readme.write_text("Yours.\n", "utf-8")
        cause, outcome, _ = run(watch)
        assert cause == "changed: own/package/README.md.jinja"
        assert "files (2 changed) in" in outcome
        assert "Yours." in (project / "generated" / "README.md").read_text("utf-8")
        (readme.parent / "pyproject.toml.jinja").write_text("{{ none }", "utf-8")
        assert run(watch)[1].startswith("error: own/package/pyproject.toml.jinja:1:1: template")
        (readme.parent / "pyproject.toml.jinja").unlink()
        assert "files (nothing changed) in" in run(watch)[1]

        (project / "pyproject.toml").write_text("[tool.specwright\n", "utf-8")
        _, error, *_ = run(watch)
        assert "pyproject.toml:1:17: not TOML" in error
        (project / "pyproject.toml").write_text("[tool.specwright]\ndocumen = 1\n", "utf-8")
        _, error, hint, _ = run(watch)
        assert "pyproject.toml:2:1: unknown setting 'documen'" in error
        assert hint.startswith("hint: ")
        tables = [
            f'[[tool.specwright]]\ndocument = "{name}.json"\noutput = "{name}"\n'
            for name in ("api", "other")
        ]
        write_document(project)
        (project / "other.json").write_bytes((project / "api.json").read_bytes())
        (project / "pyproject.toml").write_text("".join(tables), "utf-8")
        outcomes = run(watch)[1:-1]
        assert {line.partition(":")[0] for line in outcomes} == {"api.json", "other.json"}

        assert watch.end(signal.SIGINT) == (0, [])


def test_the_files_that_a_document_refers_to_are_watched(project: Path) -> None:
    document = copy.deepcopy(DOCUMENT)
    properties = document["components"]["schemas"]["Thing"]["properties"]
    name, properties["name"] = properties["name"], {"$ref": "parts/name.json"}
    write_document(project, document)
    part = project / "parts" / "name.json"
    with running(project, "watch") as watch:
        error, hint, end = run(watch)
        assert error.startswith("error: api.json:")
        assert hint == "hint: looked for parts/name.json"
        assert end == "watching 2 files until Ctrl-C"
        part.parent.mkdir()
        part.write_text(json.dumps(name), "utf-8")
        cause, outcome, *names, end = run(watch)
        assert cause == "changed: parts/name.json"
        assert "nothing left out" in outcome
        # The package had the property itself; it has a name of its own now.
        assert names == [
            "changed names of the package:",
            "  shop.models.Thing.name: StrictStr -> Name",
        ]
        assert end == "watching 3 files until Ctrl-C"
        part.write_text(json.dumps({**name, "description": "Its name"}), "utf-8")
        assert "files (2 changed) in" in run(watch)[1]
        assert "Its name" in (project / "generated" / "shop" / "models.py").read_text("utf-8")
        assert watch.end(signal.SIGTERM) == (0, [])


def test_reference_and_mock_follow(project: Path) -> None:
    page = project / "reference.html"
    with running(project, "watch", "--docs", page.name, "--mock", "0") as watch:
        first, written, serves, _ = run(watch)
        assert "files (nothing changed) in" in first
        assert written == "wrote reference.html: 1 page, 0.0 MB"
        url = f"{serves.split()[0]}/things/1"
        with httpx2.Client() as client:
            assert "bolt" not in client.get(url).text
            assert watch.line() == "GET /api/things/1 200"

            content = copy.deepcopy(DOCUMENT)
            operation = content["paths"]["/things/{id}"]["get"]
            operation["summary"] = "Get a bolt"
            media_type = operation["responses"]["200"]["content"]["application/json"]
            media_type["example"] = {"name": "bolt"}
            write_document(project, content)
            _, outcome, written, again, _ = run(watch)
            assert outcome.endswith("nothing left out")
            assert written == "wrote reference.html: 1 page, 0.0 MB"
            assert again == serves
            assert "Get a bolt" in page.read_text("utf-8")
            assert client.get(url).json() == {"name": "bolt"}
            assert watch.line() == "GET /api/things/1 200"

            changed(project, '"openapi"', '"openapi')
            assert run(watch)[1].startswith("error: api.json:2:")
            assert client.get(url).json() == {"name": "bolt"}
            assert watch.line() == "GET /api/things/1 200"
        # The mock does not outlive a process that cannot end it.
        assert watch.end(signal.SIGKILL) == (-signal.SIGKILL, [])
        with pytest.raises(httpx2.ConnectError):
            httpx2.get(url)


def test_the_reference_is_shown(project: Path) -> None:
    page = project / "reference.html"
    with running(project, "watch", "--docs", page.name, "--port", "0") as watch:
        url, shows = watch.line().split(maxsplit=1)
        assert shows == "shows reference.html until Ctrl-C"
        run(watch)
        with httpx2.Client() as client:
            assert client.get(f"{url}/pages/").content == page.read_bytes()
            with client.stream("GET", f"{url}/events") as response:
                events = states(response)
                first = next(events)
                assert first["message"] is None

                changed(project, '"Thing"', '"Thing')
                _, error, hint, _ = run(watch)
                broken = next(events)
                assert broken["message"] == f"{error.removeprefix('error: ')}\n{hint}"
                assert broken["version"] == first["version"]

                write_document(project)
                run(watch)
                good = next(events)
                assert good["message"] is None
                assert good["version"] != first["version"]

                document = copy.deepcopy(DOCUMENT)
                document["paths"]["/things/{id}"]["get"]["responses"] = {}
                (project / "lint.toml").write_text('profile = "strict"\n', "utf-8")
                write_document(project, document)
                # The line of a finding, its excerpt, and the error itself.
                printed = run(watch)[1:-1]
                shown = next(events)["message"].splitlines()
                assert [f"error: {shown[-1]}", *shown[:-1]] == [printed[-1], *printed[:-1]]
                assert any(line.startswith("api.json:") for line in shown)
        # It does not outlive a process that cannot end it.
        assert watch.end(signal.SIGKILL) == (-signal.SIGKILL, [])
        with pytest.raises(httpx2.ConnectError):
            httpx2.get(url)


def test_a_port_without_pages_is_refused(specwright: Run, project: Path) -> None:
    done = specwright("watch", "--port", "0", cwd=project)
    assert done.returncode == 2
    assert done.stderr == (
        "error: --port shows the pages of --docs\nhint: add --docs reference.html\n"
    )


def test_the_mock_may_read_the_same_files(tmp_path: Path) -> None:
    document, parts = tmp_path / "api.json", tmp_path / "parts"
    package = PackageBuild.of(Config(document=document), Remote.FETCH, (parts,))
    assert [*_of_mock(package, {"allowed": (parts,)})] == [
        "--remote-refs=fetch",
        f"--allow-refs-from={parts}",
        "--",
        str(document),
    ]


@pytest.mark.parametrize("option", [("--docs", "reference.html"), ("--mock", "0")])
def test_reference_and_mock_are_for_one_document(
    specwright: Run, tmp_path: Path, option: tuple[str, ...]
) -> None:
    tables = (f'[[tool.specwright]]\ndocument = "{each}"\noutput = "{each}"\n' for each in "ab")
    (tmp_path / "pyproject.toml").write_text("".join(tables), "utf-8")
    done = specwright("watch", *option, cwd=tmp_path)
    assert done.returncode == 2
    assert "--docs and --mock are for one document, and the project has 2" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--docs", "file"), "file: is a file, and a site needs a directory"),
        (("--package", "a-b"), "--package must be a valid Python identifier"),
        (("--document", "https://shop.example/openapi.json"), "cannot be watched"),
    ],
)
def test_a_mistake_at_the_start_ends_it(
    specwright: Run, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "file").touch()
    done = specwright("watch", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr


Steps = list[Callable[[], object]]


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    """What happens during the pauses, one after the other; then no more pauses are made."""
    left: Steps = []
    monkeypatch.setattr("specwright.watching.time.sleep", lambda seconds: left.pop(0)())
    return left


def test_several_changes_are_one(tmp_path: Path, steps: Steps) -> None:
    file = tmp_path / "api.json"
    file.write_text("1")
    watched = Watched()
    watched.notice([tmp_path, file])
    steps += [lambda: None, file.unlink, lambda: file.write_text("12"), lambda: None]
    assert watched.wait() == [file]
    assert steps == []


def test_a_change_that_is_taken_back_is_none(tmp_path: Path, steps: Steps) -> None:
    watched = Watched()
    watched.notice([tmp_path])
    file, hidden = tmp_path / "4913", tmp_path / ".x.swp"
    steps += [file.touch, file.unlink, hidden.touch, lambda: None]
    with pytest.raises(IndexError):
        watched.wait()


def test_a_change_since_the_file_was_read_is_seen(tmp_path: Path, steps: Steps) -> None:
    file = tmp_path / "api.json"
    file.write_text("1")
    watched = Watched()
    watched.notice([file])
    file.write_text("12")
    watched.notice([file])
    steps += [lambda: None]
    watched.wait()
    assert steps == []


def test_templates_in_new_directories_are_watched(tmp_path: Path, steps: Steps) -> None:
    watched = Watched()
    watched.notice([tmp_path])
    inner = tmp_path / "package"
    steps += [inner.mkdir, lambda: None]
    watched.wait()
    watched.notice([tmp_path])
    steps += [(inner / "README.md.jinja").touch, lambda: None]
    watched.wait()
    assert steps == []
    assert len(watched) == 0


def test_a_file_that_is_replaced_by_one_of_the_same_size_and_time_has_changed(
    tmp_path: Path, steps: Steps
) -> None:
    file, other = tmp_path / "a", tmp_path / "b"
    for path in (file, other):
        path.write_text(path.name)
        os.utime(path, (1, 1))
    watched = Watched()
    watched.notice([file])
    steps += [lambda: other.replace(file), lambda: None]
    watched.wait()
    assert steps == []
