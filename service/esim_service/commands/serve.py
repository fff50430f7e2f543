"""The command that runs the service."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import redirect_stderr
from functools import partial
from typing import TYPE_CHECKING

import click

from .. import settings
from .options import database_option, explains_mistakes

if TYPE_CHECKING:
    from ..process.server import ServedAddresses
    from ..settings import ServiceSettings


@click.command()
@database_option
@click.option("--host", help="The address to listen on, instead of ESIM_HOST.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Instead of ESIM_PORT; 0 chooses a free port."
)
@click.option(
    "--metrics-port",
    type=click.IntRange(0, 65535),
    help="Instead of ESIM_METRICS_PORT; 0 chooses a free port.",
)
@click.option(
    "--demo",
    is_flag=True,
    help="Issue a fresh test key, send webhooks to `specwright listen` on this machine, and "
    "print commands to try both.",
)
@explains_mistakes
def serve(
    database: str | None,
    host: str | None,
    port: int | None,
    metrics_port: int | None,
    demo: bool,
) -> None:
    """Serve the API until SIGTERM or Ctrl-C, then finish pending work.

    An SQLite file is created or migrated if needed; it belongs to one `serve` at a time. PostgreSQL
    allows many, after `esim-service migrate`. An empty catalogue is filled with the one that comes
    with the service. The log goes to standard error, one JSON object per line.

    \b
    Examples:
      esim-service serve
      esim-service serve --demo --database demo.sqlite3
      esim-service serve --database /var/lib/esim/esim.sqlite3 --port 8080
      ESIM_DATABASE=postgresql://localhost/esim esim-service serve
    """
    # Other commands do not load the server.
    from .. import logs
    from ..http.listening import FailedError
    from ..log_stream import LogStream
    from ..process.server import serve as run

    options = {"database": database, "host": host, "port": port, "metrics_port": metrics_port}
    chosen = settings.load(**{name: value for name, value in options.items() if value is not None})
    announce: Callable[[ServedAddresses], Awaitable[None]] = _announce
    if demo:
        from ..process.demo import reaching_receiver

        chosen = reaching_receiver(chosen)
        announce = partial(_invite, chosen)
    try:
        with LogStream(sys.stderr.fileno()) as stream, redirect_stderr(stream):
            logs.configure(chosen.log_level, stream)
            asyncio.run(run(chosen, announce))
    except FailedError as error:
        raise click.ClickException(str(error)) from None


async def _announce(addresses: ServedAddresses) -> None:
    click.echo(f"API         {addresses.api}")
    click.echo(f"Reference   {addresses.reference}")
    click.echo(f"Operations  {addresses.operations}")
    sys.stdout.flush()


async def _invite(chosen: ServiceSettings, addresses: ServedAddresses) -> None:
    from ..process.demo import PARTNER, issue_key, lines

    key = await issue_key(chosen.database)
    await _announce(addresses)
    click.echo(f"\nIn another shell, with a test key of {PARTNER} that is not shown again:\n")
    for line in lines(key, addresses.api, chosen.webhook_ca_file):
        click.echo(line)
    sys.stdout.flush()
