"""Output to a terminal, a pipe or a log, in which untrusted text must not have any effect."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from specwright.errors import SpecwrightError
from specwright.text import visible


def say(line: str, *, err: bool = False) -> None:
    """Print one line, with invisible characters escaped."""
    click.echo(visible(line, kept="\t"), err=err)


def show(rendered: str, *, err: bool = False) -> None:
    """Print a rendered report; the renderer has escaped invisible characters."""
    click.echo(rendered, err=err, nl=False)


def complain(error: SpecwrightError) -> None:
    """Print an error on standard error."""
    first, *others = error.lines
    for line in (f"error: {first}", *others):
        say(line, err=True)


def accept_any_text() -> None:
    """Escape the characters that an output cannot encode."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def live(line: Callable[[], str]) -> Iterator[None]:
    """Show the state of a long command, updated several times a second; only on a terminal."""
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
    """Show the step of a long command, as `live` does; yield a function that sets the next one."""
    steps = [first]
    with live(lambda: steps[-1]):
        yield steps.append
