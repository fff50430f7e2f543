"""A clock that a process reads from a file, by libfaketime (`apt-get install faketime`)."""

from __future__ import annotations

from pathlib import Path

FAKE_CLOCK = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)


def fake_clock(file: str) -> dict[str, str]:
    """Return the settings of a process with a clock that is ahead by the seconds in a file.

    Args:
        file: its name in `{directory}`; a clock without a file is right.
    """
    return {
        "LD_PRELOAD": str(FAKE_CLOCK),
        "FAKETIME_TIMESTAMP_FILE": f"{{directory}}/{file}",
        "FAKETIME_CACHE_DURATION": "1",
        # Only what the wall says is wrong: the time that has gone by is not.
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
