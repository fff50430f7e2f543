"""`specwright changelog`: the entry for a change, by sections and operations."""

import json
from datetime import date
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from specwright.compare.changelog import changelog_entry
from specwright.compare.comparison import compare
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.review.changelog import as_markdown
from tests.conftest import Run
from tests.review.projects import DOCUMENT, edited, project, write

OPERATION = """
  /orders/{id}:
    delete:
      operationId: cancelOrder
      summary: Cancel an order
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {'204': {description: Done.}}
"""
RELEASE = ("version: 1.2.3", "version: 2.0.0")
EDITS = (
    RELEASE,
    ("maximum: 20", "maximum: 10"),
    ("required: [thing]", "required: [thing, count]"),
    ("summary: Order things", "summary: Order things\n      deprecated: true"),
    ("        thing: {type: string", "        note: {type: string}\n        thing: {type: string"),
    ("'201':\n", "'202': {description: Later.}\n        '201':\n"),
)
EXPECTED = """\
## [2.0.0]

### Added

- `DELETE /orders/{id}`
  - A new operation: `Cancel an order`.
- `POST /orders`
  - `Order.note` was added.
  - Response `202` was added.

### Changed

- `POST /orders`
  - **Breaking:** `Order.count` is now required.
  - **Breaking:** `Order.count` accepts less than before: `maximum 20 -> 10`.

### Deprecated

- `POST /orders`
  - The operation is deprecated.
"""


def written(
    directory: Path, *edits: tuple[str, str], reverse: bool = False, text: str = DOCUMENT
) -> str:
    sides = []
    for name, pieces in (("base", ()), ("revision", edits)):
        file = directory / f"{name}.json"
        file.write_text(json.dumps(edited(*pieces, text=text)), "utf-8")
        sides.append(upgrade(load(file)))
    base, revision = reversed(sides) if reverse else sides
    report = compare(base, revision, today=date(2026, 6, 1))
    return as_markdown(changelog_entry(report, base, revision))


def test_changes_are_listed_by_section_and_operation(tmp_path: Path, specwright: Run) -> None:
    repository = project(tmp_path)
    write(repository, edited(*EDITS, ("paths:", f"paths:{OPERATION}")))
    result = specwright("changelog", "git:main:openapi.json", cwd=repository.top)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == EXPECTED


def test_what_is_taken_back_is_removed(tmp_path: Path) -> None:
    text = written(tmp_path, *EDITS, reverse=True)
    assert text.startswith("## [1.2.3]\n")
    assert "- `POST /orders`\n  - **Breaking:** `response 202 was removed`.\n" in text
    assert "### Removed" in text
    # A deprecation that was withdrawn does not count as one.
    assert "The operation: `POST /orders is no longer deprecated`." in text
    assert "### Deprecated" not in text


def test_an_operation_that_goes_as_announced_is_removed(tmp_path: Path) -> None:
    end = "delete:\n      deprecated: true\n      x-sunset: '2020-01-31'"
    announced = OPERATION.replace("delete:", end)
    text = written(tmp_path, RELEASE, ("paths:", f"paths:{announced}"), reverse=True)
    removed = text.partition("### Removed\n")[2].partition("###")[0]
    assert "- `DELETE /orders/{id}`\n  - The operation was removed, as announced.\n" in removed, (
        text
    )
    assert "### Changed" not in text


