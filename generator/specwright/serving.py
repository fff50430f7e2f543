"""An application of this process, served on a port of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import inspect
import os
import socket
import threading
from collections.abc import Iterator
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from specwright.errors import InputError

HOST = "127.0.0.1"


@contextlib.contextmanager
def served(app: object) -> Iterator[str]:
    """Serve an ASGI or WSGI application within the context, and yield its base URL.

    Raises:
        InputError: it is not an application, or it does not start.
    """
    if not callable(app):
        raise InputError(f"{app!r} is neither an ASGI or WSGI application nor the URL of one")
    with served_asgi(app, listening()) if _is_asgi(app) else _wsgi(app) as url:
        yield url


def listening(port: int = 0, host: str = HOST) -> socket.socket:
    """Return a socket for an ASGI application, at which connections wait until it is served.

    Args:
        port: as for `bound`.
        host: the address of this machine at which it can be reached.

    Raises:
        InputError: the address or the port cannot be used, or there is no ASGI server.
    """
    _uvicorn()
    return bound(port, host)


def bound(port: int, host: str = HOST) -> socket.socket:
    """Return a socket of this machine, at which connections wait.

    Args:
        port: a port, or 0 for a free one.
        host: the address of this machine.

    Raises:
        InputError: the address or the port cannot be used.
    """
    # asyncio sets TCP_NODELAY only on sockets with an explicit TCP protocol.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, proto=socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            # Otherwise, a port is in use for a minute after its last connection.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            hint = "name an address of this machine, or 0.0.0.0 for all of them"
            raise InputError(f"{host} is not an address of this machine", hint=hint) from None
        is_taken = error.errno == errno.EADDRINUSE
        reason = "is already in use" if is_taken else f"cannot be used: {error.strerror}"
        raise InputError(f"port {port} {reason}", hint="choose another port") from None
    return listener


def _is_asgi(app: Any) -> bool:
    """Return whether an application is a coroutine function, as in ASGI 3."""
    return inspect.iscoroutinefunction(app) or inspect.iscoroutinefunction(
        getattr(app, "__call__", None)  # noqa: B004 - whether it is asynchronous is the question
    )


@contextlib.contextmanager
def served_asgi(app: object, listener: socket.socket) -> Iterator[str]:
    """Serve an ASGI application at a socket, which is closed at the end; yield its base URL.

    Raises:
        InputError: the application does not start.
    """
    uvicorn = _uvicorn()
    with listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=_run, args=(server, listener), daemon=True)
        thread.start()
        try:
            _wait(server, thread)
            yield _url(listener)
        finally:
            server.should_exit = True
            thread.join()


def _url(listener: socket.socket) -> str:
    """Return the URL at which this machine reaches a socket."""
    host, port = listener.getsockname()[:2]
    address = {"0.0.0.0": HOST, "::": "::1"}.get(host, host)
    return f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"


def _uvicorn() -> Any:
    try:
        import uvicorn
    except ImportError:
        raise InputError(
            "serving an ASGI application requires uvicorn, which is not installed",
            hint="pip install 'specwright[test]'",
        ) from None
    return uvicorn


def _run(server: Any, listener: socket.socket) -> None:
    # uvicorn exits when the application does not start.
    with contextlib.suppress(SystemExit):
        asyncio.run(server.serve(sockets=[listener]))


def _wait(server: Any, thread: threading.Thread) -> None:
    """Wait until a server has started.

    Raises:
        InputError: the server has ended, as it does when the lifespan of its application fails.
    """
    while not server.started:
        thread.join(0.005)
        if not thread.is_alive():
            raise InputError("the application did not start", hint="see its log for the reason")


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing: the report has the requests."""


@contextlib.contextmanager
def _wsgi(app: Any) -> Iterator[str]:
    with _Server((HOST, 0), _Handler) as server:
        server.set_app(app)
        thread = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        thread.start()
        try:
            yield f"http://{HOST}:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
