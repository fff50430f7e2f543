"""The command that re-encrypts the stored secrets."""

from __future__ import annotations

from functools import partial

import click

from .. import settings
from ..domain import endpoints
from ..store.changes.database import Database, OperatorError
from ..store.drivers.migrate import require_current
from ..store.encryption import SecretBox
from .options import database_option, explains_mistakes, with_database


@click.group("secrets")
def secrets_group() -> None:
    """The signing secrets of webhooks in the database."""


@secrets_group.command("rotate")
@database_option
@explains_mistakes
def secrets_rotate(database: str | None) -> None:
    """Encrypt all signing secrets with the first key of ESIM_SECRETS_KEY.

    Encrypted secrets are decrypted with any of the keys; plain ones are encrypted, too. Put a new
    key before the old one, start all processes with both, rotate, then remove the old one. Partners
    notice nothing: the secrets stay the same.

    \b
    Examples:
      ESIM_SECRETS_KEY=$NEW,$OLD esim-service secrets rotate
      esim-service secrets rotate --database postgresql://localhost/esim
    """
    keys = settings.load().encryption_keys
    if not keys:
        raise OperatorError("ESIM_SECRETS_KEY is not set: there is no key to encrypt with")
    box = SecretBox(keys)

    async def work(opened: Database) -> int:
        await require_current(opened)
        return await opened.write(partial(endpoints.renew_secrets, box.decrypt, box.encrypt))

    count = with_database(database, work)
    click.echo(f"encrypted {count} signing secrets")
