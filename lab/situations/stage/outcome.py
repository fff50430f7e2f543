"""The behaviour of a library: a word that a rule ranks, and a note for people only."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from origin import Origin


class Outcome(NamedTuple):
    """A measured outcome."""

    word: str
    note: str = ""


class NotOfferedError(Exception):
    """The library lacks the feature; the text names its substitute."""


Sdk = ModuleType
Situation = Callable[[Any, Origin], Outcome]
SITUATIONS: dict[str, Situation] = {}


def situation(function: Situation) -> Situation:
    """Register a function in the table under its name."""
    SITUATIONS[function.__name__.replace("_", "-")] = function
    return function


def name_of(error: BaseException) -> str:
    """Return the class name of an error, with the library that it belongs to."""
    kind = type(error)
    library = kind.__module__.split(".")[0]
    return kind.__qualname__ if library == "builtins" else f"{library}.{kind.__qualname__}"


def raised(sdk: Any, error: BaseException) -> Outcome:
    """Return whether an error is one that the SDK documents as its own."""
    own = isinstance(error, sdk.ERRORS)
    return Outcome("own error" if own else "foreign error", name_of(error))


def refused(sdk: Any, error: BaseException) -> Outcome:
    """Return how an option was rejected; ValueError and TypeError are Python's errors for that."""
    is_plain = isinstance(error, ValueError | TypeError) and type(error).__module__ == "builtins"
    return Outcome("refused", name_of(error)) if is_plain else raised(sdk, error)


def tried(call: Callable[[], object]) -> Any:
    """Return the result of a call, or the exception that it raises."""
    try:
        return call()
    except NotOfferedError:
        raise
    except Exception as error:
        return error
