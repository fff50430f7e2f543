"""Strict JSON: one value per name, no NaN, and `10.0` is the integer 10."""

from __future__ import annotations

import json
from decimal import Decimal

# Python parses integers of this many digits with any settings.
_MAX_DIGITS = 640


class _WholeNumberError(Exception):
    """An integer is written with a fraction or an exponent."""


def scan(data: bytes) -> bytes:
    """Return equivalent JSON with every integer written as digits only.

    Raises:
        ValueError: `data` is not JSON in UTF-8, repeats a name within an object, is nested too
            deeply, or has a number that is too large.
    """
    try:
        text = data.decode().strip(" \t\r\n")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    try:
        try:
            _, end = _CHECKING.raw_decode(text)
            if end != len(text):
                raise ValueError("unexpected data after the value")
        except _WholeNumberError:
            return json.dumps(_REWRITING.decode(text), separators=(",", ":")).encode()
    except RecursionError:
        raise ValueError("too many nested values") from None
    return data


def _object(members: list[tuple[str, object]]) -> dict[str, object]:
    unique = dict(members)
    if len(unique) != len(members):
        raise ValueError("an object has a duplicate name")
    return unique


def _integer(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ValueError("a number is too large")
    return int(text)


def _number(text: str) -> int | float:
    value = float(text)
    if value - value != 0:
        raise ValueError("a number is too large")
    try:
        exact = Decimal(text)
    except ArithmeticError:
        raise ValueError("a number has too large an exponent") from None
    return int(exact) if exact == exact.to_integral_value() else value


def _fraction(text: str) -> float:
    value = _number(text)
    if isinstance(value, int):
        raise _WholeNumberError
    return value


def _constant(text: str) -> object:
    raise ValueError(f"{text} is not JSON")


_CHECKING = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_fraction,
    parse_constant=_constant,
)
_REWRITING = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_number,
    parse_constant=_constant,
)
