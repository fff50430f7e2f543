"""One line installs the toolkit, on every page and in every file that tells people how.

`nox -s newcomer` follows README.md with the real pip, in a bare environment.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from release import artefacts
from tests.docs.blocks import blocks
from tests.docs.test_docs import Copy, follow_page, page_name
from tests.docs.test_prose import tracked

ROOT = Path(__file__).parents[2]
# A release changes it here, and the test names every page that has to follow.
LINE = "pip install './specwright[test]'"
WHEEL = 'pip install "$(echo dist/specwright-*.whl)[test]"'
# Without a clone, in a pipeline of GitLab.
PINNED = "pip install 'specwright[test] @ git+https://github.com/OWNER/specwright@COMMIT'"
PIP = re.compile(r"pip install [^\n`]*")
# `pip install 'esim-service[…]'` adds an extra to what is installed from the checkout.
LOCAL = re.compile(
    r"\.|specwright\[test\] @ git\+https://|build>=|\\\.|nox\b|nox\[uv\]|uvicorn\b|fastapi\b"
    r'|esim-service\[|--index-url |"\$\(echo dist/'
)
NETWORK = "SPECWRIGHT_NETWORK"


def install_lines() -> dict[str, set[str]]:
    """The installations on pages, in workflows and in generated READMEs, by file."""
    files = [
        *tracked("*.md", "docs", suffix=".md"),
        *tracked("generator", suffix=".yml"),
        *tracked("templates", suffix=".md.jinja"),
    ]
    return {
        page_name(path): set(PIP.findall(path.read_text("utf-8")))
        for path in files
        if not {"decisions", "design"} & set(path.parts)
    }


def test_every_page_has_the_same_line() -> None:
    lines = {
        name: line
        for name, lines_of_page in install_lines().items()
        for line in lines_of_page
        if "specwright" in line and line != WHEEL
    }
    assert {name: line for name, line in lines.items() if line.strip() not in (LINE, PINNED)} == {}
    assert WHEEL in install_lines()["docs/how-to/install.md"]
    expected = {
        "README.md",
        "docs/tutorial.md",
        "docs/tutorial-fastapi.md",
        "docs/tutorial-diff.md",
        "docs/how-to/install.md",
        "docs/how-to/check-in-ci.md",
        "docs/how-to/test-a-deployment.md",
        "docs/how-to/receive-webhooks.md",
        "generator/specwright/project/gitlab.yml",
        "generator/specwright/project/gitlab-test.yml",
        "generator/specwright/project/workflow.yml",
        "generator/specwright/project/workflow-test.yml",
    }
    assert expected <= lines.keys()


def test_nothing_is_installed_by_a_name_that_an_index_does_not_have() -> None:
    """`pip install library` would install the package of another project."""
    wrong = {
        (name, line)
        for name, lines_of_page in install_lines().items()
        for line in lines_of_page
        if not LOCAL.match(line.removeprefix("pip install ").lstrip("'"))
    }
    assert wrong == set()


def test_a_workflow_that_installs_the_toolkit_checks_it_out_first() -> None:
    for path in (*tracked("docs", suffix=".md"), *tracked("generator", suffix=".yml")):
        for job in re.split(r"\n  *steps:|^```", path.read_text("utf-8"), flags=re.MULTILINE):
            if f"run: {LINE}" in job:
                assert "repository: OWNER/specwright" in job.partition(LINE)[0], path


@pytest.mark.skipif(NETWORK not in os.environ, reason=f"{NETWORK} is not set: this asks an index")
def test_readme_works_in_a_bare_environment(tmp_path: Path) -> None:
    """From nothing to the first call, test and review: no checkout on the path, an empty home."""
    place, home, programs = (tmp_path / name for name in ("empty", "home", "bin"))
    for path in (place, home, programs):
        path.mkdir()
    python = Path(sys.base_prefix, "bin", f"python3.{sys.version_info.minor}")
    (programs / "python3").symlink_to(python)
    clone = ["git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), str(place / "specwright")]
    subprocess.run(clone, check=True)
    kept = {k: v for k, v in os.environ.items() if k.startswith(("PIP_", "SSL_", "HTTPS_"))}
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(home), "COLUMNS": "100", **kept}
    # Pages show no output of pip.
    environment |= {"PIP_QUIET": "3", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    copy = Copy(place, environment)
    try:
        page = blocks(ROOT / "README.md", "README.md")
        # The commands for contributors belong in the clone.
        follow_page(copy, [block for block in page if block.section == "Try it"])
    finally:
        copy.close()
    where = "import specwright, library; print(specwright.__file__, library.__file__)"
    imported = copy.shell(f"cd / && python -c '{where}'").stdout.split()
    assert all(Path(module).is_relative_to(place / ".venv") for module in imported), imported


@pytest.mark.skipif(NETWORK not in os.environ, reason=f"{NETWORK} is not set: this asks an index")
def test_a_wheel_is_installed_without_the_clone(tmp_path: Path) -> None:
    artefacts.build(ROOT, tmp_path / "dist")
    run = partial(subprocess.run, cwd=tmp_path, check=True)
    run([sys.executable, "-m", "venv", "bare"])
    path = f"{tmp_path / 'bare' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    run(["bash", "-c", WHEEL], env={**os.environ, "PATH": path, "PIP_QUIET": "3"})
    where = "import specwright, schemathesis; print(specwright.__file__)"
    told = run([tmp_path / "bare/bin/python", "-c", where], capture_output=True, text=True)
    assert Path(told.stdout.strip()).is_relative_to(tmp_path / "bare")
