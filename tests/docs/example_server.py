"""A server that responds to every operation of a document with the example it gives."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

BASE_PATH = "/api/v1"


@dataclass(frozen=True, slots=True)
class ExampleResponse:
    """The first successful response of one operation."""

    method: str
    path: re.Pattern[str]
    status: int
    body: Any
    pagination: dict[str, Any]

    def page(self, cursor: str | None) -> Any:
        """Return the example, or an empty last page when a cursor asks for the page after it."""
        if cursor is None or not self.pagination:
            return self.body
        onward = cursor if self.pagination.get("resume") else None
        empty: dict[str, Any] = {"items": [], "more": False, "next": onward}
        members = {self.pagination[key].lstrip("/"): value for key, value in empty.items()}
        return {**self.body, **members}


def responses(document: dict[str, Any]) -> Iterator[ExampleResponse]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if isinstance(operation, dict) and "responses" in operation:
                status = min(code for code in operation["responses"] if code.startswith("2"))
                yield ExampleResponse(
                    method.upper(),
                    re.compile(BASE_PATH + re.sub(r"\{[^}]+\}", "[^/]+", path)),
                    int(status),
                    example(document, operation["responses"][status]),
                    operation.get("x-contract-pagination", {}),
                )


def example(document: dict[str, Any], response: dict[str, Any]) -> Any:
    response = follow(document, response)
    media = response.get("content", {}).get("application/json", {})
    for first in media.get("examples", {}).values():
        return follow(document, first)["value"]
    return media.get("example")


def follow(document: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        target: Any = document
        for token in node["$ref"].removeprefix("#/").split("/"):
            target = target[token]
        node = target
    return node


def handler(table: list[ExampleResponse]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def respond(self) -> None:
            self.rfile.read(int(self.headers.get("content-length") or 0))
            url = urlsplit(self.path)
            cursor = parse_qs(url.query).get("cursor", [None])[0]
            for response in table:
                if response.method == self.command and response.path.fullmatch(url.path):
                    body = response.page(cursor)
                    self.reply(response.status, b"" if body is None else json.dumps(body).encode())
                    return
            self.reply(404, b"{}")

        def reply(self, status: int, body: bytes) -> None:
            self.send_response(status)
            if body:
                self.send_header("Content-Type", "application/json")
            if status != 204:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Log nothing; the test does its own reporting."""

    for method in {response.method for response in table}:
        setattr(Handler, f"do_{method}", Handler.respond)
    return Handler


@contextmanager
def serving(document: Path) -> Iterator[str]:
    """The base URL of a running server for this document."""
    table = list(responses(json.loads(document.read_text("utf-8"))))
    # A literal path must win over a template that also matches it.
    table.sort(key=lambda response: response.path.pattern.count("[^/]+"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(table))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{BASE_PATH}"
    finally:
        server.shutdown()
        server.server_close()
