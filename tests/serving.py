"""Applications served on a free port of this machine, and their responses."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import uvicorn


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> Any:
        """The error in the shape that the contracts of these tests declare."""
        assert self.headers["Content-Type"] == "application/json"
        assert self.json["error"]["request_id"] == self.headers["Request-Id"]
        return self.json["error"]


class Server:
    """An application on a free port of this machine."""

    def __init__(self, app: Any) -> None:
        # asyncio sends what is small at once only over sockets that say that they are of TCP.
        self._socket = socket.socket(proto=socket.IPPROTO_TCP)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._server = uvicorn.Server(
            uvicorn.Config(app, http="h11", log_level="error", lifespan="off")
        )
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    def __enter__(self) -> Server:
        self._thread.start()
        while not self._server.started:
            time.sleep(0.005)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join()

    def send(
        self,
        method: str,
        path: str,
        body: bytes | str | Iterator[bytes] | None = None,
        *,
        key: str | None = "key_a",
        **headers: str,
    ) -> Answer:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if key is not None:
            sent.setdefault("Authorization", f"Bearer {key}")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, sent, encode_chunked=True)
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def post(self, path: str, body: bytes | str | dict[str, Any], **headers: str) -> Answer:
        data = json.dumps(body) if isinstance(body, dict) else body
        return self.send("POST", path, data, **{"Content_Type": "application/json", **headers})
