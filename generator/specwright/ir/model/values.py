"""Types of values, parameters and fields.

Text that a person wrote in the document is `Text`, which only quoting filters accept. Everything
typed `str` was created or checked by us: identifiers, annotations, methods, status patterns,
JSON pointers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from specwright.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from specwright.json_values import JsonValue

# A text in an annotation, or the name of a model, which is the group.
MODEL = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\bmodels\.(\w+)""")
# The same for a name that is not an attribute.
NAME = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<![\w.])([A-Za-z_]\w*)""")


class Kind(StrEnum):
    """JSON type of a value that is sent as text, so that `5` can become the integer 5."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    ARRAY = "array"
    OBJECT = "object"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Constructed:
    """An object of the runtime, as the call that makes it; `None` as a name has no keyword."""

    name: str
    arguments: tuple[tuple[str | None, object], ...]


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
        annotation: for people, in a module that imports `models`: `models.Order`,
            `str`, `list[models.Plan] | None`.
        model: name in `models` of the class or alias that validates the value;
            None if every JSON value is valid.
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
    """A default value of the document, wrapped so that null can be a default, too."""

    value: JsonValue


@dataclass(frozen=True, slots=True)
class BodyField:
    """A property of a JSON request body, as a keyword argument of the client's method.

    Attributes:
        attribute: the attribute of the body's model.
        tells_null: whether null means something else than omitting the property.
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
