"""Several documents in one review, and those that are new, were moved, or are gone."""

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.compare.document.pairing import operations_by_key
from specwright.errors import InputError
from specwright.report.formats import FILES
from tests.compare.documents import document
from tests.conftest import Run
from tests.repository import Repository
from tests.review.projects import DOCUMENT, SETTINGS, edited, project

NARROWER = ("maximum: 20", "maximum: 10")
SEVERAL = (
    '[[tool.specwright]]\ndocument = "a.json"\noutput = "one"\n'
    '[[tool.specwright]]\ndocument = "b/b.json"\noutput = "two"\n'
)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return project(tmp_path / "repository")


def put(repository: Repository, path: str, *edits: tuple[str, str]) -> None:
    repository.write(path, json.dumps(edited(*edits), indent=2) + "\n")


def reviewed(
    specwright: Run, repository: Repository, *arguments: str, base: str = "main"
) -> dict[str, Any]:
    done = specwright(
        *("review", "--base", base, "--format", "json", *arguments), cwd=repository.top
    )
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def broken(found: dict[str, Any]) -> list[tuple[str, list[str]]]:
    return [(e["rule"], e["operations"]) for e in found["findings"] if e["level"] == "error"]


def test_all_documents_of_a_project_are_reviewed(repository: Repository, specwright: Run) -> None:
    repository.write("pyproject.toml", SEVERAL)
    put(repository, "a.json")
    put(repository, "b/b.json")
    repository.commit()
    put(repository, "b/b.json", NARROWER)
    found = reviewed(specwright, repository)
    assert found["headline"] == "breaking changes in 1 of 2 documents"
    assert broken(found) == [("range-narrowed", ["POST /orders (b/b.json)"])]
    facts = {fact["label"]: fact["value"] for fact in found["facts"]}
    assert facts["a.json"] == "no breaking changes in 1 operation"
    assert facts["b/b.json"] == "1 breaking change in 1 of 1 operation"


def test_a_directory_stands_for_its_documents(repository: Repository, specwright: Run) -> None:
    put(repository, "apis/a.json")
    put(repository, "apis/deep/b.json")
    repository.write("apis/other.json", '{"swagger": "1.2"}')
    repository.write("apis/.hidden/c.json", '{"openapi": "3.1.0"}')
    repository.commit()
    put(repository, "apis/deep/b.json", NARROWER)
    (repository.top / "apis" / "a.json").unlink()
    (repository.top / "apis" / "link.json").symlink_to("deep/b.json")
    found = reviewed(specwright, repository, "--document", "apis")
    assert sorted(broken(found)) == [
        ("document-removed", ["POST /orders (apis/a.json)"]),
        ("range-narrowed", ["POST /orders (apis/deep/b.json)"]),
    ]


def test_a_directory_without_documents_is_refused(repository: Repository, specwright: Run) -> None:
    (repository.top / "empty").mkdir()
    done = specwright("review", "--base", "main", "--document", "empty", cwd=repository.top)
    assert done.returncode == 2
    assert "empty: contains no OpenAPI documents" in done.stderr


def test_a_document_that_is_new_breaks_nobody(repository: Repository, specwright: Run) -> None:
    put(repository, "new.json")
    repository.git("add", "new.json")
    found = reviewed(specwright, repository, "--document", "new.json")
    assert found["headline"] == "a new document with 1 operation"
    assert broken(found) == []


@pytest.mark.parametrize("ignored", ["", "build\n"])
def test_changes_of_a_document_that_git_does_not_track_are_unknown(
    repository: Repository, specwright: Run, ignored: str
) -> None:
    repository.write(".gitignore", ignored)
    put(repository, "build/a b.json")
    found = reviewed(specwright, repository, "build/a b.json")
    assert found["headline"] == "not compared, as git does not track it"
    assert "breaking" not in found["summary"]
    [finding] = [each for each in found["findings"] if each["rule"] == "document-untracked"]
    assert finding["level"] == "warning"
    assert finding["message"].endswith("run: specwright diff BASE 'build/a b.json'")
    repository.write("build/lint.toml", '[levels]\ndocument-untracked = "error"\n')
    found = reviewed(specwright, repository, "build/a b.json")
    assert [each["rule"] for each in found["findings"] if each["level"] == "error"] == [
        "document-untracked"
    ]


