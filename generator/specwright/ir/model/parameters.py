"""Parameters of operations as templates see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from specwright.ir.model.bodies import MediaTypeDefinition
from specwright.ir.model.values import Default, Kind, TypeRef
from specwright.text import Text


class ParameterLocation(StrEnum):
    """The place of a parameter (OpenAPI 3.1.1, Parameter Object, `in`)."""

    PATH = "path"
    QUERY = "query"
    QUERYSTRING = "querystring"
    HEADER = "header"
    COOKIE = "cookie"


@dataclass(frozen=True, slots=True)
class ParameterDefinition:
    """A parameter of an operation, path items' parameters and references resolved.

    Attributes:
        kind, inner, alone: the JSON types of a value, of its parts by their place, and of a value
            that is neither array nor object, if it may be one.
        style: the style of OpenAPI; `content` for JSON in one text.
        content: of a whole query string, its media type.
    """

    name: str
    wire: Text
    location: ParameterLocation
    type: TypeRef
    kind: Kind
    inner: Mapping[Text, Kind]
    alone: Kind | None
    required: bool
    default: Default | None
    style: str
    explode: bool
    allow_reserved: bool
    description: Text
    deprecated: bool
    pointer: str
    content: MediaTypeDefinition | None = None
