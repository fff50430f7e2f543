"""Money: whole ten-thousandths of a US dollar internally, a `Decimal` at the edges."""

from __future__ import annotations

from decimal import Decimal

UNITS_PER_DOLLAR = 10_000
# The contract allows at most nine digits before the decimal point.
LIMIT = 10**9 * UNITS_PER_DOLLAR


def from_decimal(amount: Decimal) -> int:
    """Return an amount as units.

    Raises:
        ValueError: the amount has parts smaller than a unit, or is too large for the contract.
    """
    units = amount * UNITS_PER_DOLLAR
    if not units.is_finite() or units != units.to_integral_value() or abs(units) >= LIMIT:
        raise ValueError(f"{amount} is not an amount of money with at most four decimals")
    return int(units)


def to_decimal(units: int) -> Decimal:
    """Return units as an amount with two to four decimals."""
    return Decimal(to_text(units))


def to_text(units: int) -> str:
    """Return units in the contract's format: `12.50`, `0.0125`."""
    dollars, rest = divmod(abs(units), UNITS_PER_DOLLAR)
    decimals = f"{rest:04}"
    kept = decimals[:2] + decimals[2:].rstrip("0")
    return f"{'-' if units < 0 else ''}{dollars}.{kept}"
