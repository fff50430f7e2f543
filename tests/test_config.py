"""Settings come from the nearest pyproject.toml, and mistakes in them are named with their line."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path

import pytest

from specwright.config import Config, PackageOptions, configs_as_of, find_project, read_config
from specwright.errors import InputError


def project(directory: Path, *lines: str) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / "pyproject.toml"
    file.write_text("\n".join(["[project]", 'name = "x"', "[tool.specwright]", *lines]) + "\n")
    return file


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    file = project(tmp_path, 'document = "spec/api.json"', 'package = "shop"')
    assert read_config(file) == Config(
        document=tmp_path / "spec" / "api.json", options=PackageOptions(package="shop")
    )


def test_settings_are_read_as_another_content_has_them(tmp_path: Path) -> None:
    file = project(tmp_path, 'package = "shop"')
    earlier = configs_as_of(file, b'[tool.specwright]\npackage = "store"\n')
    assert earlier == (Config(options=PackageOptions(package="store")),)
    assert configs_as_of(file, b"[project]\n") == ()
    with pytest.raises(InputError, match="unknown setting 'pack'"):
        configs_as_of(file, b"[tool.specwright]\npack = 1\n")


def test_the_nearest_file_with_the_table_is_used(tmp_path: Path) -> None:
    outer = project(tmp_path)
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    assert find_project(inner) == outer
    nearer = project(inner)
    assert find_project(inner) == nearer


def test_every_setting_can_be_read(tmp_path: Path) -> None:
    file = project(
        tmp_path,
        'document = "d"',
        'output = "o"',
        'package = "p"',
        'distribution = "my-shop"',
        'version = "1.2"',
        'license = "MIT"',
        'changelog = "c"',
        'client-name = "ShopClient"',
        'env-prefix = "SHOP"',
        "short-method-names = false",
        "body-arguments = 'all'",
        'templates = "t"',
        "[tool.specwright.pagination]",
        'listThings = {offset = "skip", items = ""}',
        "[tool.specwright.deprecated]",
        '"client.Things.list" = {use = "list_things", removal = 2027-12-31}',
    )
    read = read_config(file)
    for part in (read, read.options):
        assert all(getattr(part, field.name) not in (None, True) for field in fields(part))


def test_an_unknown_setting_is_named_with_the_one_that_was_meant(tmp_path: Path) -> None:
    file = project(tmp_path, 'document = "d"', 'packge = "x"')
    with pytest.raises(
        InputError, match=r"pyproject\.toml:5:1: unknown setting 'packge'"
    ) as caught:
        read_config(file)
    assert caught.value.hint is not None and "did you mean 'package'?" in caught.value.hint


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("Things = {use = 'A', removal = 2027-12-31}", "must have names such as"),
        ("'a.b.c.d' = {use = 'A', removal = 2027-12-31}", "must have names such as"),
        ("'models.A;' = {use = 'A', removal = 2027-12-31}", "must have names such as"),
        ("'models.A' = 'B'", "a table of 'use' and 'removal', got dict"),
        ("'models.A' = {use = 'B'}", "a table of 'use' and 'removal'"),
        ("'models.A' = {use = 'B', removal = 2027-12-31, why = 1}", "a table of 'use' and 'rem"),
        ("'models.A' = {use = 'models.B', removal = 2027-12-31}", "the last part of the new name"),
        ("'models.A' = {use = '_b', removal = 2027-12-31}", "the last part of the new name"),
        ("'models.A' = {use = 'class', removal = 2027-12-31}", "the last part of the new name"),
        ("'models.A' = {use = 'B', removal = '2027-12-31'}", "must have a date such as"),
        ("'models.A' = {use = 'B', removal = 2027-12-31T00:00:00}", "must have a date such as"),
    ],
)
def test_an_old_name_without_meaning_is_refused(tmp_path: Path, line: str, problem: str) -> None:
    file = project(tmp_path, "[tool.specwright.deprecated]", line)
    with pytest.raises(InputError, match="the setting 'deprecated'") as caught:
        read_config(file)
    assert problem in str(caught.value)
    assert caught.value.location is not None
    assert caught.value.location.line == 4


@pytest.mark.parametrize(
    "line",
    [
        "package = 'class'",
        "package = 'a-b'",
        "package = 'a.b'",
        "package = ''",
        "package = 1",
        "package = '\u00e9t\u00e9'",
        "distribution = '-x'",
        "distribution = 'x; y'",
        "client-name = 'shop'",
        "client-name = 'None'",
        "env-prefix = 'shop'",
        "short-method-names = 'yes'",
        "body-arguments = 'some'",
        "body-arguments = true",
        "document = 3",
        "output = ''",
        f"output = '{'a' * 5000}'",
    ],
)
def test_a_setting_without_meaning_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match=r"pyproject\.toml:4:1: the setting"):
        read_config(project(tmp_path, line))


def test_a_file_that_is_not_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"pyproject\.toml:4:\d+: not TOML"):
        read_config(project(tmp_path, "document = ="))


@pytest.mark.parametrize("key", ["document", "output", "templates"])
@pytest.mark.parametrize("path", ["..", ".", "a/..", "../x", "/", "/x", "link", "link/x", "loop"])
def test_a_path_that_leaves_the_project_is_refused(tmp_path: Path, key: str, path: str) -> None:
    file = project(tmp_path / "project", f'{key} = "{path}"')
    (file.parent / "link").symlink_to(tmp_path)
    (file.parent / "loop").symlink_to(file.parent)
    with pytest.raises(
        InputError, match=r"pyproject\.toml:4:1: .* must be a path below the directory"
    ):
        read_config(file)


def test_a_path_with_a_null_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the setting 'output' must be a path, got 'a\\x00b'"):
        read_config(project(tmp_path, 'output = "a\\u0000b"'))


@pytest.mark.parametrize("path", ["x", "a/../x", "link/x"])
def test_a_path_within_the_project_may_be_written_in_any_way(tmp_path: Path, path: str) -> None:
    file = project(tmp_path, f'output = "{path}"')
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert read_config(file).output == tmp_path / path


def test_a_project_behind_a_link_is_a_project(tmp_path: Path) -> None:
    project(tmp_path / "project", 'output = "x"')
    (tmp_path / "link").symlink_to("project")
    found = find_project(tmp_path / "link")
    assert found is not None
    assert read_config(found).output == tmp_path / "link" / "x"


@pytest.mark.parametrize(
    "line",
    ["document = " + "[" * 100_000, "document = " + "9" * 100_000, 'document = "\0"'],
    ids=["deep", "long number", "control character"],
)
def test_toml_that_its_parser_cannot_take_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match=r"pyproject\.toml:\d+:\d+: not TOML"):
        read_config(project(tmp_path, line))


def test_a_value_is_shown_only_in_part(tmp_path: Path) -> None:
    for value in (f"'{'x' * 10_000}'", f"0x{'f' * 100_000}", "[" + "1, " * 10_000 + "]"):
        with pytest.raises(InputError) as caught:
            read_config(project(tmp_path, f"env-prefix = {value}"))
        assert len(caught.value.message) < 200


def test_settings_that_are_no_file_of_the_project_are_refused(tmp_path: Path) -> None:
    file = project(tmp_path / "elsewhere")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "pyproject.toml").symlink_to(file)
    with pytest.raises(
        InputError, match=r"pyproject\.toml:1:1: must not be a symbolic link to another directory"
    ):
        find_project(tmp_path / "here")
    (tmp_path / "here" / "pyproject.toml").unlink()
    os.truncate(file, 10 * 1024**3)
    with pytest.raises(InputError, match="is larger than 1 MB"):
        find_project(tmp_path / "elsewhere")


@pytest.mark.parametrize(
    "value", ["[pages]\nlist = 1", "pages = 1", "pages = [{}]", "[pages.list]\nat = 2020-01-01"]
)
def test_pagination_is_a_table_of_tables(tmp_path: Path, value: str) -> None:
    place = "tool.specwright.pagination" if value[0] == "[" else "pagination"
    file = project(tmp_path, value.replace("pages", place))
    with pytest.raises(InputError, match="'pagination' must be a table of tables") as caught:
        read_config(file)
    assert caught.value.location is not None
    assert caught.value.location.line == 4
