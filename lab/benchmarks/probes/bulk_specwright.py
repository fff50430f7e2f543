"""The generated client: many asynchronous GETs, next to the same GETs by httpx2."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable

import httpx2
from harness import in_turns

from partner_esim import AsyncEsimClient

CALLS, AT_ONCE = 1000, 50
base, rounds = sys.argv[1], int(sys.argv[2])
sdk = AsyncEsimClient(api_key="pes_test_" + "0" * 48, base_url=base)
raw = httpx2.AsyncClient(limits=httpx2.Limits(max_keepalive_connections=AT_ONCE))


async def get() -> None:
    json.loads((await raw.get(f"{base}/plans/p")).content)


async def get_model() -> None:
    await sdk.plans.get("p")


async def many(call: Callable[[], Awaitable[None]]) -> None:
    async def some() -> None:
        for _ in range(CALLS // AT_ONCE):
            await call()

    await asyncio.gather(*(some() for _ in range(AT_ONCE)))


with asyncio.Runner() as runner:
    in_turns(
        {"raw": lambda: runner.run(many(get)), "sdk": lambda: runner.run(many(get_model))},
        rounds=rounds,
        repeat=1,
    )
