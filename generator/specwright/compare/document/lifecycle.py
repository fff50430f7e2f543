"""Announced removals, and the stability of operations."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.compare.verdicts.announcements import (
    DEPRECATED,
    announcement_changes,
    is_deprecated,
    sunset,
)
from specwright.compare.verdicts.change import Change, became
from specwright.compare.verdicts.change_rule import RELAXED, ChangeCategory, ChangeRule
from specwright.compare.verdicts.example import OPERATION, example
from specwright.document.operations.sites import OperationSite, Site
from specwright.findings import values_of

# The fields for the stability of an operation, as several tools write them; the levels, lowest
# first.
STABILITY, INTERNAL = "x-stability-level", "x-internal"
_LEVELS = ("internal", "draft", "alpha", "beta", "stable")
_LOWEST_PROMISED = _LEVELS.index("beta")

STABILITY_LOWERED = ChangeRule(
    "stability-lowered",
    ChangeCategory.WIRE,
    (
        "Clients rely on an operation that may now change in any way "
        "(`x-stability-level`, `x-internal`)."
    ),
    example=example(
        OPERATION, "deprecated: false", "x-stability-level: beta", "x-stability-level: stable"
    ),
    remedy="Keep its stability level, and experiment in a separate operation.",
)
UNSTABLE_CHANGED = ChangeRule(
    "unstable-changed",
    ChangeCategory.COMPATIBLE,
    (
        "Operations that are not stable yet changed in a way that would break clients "
        "(`x-stability-level` draft or alpha, or `x-internal: true`)."
    ),
    example=example(
        OPERATION,
        "- {name: lang, in: query, schema: {}}\n      x-stability-level: alpha",
        "x-stability-level: alpha",
    ),
)


def deprecation_changes(old: Site, new: Site, what: str) -> Iterator[Change]:
    """Yield the changes of a deprecation or sunset."""
    for rule, field in announcement_changes(old.value, new.value):
        if field == DEPRECATED:
            values = values_of(*(is_deprecated(site.value) for site in (old, new)))
            words = f"{what} is {'now' if is_deprecated(new.value) else 'no longer'} deprecated"
        else:
            dates = [date and str(date) for date in (sunset(site.value) for site in (old, new))]
            values, words = values_of(*dates), f"the sunset of {what} {became(*dates)}"
        yield Change(rule, old / field, new / field, words, values)


def stability_changes(old: OperationSite, new: OperationSite, what: str) -> Iterator[Change]:
    """Yield the change of the stability of an operation."""
    before, after = _stability(old), _stability(new)
    if before != after:
        rule = STABILITY_LOWERED if after < before else RELAXED
        message = f"the stability of {what}: {_LEVELS[before]} -> {_LEVELS[after]}"
        values = values_of(_LEVELS[before], _LEVELS[after])
        yield Change(rule, old / STABILITY, new / STABILITY, message, values)


def is_unstable(operation: OperationSite) -> bool:
    """Return whether an operation is not stable yet, or is internal."""
    return _stability(operation) < _LOWEST_PROMISED


def _stability(operation: OperationSite) -> int:
    owners = (operation, operation.item)
    if any(owner.value.get(INTERNAL) is True for owner in owners):
        return 0
    level = next((owner.value[STABILITY] for owner in owners if STABILITY in owner.value), None)
    return _LEVELS.index(level) if level in _LEVELS else len(_LEVELS) - 1
