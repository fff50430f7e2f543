"""Files in a commit of git."""

from __future__ import annotations

import errno
import os
import posixpath
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from specwright.errors import InputError
from specwright.files import LARGEST

PREFIX = "git:"
_REVISION = re.compile(r"[^\s:\x00-\x1f-][^\s:\x00-\x1f]*")
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# What a service of CI names as the commit before the first push of a branch: none.
_NONE = re.compile(r"0{40}(?:0{24})?")
# The clones of such services do not know which branch of the remote is the default one.
_USUAL_BRANCHES = ("main", "master")
# The command that git names in its error about a repository that belongs to another user.
_TRUSTING = re.compile(rb"safe\.directory (.+)")
# Revisions that a remote cannot resolve: relative ones, and abbreviated hashes.
_RELATIVE = re.compile(r".*[~^@].*|[0-9a-f]{4,39}")
# Tags of versions, such as v1.4.0 or shop-2.0.0-rc.1.
_VERSION = re.compile(r"(?:.*[-/])?v?[0-9]+(?:\.[0-9]+)+.*")
_FOUND = re.compile(rf"({_HASH.pattern}) (\w+) ([0-9]+)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_FILTERED = "this clone has not fetched its content; run `git show` for the file"
_SECONDS = 30
# A pull request may bring a directory that only looks like a repository, with settings that name
# programs to run.
_COMMAND = ("git", "-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false")
# Git neither prompts nor fetches.
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}


def ref_of(name: str) -> str:
    """Return the REF of `git:REF:path`, or raise an `InputError`."""
    ref, _, path = name.removeprefix(PREFIX).partition(":")
    if not path or not _REVISION.fullmatch(ref):
        raise InputError(
            f"'{name}' does not name a file of a commit",
            hint="write git:REF:path, such as git:main:spec/openapi.json",
        )
    return ref


