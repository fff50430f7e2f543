"""Announced removals: `deprecated`, and the date in `x-sunset`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from specwright.compare.verdicts.change import Change
from specwright.compare.verdicts.change_rules import ChangeRule
from specwright.document.model import Document
from specwright.pointer import resolve

DEPRECATED = "deprecated"
# The sunset date (RFC 8594), which OpenAPI has no field for; several tools write this one.
SUNSET = "x-sunset"
# The keywords of a schema that does nothing but list its values.
_SAYS_NO_MORE = re.compile(
    "const|enum|type|title|description|examples?|default|deprecated|x-.*"
).fullmatch
# The rules for removals, and those that apply from the announced date on.
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


def announced(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[ChangeRule, str]]:
    """Yield the changed fields of an announcement, each with the rule that this breaks."""
    was, now = (is_deprecated(value) for value in (old, new))
    if was != now:
        yield ChangeRule.DEPRECATION, DEPRECATED
    before, after = (sunset(value) for value in (old, new))
    if before == after:
        return
    is_kept = after is None and not now
    is_sooner = before is not None and (after is None or after < before)
    yield (
        (ChangeRule.SUNSET_SOONER if is_sooner and not is_kept else ChangeRule.DEPRECATION),
        SUNSET,
    )


def as_announced(change: Change, documents: tuple[Document, Document], today: date) -> Change:
    """Return the change, with a rule of its own for a removal after its announced date."""
    if change.base is None:
        return change
    base = _value(documents[0], change.base)
    if change.rule in (ChangeRule.ENUM_NARROWED, ChangeRule.UNION_NARROWED):
        revision = _value(documents[1], change.revision)
        before, after = _values(documents[0], base), _values(documents[1], revision)
        lost = [before[name] for name in before.keys() - after.keys()]
        is_due = bool(lost and after) and all(_is_due(member, today) for member in lost)
        return replace(change, rule=ChangeRule.SUNSET_REMOVED) if is_due else change
    is_due = change.rule in _REMOVALS and _is_due(base, today)
    return replace(change, rule=_REMOVALS[change.rule]) if is_due else change


def short_notice(
    change: Change, revision: Document, today: date, least: timedelta | None
) -> Iterator[Change]:
    """Yield a change if an announcement comes later than the project promises."""
    owner, _, field = change.revision.rpartition("/")
    value = _value(revision, owner) if field in (DEPRECATED, SUNSET) else None
    is_announcement = change.rule in (ChangeRule.DEPRECATION, ChangeRule.SUNSET_SOONER)
    if least is None or not is_announcement or value is None or not is_deprecated(value):
        return
    day = sunset(value)
    if day is None:
        message = f"it is deprecated without a removal date ({SUNSET})"
    elif day < today + least:
        message = f"its removal on {day} is less than {least.days} days away"
    else:
        return
    yield Change(ChangeRule.NOTICE_TOO_SHORT, change.base, change.revision, message)


def is_deprecated(value: Any) -> bool:
    """Return whether something is deprecated."""
    return isinstance(value, Mapping) and value.get(DEPRECATED) is True


def sunset(value: Mapping[str, Any]) -> date | None:
    """Return the date on which something is to be removed; None if missing or invalid."""
    try:
        return date.fromisoformat(str(value.get(SUNSET))[:10])
    except ValueError:
        return None


def _is_due(value: Any, today: date) -> bool:
    day = sunset(value) if is_deprecated(value) else None
    return day is not None and day <= today


def _values(document: Document, schema: Any) -> dict[str, Any]:
    """Return the values of an enumeration as JSON texts, each with its schema, or else nothing."""
    schema = document.follow(schema)
    if not isinstance(schema, dict):
        return {}
    unions = [schema[keyword] for keyword in ("anyOf", "oneOf") if keyword in schema]
    members = unions[0] if len(unions) == 1 and isinstance(unions[0], list) else [schema]
    found = [_listed(document.follow(member)) for member in members]
    return {text: each for one in found for text, each in one.items()} if all(found) else {}


def _listed(schema: Any) -> dict[str, Any]:
    if not isinstance(schema, dict) or not all(map(_SAYS_NO_MORE, schema)):
        return {}
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    listed = values if isinstance(values, list) else []
    return {json.dumps(member, sort_keys=True): schema for member in listed}


def _value(document: Document, pointer: str) -> Any:
    return resolve(document.data, pointer) if document.has(pointer) else None
