"""The pictures of README.md, made of its own blocks.

`nox -s derive` makes the terminal; `nox -s images` runs this module, and takes the picture of the
report, which needs Chromium.
"""

from __future__ import annotations

import contextlib
import io
import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tests.browser import Browser, installed
from tests.docs.blocks import Block, blocks
from tests.docs.transcript import steps

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "docs" / "images" / "report.webp"
_SHOWN = ("specwright generate", "specwright diff")
_COLUMNS = 96
# The frames of fonts that rich loads from another machine.
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def terminal() -> str:
    """Return an SVG of a terminal in which commands of README.md were run."""
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True)
    with _project() as page:
        for command in _commands(page):
            output = _run(*shlex.split(command)[1:])
            console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
            console.print(Text.from_ansi(_timeless(output)), end="\n\n", soft_wrap=False)
    svg = console.export_svg(title="specwright", unique_id="specwright")
    return "".join(f"{line.rstrip()}\n" for line in _FONTS.sub("", svg).splitlines())


def report(picture: Path) -> None:
    """Take a picture of the report of the review in README.md.

    Raises:
        SystemExit: there is no Chromium.
    """
    command = installed()
    if command is None:
        raise SystemExit("error: the picture of the report needs Chromium on the path")
    with _project(), tempfile.TemporaryDirectory() as profile:
        html = _run("diff", "library.yaml", "next.yaml", "--format", "html")
        Path("report.html").write_text(html, "utf-8")
        browser = Browser(command, Path(profile))
        shown = browser.open(Path("report.html").resolve())
        shown.resize(960, 500)
        shown.call("Emulation.setScrollbarsHidden", hidden=True)
        taken = shown.call("Page.captureScreenshot", format="webp", quality=80)
        picture.write_bytes(b64decode(taken["data"]))
        browser.close()


@contextlib.contextmanager
def _project() -> Iterator[list[Block]]:
    """Change to a directory with the documents of README.md; yield the page."""
    page = list(blocks(ROOT / "README.md", "README.md"))
    with tempfile.TemporaryDirectory() as directory, contextlib.chdir(directory):
        for block in page:
            if block.language == "yaml":
                Path(block.file).write_text(block.text, "utf-8")
                Path("next.yaml").write_text(block.text.replace("science", "music"), "utf-8")
        _run("init", "library.yaml")
        yield page


def _commands(page: list[Block]) -> Iterator[str]:
    for block in page:
        for step in steps(block.text) if block.language == "console" else ():
            for command in re.split(r" && |; ", step.command):
                if command.startswith(_SHOWN):
                    yield command


def _run(*arguments: str) -> str:
    """Run specwright as on a terminal; return its output with its colours."""
    reading, writing = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k not in ("CI", "NO_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-m", "specwright", *arguments],
        env={**environment, "COLUMNS": str(_COLUMNS), "TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=subprocess.PIPE,
    )
    os.close(writing)
    output = b""
    # Linux reports the end of a terminal as an error.
    with contextlib.suppress(OSError):
        while part := os.read(reading, 65536):
            output += part
    os.close(reading)
    _, errors = process.communicate()
    assert process.returncode < 2, errors
    return output.decode().replace("\r\n", "\n")


def _timeless(output: str) -> str:
    """Replace durations, which differ each time."""
    return re.sub(r"\bin \d+(\.\d+)? (ms|s)\b", "in 1.2 s", output).rstrip("\n")


if __name__ == "__main__":
    report(REPORT)
