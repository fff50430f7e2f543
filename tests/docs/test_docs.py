"""Every command and every program in README.md and docs/ runs, with the output that is shown.

A page is run from top to bottom in a copy of the repository of its own; pages for newcomers run in
an empty directory that contains the copy as `specwright`. `console` blocks are transcripts, whose
commands must succeed unless their output shows the exit code; the `python` blocks of a section are
one program; a block with a file name is that file. A command that ends with `&` is a server, which
runs until the page ends; port 8000 of such a page stands for a free one. The only way around is
`<!-- not run: reason -->` above a block.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tests.docs.blocks import Block, blocks
from tests.docs.example_server import serving
from tests.docs.transcript import fits, steps

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "spec" / "openapi.json"
# Decisions and pages of the design hold no code, and measurements differ from machine to machine.
PAGES = [
    ROOT / "README.md",
    *sorted(
        path
        for path in (ROOT / "docs").rglob("*.md")
        if path.parent.name not in ("decisions", "design") and path.name != "benchmarks.md"
    ),
]
# They begin with the installation, beside the clone.
NEWCOMERS = [ROOT / "README.md", *(ROOT / "docs").glob("tutorial*.md")]
LIMIT_SECONDS = 120
PIP = ROOT / "tests" / "docs" / "bin"
PORT = re.compile(r"\b8000\b")


def page_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def runnable(path: Path) -> list[Block]:
    return [block for block in blocks(path, page_name(path)) if not block.reason]


class Copy:
    """A directory in which one page is followed."""

    def __init__(self, place: Path, environment: dict[str, str]) -> None:
        self.place = place
        self.directory = place
        self.servers: list[subprocess.Popen[bytes]] = []
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.environment = {**environment, "UVICORN_PORT": str(self.port)}

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.directory,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )

    def shell(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a line of a transcript; `cd` and a new PATH hold for the lines after it."""
        note = self.place.with_suffix(".note")
        keep = f'printf "%s\\n" "$PWD" "$PATH" > "{note}"'
        result = self.run("bash", "-c", f"{command}\nstatus=$?; {keep}; exit $status")
        directory, self.environment["PATH"] = note.read_text("utf-8").splitlines()
        self.directory = Path(directory)
        return result

    def serve(self, command: str) -> None:
        """Start a server, and wait until it listens."""
        server = subprocess.Popen(
            ["bash", "-c", f"exec {command}"], cwd=self.directory, env=self.environment
        )
        self.servers.append(server)
        end = time.monotonic() + LIMIT_SECONDS
        while True:
            assert server.poll() is None and time.monotonic() < end, f"{command}: it never listened"
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.05)

    def close(self) -> None:
        """Stop the servers."""
        for server in self.servers:
            server.terminate()
            server.wait()


def follow_transcript(copy: Copy, block: Block) -> None:
    for step in steps(block.text):
        if step.command.endswith(" &"):
            copy.serve(step.command.removesuffix("&"))
            continue
        result = copy.shell(step.command)
        assert fits(step.output, result.stdout) and not result.returncode, (
            f"{block.place}: $ {step.command}\n"
            f"--- printed\n{step.output}\n--- real (exit {result.returncode})\n{result.stdout}"
        )


def write_file(copy: Copy, block: Block) -> None:
    target = copy.place / block.file
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(block.text, "utf-8")


def run_program(copy: Copy, program: list[Block]) -> None:
    result = copy.run(sys.executable, "-c", "\n".join(block.text for block in program))
    assert result.returncode == 0, f"{program[0].place}\n{result.stdout}"


PARSERS: dict[str, Callable[[str], object]] = {
    "json": json.loads,
    "toml": tomllib.loads,
    # A review compares two documents in one stream.
    "yaml": lambda text: list(yaml.safe_load_all(text)),
    "jinja": str,
    "text": str,
}