def test_a_document_that_was_moved_is_compared_with_what_it_was(
    repository: Repository, specwright: Run
) -> None:
    (repository.top / "openapi.json").unlink()
    settings = '[tool.specwright]\ndocument = "spec/api.json"\n'
    repository.write("pyproject.toml", settings)
    put(repository, "spec/api.json", NARROWER)
    found = reviewed(specwright, repository)
    assert broken(found) == [("range-narrowed", ["POST /orders"])]
    assert {"label": "Moved", "value": "from openapi.json"} in found["facts"]
    assert found["findings"][0]["related"]["file"] == "git:main:openapi.json"


def test_another_title_does_not_hide_that_a_document_is_gone(
    repository: Repository, specwright: Run
) -> None:
    """Its author could move a document to have no base."""
    (repository.top / "openapi.json").unlink()
    repository.write("pyproject.toml", '[tool.specwright]\ndocument = "api.json"\n')
    put(repository, "api.json", ("title: Shop", "title: Other"))
    found = reviewed(specwright, repository)
    assert broken(found) == [("document-removed", ["POST /orders (openapi.json)"])]


@pytest.mark.parametrize("named", ["spec/api.json", "."])
def test_a_document_that_git_knows_as_renamed_is_compared_with_what_it_was(
    repository: Repository, specwright: Run, named: str
) -> None:
    """A new title beside a new path would otherwise hide every other change."""
    (repository.top / "openapi.json").unlink()
    put(repository, "spec/api.json", NARROWER, ("title: Shop", "title: Other"))
    repository.commit()
    found = reviewed(specwright, repository, "--document", named, base="main~1")
    assert broken(found) == [("range-narrowed", ["POST /orders"])]
    assert {"label": "Moved", "value": "from openapi.json"} in found["facts"]


