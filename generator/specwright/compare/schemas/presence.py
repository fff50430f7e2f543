"""The presence of parameters, headers, bodies and properties, and the effects of changes."""

from __future__ import annotations

from enum import StrEnum

from specwright.compare.schemas.polarity import Polarity


class Presence(StrEnum):
    """The presence of something: whether it is declared, and required."""

    ABSENT = "not declared"
    OPTIONAL = "optional"
    REQUIRED = "required"


class Event(StrEnum):
    """A change of presence, named as the suffix of rule ids."""

    REQUIRED = "required"
    NOT_SENT = "not-sent"
    REMOVED = "removed"
    ADDED = "added"
    RELAXED = "relaxed"


_ABSENT, _OPTIONAL, _REQUIRED = Presence
# (before, after) -> the event for values sent to the server, and for those sent to clients.
_EVENTS = {
    (_ABSENT, _OPTIONAL): (Event.ADDED, Event.ADDED),
    (_ABSENT, _REQUIRED): (Event.REQUIRED, Event.ADDED),
    (_OPTIONAL, _ABSENT): (Event.REMOVED, Event.REMOVED),
    (_OPTIONAL, _REQUIRED): (Event.REQUIRED, Event.RELAXED),
    (_REQUIRED, _ABSENT): (Event.REMOVED, Event.NOT_SENT),
    (_REQUIRED, _OPTIONAL): (Event.RELAXED, Event.NOT_SENT),
}
# The changes in messages.
_WORDS = {
    (_ABSENT, _OPTIONAL): "was added",
    (_ABSENT, _REQUIRED): "was added as required",
    (_OPTIONAL, _ABSENT): "was removed",
    (_OPTIONAL, _REQUIRED): "is now required",
    (_REQUIRED, _ABSENT): "was removed",
    (_REQUIRED, _OPTIONAL): "is now optional",
}


def words(before: Presence, after: Presence) -> str:
    """Return the change in words, to follow the name of the thing."""
    return _WORDS[before, after]


def presence(*, declared: bool, required: bool) -> Presence:
    """Return the presence of something."""
    if required:
        return Presence.REQUIRED
    return Presence.OPTIONAL if declared else Presence.ABSENT


def event(before: Presence, after: Presence, polarity: Polarity) -> Event | None:
    """Return the change of presence; None if nothing changed."""
    found = _EVENTS.get((before, after))
    return found and found[polarity is Polarity.TO_CLIENT]
