"""All media, the most specific first.

The order decides: the first that matches a media type encodes it. So this is a list, which also
lets tools that freeze programs see each module.
"""

from __future__ import annotations

from functools import cache

from .binary import Binary
from .event_stream import EventStream
from .form import Form
from .json_value import Json
from .lines import JsonLines
from .medium import Medium, StreamMedium
from .multipart import Multipart
from .text import PlainText
from .xml_value import Xml

# Of the media that clients send by default, the first is preferred.
MEDIA: tuple[Medium, ...] = (
    JsonLines(),
    Json(),
    EventStream(),
    Form(),
    Multipart(),
    Xml(),
    PlainText(),
    Binary(),
)


def essence(media_type: str) -> str:
    """Return a media type without its parameters, in lower case (RFC 9110, 8.3.1)."""
    return media_type.partition(";")[0].strip().lower()


@cache
def medium_of(media_type: str) -> Medium:
    """Return the medium for a media type."""
    plain = essence(media_type)
    return next(medium for medium in MEDIA if medium.matches(plain))


def stream_medium_of(media_type: str) -> StreamMedium | None:
    """Return the medium for a media type of items; None for any other."""
    medium = medium_of(media_type)
    return medium if isinstance(medium, StreamMedium) else None
