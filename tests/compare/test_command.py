"""`specwright diff`, from a shell."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.validate.documents import whole

WIDE = """
info: {title: Test, version: 1.2.3}
components: {schemas: {Count: {type: integer, maximum: 20}}}
paths:
  /a:
    post:
      requestBody:
        content: {application/json: {schema: {$ref: '#/components/schemas/Count'}}}
      responses: {'200': {description: Done.}}
"""
CHANGED = '        "maximum": 10'
NARROW = WIDE.replace("maximum: 20", "maximum: 10")


def write(path: Path, part: str) -> None:
    path.write_text(json.dumps(whole(part), indent=2), "utf-8")


def git(directory: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.com")
    subprocess.run(["git", *identity, *arguments], cwd=directory, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a document that was narrowed after the first commit."""
    settings = '[tool.specwright]\ndocument = "openapi.json"\n'
    (tmp_path / "pyproject.toml").write_text(settings, "utf-8")
    write(tmp_path / "openapi.json", WIDE)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "First")
    write(tmp_path / "openapi.json", NARROW)
    return tmp_path


NARROWED = "range-narrowed Count: maximum 20 -> 10"


def test_a_change_since_a_commit_is_shown_with_a_value_that_is_refused_now(
    project: Path, specwright: Run
) -> None:
    result = specwright("diff", "git:main:openapi.json", cwd=project)
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    at = next(n for n, line in enumerate(lines) if line.endswith(NARROWED))
    line = (project / "openapi.json").read_text("utf-8").splitlines().index(CHANGED) + 1
    place = f"openapi.json:{line}:9"
    assert lines[at].startswith(f"{place}: error ")
    details = lines[at:]
    assert f"    see also git:main:{place}" in details
    assert "    counterexample: 11" in details
    assert "    operations: POST /a" in details


def test_a_document_has_not_changed_against_itself(project: Path, specwright: Run) -> None:
    result = specwright("diff", "openapi.json", "openapi.json", cwd=project)
    assert (result.returncode, result.stdout) == (
        0,
        "openapi.json: no breaking changes in 1 operation; no findings\n",
    )


@pytest.mark.parametrize(("level", "code"), [("error", 1), ("warning", 0), ("off", 0)])
def test_a_project_sets_the_level_of_a_change(
    level: str, code: int, project: Path, specwright: Run
) -> None:
    settings = f'[levels]\nrange-narrowed = "{level}"\n'
    (project / "lint.toml").write_text(settings, "utf-8")
    found = specwright("diff", "git:main:openapi.json", cwd=project)
    assert found.returncode == code
    assert ("range-narrowed Count: maximum" in found.stdout) is (level != "off")
    # Whether it is said or not, the version follows the level that is off only.
    assert ("major version" in found.stdout) is (level != "off")


@pytest.mark.parametrize("where", ["POST /a", "/components/schemas/Count*"])
def test_a_project_sets_the_level_of_a_change_at_a_place(
    where: str, project: Path, specwright: Run
) -> None:
    levels = 'range-narrowed = "{}"\n'
    other = f'[levels."GET /a"]\n{levels.format("error")}'
    settings = f'[levels."{where}"]\n{levels.format("info")}{other}'
    (project / "lint.toml").write_text(settings, "utf-8")
    found = specwright("diff", "git:main:openapi.json", cwd=project)
    assert (found.returncode, "info range-narrowed" in found.stdout) == (0, True)


def test_a_project_promises_how_long_what_is_deprecated_stays(
    project: Path, specwright: Run
) -> None:
    (project / "lint.toml").write_text("deprecation_days = 90\n", "utf-8")
    write(project / "base.json", NARROW)
    write(project / "openapi.json", NARROW.replace("post:", "post:\n      deprecated: true"))
    for command in (("diff", "base.json"), ("review", "--base", "main")):
        found = specwright(*command, cwd=project)
        assert found.returncode == 1
        assert "error notice-too-short" in found.stdout


def test_the_documents_of_two_directories_are_compared(project: Path, specwright: Run) -> None:
    for name in ("old", "new/deep"):
        (project / name).mkdir(parents=True)
    titles = ("Test", "Same", "Moved", "Gone", "New")
    named = {title: WIDE.replace("title: Test", f"title: {title}") for title in titles}
    for path, title in {
        "old/api.json": "Test",
        "old/same.json": "Same",
        "old/here.json": "Moved",
        "old/gone.json": "Gone",
        "new/same.json": "Same",
        "new/deep/there.json": "Moved",
        "new/new.json": "New",
    }.items():
        write(project / path, named[title])
    write(project / "new" / "api.json", NARROW)
    done = specwright("diff", "old", "new", "--format", "json", cwd=project)
    found = json.loads(done.stdout)
    errors = [finding for finding in found["findings"] if finding["level"] == "error"]
    assert done.returncode == 1
    assert {(error["rule"], *error["operations"]) for error in errors} == {
        ("document-removed", "POST /a (gone.json)"),
        ("range-narrowed", "POST /a (new/api.json)"),
    }
    facts = {fact["label"]: fact["value"] for fact in found["facts"]}
    assert facts["new/new.json"] == "a new document with 1 operation"
    assert facts["new/deep/there.json: Moved"] == "from here.json"
    assert "new/same.json" in facts


def test_a_directory_is_not_compared_with_a_file(project: Path, specwright: Run) -> None:
    done = specwright("diff", ".", "openapi.json", cwd=project)
    assert (done.returncode, "is a directory" in done.stderr) == (2, True)


