"""The command that runs the background work in a separate process."""

from __future__ import annotations

import asyncio
import sys
from contextlib import redirect_stderr

import click

from .. import settings
from .options import database_option, explains_mistakes


@click.command()
@database_option
@click.option(
    "--metrics-port",
    type=click.IntRange(0, 65535),
    help="Instead of ESIM_METRICS_PORT; 0 chooses a free port.",
)
@explains_mistakes
def worker(database: str | None, metrics_port: int | None) -> None:
    """Deliver webhooks and do all other background work, until SIGTERM or Ctrl-C.

    `serve` does this work, too, unless ESIM_WORKER is false. On PostgreSQL any number of both may
    run; they take over each other's unfinished work. An SQLite file belongs to its `serve`.

    \b
    Examples:
      esim-service worker --database postgresql://localhost/esim
      ESIM_DATABASE=postgresql://localhost/esim ESIM_METRICS_PORT=9465 esim-service worker
    """
    # Other commands do not load the worker.
    from .. import logs
    from ..http.listening import FailedError
    from ..log_stream import LogStream
    from ..process.worker import work

    options = {"database": database, "metrics_port": metrics_port}
    chosen = settings.load(**{name: value for name, value in options.items() if value is not None})
    try:
        with LogStream(sys.stderr.fileno()) as stream, redirect_stderr(stream):
            logs.configure(chosen.log_level, stream)
            asyncio.run(work(chosen, _announce))
    except FailedError as error:
        raise click.ClickException(str(error)) from None


def _announce(operations: str) -> None:
    click.echo(f"Operations  {operations}")
    sys.stdout.flush()
