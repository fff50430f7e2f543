"""Every program in README.md and docs/ satisfies mypy and pyright in their strictest mode.

The `python` blocks of a section are one program, as they are when they are run; a block with a file
name is that file. Those that are not run are checked as well. All are checked at once.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import pytest

from tests.checkers import mypy, pyright
from tests.docs.blocks import Block, blocks
from tests.docs.test_docs import PAGES, page_name
from tests.docs.transcript import steps

# `init`, and the command before it that writes the document.
BEGINNING = re.compile(r"specwright init [\w.]+|python -c .* > openapi\.json$")
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def write_page(place: Path, page: list[Block]) -> list[str]:
    """Write the programs and files of a page; return the directories that they import from."""
    directories = {place}
    for block in page:
        if block.file:
            target = place / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, "utf-8")
            directories.add(target.parent)
    programs = [block for block in page if block.language == "python" and not block.file]
    for section, parts in groupby(programs, key=lambda block: block.section):
        name = re.sub(r"\W+", "_", f"{place.name} {section}").lower()
        # Lines keep their numbers, so that an error is found on the page.
        text = ""
        for part in parts:
            text += "\n" * (part.line - text.count("\n")) + part.text
        (place / f"{name}.py").write_text(text, "utf-8")
    return [str(path) for path in sorted(directories)]


def begin(directory: Path, page: list[Block]) -> None:
    """Start the project of a page that runs `specwright init`, where its files are."""
    files = [directory / block.file for block in page if block.file]
    for step in (step for block in page for step in steps(block.text)):
        if BEGINNING.match(step.command) and len({file.parent for file in files}) == 1:
            where = files[0].parent
            subprocess.run(
                ["bash", "-c", step.command.split(" && ")[0]],
                cwd=where,
                env=ENVIRONMENT,
                check=True,
            )
        if step.command.startswith("specwright init"):
            return


def generate(place: Path) -> list[str]:
    """Generate the packages of pages that configure one."""
    outputs = []
    for project in sorted(place.rglob("pyproject.toml")):
        if "[tool.specwright]" not in project.read_text("utf-8"):
            continue
        output = place.parent / "made" / project.parent.name
        command = [sys.executable, "-m", "specwright", "generate", "--output", str(output)]
        subprocess.run(command, cwd=project.parent, check=True, capture_output=True)
        outputs.append(str(output))
    return outputs


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    place = tmp_path_factory.mktemp("docs") / "pages"
    packages: list[str] = []
    for path in PAGES:
        page = list(blocks(path, page_name(path)))
        if any(block.language == "python" for block in page):
            directory = place / re.sub(r"\W+", "_", page_name(path).removesuffix(".md"))
            directory.mkdir(parents=True)
            packages += write_page(directory, page)
            begin(directory, page)
    return place, packages + generate(place)


@pytest.mark.parametrize("check", [mypy, pyright], ids=["mypy", "pyright"])
def test_the_programs_of_the_pages_have_types(
    written: tuple[Path, list[str]], check: Callable[[Path, list[str]], list[str]]
) -> None:
    place, packages = written
    errors = check(place, packages)
    assert not errors, "\n".join(errors)
