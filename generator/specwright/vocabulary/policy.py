"""Policies: the changes of a declaration that break the promise that it makes.

A policy stands in the annotations of the member that it is about; a member without one has
`DEFAULT`. The value before or after a change is None where the member is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

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
        breaks: returns whether the change from one value to another breaks the promise.
        subject: the kind of the promise.
    """

    breaks: Callable[[Any, Any], bool]
    subject: Subject = Subject.BEHAVIOUR


def removed(before: Any, after: Any) -> bool:
    """Return whether a promise was removed or changed."""
    return before is not None


def lowered(before: Any, after: Any) -> bool:
    """Return whether a limit is new, or lower than before."""
    return after is not None and (before is None or after < before)


def raised(before: Any, after: Any) -> bool:
    """Return whether a minimum is new, or higher than before."""
    return after is not None and (before is None or after > before)


def lengthened(before: Any, after: Any) -> bool:
    """Return whether an existing time is longer; a new one comes with a new declaration."""
    return before is not None and after is not None and after > before


def shortened(before: Any, after: Any) -> bool:
    """Return whether there are fewer pauses, or less time until the last one ends."""
    return before is not None and (
        after is None or len(after) < len(before) or sum(after) < sum(before)
    )


def withdrawn(before: Any, after: Any) -> bool:
    """Return whether a promise was withdrawn; false was not a promise."""
    return before is True and after is not True


def replaced(before: Any, after: Any) -> bool:
    """Return whether another value took the place of an existing one."""
    return before is not None and after is not None


def declared(before: Any, after: Any) -> bool:
    """Return whether callers have to meet a new or another requirement."""
    return after is not None


def required(before: Any, after: Any) -> bool:
    """Return whether callers have to meet a new requirement; false is none."""
    return after is True


def narrowed(before: Any, after: Any) -> bool:
    """Return whether callers have fewer ways to meet a requirement, or a new one."""
    return after is not None and not (before and set(before) <= set(after))


def reduced(before: Any, after: Any) -> bool:
    """Return whether an item was removed from a list."""
    return any(item not in (after or ()) for item in before or ())


def changed(before: Any, after: Any) -> bool:
    """Return that every change breaks the promise, also the addition of the member."""
    return True


DEFAULT = ChangePolicy(removed)
# A reference to something that is compared where it is used.
UNJUDGED = ChangePolicy(lambda before, after: False)
