"""Typed dictionaries, which requests take in place of models."""

from __future__ import annotations

from dataclasses import dataclass

from specwright.text import Text


@dataclass(frozen=True, slots=True)
class ParamsKey:
    """A key of a typed dictionary.

    Attributes:
        name: its name in JSON.
    """

    name: Text
    annotation: str
    description: Text

    @property
    def attribute(self) -> str:
        """The name as an attribute of a class, which not every name can be."""
        return self.name.raw


@dataclass(frozen=True, slots=True)
class ParamsDictionary:
    """The typed dictionary of a model, with the name of the model.

    Attributes:
        is_class: whether the keys can be written as the attributes of a class.
    """

    name: str
    keys: tuple[ParamsKey, ...]
    description: Text
    is_class: bool


@dataclass(frozen=True, slots=True)
class ParamsAlias:
    """An alias of models with typed dictionaries in their place.

    Attributes:
        is_forward: whether it refers to itself, or to an alias below it.
    """

    name: str
    annotation: str
    description: Text
    is_forward: bool = False


@dataclass(frozen=True, slots=True)
class Params:
    """The names of the module of typed dictionaries.

    Attributes:
        dictionaries: in alphabetical order.
        aliases: each below those that it refers to, and otherwise, too.
    """

    dictionaries: tuple[ParamsDictionary, ...] = ()
    aliases: tuple[ParamsAlias, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """All names of the module."""
        names = [dictionary.name for dictionary in self.dictionaries]
        return frozenset([*names, *(alias.name for alias in self.aliases)])
