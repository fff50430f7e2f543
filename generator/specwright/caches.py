"""The directory of this user's caches."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_HOMES = {"darwin": "~/Library/Caches", "win32": "~/AppData/Local"}


def cache_home() -> Path:
    """Return the directory of our caches. It may not exist, and the user may have no home."""
    home = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not home.is_absolute():
        # `Path.expanduser` raises without a home directory; this leaves a path that is not used.
        home = Path(os.path.expanduser(_HOMES.get(sys.platform, "~/.cache")))  # noqa: PTH111
    return home / "specwright"
