"""JSON values that no schema describes (RFC 8259)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from types import NoneType
from typing import Any, TypeVar, cast

from pydantic import JsonValue, ValidationError
from pydantic_core import (
    InitErrorDetails,
    PydanticCustomError,
    PydanticSerializationError,
    from_json,
    to_json,
)

T = TypeVar("T")

# RFC 8259, 8.1: parsers may ignore a byte order mark.
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Pydantic reads no JSON with more levels.
MAX_DEPTH = 200
_HARMLESS = {bool, int, str, NoneType}
_FLOATS = {float}
_FEW = 16
_NOT_FINITE = "Input should be a finite number"


def checked_value(value: T) -> T:
    """Return a value without a schema, after a search for values outside of JSON.

    Raises:
        pydantic.ValidationError: at the place of a number that is not finite, of a set, or of
            too many nested values.
    """
    fault = None if type(value) in _HARMLESS else _fault(value)
    if fault is None:
        return value
    raise _error(fault)


def refuse_unwritable(value: object) -> None:
    """Search a value that could not be written as JSON for the cause.

    Raises:
        pydantic.ValidationError: at the place of a text or of bytes that are not Unicode, or of a
            value of a type that JSON does not have.
    """
    fault = _unwritable(value)
    if fault is not None:
        raise _error(fault)


def read_json(data: bytes) -> JsonValue:
    """Return the value of a JSON document.

    Raises:
        ValueError: it is not JSON, or a number in it is too large for a float.
    """
    value: JsonValue = from_json(data.removeprefix(BYTE_ORDER_MARK), allow_inf_nan=False)
    return checked_value(value)


def parsed(data: bytes) -> object:
    """Return the value of a JSON document, also with numbers that are not finite.

    Raises:
        ValueError: it is not JSON.
    """
    value: object = from_json(data.removeprefix(BYTE_ORDER_MARK))
    return value


def write_json(value: object) -> bytes:
    """Return a JSON value, which may contain models, as a JSON document.

    Raises:
        pydantic.ValidationError: it contains a value that JSON does not have.
        pydantic_core.PydanticSerializationError: it contains a value of another type.
    """
    return to_json(checked_value(value), by_alias=True)


@dataclass(slots=True)
class _Fault:
    """A value that is not JSON, with the steps to it from the last to the first."""

    kind: Any
    message: Any
    steps: list[str | int] = field(default_factory=list[str | int])


def _error(fault: _Fault) -> ValidationError:
    place = tuple(reversed(fault.steps))
    error = PydanticCustomError(fault.kind, fault.message)
    return ValidationError.from_exception_data(
        "JSON", [InitErrorDetails(type=error, loc=place, input=None)], hide_input=True
    )


def _fault(value: object, depth: int = 0) -> _Fault | None:
    if isinstance(value, dict):
        members: Iterable[object] = cast("dict[object, object]", value).values()
    elif isinstance(value, list | tuple):
        members = cast("Sequence[object]", value)
        if _are_finite(members):
            return None
    elif isinstance(value, float):
        return None if isfinite(value) else _Fault("finite_number", _NOT_FINITE)
    elif isinstance(value, set | frozenset):
        return _Fault("list_type", "Input should be a list, and a set has no order")
    else:
        return None
    if depth == MAX_DEPTH:
        return _Fault("recursion_loop", f"Input should have at most {MAX_DEPTH} levels")
    for index, member in enumerate(members):
        fault = None if type(member) in _HARMLESS else _fault(member, depth + 1)
        if fault is not None:
            names = [*cast("dict[object, object]", value)] if isinstance(value, dict) else None
            fault.steps.append(index if names is None else str(names[index]))
            return fault
    return None


def _are_finite(items: Sequence[object]) -> bool:
    """Return whether a list is one of numbers, such as a vector, which is long enough to matter."""
    return (
        len(items) > _FEW
        and set(map(type, items)) == _FLOATS
        and isfinite(sum(cast("Sequence[float]", items)))
    )


def _unwritable(value: object) -> _Fault | None:
    if isinstance(value, dict):
        members = [*cast("dict[object, object]", value).items()]
        names: Iterable[object] = cast("dict[object, object]", value)
    elif isinstance(value, list | tuple):
        members = [*enumerate(cast("Sequence[object]", value))]
        names = ()
    else:
        return _unwritable_scalar(value)
    for name in names:
        fault = _unwritable_scalar(name)
        if fault is not None:
            return fault
    for step, member in members:
        fault = _unwritable(member)
        if fault is not None:
            fault.steps.append(step if isinstance(step, int) else str(step))
            return fault
    return None


def _unwritable_scalar(value: object) -> _Fault | None:
    try:
        to_json(value)
    except PydanticSerializationError:
        pass
    else:
        return None
    if isinstance(value, str):
        return _Fault("string_unicode", "Input should be Unicode, without lone surrogates")
    if isinstance(value, bytes | bytearray):
        return _Fault("bytes_type", "Input should be a JSON value, not bytes that are not UTF-8")
    kind = type(value).__name__
    return _Fault("json_type", f"Input should be a JSON value, not one of the type {kind}")
