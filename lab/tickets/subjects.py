"""The servers with bugs: how each is started, its documents and its credentials."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from lab.archive.bugs import BUGS as ARCHIVE
from lab.archive.declarations import DECLARATIONS as ARCHIVE_DECLARATIONS
from lab.archive.environment import python
from lab.faults.judge import ROOT
from lab.tickets.bug_table import Bug
from lab.tickets.bugs import BUGS as TICKETS
from lab.tickets.declarations import DECLARATIONS
from lab.tickets.declaring import Declarations, declared
from lab.tickets.document import DOCUMENT


@dataclass(frozen=True, slots=True)
class Subject:
    """A server with bugs.

    Attributes:
        title: what it is, in words.
        module: serves it with a bug, and prints its URL.
        python: returns the interpreter for that.
        read: returns its plain document, from its URL.
        keys: the credentials by the options of `specwright test`.
        header: that of the first credential.
    """

    title: str
    bugs: Mapping[str, Bug[Any]]
    module: str
    python: Callable[[], Path]
    read: Callable[[str], Any]
    declarations: Declarations
    keys: Mapping[str, str]
    header: str

    @contextlib.contextmanager
    def serving(self, bug: str) -> Iterator[str]:
        """Serve it with a bug, or with `none`, in a process of its own; yield its URL."""
        with subprocess.Popen(
            [self.python(), "-m", self.module, bug],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            assert process.stdout is not None
            try:
                yield process.stdout.readline().strip()
            finally:
                process.kill()

    def documents(self) -> Mapping[str, Any]:
        """Return its document as it is, and with declarations."""
        with self.serving("none") as url:
            plain = self.read(url)
        return {"plain": plain, "declared": declared(plain, self.declarations)}


SUBJECTS = {
    "tickets": Subject(
        "A ticket system in Flask",
        TICKETS,
        "lab.tickets.serving",
        lambda: Path(sys.executable),
        lambda url: DOCUMENT,
        DECLARATIONS,
        {"--api-key-env": "test-acme", "--other-tenant-api-key-env": "test-globex"},
        "X-API-Key: test-acme",
    ),
    "archive": Subject(
        "An archive in Litestar",
        ARCHIVE,
        "lab.archive.serving",
        python,
        lambda url: httpx2.get(f"{url}/schema/openapi.json").raise_for_status().json(),
        ARCHIVE_DECLARATIONS,
        {
            "--api-key-env": "test-north-editor",
            "--other-tenant-api-key-env": "test-south-editor",
            "--unscoped-api-key-env": "test-north-reader",
        },
        "Authorization: Bearer test-north-editor",
    ),
}
