"""Receives webhooks on this machine, registered at a service like any other endpoint."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable
from contextlib import aclosing, closing
from dataclasses import dataclass
from socket import socket

from partner_esim import AsyncEsimClient, models
from partner_esim.errors import ApiError, ApiStatusError

from ..http.listening import Server, bind, when_told
from ..store.changes.database import OperatorError
from .identity import HOST, Identity
from .receiver import Received, Receiver
from .terminal import line, visible

# After this time without a delivery, it is likely that the service cannot reach this machine.
PATIENCE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Setting:
    """How webhooks are received.

    Attributes:
        port: 0 takes a free one.
        forward_to: the URL that deliveries are passed on to, if any.
    """

    identity: Identity
    port: int
    forward_to: str | None

    @property
    def trust(self) -> str:
        """The settings with which a service sends to this machine."""
        file = shlex.quote(str(self.identity.authority))
        return f"ESIM_WEBHOOK_ALLOW_CIDR={HOST}/32 ESIM_WEBHOOK_CA_FILE={file}"


async def listen(client: AsyncEsimClient, setting: Setting, say: Callable[[str], None]) -> None:
    """Receive until SIGTERM or SIGINT, then remove the endpoint again.

    Raises:
        OperatorError: the service does not answer, or does not take the endpoint.
    """
    stopped = asyncio.Event()
    when_told(stopped.set)
    with closing(bind(HOST, setting.port, "--port")) as bound:
        endpoint = await _register(client, f"https://{HOST}:{bound.getsockname()[1]}/", setting)
        try:
            say(f"{endpoint.url} is the endpoint {endpoint.id} until Ctrl-C")
            say(f"The service trusts it if it was started with {setting.trust}")
            await _receive(client, endpoint, setting, bound, stopped, say)
        finally:
            await _remove(client, endpoint.id, say)


async def _receive(
    client: AsyncEsimClient,
    endpoint: models.WebhookEndpointCreated,
    setting: Setting,
    bound: socket,
    stopped: asyncio.Event,
    say: Callable[[str], None],
) -> None:
    loop = asyncio.get_running_loop()
    doubt = loop.call_later(
        PATIENCE_SECONDS, say, f"Nothing came: was the service started with {setting.trust}?"
    )

    def tell(received: Received) -> None:
        doubt.cancel()
        say(line(received))

    receiver = Receiver(endpoint.signing_secret, tell, setting.forward_to)
    async with aclosing(receiver):
        server = Server(receiver, setting.identity.receiver)
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        serving.add_done_callback(lambda _: stopped.set())
        try:
            # Shows at once whether deliveries arrive.
            await client.webhook_endpoints.test(endpoint.id)
            await stopped.wait()
        except ApiError as error:
            raise OperatorError(visible(str(error))) from None
        finally:
            doubt.cancel()
            server.should_exit = True
            await serving


async def _register(
    client: AsyncEsimClient, url: str, setting: Setting
) -> models.WebhookEndpointCreated:
    try:
        return await client.webhook_endpoints.create(url=url)
    except ApiError as error:
        advice = ""
        if isinstance(error, ApiStatusError) and error.code == "invalid_webhook_url":
            advice = f" Start the service with {setting.trust}"
        raise OperatorError(f"{client.base_url}: {visible(str(error))}{advice}") from None


async def _remove(client: AsyncEsimClient, endpoint_id: str, say: Callable[[str], None]) -> None:
    try:
        await client.webhook_endpoints.delete(endpoint_id)
    except ApiError as error:
        say(f"{endpoint_id} is still registered: {visible(str(error))}")
    else:
        say(f"{endpoint_id} is removed")
