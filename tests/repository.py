"""A git repository in a directory, for tests that read from history."""

import subprocess
from pathlib import Path

IDENTITY = ("-c", "user.name=Test", "-c", "user.email=test@example.com")


class Repository:
    """A working tree with its history."""

    def __init__(self, top: Path) -> None:
        self.top = top
        top.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *IDENTITY, *arguments], cwd=self.top, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def write(self, path: str, text: str) -> Path:
        file = self.top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        return file

    def commit(self, message: str = "A change") -> str:
        self.git("add", "--all")
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    def clone(self, place: Path, *arguments: str) -> Path:
        """Clone as over a network; a local clone would take the whole history."""
        command = ("git", "clone", "-q", *arguments, f"file://{self.top}", str(place))
        subprocess.run(command, check=True, capture_output=True)
        return place
