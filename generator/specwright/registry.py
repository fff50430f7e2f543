"""Records that stand beside the code that they are about, collected from packages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def records(kind: type[T], *packages: ModuleType) -> tuple[T, ...]:
    """Return the records of a kind in the modules of packages, each once, in their order.

    A module has them as single names, in tuples or as the values of mappings.
    """
    values = (value for value in _values(packages) if isinstance(value, kind))
    return tuple({id(value): value for value in values}.values())


def _values(packages: Iterable[ModuleType]) -> Iterator[object]:
    for package in packages:
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            # The import of a table is one of its own package.
            for value in list(vars(import_module(module.name)).values()):
                if isinstance(value, Mapping):
                    yield from value.values()
                else:
                    yield from value if isinstance(value, tuple) else (value,)
