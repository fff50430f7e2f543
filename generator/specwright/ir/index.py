"""The Python names of the schemas of the document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from specwright.pointer import Pointer


@dataclass(frozen=True, slots=True)
class IndexedModel:
    """A name in the generated `models` module.

    Attributes:
        name: the class or alias.
        is_class: whether it is a class; otherwise it is an alias of a type.
        fields: Python attribute by property name; empty for aliases.
    """

    name: str
    is_class: bool
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ModelIndex:
    """Models by the pointer of their schema in the normalised document."""

    models: Mapping[Pointer, IndexedModel]

    def get(self, pointer: Pointer) -> IndexedModel | None:
        """Return the model of the schema at `pointer`; None if it has no name of its own."""
        return self.models.get(pointer)
