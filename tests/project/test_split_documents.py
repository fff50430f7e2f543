"""Documents of forty files in a repository of three APIs, through every command.

Each command runs in the directory of an API, whose settings name the document, and at the top of
the repository, where its path does. Both say the same.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from specwright.cli import COMMANDS
from specwright.findings import Level
from tests.conftest import Run
from tests.generate_cli.running import running
from tests.project import split
from tests.project.test_named_documents import LASTING, WITHOUT
from tests.repository import Repository

APIS = {"apis/first": split.VERSIONS[0], "apis/second": split.VERSIONS[1]}
EDITED = "schemas/Record3.yaml"
PLACES = [(api, place) for api in APIS for place in (api, ".")]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory, specwright: Run) -> Repository:
    """A commit with three projects, and a working tree in which a schema of each has changed."""
    repository = Repository(tmp_path_factory.mktemp("mono"))
    top = repository.top
    for api, version in APIS.items():
        split.write(top / api, version, api.rpartition("/")[2])
    repository.write(
        "apis/third/openapi.json",
        json.dumps({"openapi": "3.1.0", "info": {"title": "Third", "version": "1"}, "paths": {}}),
    )
    for api in (*APIS, "apis/third"):
        for command in ("fmt", "init", "generate"):
            done = specwright(command, cwd=top / api)
            assert done.returncode == 0, done.stderr
            assert "Traceback" not in done.stderr
    repository.commit()
    for api in APIS:
        file = top / api / EDITED
        file.write_text(file.read_text("utf-8").replace("minLength: 1", "minLength: 2"), "utf-8")
    return repository


def document(api: str, place: str) -> list[str]:
    """The argument that names the document of an API in a directory of the repository."""
    return [] if place == api else [f"{api}/openapi.yaml"]


def at(api: str, place: str, path: str) -> str:
    return path if place == api else f"{api}/{path}"


# What each command says in the working tree, with its exit code. The first argument of some is
# made by a test of the mock: its URL, its result and its traffic. Those that wait have their own
# test, and so has `replay`, whose document is in the result.
ANSWERS = {
    "init": ((), 2, "the project has [tool.specwright] already"),
    "validate": ((), 0, "openapi.yaml: no findings"),
    "fmt": (("--check",), 0, ""),
    "generate": (("--check",), 1, "models.py: changed"),
    "scaffold": (("--into", "{made}"), 0, "records.py: written"),
    "docs": (("--output", "{made}/page.html"), 0, "1 page"),
    "test": (("{url}", "--seed", "1"), 1, "openapi.yaml: "),
    "check-traffic": (("{traffic}", "--base-url", "{url}"), 0, "openapi.yaml: "),
    "listen": (("{url}", "--public-url", "https://tunnel.example"), 2, "endpoints of webhooks"),
    "test-receiver": (("{url}",), 2, "no webhook of the document"),
    "diff": (("{base}",), 0, "minLength 1 -> 2"),
    "review": (("--base", "HEAD"), 1, "minLength 1 -> 2"),
    "changelog": (("{base}",), 0, "`minLength 1 -> 2`"),
}


@pytest.fixture(scope="module", params=APIS)
def tested(
    request: pytest.FixtureRequest,
    repository: Repository,
    specwright: Run,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[str, str, Path]]:
    """An API, the URL of its mock, and the directory with the report of a test of it."""
    api, report = request.param, tmp_path_factory.mktemp("report")
    with running(repository.top / api, "mock") as mock:
        url = mock.line().partition(" ")[0]
        specwright("test", url, "--seed", "1", "--report-dir", report, cwd=repository.top / api)
        yield api, url, report


def test_every_command_about_a_document_is_tried() -> None:
    assert set(ANSWERS) | {"replay"} | LASTING | WITHOUT == set(COMMANDS)


@pytest.mark.parametrize("is_top", [False, True], ids=["own", "top"])
@pytest.mark.parametrize("name", ANSWERS)
def test_each_command(
    specwright: Run,
    repository: Repository,
    tested: tuple[str, str, Path],
    tmp_path: Path,
    name: str,
    is_top: bool,
) -> None:
    api, url, report = tested
    place = "." if is_top else api
    meant = {
        "url": url,
        "made": tmp_path,
        "traffic": report / "report.har",
        "base": f"git:HEAD:{at(api, place, 'openapi.yaml')}",
    }
    arguments, code, words = ANSWERS[name]
    first = [word.format(**meant) for word in arguments if not arguments[0].startswith("-")]
    last = [word.format(**meant) for word in arguments if arguments[0].startswith("-")]
    done = specwright(name, *first, *document(api, place), *last, cwd=repository.top / place)
    output = done.stdout + done.stderr
    assert done.returncode == code, output
    assert words in output
    assert "Traceback" not in output
    assert "cannot be used" not in output


def test_a_failure_is_sent_again(
    specwright: Run, repository: Repository, tested: tuple[str, str, Path]
) -> None:
    api, _, report = tested
    done = specwright("replay", report / "result.json", "F1", cwd=repository.top / api)
    assert done.returncode == 1, done.stderr


@pytest.mark.parametrize(("api", "place"), PLACES)
def test_watch_generates_from_all_files(
    repository: Repository, tmp_path: Path, api: str, place: str
) -> None:
    top = shutil.copytree(repository.top, tmp_path / "copy")
    with running(top / place, "watch", *document(api, place)) as watch:
        assert "16 of 16 operations in full" in watch.line()
        # Names that the package of the copy has otherwise come first.
        last = next(line for line in iter(watch.line, None) if line.startswith("watching"))
        assert re.search(r"watching 4\d files", last)


def test_the_document_has_forty_files() -> None:
    for version in split.VERSIONS:
        assert len(split.files(version)) == 40


@pytest.mark.parametrize(("api", "place"), PLACES)
def test_validate(specwright: Run, repository: Repository, api: str, place: str) -> None:
    done = specwright("validate", *document(api, place), cwd=repository.top / place)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{at(api, place, 'openapi.yaml')}: no findings\n"


@pytest.mark.parametrize(("api", "place"), PLACES)
def test_fmt(specwright: Run, repository: Repository, api: str, place: str) -> None:
    done = specwright("fmt", "--check", *document(api, place), cwd=repository.top / place)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(("api", "place"), PLACES)
def test_generate(specwright: Run, repository: Repository, api: str, place: str) -> None:
    done = specwright("generate", "--check", *document(api, place), cwd=repository.top / place)
    assert done.returncode == 1
    name = api.rpartition("/")[2]
    assert f"{at(api, place, f'generated/{name}/models.py')}: changed" in done.stdout
    assert "2 of " in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(("api", "place"), PLACES)
def test_diff_and_changelog(specwright: Run, repository: Repository, api: str, place: str) -> None:
    base = f"git:HEAD:{at(api, place, 'openapi.yaml')}"
    done = specwright("diff", base, *document(api, place), cwd=repository.top / place)
    assert (done.returncode, done.stderr) == (0, "")
    edited = at(api, place, EDITED)
    assert re.search(rf"^{edited}:\d+:\d+: info schema-compatible", done.stdout, re.MULTILINE)
    assert "minLength 1 -> 2" in done.stdout
    assert f"see also git:HEAD:{edited}:" in done.stdout
    assert "diff-invalid" not in done.stdout
    entry = specwright("changelog", base, *document(api, place), cwd=repository.top / place)
    assert (entry.returncode, entry.stderr) == (0, "")
    assert "`minLength 1 -> 2`" in entry.stdout


@pytest.mark.parametrize(("api", "place"), PLACES)
def test_review(specwright: Run, repository: Repository, api: str, place: str) -> None:
    named = document(api, place)
    done = specwright(
        "review", "--base", "HEAD", *named, "--format", "json", cwd=repository.top / place
    )
    assert done.returncode == 1
    findings = {
        (finding["rule"], finding["level"], finding["file"])
        for finding in json.loads(done.stdout)["findings"]
    }
    assert findings == {
        ("schema-compatible", Level.INFO.value, at(api, place, EDITED)),
        ("generated-drift", Level.ERROR.value, at(api, place, "generated/specwright.lock.json")),
        ("version-too-low", Level.WARNING.value, at(api, place, "openapi.yaml")),
    }


@pytest.mark.parametrize(("api", "place"), PLACES)
def test_docs(
    specwright: Run, repository: Repository, api: str, place: str, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    named = document(api, place)
    done = specwright("docs", *named, "--output", page, cwd=repository.top / place)
    assert (done.returncode, done.stderr) == (0, "")
    text = page.read_text("utf-8")
    for number in range(split.COUNT):
        assert f"Get record {number}" in text


@pytest.mark.parametrize(("api", "place"), [PLACES[0], PLACES[3]])
def test_the_mock_passes_the_test(
    specwright: Run, repository: Repository, api: str, place: str
) -> None:
    directory, named = repository.top / place, document(api, place)
    with running(directory, "mock", *named) as mock:
        url, _, rest = mock.line().partition(" ")
        assert rest.startswith(f"serves {at(api, place, 'openapi.yaml')} until")
        done = specwright("test", url, *named, "--seed", "1", "--format", "json", cwd=directory)
    findings = json.loads(done.stdout)["findings"]
    # The mock keeps no state, so that it has a resource for every id.
    assert {finding["rule"] for finding in findings} <= {"created-is-found"}


def test_a_document_of_another_project_has_its_own_settings(
    specwright: Run, repository: Repository
) -> None:
    """The settings around a named document apply, not those of the working directory."""
    done = specwright(
        "generate", "--check", "../second/openapi.yaml", cwd=repository.top / "apis/first"
    )
    assert "second/generated/second/models.py: changed" in done.stdout


def test_all_documents_of_a_directory(specwright: Run, repository: Repository) -> None:
    done = specwright("review", "--base", "HEAD", "apis", "--format", "json", cwd=repository.top)
    assert done.returncode == 1
    rules = [finding["rule"] for finding in json.loads(done.stdout)["findings"]]
    assert rules.count("generated-drift") == rules.count("schema-compatible") == len(APIS)
