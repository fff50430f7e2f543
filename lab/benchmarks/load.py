"""A load of identical requests over a few keep-alive connections."""

import asyncio
import time


async def _client(port: int, request: bytes, deadline: float) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answered = 0
    while time.perf_counter() < deadline:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 201"):
            raise RuntimeError(head.decode() + (await reader.read(2000)).decode())
        length = next(
            int(line.partition(b":")[2])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length")
        )
        await reader.readexactly(length)
        answered += 1
    writer.close()
    return answered


async def _all(port: int, request: bytes, seconds: float, connections: int) -> int:
    started = time.perf_counter()
    clients = (_client(port, request, started + seconds) for _ in range(connections))
    return sum(await asyncio.gather(*clients))


def send_for(seconds: float, port: int, request: bytes, connections: int) -> int:
    """Send the request repeatedly and return the number of responses; each must be a 201."""
    return asyncio.run(_all(port, request, seconds, connections))
