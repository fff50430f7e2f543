"""A process with a log that has no reader, and one that is told to stop behind a proxy."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
from pathlib import Path

import httpx2
import pytest

from esim_service.log_stream import LogStream
from tests.service.running import COMMAND, DEADLINE, environment, esim_service, eventually, serving

pytestmark = pytest.mark.anyio

# A pipe takes 64 KiB, which are fewer than two hundred lines.
MANY = 600


async def test_a_log_that_nobody_reads_stops_no_request(tmp_path: Path) -> None:
    place = str(tmp_path / "service.db")
    issued = ("keys", "create", "--partner", "acme", "--mode", "test", "--plain")
    esim_service("migrate", "--database", place, cwd=tmp_path)
    key = esim_service(
        *issued, "--read-limit", "100000", "--database", place, cwd=tmp_path
    ).stdout.strip()
    process = subprocess.Popen(
        [COMMAND, "serve", "--database", place, "--port=0", "--metrics-port=0"],
        cwd=tmp_path,
        env=environment({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        api, _, operations = (process.stdout.readline().split()[1] for _ in range(3))
        headers = {"Authorization": f"Bearer {key}"}
        with httpx2.Client(base_url=api, headers=headers, timeout=DEADLINE) as http:
            for _ in range(MANY):
                assert http.get("/balance").status_code == 200
        assert httpx2.get(f"{operations}/healthz", timeout=DEADLINE).status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE) == 0
    finally:
        process.kill()
        process.communicate()


def test_what_was_logged_before_the_end_is_written() -> None:
    """Also more lines than are written at once."""
    reading, writing = os.pipe()
    try:
        wanted = "".join(f"line {number}\n" for number in range(250))
        with LogStream(writing) as stream:
            for line in wanted.splitlines(keepends=True):
                stream.write(line)
        assert os.read(reading, len(wanted) + 1).decode() == wanted
    finally:
        os.close(reading)
        os.close(writing)


def test_what_is_dropped_is_counted() -> None:
    """Each line is read, told of as dropped, or was dropped after that was told."""
    reading, writing = os.pipe()
    try:
        os.set_blocking(reading, False)
        read, written = b"", 0
        with LogStream(writing, most_waiting=2) as stream:

            def write() -> None:
                nonlocal written
                stream.write("x" * 10_000 + "\n")
                written += 1

            def look() -> bool:
                nonlocal read
                try:
                    read += os.read(reading, 1 << 20)
                except BlockingIOError:
                    return True
                return False

            for times in (1, 2):
                while not stream._dropped:
                    write()

                def is_told(times: int = times) -> bool:
                    if look():
                        write()
                    return read.count(b" were dropped: ") >= times

                assert eventually(is_told)
        eventually(look)
        told = re.findall(rb'{"event": "([1-9]\d*) log lines were dropped: .*}\n', read)
        assert read.count(b"x\n") + sum(map(int, told)) + stream._dropped == written
    finally:
        os.close(reading)
        os.close(writing)


async def test_before_it_stops_a_process_is_not_ready_and_answers_all_the_same(
    tmp_path: Path,
) -> None:
    with serving(str(tmp_path / "service.db"), tmp_path, ESIM_DRAIN_SECONDS="600") as running:
        headers = {"Authorization": f"Bearer {running.key()}"}
        assert httpx2.get(f"{running.operations}/readyz").status_code == 200
        running.process.send_signal(signal.SIGTERM)

        def is_not_ready() -> bool:
            told = httpx2.get(f"{running.operations}/readyz")
            return told.status_code == 503 and "the service is stopping" in told.text

        assert await asyncio.to_thread(eventually, is_not_ready)
        assert httpx2.get(f"{running.base_url}/balance", headers=headers).status_code == 200
        # Asked twice, it does not wait.
        assert running.stop() == 0
