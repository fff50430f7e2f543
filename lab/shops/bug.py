"""The one bug that a shop has: SHOP_BUG names it."""

import os


def has(name: str) -> bool:
    """Whether the shop has this bug."""
    return os.environ.get("SHOP_BUG") == name
