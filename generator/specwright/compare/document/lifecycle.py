"""What is announced to go, on which day, and what promises nothing yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from specwright.compare.verdicts.change import Change, became
from specwright.compare.verdicts.change_rules import ChangeRule
from specwright.document.model import Document
from specwright.document.sites import OperationSite, Site
from specwright.pointer import resolve

# The day of RFC 8594, which OpenAPI has no field for, as several tools write it.
SUNSET = "x-sunset"
# How much an operation promises, the least first; several tools write these.
STABILITY, INTERNAL = "x-stability-level", "x-internal"
_LEVELS = ("internal", "draft", "alpha", "beta", "stable")
_PROMISED = _LEVELS.index("beta")
# What is gone, and what that is from its day on.
_REMOVALS = {
    ChangeRule.OPERATION_REMOVED: ChangeRule.SUNSET_OPERATION_REMOVED,
    **dict.fromkeys(
        (
            ChangeRule.PARAMETER_REMOVED,
            ChangeRule.HEADER_REMOVED,
            ChangeRule.HEADER_NOT_SENT,
            ChangeRule.PROPERTY_REMOVED,
            ChangeRule.PROPERTY_NOT_SENT,
            ChangeRule.PROPERTY_REFUSED,
        ),
        ChangeRule.SUNSET_REMOVED,
    ),
}


def announcements(old: Site, new: Site, what: str) -> Iterator[Change]:
    """What changed about the end of something."""
    was, now = (each.value.get("deprecated") is True for each in (old, new))
    if was != now:
        message = f"{what} is {'now' if now else 'no longer'} deprecated"
        yield Change(ChangeRule.DEPRECATION, old / "deprecated", new / "deprecated", message)
    before, after = (_sunset(each) for each in (old, new))
    if before == after:
        return
    message = f"the sunset of {what} {became(*(each and str(each) for each in (before, after)))}"
    is_kept = after is None and not now
    is_sooner = before is not None and (after is None or after < before)
    rule = ChangeRule.SUNSET_SOONER if is_sooner and not is_kept else ChangeRule.DEPRECATION
    yield Change(rule, old / SUNSET, new / SUNSET, message)


def as_announced(change: Change, base: Document, today: date) -> Change:
    """The change, by a rule of its own if something is gone after the day announced for it."""
    if change.rule not in _REMOVALS or change.base is None:
        return change
    gone = Site(change.base, resolve(base.data, change.base))
    day = _sunset(gone) if isinstance(gone.value, dict) else None
    if day is None or day > today or gone.value.get("deprecated") is not True:
        return change
    return replace(change, rule=_REMOVALS[change.rule])


def stability_changes(old: OperationSite, new: OperationSite, what: str) -> Iterator[Change]:
    """What changed about how much an operation promises."""
    before, after = _stability(old), _stability(new)
    if before != after:
        rule = ChangeRule.STABILITY_LOWERED if after < before else ChangeRule.RELAXED
        message = f"the stability of {what}: {_LEVELS[before]} -> {_LEVELS[after]}"
        yield Change(rule, old / STABILITY, new / STABILITY, message)


def is_unstable(operation: OperationSite) -> bool:
    """Whether an operation promises nothing yet, or not to everybody."""
    return _stability(operation) < _PROMISED


def _stability(operation: OperationSite) -> int:
    owners = (operation, operation.item)
    if any(each.value.get(INTERNAL) is True for each in owners):
        return 0
    said = next((each.value[STABILITY] for each in owners if STABILITY in each.value), None)
    return _LEVELS.index(said) if said in _LEVELS else len(_LEVELS) - 1


def _sunset(site: Site) -> date | None:
    try:
        return date.fromisoformat(str(site.value.get(SUNSET))[:10])
    except ValueError:
        return None
