"""The command that receives webhooks on the machine of a developer."""

from __future__ import annotations

import asyncio
import os
import sys
from urllib.parse import urlsplit

import click

from ..keys.auth import mode_of
from ..store.changes.database import OperatorError
from .options import explains_mistakes

KEY_VARIABLE = "PARTNER_ESIM_API_KEY"


class HttpUrl(click.ParamType[str]):
    """An address of an application."""

    name = "url"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return the address if it is one."""
        text = str(value)
        try:
            parts = urlsplit(text)
            is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            is_address = False
        if not is_address or "@" in parts.netloc or not text.isascii() or not text.isprintable():
            self.fail("must be an http or https address, without a user", param, ctx)
        return text


@click.command()
@click.option("--forward-to", type=HttpUrl(), help="An address that deliveries are passed on to.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Of this machine; 0 is a free one."
)
@explains_mistakes
def listen(forward_to: str | None, port: int) -> None:
    """Receive webhooks on this machine and show them, for development.

    Registers an endpoint with the key in PARTNER_ESIM_API_KEY at the service in
    PARTNER_ESIM_BASE_URL, and removes it at the end. Deliveries are verified. With --forward-to,
    the service gets the answer of your application. Live keys are refused. `serve --demo` trusts
    the certificate of this command; any other `serve` does so with the settings that it prints.

    \b
    Examples:
      esim-service listen
      esim-service listen --forward-to http://127.0.0.1:8080/webhooks/esim
    """
    # Other commands do without the server.
    from partner_esim import AsyncEsimClient
    from partner_esim.errors import InvalidArgumentError

    from ..listener.identity import default_directory, identity
    from ..listener.listen import Setting
    from ..listener.listen import listen as run

    key = os.environ.get(KEY_VARIABLE, "")
    if mode_of(key) == "live":
        raise OperatorError(f"{KEY_VARIABLE} is a live key: this command is for development")
    setting = Setting(identity(default_directory()), port, forward_to)

    async def receive() -> None:
        try:
            client = AsyncEsimClient(key)
        except InvalidArgumentError as error:
            raise OperatorError(str(error)) from None
        async with client:
            await run(client, setting, _say)

    asyncio.run(receive())


def _say(text: str) -> None:
    click.echo(text)
    sys.stdout.flush()
