"""What is announced to go, and on which day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from specwright.compare.verdicts.change import Change, became
from specwright.compare.verdicts.change_rules import ChangeRule
from specwright.document.sites import Site

# The day of RFC 8594, which OpenAPI has no field for, as several tools write it.
SUNSET = "x-sunset"


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


def is_over(site: Site, today: date) -> bool:
    """Whether something went on a day that was announced."""
    day = _sunset(site)
    return site.value.get("deprecated") is True and day is not None and day <= today


def _sunset(site: Site) -> date | None:
    try:
        return date.fromisoformat(str(site.value.get(SUNSET))[:10])
    except ValueError:
        return None
