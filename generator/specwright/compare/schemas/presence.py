"""What it means that a parameter, header, body or property comes, goes or is required."""

from __future__ import annotations

from enum import StrEnum

from specwright.compare.schemas.polarity import Polarity


class Presence(StrEnum):
    """Whether a value has something."""

    ABSENT = "not declared"
    OPTIONAL = "optional"
    REQUIRED = "required"


class Event(StrEnum):
    """The end of the ids of the rules for each kind of thing."""

    REQUIRED = "required"
    NOT_SENT = "not-sent"
    REMOVED = "removed"
    ADDED = "added"
    RELAXED = "relaxed"


_ABSENT, _OPTIONAL, _REQUIRED = Presence
# (before, after) -> what it is for those who send to the server, and for those whom it sends to.
_EVENTS = {
    (_ABSENT, _OPTIONAL): (Event.ADDED, Event.ADDED),
    (_ABSENT, _REQUIRED): (Event.REQUIRED, Event.ADDED),
    (_OPTIONAL, _ABSENT): (Event.REMOVED, Event.REMOVED),
    (_OPTIONAL, _REQUIRED): (Event.REQUIRED, Event.RELAXED),
    (_REQUIRED, _ABSENT): (Event.REMOVED, Event.NOT_SENT),
    (_REQUIRED, _OPTIONAL): (Event.RELAXED, Event.NOT_SENT),
}
# What people call that.
_WORDS = {
    (_ABSENT, _OPTIONAL): "is new",
    (_ABSENT, _REQUIRED): "is new and required",
    (_OPTIONAL, _ABSENT): "is gone",
    (_OPTIONAL, _REQUIRED): "is required now",
    (_REQUIRED, _ABSENT): "is gone",
    (_REQUIRED, _OPTIONAL): "is optional now",
}


def words(before: Presence, after: Presence) -> str:
    """Return what happened, to follow the name of the thing."""
    return _WORDS[before, after]


def presence(*, declared: bool, required: bool) -> Presence:
    """The presence of something."""
    if required:
        return Presence.REQUIRED
    return Presence.OPTIONAL if declared else Presence.ABSENT


def event(before: Presence, after: Presence, polarity: Polarity) -> Event | None:
    """What happened; None if nothing did."""
    found = _EVENTS.get((before, after))
    return found and found[polarity is Polarity.TO_CLIENT]
