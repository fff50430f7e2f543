"""A repository that an attacker can write to, and its surroundings, which must stay untouched."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

COMMAND = Path(sys.executable).with_name("specwright")
# Only what hangs gets there: a busy machine takes its time.
SECONDS = 120
MEMORY = 2 * 1024**3
SECRET_OF_A_FILE = "kept-in-a-file-7f3a9c"
SECRET_OF_THE_ENVIRONMENT = "kept-in-the-environment-51d2e8"
SECRET_BESIDE_THE_CODE = "kept-beside-the-code-c04b77"
SECRETS = (SECRET_OF_A_FILE, SECRET_OF_THE_ENVIRONMENT, SECRET_BESIDE_THE_CODE)

DOCUMENT = {
    "openapi": "3.1.1",
    "info": {"title": "Shop", "version": "1.0.0"},
    "paths": {
        "/things": {
            "get": {
                "operationId": "listThings",
                "tags": ["things"],
                "responses": {"204": {"description": "Nothing"}},
            }
        }
    },
}
SETTINGS = '[tool.specwright]\ndocument = "api.json"\n'
LOCK = "specwright.lock.json"
COMMANDS = (
    ("validate", "api.json"),
    ("generate", "--check"),
    ("generate", "--diff"),
    ("generate",),
)
# All in one process, as most of the time of each is its start.
RUN = """
import json, sys
from specwright.cli import cli

codes = []
for arguments in json.loads(sys.argv[1]):
    try:
        cli.main(arguments, prog_name="specwright")
    except SystemExit as ended:
        codes.append(ended.code)
sys.exit(max(codes))
"""


@dataclass(frozen=True, slots=True)
class Repository:
    """The directory that an attacker controls, beside one that they must not reach."""

    top: Path
    outside: Path

    @property
    def output(self) -> Path:
        return self.top / "generated"

    def settings(self, *lines: str) -> None:
        (self.top / "pyproject.toml").write_text("\n".join(["[tool.specwright]", *lines]) + "\n")

    def template(self, name: str, text: str) -> Path:
        """Write a template of the project, and say so in its settings."""
        self.settings('document = "api.json"', 'templates = "own"')
        file = self.top / "own" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def lock(self, path: str, hashed: str = "0" * 64) -> None:
        """Let the lock file name one more file."""
        file = self.output / LOCK
        lock = json.loads(file.read_text())
        lock["files"][path] = hashed
        file.write_text(json.dumps(lock))

    def from_output(self, place: Path) -> str:
        return os.path.relpath(place, self.output)


def build(place: Path, template: Path) -> Repository:
    """Put a repository, a copy of the template, into a world of its own."""
    repository = Repository(place / "work" / "repository", place / "outside")
    shutil.copytree(template, repository.top)
    outside = repository.outside
    (outside / "shop").mkdir(parents=True)
    (outside / "secret.txt").write_text(f"{SECRET_OF_A_FILE}\n")
    (outside / "secret.json").write_text(json.dumps({SECRET_OF_A_FILE: SECRET_OF_A_FILE}))
    (outside / "secret.toml").write_text(f'{SECRET_OF_A_FILE} = 1\n[tool.specwright]\na = "b"\n')
    (outside / "secret.jinja").write_text(f"# {SECRET_OF_A_FILE}\n")
    shutil.copytree(repository.output, outside / "generated")
    for number in range(12):
        (outside / hashlib.sha256(bytes([number])).hexdigest()).write_text("somebody's\n")
    for name in ("home", "temporary"):
        (place / name).mkdir()
    return repository


def surroundings(place: Path) -> dict[str, tuple[object, ...]]:
    """Return the files around the repository, with mode, modification time and content."""
    found: dict[str, tuple[object, ...]] = {}
    for top, directories, names in os.walk(place):
        if "repository" in directories:
            directories.remove("repository")
        for path in (Path(top, name) for name in [*directories, *names]):
            status = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            time = 0 if path.is_dir() else status.st_mtime_ns
            found[str(path)] = (status.st_mode, time, content)
    return found


def run(
    place: Path, repository: Repository, *words: str | Path
) -> subprocess.CompletedProcess[bytes]:
    """Run a command as its victim does, with bounds that a shell does not have."""
    return subprocess.run(
        words,
        cwd=repository.top,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(place / "home"),
            "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"],
            "TMPDIR": str(place / "temporary"),
            "TOKEN": SECRET_OF_THE_ENVIRONMENT,
            # Streams that refuse invalid text, as on most terminals.
            "PYTHONIOENCODING": "utf-8:strict",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=SECONDS,
        preexec_fn=_bounded,
    )


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


@dataclass(frozen=True, slots=True)
class Attack:
    """A change to a repository, and words of the answer to it from one of the commands."""

    change: Callable[[Repository], object]
    says: str


ATTACKS: dict[str, Attack] = {}


def attack(says: str) -> Callable[[Callable[[Repository], object]], object]:
    """Add an attack to the table, under the name of the function that makes it."""

    def add(change: Callable[[Repository], object]) -> object:
        ATTACKS[change.__name__] = Attack(change, says)
        return change

    return add