@dataclass(frozen=True, slots=True)
class Commit:
    """The files of a commit, named `git:REF:path`; paths are relative to the directory.

    They are read as git stores them: no filter, hook or text conversion of a repository runs, and
    links are followed only within the commit.
    """

    ref: str
    id: str

    @classmethod
    def of(cls, ref: str) -> Commit:
        """Find a commit; an `InputError` says why it cannot be found, with a hint."""
        if not _REVISION.fullmatch(ref):
            raise InputError(f"'{ref}' does not name a commit", hint="such as origin/main")
        if _NONE.fullmatch(ref):
            raise InputError(
                f"there is nothing to compare with: '{ref}' does not exist, as before the first "
                "push of a branch",
                hint="name the commit at which the branch begins: "
                f"`{shlex.join(['git', 'merge-base', default_branch(), 'HEAD'])}`",
            )
        sha = git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        if sha is None:
            raise _unknown(ref)
        return cls(ref, sha.decode("ascii").strip())

    @classmethod
    def base(cls, ref: str) -> Commit:
        """Find the commit that changes are compared with.

        If that does not exist, as before the first push of a branch, it is the one at which the
        branch begins, or else one without files.

        Raises:
            InputError: it cannot be found.
        """
        if not _NONE.fullmatch(ref):
            return cls.of(ref)
        if git("rev-parse", "--git-dir") is None:
            raise _unknown(ref)
        beginning = _text(git("merge-base", "--", f"refs/remotes/{default_branch()}", "HEAD"))
        return cls(beginning, beginning or _text(git("hash-object", "-t", "tree", "--stdin")))

    @property
    def is_none(self) -> bool:
        """Whether there is no commit, so that it has no files."""
        return not self.ref

    def name(self, path: str) -> str:
        """Return the name of a file of this commit."""
        return f"{PREFIX}{self.ref}:{path}"

    def name_of(self, file: Path) -> str:
        """Return the name that a file of the working tree has in this commit."""
        return self.name(Path(os.path.relpath(file)).as_posix())

    def path(self, name: str) -> str:
        """Return the path of a file of this commit."""
        return name.removeprefix(self.name(""))

    def beside(self, file: str, path: str) -> str:
        return self.name(
            posixpath.normpath(posixpath.join(posixpath.dirname(self.path(file)), path))
        )

    def identity(self, file: str) -> str:
        return file

    def read(self, file: str) -> bytes:
        entry = self._entry(self.path(file))
        if entry is None:
            raise FileNotFoundError(errno.ENOENT, self._missing(self.path(file)), file)
        if entry.kind != "blob":
            raise IsADirectoryError(errno.EISDIR, "is a directory", file)
        if entry.size > LARGEST:
            raise OSError(errno.EFBIG, f"is larger than {LARGEST >> 20} MB", file)
        content = git("cat-file", "blob", entry.id)
        if content is None:
            raise OSError(errno.EIO, f"git cannot read it from '{self.ref}'", file)
        return content

    def _missing(self, path: str) -> str:
        """Return why the commit does not have the content of a file."""
        for above in (directory.as_posix() for directory in PurePosixPath(path).parents):
            listed = git("ls-tree", "-z", self.id, "--", above) or b""
            if listed.startswith(b"160000 "):
                return (
                    f"'{above}' is a submodule, and '{self.ref}' has only the number of its commit;"
                    " compare checkouts of both commits"
                )
        return f"'{self.ref}' does not have this file"

    def since(self, path: str) -> list[tuple[Commit, str]]:
        """Return the commits after this one that changed a file, with their days, the oldest first.

        All changes of a merge count as one.
        """
        base = git(
            *("log", "--first-parent", "--reverse", "--format=%H %cs"),
            *(f"{self.id}..HEAD", "--", path),
        )
        lines = (base or b"").decode("ascii").splitlines()
        return [(Commit(id, id), day) for id, _, day in (line.partition(" ") for line in lines)]

    def renamed(self) -> Mapping[str, str]:
        """Return the former paths of files that the index has under new ones.

        Git finds them by their content, in the index, so that no filter runs.
        """
        listed = git(
            *("diff", "--cached", "--relative", "--no-ext-diff", "--no-textconv"),
            *("--find-renames", "--diff-filter=R", "--name-status", "-z", self.id),
        )
        # A status with the similarity, the former path and the new one.
        parts = [os.fsdecode(part) for part in (listed or b"").split(b"\0")[:-1]]
        return dict(zip(parts[2::3], parts[1::3], strict=True))

    @staticmethod
    def tracks(file: Path) -> bool:
        """Return whether the index has a file of the working tree."""
        listed = git("--literal-pathspecs", "ls-files", "--error-unmatch", "--", str(file))
        return listed is not None

    def has(self, name: str) -> bool:
        """Return whether the commit has a file."""
        return self._lists(self.path(name))

    def files(self) -> list[str]:
        """Return the paths of the files below the directory, without links."""
        listed = git("ls-tree", "-r", "-z", self.id) or b""
        entries = (entry.partition(b"\t") for entry in listed.split(b"\0") if entry)
        return [
            os.fsdecode(path)
            for about, _, path in entries
            if about.startswith((b"100644", b"100755"))
        ]

    def _entry(self, path: str) -> _Entry | None:
        # Never above the directory because of a leading slash; git reads one name per line.
        if path.startswith("/") or _CONTROL.search(path):
            return None
        name = os.fsencode(f"{self.id}:./{path}\n")
        answer = git("cat-file", "--batch-check", "--follow-symlinks", stdin=name) or b" missing\n"
        entry = _FOUND.fullmatch(answer.decode("ascii", "replace").strip())
        if entry:
            return _Entry(entry[1], entry[2], int(entry[3]))
        if answer.endswith(b" missing\n") and self._lists(path):
            raise OSError(errno.EIO, _FILTERED, path)
        return None

    def _lists(self, path: str) -> bool:
        """Return whether the commit names a file; its content may be missing."""
        name = f"{self.id}:./{path}"
        return git("rev-parse", "--verify", "--quiet", "--end-of-options", name) is not None


