"""All media, the most specific first."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import cast

from . import binary, event_stream, form, json_value, lines, multipart, text
from .medium import Medium, StreamMedium

MEDIA: tuple[ModuleType, ...] = (
    lines,
    json_value,
    event_stream,
    form,
    multipart,
    text,
    binary,
)


def essence(media_type: str) -> str:
    """Return a media type without its parameters, in lower case (RFC 9110, 8.3.1)."""
    return media_type.partition(";")[0].strip().lower()


@cache
def medium_of(media_type: str) -> Medium:
    """Return the medium for a media type."""
    plain = essence(media_type)
    return next(medium for medium in cast("tuple[Medium, ...]", MEDIA) if medium.matches(plain))


def stream_medium_of(media_type: str) -> StreamMedium | None:
    """Return the medium for a media type of items; None for any other."""
    medium = medium_of(media_type)
    return cast("StreamMedium", medium) if medium.is_stream else None