@pytest.mark.parametrize(("level", "code"), [("error", 0), ("warning", 0), ("info", 1)])
def test_the_level_that_fails_is_chosen(
    level: str, code: int, project: Path, specwright: Run
) -> None:
    write(project / "wider.json", WIDE.replace("1.2.3", "1.3.0"))
    arguments = ("diff", "openapi.json", "wider.json", "--fail-on", level)
    assert specwright(*arguments, cwd=project).returncode == code


def test_a_report_for_programs_has_the_counterexample_as_a_value(
    project: Path, specwright: Run
) -> None:
    result = specwright("diff", "git:HEAD:openapi.json", "--format", "json", cwd=project)
    [found] = [
        finding
        for finding in json.loads(result.stdout)["findings"]
        if finding["rule"] == "range-narrowed"
    ]
    assert found["counterexample"] == 11
    assert found["related"]["file"] == "git:HEAD:openapi.json"


def test_a_part_of_the_history_is_not_enough(
    project: Path, tmp_path: Path, specwright: Run
) -> None:
    git(project, "commit", "-qam", "Second")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{project}", str(clone))
    result = specwright("diff", "git:HEAD~1:openapi.json", cwd=clone)
    assert result.returncode == 2
    assert result.stderr == (
        "error: unknown commit 'HEAD~1': this clone has only a part of the history\n"
        "hint: fetch it: `git fetch --unshallow origin`\n"
    )


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ("git:nowhere:openapi.json", "unknown commit 'nowhere'"),
        ("git:main:other.json", "'main' has no file 'other.json'"),
        ("git:main:/etc/passwd", "'main' has no file '/etc/passwd'"),
        ("git:--output=x:openapi.json", "does not name a file of a commit"),
        ("git:main", "does not name a file of a commit"),
        ("git::openapi.json", "does not name a file of a commit"),
        ("missing.json", "no such file"),
    ],
)
def test_a_base_that_cannot_be_read_is_an_error_with_advice(
    base: str, message: str, project: Path, specwright: Run
) -> None:
    result = specwright("diff", base, cwd=project)
    assert result.returncode == 2
    assert message in result.stderr.splitlines()[0]
    assert result.stderr.splitlines()[1].startswith("hint: ")
    assert not (project / "x").exists()


def test_without_a_repository_there_is_no_history(tmp_path: Path, specwright: Run) -> None:
    write(tmp_path / "openapi.json", WIDE)
    result = specwright("diff", "git:main:openapi.json", "openapi.json", cwd=tmp_path)
    assert result.returncode == 2
    assert "is not in a git repository" in result.stderr


def test_other_apis_are_not_compared(project: Path, specwright: Run) -> None:
    other = "{info: {title: Other, version: '1'}, paths: {/b: {get: {responses: {}}}}}"
    write(project / "other.json", other)
    result = specwright("diff", "other.json", cwd=project)
    assert result.returncode == 2
    assert "have no operations in common" in result.stderr


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("answers: 3", "'answers' is not a field of this object; it is compared"),
        (
            "answers: 3\n      more: 4",
            "'answers' is not a field of this object (and 1 more); it is",
        ),
    ],
)
def test_a_base_that_is_not_valid_is_compared_as_far_as_possible(
    wrong: str, words: str, project: Path, specwright: Run
) -> None:
    write(
        project / "broken.json",
        WIDE.replace("      responses:", f"      {wrong}\n      responses:"),
    )
    result = specwright("diff", "broken.json", cwd=project)
    assert f"warning diff-invalid broken.json is not valid OpenAPI: {words}" in result.stdout
    assert "error range-narrowed" in result.stdout


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/a/{b}", "the path has {b}, but no parameter is named b; it is compared"),
        ("/a/{b", "a { is not closed in the path '/a/{b'; it is compared"),
    ],
)
def test_a_base_with_a_path_that_no_client_can_fill_in_is_not_valid(
    path: str, words: str, project: Path, specwright: Run
) -> None:
    broken = whole(WIDE)
    broken["paths"][path] = {"get": {"responses": {"204": {"description": "None."}}}}
    (project / "broken.json").write_text(json.dumps(broken), "utf-8")
    result = specwright("diff", "broken.json", cwd=project)
    assert f"warning diff-invalid broken.json is not valid OpenAPI: {words}" in result.stdout


def test_hostile_names_are_spelled_out(project: Path, specwright: Run) -> None:
    hostile = whole(WIDE)
    hostile["paths"]["/\x1b[2J"] = hostile["paths"]["/a"]
    (project / "hostile.json").write_text(json.dumps(hostile), "utf-8")
    result = specwright("diff", "hostile.json", cwd=project)
    assert "\x1b" not in result.stdout
    assert "\\x1b[2J was removed" in result.stdout


def test_accepted_changes_do_not_fail_until_their_day(project: Path, specwright: Run) -> None:
    accepted = project / "review.toml"
    entry = '[[accepted]]\nrule = "range-narrowed"\nwhere = "POST /a"\nreason = "Nobody."\n'
    accepted.write_text(f"{entry}expires = 2999-01-31\n", "utf-8")
    result = specwright("diff", "git:main:openapi.json", cwd=project)
    assert (result.returncode, "(1 waived)" in result.stdout) == (0, True)
    accepted.write_text(f"{entry}expires = 2020-01-31\n", "utf-8")
    result = specwright("diff", "git:main:openapi.json", cwd=project)
    assert result.returncode == 1
    assert "acceptance-expired 'range-narrowed' at 'POST /a' was accepted until" in result.stdout


def test_the_rules_of_changes_are_explained(specwright: Run) -> None:
    result = specwright("explain", "range-narrowed")
    assert "maximum: 20" in result.stdout
    assert "---" in result.stdout