class _Entry(NamedTuple):
    """The object at a path of a commit."""

    id: str
    kind: str
    size: int


def default_branch() -> str:
    """Return the default branch of the remote; a usual one if this clone does not know it."""
    remote = _remotes()[0]
    known = _text(git("symbolic-ref", "--quiet", f"refs/remotes/{remote}/HEAD"))
    usual = [f"refs/remotes/{remote}/{name}" for name in _USUAL_BRANCHES]
    there = (ref for ref in usual if git("rev-parse", "--verify", "--quiet", ref) is not None)
    return (known or next(there, usual[0])).removeprefix("refs/remotes/")


def _remotes() -> list[str]:
    return _text(git("remote")).split() or ["origin"]


def _text(output: bytes | None) -> str:
    return (output or b"").decode("utf-8", "replace").strip()


def _unknown(ref: str) -> InputError:
    done = _run("rev-parse", "--is-shallow-repository")
    shallow = done.stdout
    trusting = _TRUSTING.search(done.stderr)
    if trusting:
        # Git has quoted it for a shell.
        place = shlex.split(os.fsdecode(trusting[1]))[0]
        command = shlex.join(["git", "config", "--global", "--add", "safe.directory", place])
        return InputError(
            f"git does not read '{place}', which belongs to another user",
            hint=f"if you trust what is in it, run `{command}`",
        )
    if done.returncode:
        return InputError(
            f"'{Path.cwd()}' is not in a git repository",
            hint="run specwright in the repository, or name a file; see `git status`",
        )
    if not (git("rev-list", "--all", "--max-count=1") or b"").strip():
        return InputError(
            f"there is no commit '{ref}': the repository has no commits yet",
            hint="commit the document first, or compare two files",
        )
    is_shallow = shallow.strip() == b"true"
    command = _fetching(ref, ("--depth=1",) if is_shallow else ())
    if is_shallow:
        return InputError(
            f"unknown commit '{ref}': this clone has only a part of the history",
            hint=f"fetch it: `{command}`",
        )
    return InputError(
        f"unknown commit '{ref}'",
        hint=f"if it is a branch or a tag of the remote, fetch it: `{command}`",
    )


def _fetching(ref: str, depth: Sequence[str]) -> str:
    """Return the command that fetches a commit that is missing in a clone."""
    remotes = _remotes()
    remote, _, branch = ref.partition("/")
    if _RELATIVE.fullmatch(ref):
        words = [*(("--unshallow",) if depth else ()), remotes[0]]
    elif _HASH.fullmatch(ref):
        words = [*depth, remotes[0], ref]
    elif branch and remote in remotes:
        words = [*depth, remote, f"{branch}:refs/remotes/{ref}"]
    elif _VERSION.fullmatch(ref):
        # The name of a branch cannot be that of an annotated tag.
        words = [*depth, remotes[0], "tag", ref]
    else:
        words = [*depth, remotes[0], f"{ref}:{ref}"]
    return shlex.join(["git", "fetch", *words])


def git(*arguments: str, stdin: bytes = b"", directory: Path | None = None) -> bytes | None:
    """Return the output of git; None if it failed.

    Args:
        directory: in which it runs; the working directory by default.

    Raises:
        InputError: there is no git, or it does not respond.
    """
    done = _run(*arguments, stdin=stdin, directory=directory)
    return done.stdout if done.returncode == 0 else None


def _run(
    *arguments: str, stdin: bytes = b"", directory: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            [*_COMMAND, *arguments],
            env={**os.environ, **_QUIET},
            cwd=directory,
            input=stdin,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise InputError("git is not installed", hint="install it, or name a file") from None
    except subprocess.TimeoutExpired:
        raise InputError("git does not respond", hint="name a file instead") from None
