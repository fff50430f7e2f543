"""Libraries of extras, which not every installation has."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

# What the commands of an extra import.
LIBRARIES = {"test": ("h11", "httpx2", "schemathesis", "trustme", "uvicorn")}


def missing(extra: str) -> str | None:
    """Return a library of an extra that is not installed; None if all are."""
    return next((name for name in LIBRARIES[extra] if find_spec(name) is None), None)


class LazyLibrary(ModuleType):
    """A library that is imported when it is first used.

    Modules that describe rules beside the code that applies them can then be imported without it.
    """

    def __getattr__(self, name: str) -> object:
        """Return an attribute of the library."""
        return getattr(import_module(self.__name__), name)
