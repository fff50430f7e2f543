"""The documentation tests detect the mistakes that they are meant to detect."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import blocks
from tests.docs.test_docs import PIP
from tests.docs.transcript import Step, fits, steps


def test_a_transcript_is_split_into_commands_and_output() -> None:
    assert list(steps("$ one\nout\n$ two \\\n  more\n")) == [
        Step("one", "out"),
        Step("two \\\n  more", ""),
    ]


@pytest.mark.parametrize(
    ("printed", "real"),
    [
        ("", ""),
        ("same", "same\n"),
        ("made … files", "made 12 files"),
        ("first\n…\nlast", "first\na\nb\nlast"),
        ("first\n…\nlast", "first\nlast"),
        ("first\n…", "first"),
        ("…\nlast", "a\nb\nlast"),
        ("…", "anything\nat all"),
        ("done in 1.2 s", "done in 0.4 s"),
        ("done in 12 ms", "done in 1.4 s"),
        ("a.b (c)", "a.b (c)"),
    ],
)
def test_output_that_fits(printed: str, real: str) -> None:
    assert fits(printed, real)


@pytest.mark.parametrize(
    ("printed", "real"),
    [
        ("same", "other"),
        ("", "unexpected"),
        ("made … files", "made 12 files\nand more"),
        ("first\n…\nlast", "first\nlast\nafter"),
        ("a.b", "axb"),
        ("12 orders", "13 orders"),
        ("2 files", "3 files"),
        ("done in 1.2 s", "done in no s"),
    ],
)
def test_output_that_does_not_fit(printed: str, real: str) -> None:
    assert not fits(printed, real)


def test_blocks_know_their_section_language_file_and_reason(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Top\n\n```python app.py\nx = 1\n```\n## Next\n<!-- not run: slow -->\n\n"
        "```console\n$ true\n```\n\n```toml\n```\n"
    )
    read = [(b.section, b.language, b.file, b.reason, b.text) for b in blocks(page, "page.md")]
    assert read == [
        ("Top", "python", "app.py", "", "x = 1\n"),
        ("Next", "console", "", "slow", "$ true\n"),
        ("Next", "toml", "", "", "\n"),
    ]


def test_a_block_that_is_never_closed_is_an_error(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n")
    with pytest.raises(ValueError, match=r"page\.md:1"):
        list(blocks(page, "page.md"))


def stand_in(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DOCS_PACKAGES": str(place / "packages")}
    command = [sys.executable, str(PIP / "pip"), *arguments]
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)


@pytest.fixture
def distribution(tmp_path: Path) -> Path:
    (tmp_path / "sdk" / "a_package").mkdir(parents=True)
    (tmp_path / "sdk" / "a_package" / "__init__.py").touch()
    (tmp_path / "sdk" / "pyproject.toml").write_text(
        '[project]\nname = "a-package"\ndependencies = ["pytest>=1"]\n'
        '[project.optional-dependencies]\nserver = ["pytest>=1000"]\n'
        '[tool.hatch.build.targets.wheel]\npackages = ["a_package"]\n'
    )
    return tmp_path


def test_the_stand_in_for_pip_copies_packages(distribution: Path) -> None:
    assert stand_in(distribution, "install", "./sdk", "pytest").returncode == 0
    installed = distribution / "packages" / "a_package"
    assert (installed / "__init__.py").is_file()
    assert not installed.is_symlink()


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("./sdk[server]", "pytest>=1000 is required"),
        ("a-package", "a-package is not installed"),
        ("./sdk[other]", "KeyError: 'other'"),
    ],
)
def test_the_stand_in_for_pip_refuses_what_pip_would(
    distribution: Path, argument: str, message: str
) -> None:
    done = stand_in(distribution, "install", argument)
    assert done.returncode == 1
    assert message in done.stderr
