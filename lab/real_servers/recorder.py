"""A proxy on loopback that passes requests on to a server and keeps the JSON of the responses."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

_HOP = frozenset(
    "connection keep-alive transfer-encoding host content-length accept-encoding".split()
)
_PART = 64 * 1024


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request, and the body of its response.

    Attributes:
        path: as it was sent, without the query.
        body: the parsed JSON; the text if it is not JSON.
    """

    method: str
    path: str
    status: int
    body: Any


@dataclass(slots=True)
class Recorder:
    """The address of the proxy, and the exchanges so far."""

    url: str
    exchanges: list[Exchange]


@contextmanager
def recording(url: str) -> Iterator[Recorder]:
    """Run a proxy to the server at a base URL."""
    parts = urlsplit(url)
    server = _Proxy(str(parts.hostname), parts.port or 80)
    recorder = Recorder(f"http://127.0.0.1:{server.server_port}{parts.path}", server.exchanges)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield recorder
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Proxy(ThreadingHTTPServer):
    def __init__(self, host: str, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.host, self.port = host, port
        self.exchanges: list[Exchange] = []


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Proxy

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self._pass_on
        raise AttributeError(name)

    def _pass_on(self) -> None:
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=120)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in _HOP}
        # What is recorded is not compressed.
        headers["Accept-Encoding"] = "identity"
        connection.request(self.command, self.path, self._body(), headers)
        response = connection.getresponse()
        self.send_response_only(response.status, response.reason)
        for name, value in response.getheaders():
            if name.lower() not in _HOP:
                self.send_header(name, value)
        has_body = response.status not in (204, 304) and self.command != "HEAD"
        if has_body:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        body = bytearray()
        while part := response.read1(_PART):
            body += part
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        if has_body:
            self.wfile.write(b"0\r\n\r\n")
        connection.close()
        self.server.exchanges.append(
            Exchange(self.command, self.path.partition("?")[0], response.status, _read(body))
        )

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


def _read(body: bytearray | str) -> Any:
    """Return JSON, or the events of a stream, or else the text."""
    try:
        return json.loads(body)
    except ValueError:
        text = body if isinstance(body, str) else body.decode("latin-1")
    events = [
        {
            name: _read(value) if name == "data" else value
            for name, _, value in (line.partition(": ") for line in event.splitlines())
        }
        for event in text.replace("\r\n", "\n").split("\n\n")
        if event and not event.startswith(":")
    ]
    return events if any("data" in event for event in events) else text
