"""JSON values, such as the parts of a document that was read."""

from __future__ import annotations

from typing import TypeAlias

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
JsonObject: TypeAlias = "dict[str, JsonValue]"


def mapping(value: object) -> JsonObject:
    """Return the value if it is an object, else an empty one: the official schema checks shapes."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[JsonValue]:
    """Return the value if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def declared_mapping(value: JsonValue) -> JsonObject:
    """Return an object, or an empty one if nothing is declared.

    Raises:
        TypeError: it is something else.
    """
    if value and not isinstance(value, dict):
        raise TypeError(f"an object was expected, not {type(value).__name__}")
    return mapping(value)


def declared_sequence(value: JsonValue) -> list[JsonValue]:
    """Return an array, or an empty one if nothing is declared.

    Raises:
        TypeError: it is something else.
    """
    if value and not isinstance(value, list):
        raise TypeError(f"an array was expected, not {type(value).__name__}")
    return sequence(value)


def one_or_more(value: JsonValue) -> list[JsonValue]:
    """Return the items of an array, or the value that is written without one."""
    return value if isinstance(value, list) else [value]


def texts(value: object) -> list[str]:
    """Return the texts in an array, without its other items."""
    return [item for item in sequence(value) if isinstance(item, str)]
