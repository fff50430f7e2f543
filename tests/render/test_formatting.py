"""Python files are formatted alike for everybody and compiled before they are written."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from specwright.errors import SpecwrightError
from specwright.render.formatting import format_sources, verify


def test_layout_imports_and_unused_imports_are_put_right() -> None:
    source = "import sys, os\nfrom .b import z,  a\nx = {  'k':os.sep}\ny = a,z\n"
    formatted = format_sources({"package/one.py": source, "two.py": "x=1"})
    assert formatted == {
        "package/one.py": 'import os\n\nfrom .b import a, z\n\nx = {"k": os.sep}\ny = a, z\n',
        "two.py": "x = 1\n",
    }


def test_settings_of_the_user_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ruff.toml").write_text("line-length = 20\n[format]\nquote-style='single'\n")
    (tmp_path / ".gitignore").write_text("*\n")
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert format_sources({"a.py": 'x = "a long string", "and another"\n'}) == {
        "a.py": 'x = "a long string", "and another"\n'
    }


@pytest.mark.parametrize("source", ["x = (\n", "x = 'a\n", "def f():\nreturn 1"])
def test_source_that_is_not_python_is_refused_with_its_place(source: str) -> None:
    for refuse in (lambda: format_sources({"p/a.py": source}), lambda: verify("p/a.py", source)):
        with pytest.raises(SpecwrightError, match=r"p/a\.py:\d+:\d+: .*not Python"):
            refuse()


@pytest.mark.parametrize("source", ["def f(a, a): ...\n", "x = '\0'\n", "return\n"])
def test_what_only_the_compiler_sees_is_refused(source: str) -> None:
    with pytest.raises(SpecwrightError, match="not Python"):
        verify("a.py", source)


def test_what_takes_ruff_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("specwright.render.formatting._SECONDS", 0.02)
    with pytest.raises(SpecwrightError, match="too large"):
        format_sources({"a.py": "x = 1\n" * 200_000})