@pytest.mark.parametrize(
    ("edit", "section", "words"),
    [
        (
            ("thing: {type: string,", "thing: {type: [string, integer],"),
            "Changed",
            "may contain more",
        ),
        (("operationId: createOrder", "operationId: order"), "Changed", "another name in code"),
        (("application/json: {schema", "text/csv: {schema"), "Removed", "media type"),
        (
            ("application/json: {schema", "text/csv: {schema"),
            "Added",
            "edia type `text/csv` of the request body was",
        ),
        (
            ("summary: Order things", "deprecated: true\n      x-sunset: '2030-01-01'"),
            "Deprecated",
            "The operation: `the sunset of POST /orders is now 2030-01-01`.",
        ),
        (("/api'", "/v2'"), "Removed", "server https://shop.example/api was removed"),
        (
            ("count: {type: integer, maximum: 20, description: How many.}", ""),
            "Removed",
            "`Order`: `property 'count' was removed`.",
        ),
        (("maximum: 20", "maximum: 20, default: 3"), "Changed", "has another meaning"),
        (("required: true", "required: false"), "Changed", "The request body: `the request"),
    ],
)
def test_every_change_has_a_section_and_a_sentence(
    edit: tuple[str, str], section: str, words: str, tmp_path: Path
) -> None:
    text = written(tmp_path, RELEASE, edit)
    assert words in text.partition(f"### {section}\n")[2].partition("###")[0], text


@pytest.mark.parametrize(
    ("others", "named"),
    [
        (1, "`POST /orders`, `POST /other0`"),
        (2, "`POST /orders`, `POST /other0`, `POST /other1`"),
        (3, "`POST /orders`, `POST /other0`, `POST /other1` and 1 more"),
        (5, "`POST /orders`, `POST /other0`, `POST /other1` and 3 more"),
    ],
)
def test_as_many_operations_are_named_as_a_line_holds(
    others: int, named: str, tmp_path: Path
) -> None:
    several = DOCUMENT + "".join(
        f"""
  /other{number}:
    post:
      requestBody:
        content: {{application/json: {{schema: {{$ref: '#/components/schemas/Order'}}}}}}
      responses: {{'204': {{description: Done.}}}}
"""
        for number in range(others)
    )
    text = written(tmp_path, RELEASE, ("maximum: 20", "maximum: 10"), text=several)
    assert f"- {named}\n  - **Breaking:** `Order.count` accepts less" in text


def test_changes_of_an_unchanged_version_are_not_released(tmp_path: Path) -> None:
    assert written(tmp_path, ("maximum: 20", "maximum: 30")).startswith("## [Unreleased]\n")


def test_what_is_not_proven_may_break(tmp_path: Path) -> None:
    text, patterns = "thing: {type: string", ("^([a-z])\\1", "^([a-y])\\1")
    before, after = (f"thing: {{type: string, pattern: '{pattern}'" for pattern in patterns)
    several = DOCUMENT.replace(text, before)
    entry = written(tmp_path, RELEASE, (before, after), text=several)
    assert "\n  - **Perhaps breaking:** " in entry


def test_words_alone_are_no_change(tmp_path: Path) -> None:
    text = written(tmp_path, RELEASE, ("Orders things.", "Places an order."))
    assert text == "## [2.0.0]\n\nNo changes for users of the API.\n"