def test_files_of_a_submodule_are_not_in_a_commit(
    repository: Repository, specwright: Run, tmp_path: Path
) -> None:
    library = Repository(tmp_path / "library")
    library.write("t.json", '{"T": {"type": "string"}}')
    library.commit()
    repository.git(
        *("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.top), "lib/a")
    )
    data = edited()
    data["components"]["schemas"]["T"] = {"$ref": "lib/a/t.json#/T"}
    repository.write("api.json", json.dumps(data))
    repository.commit()
    done = specwright("review", "--base", "HEAD", "api.json", cwd=repository.top)
    assert done.returncode == 2
    assert "'lib/a' is a submodule, and 'HEAD' has only the number of its commit" in done.stderr


def test_a_repository_without_commits_has_nothing_to_compare_with(
    specwright: Run, tmp_path: Path
) -> None:
    place = Repository(tmp_path / "new").top
    (place / "openapi.json").write_text("{}", "utf-8")
    done = specwright("review", "--base", "HEAD", cwd=place)
    assert done.returncode == 2
    assert done.stderr == (
        "error: there is no commit 'HEAD': the repository has no commits yet\n"
        "hint: commit the document first, or compare two files\n"
    )


def test_one_document_is_not_enough_to_compare(specwright: Run, tmp_path: Path) -> None:
    (tmp_path / "library.yaml").write_text("{}", "utf-8")
    for command in ("diff", "changelog"):
        done = specwright(command, "library.yaml", cwd=tmp_path)
        assert done.returncode == 2
        assert "there is no document to compare 'library.yaml' with" in done.stderr


@pytest.mark.parametrize(("base", "document"), [("gone", "openapi.json"), ("main", "no.json")])
def test_a_review_that_cannot_run_has_reports(
    repository: Repository, specwright: Run, base: str, document: str
) -> None:
    done = specwright("review", "--base", base, document, "--report-dir", "out", cwd=repository.top)
    assert done.returncode == 2
    message = done.stderr.splitlines()[0].partition("error: ")[2]
    assert {path.name for path in (repository.top / "out").iterdir()} == FILES.keys()
    [issue] = json.loads((repository.top / "out/report.gitlab.json").read_text("utf-8"))
    assert issue["check_name"] == "unusable-input"
    assert issue["description"].partition(";")[0] in message
    assert "specwright review failed" in (repository.top / "out/report.md").read_text("utf-8")


def test_reports_that_cannot_be_written_are_the_error(
    repository: Repository, specwright: Run, tmp_path: Path
) -> None:
    (repository.top / "out").symlink_to(tmp_path)
    for base, words in (("main", "is a symbolic link"), ("gone", "unknown commit 'gone'")):
        done = specwright("review", "--base", base, "--report-dir", "out", cwd=repository.top)
        assert (done.returncode, words in done.stderr) == (2, True)


def test_files_are_named_from_the_top_for_github(repository: Repository, specwright: Run) -> None:
    put(repository, "services/pay/openapi.json")
    repository.commit()
    put(repository, "services/pay/openapi.json", NARROWER)
    done = specwright(
        *("review", "--base", "main", "--format", "github", "--document", "openapi.json"),
        *("--report-dir", "out"),
        cwd=repository.top / "services" / "pay",
    )
    assert "::error file=services/pay/openapi.json,line=" in done.stdout
    page = (repository.top / "services" / "pay" / "out" / "report.html").read_text("utf-8")
    assert page.count("<code>services/pay/openapi.json:34:13") == 2
    assert "&#34;maximum&#34;: 10" in page.replace("<mark>", "").replace("</mark>", "")


def test_a_prefix_of_paths_tells_no_operations_apart(tmp_path: Path, specwright: Run) -> None:
    def api(prefix: str, *edits: tuple[str, str]) -> str:
        file = tmp_path / f"{prefix or 'none'}.json"
        path = ("  /orders:", f"  /{prefix}/orders:")
        file.write_text(json.dumps(edited(path, *edits)), "utf-8")
        return str(file)

    sides = api("v1"), api("v2", NARROWER)
    done = specwright("diff", *sides)
    assert "operation-removed" in done.stdout
    done = specwright("diff", *sides, "--strip-prefix", "/v1", "--strip-prefix", "/v2/")
    assert "operation-removed" not in done.stdout
    assert "range-narrowed Order.count" in done.stdout
    # It is a segment, not a piece of text.
    prefixes = ("--strip-prefix", "/v1", "--strip-prefix", "/v2")
    done = specwright("diff", api("v1x"), api("v2x"), *prefixes)
    assert "operation-removed" in done.stdout


def test_a_prefix_that_makes_two_operations_one_is_refused(tmp_path: Path) -> None:
    get = {"get": {"responses": {}}}
    both = document(tmp_path, "a.json", edited() | {"paths": {"/v1/a": get, "/v2/a": get}})
    assert len(operations_by_key(both, ["/v1"])) == 2
    with pytest.raises(InputError, match="'/v2/a' and '/v1/a' are the same"):
        operations_by_key(both, ["/v1", "/v2"])


LISTED = """
  /orders/all:
    get:
      operationId: listOrders
      parameters:
        - {name: cursor, in: query, schema: {type: string}}
        - name: thing
          in: query
          schema: {type: string}
          x-contract-filter: {property: /thing, match: equals}
      responses:
        '200':
          description: Orders.
          content:
            application/json:
              schema:
                type: object
                properties:
                  next: {type: string}
                  items: {type: array, items: {$ref: '#/components/schemas/Order'}}
"""
PAGINATION = """
[tool.specwright.pagination]
listOrders = { cursor = "cursor", next = "/next", items = "/items" }
"""


def test_pagination_of_the_settings_counts_in_a_review(
    repository: Repository, specwright: Run
) -> None:
    """A filter is about the items of a list, which only the settings name."""
    repository.write("pyproject.toml", SETTINGS + PAGINATION)
    repository.write("openapi.json", json.dumps(edited(text=DOCUMENT + LISTED)))
    added = reviewed(specwright, repository)
    repository.commit()
    unchanged = reviewed(specwright, repository)
    for report in (added, unchanged):
        assert [each["rule"] for each in report["findings"] if each["level"] == "error"] == []
