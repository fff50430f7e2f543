"""Output to a terminal, a pipe or a log, in which untrusted text must not have any effect."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import click

from specwright.errors import SpecwrightError
from specwright.report.progress import Progress
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


def is_watched() -> bool:
    """Return whether a person sees standard error: it is a terminal, and not that of a CI job."""
    return sys.stderr.isatty() and not os.environ.get("CI")


@contextmanager
def live(line: Callable[[], str]) -> Iterator[None]:
    """Show the state of a long command, updated several times a second; only to a person."""
    if not is_watched():
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
def progress(costs: Mapping[str, float]) -> Iterator[Progress]:
    """Show the step of a long command and the time that is left, as `live` does.

    Args:
        costs: the steps of the command, as in `specwright.report.progress`.
    """
    steps = Progress(costs, time.monotonic)
    steps(next(iter(costs)))
    with live(lambda: steps.line):
        yield steps
