"""A bug of a server, and the requests by hand that show it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Desk = TypeVar("Desk")


@dataclass(frozen=True, slots=True)
class Bug(Generic[Desk]):
    """A thing that is wrong with a server.

    Attributes:
        says: what is wrong, in a sentence.
        is_right: whether a server is right at this point, as requests by hand show.
    """

    name: str
    kind: str
    says: str
    is_right: Callable[[Desk], bool]


def register(
    bugs: dict[str, Bug[Desk]], kind: str
) -> Callable[[Callable[[Desk], bool]], Callable[[Desk], bool]]:
    """Return a decorator that enters a function as a bug, under its name and with its docstring."""

    def enter(is_right: Callable[[Desk], bool]) -> Callable[[Desk], bool]:
        name = is_right.__name__.replace("_", "-")
        bugs[name] = Bug(name, kind, inspect.getdoc(is_right) or "", is_right)
        return is_right

    return enter
