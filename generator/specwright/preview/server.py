"""A server for browsers of this machine: a frame, the pages in it, and events when they change.

The pages are those that were written, with their own Content Security Policy. The script that loads
them again is in the frame, so that nothing is added to them. The process reads its events from
standard input, and ends with it: JSON on a line, null for new pages and a text for a message.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from importlib.resources import files
from pathlib import Path
from socketserver import ThreadingTCPServer
from threading import Condition, Thread
from typing import NamedTuple
from urllib.parse import unquote

from specwright.files import read_regular
from specwright.serving import HOST

_INDEX = "index.html"
_PAGE = re.compile(r"/pages/(?P<name>(?:[^./\\][^/\\]*\.html)?)")
# Otherwise, a connection of a browser that is closed would never end.
_HEARTBEAT_SECONDS = 15.0
_HTML, _TEXT = ("text/html; charset=utf-8", "text/plain; charset=utf-8")
_INLINE = {
    "style-src": re.compile(r"<style>(.*?)</style>", re.DOTALL),
    "script-src": re.compile(r"<script>(.*?)</script>", re.DOTALL),
}


class _State(NamedTuple):
    """The version of the pages, and the message above them, if there is one."""

    version: str
    message: str | None


class _Server(ThreadingTCPServer):
    daemon_threads = True

    def __init__(self, listener: socket.socket, output: Path) -> None:
        super().__init__(listener.getsockname(), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.output = output
        port = self.server_address[1]
        # A page of another origin can name this machine by a domain of its own (DNS rebinding).
        self.hosts = {f"{HOST}:{port}", f"localhost:{port}"}
        self._state = _State(secrets.token_hex(8), None)
        self._changed = Condition()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a browser that has gone."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    def publish(self, message: str | None) -> None:
        """Show a message above the pages; None loads them again, without a message."""
        with self._changed:
            if message is None:
                self._state = _State(secrets.token_hex(8), None)
            else:
                self._state = self._state._replace(message=message)
            self._changed.notify_all()

    def states(self) -> Iterator[_State | None]:
        """Yield the state, then each later one as soon as there is one; None from time to time."""
        last: _State | None = None
        while True:
            with self._changed:
                if self._state is last:
                    self._changed.wait(_HEARTBEAT_SECONDS)
                is_new, last = self._state is not last, self._state
            yield last if is_new else None

    def page(self, name: str) -> bytes | None:
        """Return the content of a page, the only or the first one without a name."""
        is_site = self.output.is_dir()
        file = self.output / (name or _INDEX) if is_site else self.output
        if (name and not is_site) or file.is_symlink():
            return None
        try:
            return read_regular(file)
        except OSError:
            return None


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 30

    def do_GET(self) -> None:
        path = unquote(self.path.partition("?")[0])
        if self.headers.get("Host") not in self.server.hosts:
            self._respond(HTTPStatus.MISDIRECTED_REQUEST, _TEXT, b"another host\n")
        elif path == "/":
            frame, policy = _frame()
            self._respond(HTTPStatus.OK, _HTML, frame, policy)
        elif path == "/events":
            self._events()
        else:
            self._page(path)

    def _page(self, path: str) -> None:
        page = _PAGE.fullmatch(path)
        content = self.server.page(page["name"]) if page else None
        if content is None:
            self._respond(HTTPStatus.NOT_FOUND, _TEXT, b"this page does not exist yet\n")
        else:
            self._respond(HTTPStatus.OK, _HTML, content, "frame-ancestors 'self'")

    def _events(self) -> None:
        self._begin(HTTPStatus.OK, "text/event-stream")
        # The browser has gone.
        with suppress(OSError):
            for state in self.server.states():
                line = ":" if state is None else f"data: {json.dumps(state._asdict())}"
                self.wfile.write(f"{line}\n\n".encode())

    def _respond(
        self, status: HTTPStatus, kind: str, content: bytes, policy: str = "default-src 'none'"
    ) -> None:
        self._begin(status, kind, policy, str(len(content)))
        with suppress(OSError):
            self.wfile.write(content)

    def _begin(self, status: HTTPStatus, kind: str, policy: str = "", length: str = "") -> None:
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": length,
            "Content-Security-Policy": policy,
            "Cache-Control": "no-store",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }
        for name, value in headers.items():
            if value:
                self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing: these are the requests of the reader's own browser."""


@cache
def _frame() -> tuple[bytes, str]:
    """Return the frame, and a policy that allows its style, its script and the pages."""
    html = files(__package__).joinpath("frame.html").read_text("utf-8")
    digests = [
        f"{kind} 'sha256-{_digest(text)}'"
        for kind, inline in _INLINE.items()
        for text in inline.findall(html)
    ]
    policy = (
        *("default-src 'none'", *digests, "connect-src 'self'", "frame-src 'self'"),
        *("img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"),
    )
    return html.encode(), "; ".join(policy)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def main() -> None:
    """Serve at the socket with the first argument as its number, the pages at the second one."""
    number, output = sys.argv[1:]
    server = _Server(socket.socket(fileno=int(number)), Path(output))
    Thread(target=server.serve_forever, daemon=True).start()
    for line in sys.stdin:
        server.publish(json.loads(line))


if __name__ == "__main__":
    main()
