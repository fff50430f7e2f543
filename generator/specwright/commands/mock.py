"""`specwright mock`: serve the responses that a document declares, on this machine."""

from __future__ import annotations

import ipaddress
import socket
import sys
from pathlib import Path
from threading import Event

import click

from specwright.arguments.document_names import document_argument
from specwright.arguments.documents import read_document, sound_part
from specwright.arguments.project import allow_refs_from, chosen_document, configured, remote_refs
from specwright.arguments.ranges import IntegerRange
from specwright.document.sources.bundle import Remote
from specwright.mock.application import Message, Mock, Receive, Send
from specwright.report.progress import VALIDATION
from specwright.report.terminal import progress, say
from specwright.serving import listening, served_asgi


@click.command(
    epilog="""
\b
Examples:
  specwright mock
  specwright mock openapi.yaml --port 4010
  specwright mock openapi.yaml --port 4010 --host 0.0.0.0
  curl -H 'Prefer: code=404' http://127.0.0.1:4010/orders/42

Exit codes: 0 after Ctrl-C or SIGTERM, 2 if the document or the port cannot be used.
"""
)
@document_argument()
@click.option(
    "--port", metavar="N", type=IntegerRange(0, 65535), help="The port.  [default: a free one]"
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="The address: 0.0.0.0 lets other machines reach the mock, such as for a container.",
)
@remote_refs
@allow_refs_from
# The number of a listening socket of `watch`; the command then ends with its standard input.
@click.option("--socket", "inherited", type=int, hidden=True)
@click.pass_context
def mock(
    ctx: click.Context,
    document: Path | str | None,
    port: int | None,
    host: str,
    remote_refs: str,
    allowed: tuple[Path, ...],
    inherited: int | None,
) -> None:
    """Serve a mock of the API on this machine, with the responses that the document declares.

    By default, DOCUMENT is that of [tool.specwright]. Paths are those of the document, below the
    paths of its servers. Bodies and headers are the examples of the document, or else values that
    match its schemas. A schema without such a value is named at the start, and its operation
    responds with 500. The response is the first declared success; a request chooses another status
    with the header `Prefer: code=404`, an example with `Prefer: example=NAME`, and a media type
    with Accept. Requests are not checked, and change nothing. Each request is logged on the error
    stream. Web pages of any origin can read the responses; other machines need --host for it.
    """
    try:
        listener = (
            listening(port or 0, host) if inherited is None else socket.socket(fileno=inherited)
        )
        path = chosen_document(configured(document=document))
        with progress(VALIDATION) as steps:
            read = read_document(path, allowed, Remote(remote_refs))
            steps.characters = read.size
            steps("checking the document")
            sound = sound_part(read)
            served = Mock(sound.document)
        for site, error in sound.left_out:
            say(f"{error.location}: {site.method} {site.key} has an error: 404", err=True)
        with served_asgi(_Logged(served), listener) as url:
            say(f"{url}{served.routes.base_path} serves {path} until Ctrl-C")
            reached = ipaddress.ip_address(listener.getsockname()[0])
            if not reached.is_loopback:
                say(f"others can reach it at {reached}, and read the document", err=True)
            for base_path, operations in served.routes.own.items():
                for site in operations:
                    say(f"{url}{base_path} serves {site.method} {site.key}, too", err=True)
            for reason in served.missing():
                say(f"{reason}, a 500 until an example is written there", err=True)
            if inherited is None:
                Event().wait()
            else:
                sys.stdin.buffer.read()
    except KeyboardInterrupt:
        ctx.exit(0)


class _Logged:
    """Log the responses of an application, without queries and headers, which have keys."""

    def __init__(self, app: Mock) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        async def logged(message: Message) -> None:
            if message["type"] == "http.response.start":
                path = scope["raw_path"].decode("latin-1")
                say(f"{scope['method']} {path} {message['status']}", err=True)
            await send(message)

        await self._app(scope, receive, logged)
