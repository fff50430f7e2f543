"""Types of values, parameters and fields.

What a person wrote in the document is `Text`, which only quoting filters accept. Everything
typed `str` was made or checked by us: identifiers, annotations, methods, status patterns,
JSON pointers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from specwright.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

JsonValue: TypeAlias = "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"


class Location(StrEnum):
    """Where a parameter travels (OpenAPI 3.1.1, Parameter Object, `in`)."""

    PATH = "path"
    QUERY = "query"
    HEADER = "header"
    COOKIE = "cookie"


class Kind(StrEnum):
    """JSON type of a value that travels as text, so that `5` can become the integer 5."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    ARRAY = "array"
    OBJECT = "object"
    ANY = "any"


def optional(annotation: str) -> str:
    """Return an annotation that includes None."""
    has_none = annotation == "object" or "None" in annotation.split(" | ")
    return annotation if has_none else f"{annotation} | None"


def union(annotations: Iterable[str]) -> str:
    """Return the annotation of a value that is of one of several types, None last."""
    return " | ".join(sorted(dict.fromkeys(annotations), key="None".__eq__))


@dataclass(frozen=True, slots=True)
class TypeRef:
    """The Python type of a slot of the document.

    Attributes:
        annotation: for people, in a module that has `models` imported: `models.Order`,
            `str`, `list[models.Plan] | None`.
        model: name in `models` of the class or alias that validates the value;
            None where every JSON value is valid.
        is_class: whether `model` is a class (a BaseModel) and not an alias.
    """

    annotation: str
    model: str | None
    is_class: bool = False

    @property
    def optional(self) -> str:
        """The annotation of a slot that may be left out."""
        return optional(self.annotation)


@dataclass(frozen=True, slots=True)
class Default:
    """A default value of the document; wrapped, so that a default of null is one, too."""

    value: JsonValue


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation, path items' parameters and references resolved.

    Attributes:
        kind, inner, alone: the JSON types of a value, of what is in it by its place, and of one
            that is neither array nor object where it may be one.
        style: that of OpenAPI; `content` for JSON in one text.
    """

    name: str
    wire: Text
    location: Location
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


@dataclass(frozen=True, slots=True)
class Field:
    """A property of a JSON request body, as a keyword argument of the client's method.

    Attributes:
        attribute: of the body's model.
        tells_null: whether null is something else than to leave the property out.
    """

    name: str
    attribute: str
    wire: Text
    annotation: str
    required: bool
    tells_null: bool
    default: Default | None
    description: Text
    deprecated: bool

    @property
    def optional(self) -> str:
        """The annotation of an argument that may be left out."""
        return optional(self.annotation) + (" | Omit" if self.tells_null else "")
