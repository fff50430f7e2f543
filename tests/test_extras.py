"""An installation without the extra `test` has every command but those that test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from specwright.extras import LIBRARIES
from tests.review.projects import edited, project, write

# None in place of a module is a module that is not installed.
_WITHOUT = f"""
import sys
sys.modules.update(dict.fromkeys({LIBRARIES["test"]}))
from specwright.cli import main
main()
"""


def without_extra(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _WITHOUT, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a breaking change that its policy lowers, and a rule of `test` in it."""
    repository = project(tmp_path_factory.mktemp("shop"))
    repository.write(
        "lint.toml", '[levels]\nresponse-schema = "warning"\nrange-narrowed = "warning"\n'
    )
    write(repository, edited(("maximum: 20", "maximum: 10")))
    return repository.top


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("rules",), "response-schema"),
        (("explain", "response-schema"), "Its level"),
        (("explain", "signature-missing"), "unknown rule"),
        (("validate",), "openapi.json"),
        (("diff", "git:HEAD:openapi.json"), "range-narrowed"),
        (("review", "--base", "HEAD"), "range-narrowed"),
    ],
)
def test_a_command_needs_no_extra(shop: Path, arguments: tuple[str, ...], words: str) -> None:
    done = without_extra(*arguments, cwd=shop)
    assert words in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == (2 if words == "unknown rule" else 0)


def test_a_misspelt_rule_is_corrected(tmp_path: Path) -> None:
    repository = project(tmp_path)
    repository.write("lint.toml", '[levels]\nresponse-shema = "off"\n')
    done = without_extra("diff", "git:HEAD:openapi.json", "openapi.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "unknown rule 'response-shema'" in done.stderr
    assert "did you mean 'response-schema'?" in done.stderr


@pytest.mark.parametrize("command", ["test", "mock", "listen", "authority"])
def test_a_command_of_the_extra_names_it(tmp_path: Path, command: str) -> None:
    done = without_extra(command, "--help", cwd=tmp_path)
    assert done.returncode == 2
    assert "requires h11, which is not installed" in done.stderr
    assert "hint: pip install 'specwright[test]'" in done.stderr
