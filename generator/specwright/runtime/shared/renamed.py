"""The old names of a module, which warn until they are removed."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping


def renamed(module: str, names: Mapping[str, tuple[str, str]]) -> Callable[[str], object]:
    """Return a function for the old names of a module: its `__getattr__` (PEP 562).

    Args:
        names: by old name, the new one and the message of the `DeprecationWarning`.
    """

    def get(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        new, message = names[name]
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        value: object = getattr(sys.modules[module], new)
        return value

    return get
