"""A minimal HTTP/1.1 server for benchmarks: each path has prepared bytes as its response."""

import asyncio
import contextlib
import json
import re
import sys
from pathlib import Path


class Connection(asyncio.Protocol):
    """Responds to a request by its path alone; bodies with a length are ignored."""

    def __init__(self, answers: dict[str, bytes]) -> None:
        self.answers = answers
        self.seen = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.seen += data
        while (end := self.seen.find(b"\r\n\r\n")) >= 0:
            head = self.seen[:end]
            length = re.search(rb"\r\ncontent-length: (\d+)", head, re.IGNORECASE)
            following = end + 4 + (int(length[1]) if length else 0)
            if len(self.seen) < following:
                return
            path = head.split(b" ", 2)[1].split(b"?")[0].decode()
            self.seen = self.seen[following:]
            self.transport.write(self.answers[path])


def prepared(media_type: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\ncontent-length: {len(body)}"
    return f"{head}\r\n\r\n".encode() + body


async def serve(table: Path) -> None:
    bodies: dict[str, tuple[str, str]] = json.loads(table.read_text("utf-8"))
    answers = {path: prepared(kind, text.encode()) for path, (kind, text) in bodies.items()}
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(answers), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(Path(sys.argv[1])))
