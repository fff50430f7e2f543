"""Objects of the runtime as templates write them, without arguments that have their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass

from specwright.ir.model.values import Constructed
from specwright.text import Text


def constructed(value: object) -> Constructed:
    """Return the call that makes an instance of a dataclass; its first argument has no keyword."""
    assert is_dataclass(value)
    arguments = [(field.name, getattr(value, field.name)) for field in fields(value) if field.init]
    defaults = {field.name: _default(field) for field in fields(value)}
    first = fields(value)[0].name
    return Constructed(
        type(value).__name__,
        tuple(
            (None if name == first else name, _written(argument))
            for name, argument in arguments
            if argument != defaults[name]
        ),
    )


def _default(field: Field[object]) -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _written(value: object) -> object:
    match value:
        case str():
            return Text(value)
        case tuple():
            return tuple(map(_written, value))
        case Mapping():
            return {Text(name): _written(item) for name, item in value.items()}
        case _ if is_dataclass(value):
            return constructed(value)
    return value
