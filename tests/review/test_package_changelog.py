"""The changelog of a package gets the names that callers lose, and keeps what people wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwright.review.package_changelog import with_changes
from specwright.review.sdk import Effect, NameChange, NameChangeKind
from tests.conftest import Run

GONE = NameChange(NameChangeKind.REMOVED, "shop.client.Orders.list", "", Effect.BREAKS)
OTHER = NameChange(
    NameChangeKind.CHANGED, "shop.models.Order.id", "str became `int`", Effect.DIFFERS
)
NEW = """\
# Changelog

## [1.1]

### Changed

- `shop.models.Order.id`: `` str became `int` ``

### Removed

- `shop.client.Orders.list`: `removed`
"""


def test_a_new_changelog_has_an_entry_of_the_version() -> None:
    assert with_changes("# Changelog\n", "1.1", [GONE, OTHER]) == NEW


def test_what_an_entry_has_is_not_repeated() -> None:
    assert with_changes(NEW, "1.1", [GONE, OTHER]) == NEW


def test_a_new_version_is_above_the_others() -> None:
    text = with_changes(NEW, "1.2", [GONE])
    head, _, rest = text.partition("## [1.1]")
    assert head == (
        "# Changelog\n\n## [1.2]\n\n### Removed\n\n- `shop.client.Orders.list`: `removed`\n\n"
    )
    assert f"# Changelog\n\n## [1.1]{rest}" == NEW


@pytest.mark.parametrize("heading", ["## [Unreleased]", "## 1.2 - 2026-01-01"])
def test_an_entry_that_is_there_is_added_to(heading: str) -> None:
    text = f"# Ours\n\n{heading}\n\n### Removed\n\n- Words.\n\n### Fixed\n\n- A bug.\n\n## [1.1]\n"
    assert with_changes(text, "1.2", [GONE]) == text.replace(
        "- Words.\n", "- Words.\n- `shop.client.Orders.list`: `removed`\n"
    )


LINES = st.lists(
    st.text("ab `#[]1.\t")
    | st.sampled_from(["", "## [1.1]", "## [Unreleased]", "### Removed", "### Changed", "- a"])
)


@given(LINES)
def test_no_line_of_people_is_lost(lines: list[str]) -> None:
    text = "\n".join(lines)
    after = iter(with_changes(text, "1.1", [GONE, OTHER]).split("\n"))
    kept = [line for line in lines if line]
    assert all(any(line == other for other in after) for line in kept)


@given(LINES)
def test_a_second_run_adds_nothing(lines: list[str]) -> None:
    once = with_changes("\n".join(lines), "1.1", [GONE, OTHER])
    assert with_changes(once, "1.1", [GONE, OTHER]) == once


def document(identifier: str) -> str:
    responses = {"204": {"description": "Done."}}
    paths = {"/a": {"get": {"operationId": identifier, "tags": ["a"], "responses": responses}}}
    info = {"title": "Shop", "version": "1.1"}
    data: dict[str, Any] = {"openapi": "3.1.1", "info": info, "paths": paths}
    return json.dumps(data)


@pytest.mark.parametrize("arguments", [["--changelog", "LOG.md"], []], ids=["option", "setting"])
def test_generate_adds_to_the_changelog_that_is_named(
    specwright: Run, tmp_path: Path, arguments: list[str]
) -> None:
    setting = "" if arguments else 'changelog = "LOG.md"\n'
    table = f'[tool.specwright]\ndocument = "openapi.json"\npackage = "shop"\n{setting}'
    (tmp_path / "pyproject.toml").write_text(table, "utf-8")
    (tmp_path / "openapi.json").write_text(document("old"), "utf-8")
    assert specwright("generate", *arguments, cwd=tmp_path).returncode == 0
    assert not (tmp_path / "LOG.md").exists()
    (tmp_path / "openapi.json").write_text(document("new"), "utf-8")
    done = specwright("generate", *arguments, cwd=tmp_path)
    assert "added to LOG.md\n" in done.stdout
    text = (tmp_path / "LOG.md").read_text("utf-8")
    assert "## [1.1]\n\n### Removed\n\n- `shop.client.A.old`: `removed, perhaps new now`\n" in text
    specwright("generate", *arguments, cwd=tmp_path)
    assert (tmp_path / "LOG.md").read_text("utf-8") == text


def test_a_changelog_is_not_in_the_output(specwright: Run, tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_text(document("old"), "utf-8")
    done = specwright("generate", "--changelog", "generated/CHANGELOG.md", cwd=tmp_path)
    assert done.returncode == 2
    assert "generated/CHANGELOG.md: the changelog is in the output" in done.stderr
    assert not (tmp_path / "generated").exists()


def test_a_changelog_that_is_not_text_is_an_error(specwright: Run, tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_text(document("old"), "utf-8")
    (tmp_path / "LOG.md").write_bytes(b"\xff")
    assert specwright("generate", "--changelog", "LOG.md", cwd=tmp_path).returncode == 0
    (tmp_path / "openapi.json").write_text(document("new"), "utf-8")
    done = specwright("generate", "--changelog", "LOG.md", cwd=tmp_path)
    assert (done.returncode, (tmp_path / "LOG.md").read_bytes()) == (2, b"\xff")
    assert "LOG.md:1:1: not UTF-8 text" in done.stderr
