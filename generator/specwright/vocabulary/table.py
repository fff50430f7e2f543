"""All keys of the vocabulary: those that the modules of `keywords` define."""

from __future__ import annotations

from collections.abc import Mapping

from specwright.registry import records
from specwright.vocabulary import keywords
from specwright.vocabulary.keyword import Keyword, Place

KEYWORDS: tuple[Keyword[object], ...] = records(Keyword, keywords)


def places(name: str) -> tuple[Place, ...]:
    """Return the places of the key; empty if the vocabulary does not have it."""
    return tuple(place for known in KEYWORDS if known.name == name for place in known.places)


def keyword(name: str, place: Place) -> Keyword[object] | None:
    """Return the key with this name at this place."""
    fitting = (known for known in KEYWORDS if known.name == name and place in known.places)
    return next(fitting, None)


def declarations(holder: Mapping[str, object], place: Place) -> Mapping[str, object]:
    """Return an object's declarations by their names in templates; None for missing ones."""
    return {known.attribute: known.read(holder) for known in KEYWORDS if place in known.places}