def follow_page(copy: Copy, page: list[Block]) -> None:
    if any(step.command.endswith(" &") for block in page for step in steps(block.text)):
        page = [replace(block, text=PORT.sub(str(copy.port), block.text)) for block in page]
    programs: set[str] = set()
    for block in page:
        if block.language in PARSERS:
            PARSERS[block.language](block.text)
        if block.file:
            write_file(copy, block)
        elif block.language == "console":
            follow_transcript(copy, block)
        elif block.language == "python" and block.section not in programs:
            programs.add(block.section)
            run_program(copy, [b for b in page if is_program(b) and b.section == block.section])


def is_program(block: Block) -> bool:
    return block.language == "python" and not block.file


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with serving(SPEC) as url:
        yield url


def copy_repository(place: Path) -> None:
    files = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, files.stdout.split("\0")):
        if (ROOT / name).is_file() and not name.startswith("tests/"):
            target = place / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)


@pytest.mark.parametrize("path", [path for path in PAGES if runnable(path)], ids=page_name)
def test_the_page_does_what_it_says(path: Path, tmp_path: Path, base_url: str) -> None:
    place, packages = tmp_path / "page", tmp_path / "packages"
    copy_repository(place / "specwright" if path in NEWCOMERS else place)
    packages.mkdir()
    programs = (PIP, Path(sys.executable).parent, os.environ["PATH"])
    environment = {
        **{k: v for k, v in os.environ.items() if k not in ("CI", "FORCE_COLOR")},
        "PATH": os.pathsep.join(map(str, programs)),
        "PYTHONPATH": str(packages),
        "DOCS_PACKAGES": str(packages),
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "PARTNER_ESIM_API_KEY": "pes_test_" + "0" * 48,
        "PARTNER_ESIM_BASE_URL": base_url,
    }
    copy = Copy(place, environment)
    try:
        follow_page(copy, runnable(path))
    finally:
        copy.close()


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_every_block_has_a_language_that_is_checked(path: Path) -> None:
    known = {*PARSERS, "console", "python"}
    wrong = [b.place for b in blocks(path, page_name(path)) if b.language not in known]
    assert not wrong


def test_the_places_that_contributors_are_sent_to_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = re.findall(r"`((?:generator|templates|tests|docs)/[\w./-]*)`", text)
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_examples_for_contributors_are_in_the_files_that_they_name() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    pairs = re.findall(r"`([^`\n]+)` in `([\w./-]+/[\w./-]+\.\w+)`", text)
    assert len(pairs) > 15
    assert [pair for pair in pairs if pair[0] not in (ROOT / pair[1]).read_text("utf-8")] == []


def test_the_bug_that_contributors_are_shown_is_one_of_the_folders() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    folder, *files = re.findall(r"^(?:[├└]── )?([\w./-]+)/?", blocks_of(text)[1], re.MULTILINE)
    assert all((ROOT / folder / file).exists() for file in files)
    assert blocks_of(text)[2] == (ROOT / folder / "bug.toml").read_text("utf-8")


def blocks_of(text: str) -> list[str]:
    return re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_sessions_that_contributors_are_told_of_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = re.findall(r"nox -s ([a-z_]+)", text)
    listed = re.findall(r"^\| `([a-z_]+)(?: [^`]*)?` \|", text, re.MULTILINE)
    sessions = {*named, *listed}
    assert len(sessions) > 8
    assert sessions <= set(nox_sessions())


def nox_sessions() -> list[str]:
    return re.findall(
        r"^@nox\.session\ndef (\w+)\(", (ROOT / "noxfile.py").read_text("utf-8"), re.MULTILINE
    )


def test_each_session_is_in_one_group_of_the_contents() -> None:
    """`nox -l` begins with them."""
    contents = (ROOT / "noxfile.py").read_text("utf-8").split('"""')[1]
    lines = re.findall(r"^  (?:[\w ]+: )?([\w, ]+)$", contents, re.MULTILINE)
    listed = [name for line in lines for name in re.findall(r"\w+", line)]
    assert sorted(listed) == sorted(nox_sessions())
