"""The command `esim-service`."""

from __future__ import annotations

import click

from .commands.backups import backup, restore
from .commands.catalogue import catalogue_group
from .commands.database import copy, correct_dates, expire_cursors, migrate, secrets_group
from .commands.deliveries import deliveries_group
from .commands.doctor import doctor
from .commands.esims import esims_group
from .commands.keys import keys_group
from .commands.orders import orders_group
from .commands.partners import partners_group
from .commands.serve import serve
from .commands.worker import worker


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="esim-service")
def main() -> None:
    """Run and look after the reference service of the partner eSIM API."""


for command in (
    serve,
    worker,
    migrate,
    keys_group,
    partners_group,
    orders_group,
    esims_group,
    deliveries_group,
    catalogue_group,
    secrets_group,
    backup,
    restore,
    copy,
    correct_dates,
    expire_cursors,
    doctor,
):
    main.add_command(command)
