"""`specwright mock`: serve the responses that a document declares, on this machine."""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from threading import Event

import click

from specwright.arguments.document_names import document_argument
from specwright.arguments.documents import read_document, sound_part
from specwright.arguments.project import (
    allow_refs_from,
    chosen_document,
    configured,
    remote_refs,
)
from specwright.arguments.ranges import IntegerRange
from specwright.check.response_examples import invalid_in_responses
from specwright.config import FILE_NAME, project_of
from specwright.document.sources.bundle import Remote
from specwright.errors import TOO_LARGE, SpecwrightError
from specwright.mock.application import Message, Mock, Receive, Send
from specwright.report.progress import VALIDATION
from specwright.report.terminal import complain, progress, say
from specwright.serving import listening, served_asgi
from specwright.watching import Watched, follow, places_of, refuse_remote

# The number of lines about examples that are not used.
_SHOWN = 5


@click.command(
    epilog="""
\b
Examples:
  specwright mock
  specwright mock openapi.yaml --port 4010
  specwright mock openapi.yaml --port 4010 --watch
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
@click.option(
    "--watch",
    "is_watching",
    is_flag=True,
    help="Serve the document again each time it changes, or a file that it refers to.",
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
    is_watching: bool,
    remote_refs: str,
    allowed: tuple[Path, ...],
    inherited: int | None,
) -> None:
    """Serve a mock of the API on this machine, with the responses that the document declares.

    By default, DOCUMENT is that of [tool.specwright]. Paths are those of the document, below the
    paths of its servers. Bodies and headers are the examples of the document, or else values that
    match its schemas. Examples that are not sent are named at the start, and so is a schema without
    such a value, whose operation responds with 500. The response is the first declared success; a
    request chooses another status with the header `Prefer: code=404`, an example with
    `Prefer: example=NAME`, and a media type with Accept. Requests are not checked, and change
    nothing. Each request is logged on the error stream. Web pages of any origin can read the
    responses; other machines need --host for it. With --watch, a document with errors leaves the
    last mock running.
    """
    try:
        listener = (
            listening(port or 0, host) if inherited is None else socket.socket(fileno=inherited)
        )
        watched = Watched()
        with ExitStack() as ending:
            server = _Server(listener, ending)

            def serve() -> None:
                path = chosen_document(configured(document=document))
                watched.notice([path])
                _serve(path, Remote(remote_refs), allowed, server, watched)

            if is_watching:
                refuse_remote(chosen_document(configured(document=document)), "mock")
                follow(watched, lambda: _try(serve, document, watched))
            serve()
            if inherited is None:
                Event().wait()
            else:
                sys.stdin.buffer.read()
    except KeyboardInterrupt:
        ctx.exit(0)


class _Server:
    """A server of the present mock at a socket until the end, which logs its responses.

    The log has no queries and headers, which have keys.
    """

    def __init__(self, listener: socket.socket, ending: ExitStack) -> None:
        self.host = str(listener.getsockname()[0])
        self._listener = listener
        self._ending = ending
        self._mock: Mock | None = None
        self._url = ""

    def present(self, mock: Mock) -> str:
        """Respond to each further request as a mock does; return the base URL."""
        self._mock = mock
        self._url = self._url or self._ending.enter_context(served_asgi(self, self._listener))
        return self._url

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        async def logged(message: Message) -> None:
            if message["type"] == "http.response.start":
                path = scope["raw_path"].decode("latin-1")
                say(f"{scope['method']} {path} {message['status']}", err=True)
            await send(message)

        assert self._mock is not None
        await self._mock(scope, receive, logged)


def _serve(
    path: Path | str, remote: Remote, allowed: tuple[Path, ...], server: _Server, watched: Watched
) -> None:
    """Serve a document as it is now, and name the parts that are left out.

    Raises:
        InputError: it cannot be used.
    """
    with progress(VALIDATION) as steps:
        read = read_document(path, allowed, remote)
        watched.notice(read.sources)
        steps.characters = read.size
        steps("checking the document")
        sound = sound_part(read)
        mock = Mock(sound.document)
    for site, error in sound.left_out:
        say(f"{error.location}: {site.method} {site.key} has an error: 404", err=True)
    url = server.present(mock)
    say(f"{url}{mock.routes.base_path} serves {path} until Ctrl-C")
    reached = ipaddress.ip_address(server.host)
    if not reached.is_loopback:
        say(f"others can reach it at {reached}, and read the document", err=True)
    for base_path, operations in mock.routes.own.items():
        for site in operations:
            say(f"{url}{base_path} serves {site.method} {site.key}, too", err=True)
    for reason in mock.missing():
        say(f"{reason}, a 500 until an example is written there", err=True)
    _some(mock.unused(), "")
    invalid = invalid_in_responses(sound.document)
    rest = f", which specwright validate {path} names"
    _some((f"{line}; another value is sent" for line in invalid), rest)


def _some(reasons: Iterable[str], rest: str) -> None:
    """Say the first reasons, and the number of further ones."""
    lines = iter(reasons)
    for line in islice(lines, _SHOWN):
        say(line, err=True)
    more = sum(1 for _ in lines)
    if more:
        say(f"and {more} more{rest}", err=True)


def _try(serve: Callable[[], None], document: Path | str | None, watched: Watched) -> None:
    """Serve the document, or say why the last one continues."""
    try:
        watched.notice([project_of(document) or FILE_NAME])
        serve()
    except SpecwrightError as error:
        watched.notice(places_of(error))
        complain(error)
    except (RecursionError, MemoryError):
        complain(SpecwrightError(TOO_LARGE))
