"""Policies: the changes of a declaration that break the promise that it makes.

A policy stands in the annotations of the member that it is about; a member without one has
`DEFAULT`. The value before or after a change is None where the member is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from specwright.json_values import JsonValue, declared_sequence

# Every name of a map in the path of a member.
ANY = "*"


class Subject(Enum):
    """The kinds of promises, each of which the review judges by a rule of its own."""

    BEHAVIOUR = auto()
    LIMIT = auto()
    DELIVERY = auto()
    SIGNATURE = auto()
    ERROR_CODE = auto()


@dataclass(frozen=True, slots=True)
class ChangePolicy:
    """The judgement of a change of a member, which is compared as a whole.

    Attributes:
        breaks: returns whether the change from one value to another breaks the promise; a
            TypeError if one of them is not valid.
        subject: the kind of the promise.
    """

    breaks: Callable[[JsonValue, JsonValue], bool]
    subject: Subject = Subject.BEHAVIOUR


def removed(before: JsonValue, after: JsonValue) -> bool:
    """Return whether a promise was removed or changed."""
    return before is not None


def lowered(before: JsonValue, after: JsonValue) -> bool:
    """Return whether a limit is new, or lower than before."""
    return after is not None and (before is None or _number(after) < _number(before))


def raised(before: JsonValue, after: JsonValue) -> bool:
    """Return whether a minimum is new, or higher than before."""
    return after is not None and (before is None or _number(after) > _number(before))


def lengthened(before: JsonValue, after: JsonValue) -> bool:
    """Return whether an existing time is longer; a new one comes with a new declaration."""
    return before is not None and after is not None and _number(after) > _number(before)


def shortened(before: JsonValue, after: JsonValue) -> bool:
    """Return whether there are fewer pauses, or less time until the last one ends."""
    if before is None or after is None:
        return before is not None
    old, new = ([_number(pause) for pause in declared_sequence(value)] for value in (before, after))
    return len(new) < len(old) or sum(new) < sum(old)


def withdrawn(before: JsonValue, after: JsonValue) -> bool:
    """Return whether a promise was withdrawn; false was not a promise."""
    return before is True and after is not True


def replaced(before: JsonValue, after: JsonValue) -> bool:
    """Return whether another value took the place of an existing one."""
    return before is not None and after is not None


def declared(before: JsonValue, after: JsonValue) -> bool:
    """Return whether callers have to meet a new or another requirement."""
    return after is not None


def required(before: JsonValue, after: JsonValue) -> bool:
    """Return whether callers have to meet a new requirement; false is none."""
    return after is True


def narrowed(before: JsonValue, after: JsonValue) -> bool:
    """Return whether callers have fewer ways to meet a requirement, or a new one."""
    old, new = declared_sequence(before), declared_sequence(after)
    return after is not None and not (old and all(way in new for way in old))


def reduced(before: JsonValue, after: JsonValue) -> bool:
    """Return whether an item was removed from a list."""
    kept = declared_sequence(after)
    return any(item not in kept for item in declared_sequence(before))


def changed(before: JsonValue, after: JsonValue) -> bool:
    """Return that every change breaks the promise, also the addition of the member."""
    return True


def _number(value: JsonValue) -> float:
    if not isinstance(value, int | float):
        raise TypeError(f"a number was expected, not {type(value).__name__}")
    return value


DEFAULT = ChangePolicy(removed)
# A reference to something that is compared where it is used.
UNJUDGED = ChangePolicy(lambda before, after: False)
