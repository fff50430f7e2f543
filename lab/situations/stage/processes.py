"""Situations with pickled errors, forked processes, and closed event loops."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from origin import Asked, Origin, echo, reply
from outcome import NotOfferedError, Outcome, raised, situation, tried

CHILDREN, CALLS = 4, 30
BURSTS, SIZE = 10, 50


def _refused(sdk: Any, url: str) -> object:
    return sdk.get(sdk.client(url, max_retries=0))


def _not_found(sdk: Any, server: Origin) -> Exception:
    server.says(reply(sdk.failure("resource_not_found"), 404))
    error = tried(lambda: _refused(sdk, server.url))
    if not isinstance(error, Exception):
        raise NotOfferedError("the error is what the call returns")
    return error


@situation
def pickled_error(sdk: Any, server: Origin) -> Outcome:
    error = _not_found(sdk, server)
    copy = tried(lambda: pickle.loads(pickle.dumps(error)))
    if type(copy) is not type(error):
        return Outcome("breaks", f"{type(copy).__name__}")
    same = str(copy) == str(error) and sdk.status(copy) == sdk.status(error) == 404
    return Outcome("as it was" if same else "loses its details")


def _in_a_worker(name: str, url: str) -> object:
    import importlib

    return _refused(importlib.import_module(f"subjects.{name}"), url)


@situation
def error_in_a_pool(sdk: Any, server: Origin) -> Outcome:
    error = _not_found(sdk, server)
    name = sdk.__name__.rpartition(".")[2]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context) as pool:
        got = tried(pool.submit(_in_a_worker, name, server.url).result)
    if isinstance(got, BrokenProcessPool):
        return Outcome("breaks the pool for all")
    return Outcome("arrives" if type(got) is type(error) else "another error", type(got).__name__)


@situation
def fork(sdk: Any, server: Origin) -> Outcome:
    server.says(echo(lambda asked: sdk.named(asked.target.rpartition("/")[2]), 0.005))
    client = sdk.client(server.url, max_retries=0)
    sdk.get(client, "pln_parent")
    pipes = [_forked(sdk, client, number) for number in range(CHILDREN)]
    wrong = 0
    for pipe in pipes:
        with os.fdopen(pipe) as stream:
            wrong += json.load(stream)
    # The number of swapped responses is chance; that they can be swapped is not.
    processes: dict[int, set[str]] = {}
    for asked in server.asked:
        name = asked.target.rpartition("/")[2]
        processes.setdefault(asked.connection, set()).add(name.partition("x")[0])
    if max(map(len, processes.values())) > 1 or wrong:
        note = f"{wrong} of {CHILDREN * CALLS} responses swapped or lost"
        return Outcome("processes share a connection", note)
    return Outcome("each has its own connections")


def _forked(sdk: Any, client: Any, number: int) -> int:
    """Call from a child; the pipe delivers the number of wrong responses."""
    reading, writing = os.pipe()
    if os.fork():
        os.close(writing)
        return reading
    wrong = 0
    for call in range(CALLS):
        name = f"pln_{number}x{call}"
        got = tried(lambda name=name: sdk.get(client, name))
        wrong += isinstance(got, Exception) or sdk.name_of(got) != name
    os.write(writing, json.dumps(wrong).encode())
    os._exit(0)


@situation
def bursts(sdk: Any, server: Origin) -> Outcome:
    # Respond only after all requests have arrived: a busy machine would need fewer connections.
    together = threading.Barrier(SIZE)

    def answer(asked: Asked) -> object:
        together.wait(30)
        return sdk.RESOURCE

    server.says(echo(answer))

    async def run() -> None:
        client = sdk.async_client(server.url, max_retries=0)
        for _ in range(BURSTS):
            await asyncio.gather(*(sdk.get_async(client) for _ in range(SIZE)))

    asyncio.run(run())
    return Outcome(str(server.connections), "connections")


@situation
def second_loop(sdk: Any, server: Origin) -> Outcome:
    server.says(reply(sdk.RESOURCE))
    client = sdk.async_client(server.url, max_retries=0)

    async def call() -> None:
        await sdk.get_async(client)

    asyncio.run(call())
    got = tried(lambda: asyncio.run(call()))
    return raised(sdk, got) if isinstance(got, Exception) else Outcome("works")
