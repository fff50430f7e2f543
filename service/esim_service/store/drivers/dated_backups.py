"""Backups of a database in one directory, with their times in their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from ...values.clock import SECOND, moment

_TIME = "%Y%m%dT%H%M%SZ"


def name(directory: Path, database: Path, now: int) -> Path:
    """Return the path of a backup that is made now."""
    return directory / f"{database.stem}-{moment(now):{_TIME}}{database.suffix}"


def older(directory: Path, database: Path, before: int) -> Sequence[Path]:
    """Return the backups of a database that were made before a given time, and no other files."""
    stem, suffix = re.escape(database.stem), re.escape(database.suffix)
    named = re.compile(rf"{stem}-([0-9]{{8}}T[0-9]{{6}}Z){suffix}")
    return [
        path
        for path in sorted(directory.iterdir())
        if (match := named.fullmatch(path.name)) and _time(match[1]) < before
    ]


def _time(text: str) -> int:
    try:
        parsed = datetime.strptime(text, _TIME).replace(tzinfo=UTC)
    except ValueError:
        # Such as a month 13: a name of something else, which is never old.
        return 1 << 63
    return int(parsed.timestamp()) * SECOND
