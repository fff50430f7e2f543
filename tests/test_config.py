"""Settings come from the nearest pyproject.toml, and mistakes in them are named with their line."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from specwright.config import Config, Options, find_project, read_config
from specwright.errors import InputError


def project(directory: Path, *lines: str) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / "pyproject.toml"
    file.write_text("\n".join(["[project]", 'name = "x"', "[tool.specwright]", *lines]) + "\n")
    return file


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    file = project(tmp_path, 'document = "spec/api.json"', 'package = "shop"')
    assert read_config(file) == Config(
        document=tmp_path / "spec" / "api.json", options=Options(package="shop")
    )


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
        'client-name = "ShopClient"',
        'env-prefix = "SHOP"',
        "short-method-names = false",
        'templates = "t"',
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
        "document = 3",
        "output = ''",
    ],
)
def test_a_setting_without_meaning_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match=r"pyproject\.toml:4:1: the setting"):
        read_config(project(tmp_path, line))


def test_a_file_that_is_not_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"pyproject\.toml:4:\d+: not TOML"):
        read_config(project(tmp_path, "document = ="))
