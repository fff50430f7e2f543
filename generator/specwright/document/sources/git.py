"""A file as a commit of git has it."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from specwright.errors import InputError
from specwright.files import LARGEST

PREFIX = "git:"
_REVISION = re.compile(r"[^\s:\x00-\x1f-][^\s:\x00-\x1f]*")
_SECONDS = 30
# Nothing is asked of people or fetched from elsewhere.
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}


@dataclass(frozen=True, slots=True)
class Commit:
    """A file of a commit, as `git:REF:path` names it; the path is relative to the directory."""

    ref: str
    path: str

    @classmethod
    def parse(cls, name: str) -> Commit:
        """Take a name apart; an `InputError` says that it is none."""
        ref, _, path = name.removeprefix(PREFIX).partition(":")
        if not _REVISION.fullmatch(ref) or not path or "\0" in path:
            raise InputError(
                f"'{name}' does not name a file of a commit",
                hint="write git:REF:path, such as git:main:spec/openapi.json",
            )
        return cls(ref, path)

    def read(self, _: Path) -> bytes:
        """Return the content of the file; an `InputError` says why there is none."""
        commit = self._commit()
        # Relative to the working directory, and never above it by accident of a leading slash.
        name = f"{commit}:./{self.path}" if not self.path.startswith("/") else ""
        size = _git("cat-file", "-s", "--end-of-options", name) if name else None
        if size is None:
            raise InputError(
                f"'{self.ref}' has no file '{self.path}'",
                hint=f"`git ls-tree -r --name-only {self.ref}` lists its files",
            )
        if int(size) > LARGEST:
            raise InputError(f"'{self.path}' of '{self.ref}' is larger than {LARGEST >> 20} MB")
        content = _git("cat-file", "blob", "--end-of-options", name)
        if content is None:
            raise InputError(f"'{self.path}' of '{self.ref}' is not a file")
        return content

    def _commit(self) -> str:
        found = _git(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{self.ref}^{{commit}}"
        )
        if found is not None:
            return found.decode("ascii").strip()
        shallow = _git("rev-parse", "--is-shallow-repository")
        if shallow is None:
            raise InputError(
                f"'{Path.cwd()}' is in no git repository",
                hint="run specwright where the history is, or name a file",
            )
        if shallow.strip() == b"true":
            raise InputError(
                f"git knows no '{self.ref}': this clone has only a part of the history",
                hint="fetch the rest: `git fetch --unshallow origin`",
            )
        raise InputError(
            f"git knows no commit '{self.ref}'",
            hint=f"`git fetch origin {self.ref}` brings it, if it is a branch or tag there",
        )


def _git(*arguments: str) -> bytes | None:
    """The output of git; None if it failed."""
    try:
        done = subprocess.run(
            ["git", *arguments],
            env={**os.environ, **_QUIET},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise InputError("git is not installed", hint="install it, or name a file") from None
    except subprocess.TimeoutExpired:
        raise InputError("git does not answer", hint="name a file instead") from None
    return done.stdout if done.returncode == 0 else None
