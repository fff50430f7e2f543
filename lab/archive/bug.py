"""The one bug that the archive has: ARCHIVE_BUG names it."""

import os

_NAME = os.environ.get("ARCHIVE_BUG", "none")


def has(name: str) -> bool:
    """Whether the archive has this bug."""
    return name == _NAME
