"""The memory of a process over minutes of load."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass
from pathlib import Path

from tests.service.books import books
from tests.service.outages.visitors import visiting
from tests.service.running import esim_service, serving

PARTNERS = 4
_RESIDENT = re.compile(r"^VmRSS:\s+(\d+) kB$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Growth:
    """The resident memory of a process, in megabytes, after each minute of load."""

    requests: int
    megabytes: tuple[float, ...]


async def grow(place: str, directory: Path, minutes: int) -> Growth:
    """Have clients order and read for some minutes, and none of them fail."""
    assert esim_service("migrate", "--database", place, cwd=directory).returncode == 0
    names = [f"partner {number}" for number in range(PARTNERS)]
    with serving(place, directory, ESIM_LOG_LEVEL="warning") as running:
        async with books(place) as known:
            keys = [await known.key(name) for name in names]
            for name in names:
                credit = ("partners", "credit", "--mode", "test", name, "1000000")
                await asyncio.to_thread(running.run, *credit)
            megabytes = []
            async with visiting(running.base_url, keys) as visits:
                begun = time.monotonic()
                for minute in range(1, minutes + 1):
                    await asyncio.sleep(begun + 60 * minute - time.monotonic())
                    megabytes.append(_megabytes(running.process.pid))
            assert not visits.failed
            await known.audit()
    return Growth(visits.total, tuple(megabytes))


def _megabytes(process: int) -> float:
    [kilobytes] = _RESIDENT.findall(Path(f"/proc/{process}/status").read_text("utf-8"))
    return int(kilobytes) / 1024