def test_text_of_a_document_does_nothing_on_a_page(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script> @all ``` [x](javascript:a) \\x1b[2J \\u202e"
    text = written(
        tmp_path,
        RELEASE,
        ("/orders:", f'"/{hostile}":'),
        ("summary: Order things", f'summary: "{hostile}"'),
    )
    assert "\x1b" not in text and "\u202e" not in text
    tokens = MarkdownIt("commonmark").parse(text)
    inner = [child for token in tokens for child in token.children or []]
    assert {"html_inline", "link_open", "image"}.isdisjoint(token.type for token in inner)
    assert not any(token.type in ("html_block", "fence", "code_block") for token in tokens)
    assert all("@all" not in each.content for each in inner if each.type == "text")
    assert any(hostile.partition(" \\x1b")[0] in token.content for token in inner)


def test_a_version_does_nothing_in_a_heading(tmp_path: Path) -> None:
    text = written(tmp_path, ("version: 1.2.3", 'version: "2](x) <b>"'))
    assert text.startswith("## [2__x___b_]\n")


def test_what_cannot_be_read_is_an_error(tmp_path: Path, specwright: Run) -> None:
    repository = project(tmp_path)
    result = specwright("changelog", "git:v9:openapi.json", cwd=repository.top)
    assert (result.returncode, result.stdout) == (2, "")
    assert "unknown commit 'v9'" in result.stderr


def test_an_invalid_document_is_said(tmp_path: Path, specwright: Run) -> None:
    repository = project(tmp_path)
    write(repository, {**edited(RELEASE), "unknown": 1})
    result = specwright("changelog", "git:main:openapi.json", cwd=repository.top)
    assert result.returncode == 0
    assert result.stdout.startswith("## [2.0.0]\n")
    assert "warning diff-invalid openapi.json is not valid OpenAPI" in result.stderr


def test_since_a_commit_there_is_an_entry_for_each_version(tmp_path: Path, specwright: Run) -> None:
    repository = project(tmp_path)
    repository.git("tag", "v1")
    for edits in (
        (("maximum: 20", "maximum: 21"),),
        (("maximum: 20", "maximum: 22"), ("version: 1.2.3", "version: 1.3.0")),
        (("maximum: 20", "maximum: 10"), RELEASE),
        (("maximum: 20", "maximum: 9"), RELEASE),
    ):
        write(repository, edited(*edits))
        repository.commit()
    repository.write("README.md", "Another file.")
    repository.commit()
    day = repository.git("log", "-1", "--format=%cs")
    done = specwright("changelog", "--since", "v1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"## [2.0.0] - {day}\n")
    assert "maximum 22 -> 9" in done.stdout
    assert f"\n\n## [1.3.0] - {day}\n" in done.stdout
    assert "maximum 20 -> 22" in done.stdout
    assert done.stdout.count("## [") == 2
    assert "maximum 21" not in done.stdout
    # What is not committed has no day.
    write(repository, edited(("maximum: 20", "maximum: 8"), ("version: 1.2.3", "version: 3.0.0")))
    done = specwright("changelog", "--since", "v1", "openapi.json", cwd=tmp_path)
    assert done.stdout.startswith("## [3.0.0]\n")
    assert "maximum 9 -> 8" in done.stdout


def test_a_version_is_judged_by_its_own_day(
    tmp_path: Path, specwright: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = project(tmp_path)
    end = "delete:\n      deprecated: true\n      x-sunset: '2020-01-31'"
    announced = OPERATION.replace("delete:", end)
    write(repository, edited(("paths:", f"paths:{announced}")))
    repository.commit()
    # Earlier than announced, which no later day changes.
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2019-06-01T12:00:00Z")
    write(repository, edited(RELEASE))
    repository.commit()
    done = specwright("changelog", "--since", "HEAD^", cwd=tmp_path)
    assert "## [2.0.0] - 2019-06-01\n" in done.stdout
    assert "**Breaking:** The operation was removed.\n" in done.stdout


def test_changes_before_their_version_belong_to_the_next_one(
    tmp_path: Path, specwright: Run
) -> None:
    repository = project(tmp_path)
    write(repository, edited(("maximum: 20", "maximum: 10")))
    repository.commit()
    done = specwright("changelog", "--since", "HEAD^1", cwd=tmp_path)
    assert done.stdout.startswith("## [Unreleased]\n")


def test_a_version_that_cannot_be_read_is_left_out_and_said(
    tmp_path: Path, specwright: Run
) -> None:
    repository = project(tmp_path)
    repository.write("openapi.json", "{")
    repository.commit()
    write(repository, edited(RELEASE, ("maximum: 20", "maximum: 10")))
    repository.commit()
    done = specwright("changelog", "--since", "HEAD^^", cwd=tmp_path)
    assert done.stdout.count("## [") == 1
    assert "left out: git:" in done.stderr


def test_a_base_and_a_beginning_are_too_much(tmp_path: Path, specwright: Run) -> None:
    project(tmp_path)
    for arguments in ((), ("a", "b", "c"), ("--since", "main", "a", "b")):
        done = specwright("changelog", *arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert "expected BASE" in done.stderr
