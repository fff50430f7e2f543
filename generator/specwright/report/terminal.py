"""Output to a terminal, a pipe or a log, where nothing that somebody else wrote may act."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from specwright.text import visible


def say(line: str, *, err: bool = False) -> None:
    """Print one line; what is not seen of it is spelled out."""
    click.echo(visible(line, kept="\t"), err=err)


def show(rendered: str, *, err: bool = False) -> None:
    """Print what a renderer made of a report; it has seen to what is not seen."""
    click.echo(rendered, err=err, nl=False)


def accept_any_text() -> None:
    """Let characters that an output has no bytes for be spelled out, too."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def live(line: Callable[[], str]) -> Iterator[None]:
    """Show what a long command is at, asked for several times a second; only on a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    # Imported here: only a terminal needs it.
    from rich.console import Console
    from rich.text import Text as Line

    class Asking:
        def __rich__(self) -> Line:
            return Line(visible(line()))

    with Console(stderr=True).status(Asking()):
        yield


@contextmanager
def progress(first: str) -> Iterator[Callable[[str], None]]:
    """Show which step a long command is at, as `live` does; yields what is told of the next."""
    steps = [first]
    with live(lambda: steps[-1]):
        yield steps.append
