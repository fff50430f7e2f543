"""The command that runs the service."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import click

from .. import settings
from .options import database_option, explains_mistakes

if TYPE_CHECKING:
    from ..process.server import Addresses


@click.command()
@database_option
@click.option("--host", help="The address to listen on, in place of ESIM_HOST.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="In place of ESIM_PORT; 0 chooses a free port."
)
@click.option(
    "--metrics-port",
    type=click.IntRange(0, 65535),
    help="In place of ESIM_METRICS_PORT; 0 chooses a free port.",
)
@explains_mistakes
def serve(
    database: str | None, host: str | None, port: int | None, metrics_port: int | None
) -> None:
    """Serve the API until SIGTERM or Ctrl-C, then finish what was begun.

    An SQLite file is made, or brought up to date, if need be; it belongs to one `serve` at a time.
    On PostgreSQL there may be many, and `esim-service migrate` comes first. An empty catalogue is
    filled with the one that comes with the service. The log goes to standard error, one JSON
    object per line.

    \b
    Examples:
      esim-service serve
      esim-service serve --database /var/lib/esim/esim.sqlite3 --port 8080
      ESIM_DATABASE=postgresql://localhost/esim esim-service serve
    """
    # Other commands do without the server.
    from .. import logs
    from ..http.listening import FailedError
    from ..process.server import serve as run

    given = {"database": database, "host": host, "port": port, "metrics_port": metrics_port}
    chosen = settings.load(**{name: value for name, value in given.items() if value is not None})
    logs.configure(chosen.log_level, sys.stderr)
    try:
        asyncio.run(run(chosen, _announce))
    except FailedError as error:
        raise click.ClickException(str(error)) from None


def _announce(addresses: Addresses) -> None:
    click.echo(f"API         {addresses.api}")
    click.echo(f"Reference   {addresses.reference}")
    click.echo(f"Operations  {addresses.operations}")
    sys.stdout.flush()
