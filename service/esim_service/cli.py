"""The command `esim-service`."""

from __future__ import annotations

import click

from .commands.catalogue import catalogue_group
from .commands.keys import keys_group
from .commands.migrate import migrate
from .commands.serve import serve


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="esim-service")
def main() -> None:
    """Run and look after the reference service of the partner eSIM API."""


for command in (serve, migrate, keys_group, catalogue_group):
    main.add_command(command)
