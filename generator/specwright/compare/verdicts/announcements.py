"""Announced removals: `deprecated`, and the date in `x-sunset`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta

from specwright.compare.verdicts.change import Change
from specwright.compare.verdicts.change_rule import ChangeCategory, ChangeRule
from specwright.compare.verdicts.example import OPERATION, example
from specwright.document.model import Document
from specwright.document.schemas.applicators import UNIONS
from specwright.findings import Level
from specwright.json_values import JsonObject, JsonValue, mapping, sequence
from specwright.pointer import resolve

DEPRECATED = "deprecated"
# The sunset date (RFC 8594), which OpenAPI has no field for; several tools write this one.
SUNSET = "x-sunset"
# The keywords of a schema that does nothing but list its values.
_IS_OF_ENUMERATION = re.compile(
    "const|enum|type|title|description|examples?|default|deprecated|x-.*"
).fullmatch

_GET = "/a: {get: {responses: {}}}"
DEPRECATION = ChangeRule(
    "deprecation",
    ChangeCategory.COMPATIBLE,
    "Something is deprecated, or no longer deprecated: removals are announced in advance.",
    example=example(OPERATION, "deprecated: false", "deprecated: true"),
)
SUNSET_SOONER = ChangeRule(
    "sunset-sooner",
    ChangeCategory.WIRE,
    (
        "The removal date (`x-sunset`) is earlier than announced, or missing: clients that "
        "planned for it are late."
    ),
    example=example(
        OPERATION,
        "deprecated: true\n      x-sunset: '2027-06-30'",
        "deprecated: true",
        "deprecated: true\n      x-sunset: '2027-12-31'",
    ),
    remedy="Keep the announced date, or set a later one.",
)
SUNSET_OPERATION_REMOVED = ChangeRule(
    "sunset-operation-removed",
    ChangeCategory.COMPATIBLE,
    "An operation was removed after its announced date (`deprecated`, `x-sunset`).",
    example=example(
        "paths: {%s}\n",
        f"{_GET}, /b: {{get: {{deprecated: true, x-sunset: '2020-01-31', responses: {{}}}}}}",
        _GET,
    ),
)
SUNSET_REMOVED = ChangeRule(
    "sunset-removed",
    ChangeCategory.COMPATIBLE,
    (
        "A parameter, header or property was removed after its announced date (`deprecated`, "
        "`x-sunset`)."
    ),
    example=example(
        OPERATION,
        "- {name: lang, in: query, deprecated: true, x-sunset: '2020-01-31', schema: {}}",
        "",
    ),
)
NOTICE_TOO_SHORT = ChangeRule(
    "notice-too-short",
    ChangeCategory.REVIEW,
    (
        "A removal is announced with less notice than the project promises (`deprecation_days` in "
        "`lint.toml`), or without a date: clients have less time than they expect."
    ),
    remedy="Set a date (`x-sunset`) with as many days of notice as the project promises.",
    level=Level.ERROR,
)


def announcement_changes(
    old: Mapping[str, JsonValue], new: Mapping[str, JsonValue]
) -> Iterator[tuple[ChangeRule, str]]:
    """Yield the changed fields of an announcement, each with the rule that this breaks."""
    was, now = (is_deprecated(value) for value in (old, new))
    if was != now:
        yield DEPRECATION, DEPRECATED
    before, after = (sunset(value) for value in (old, new))
    if before == after:
        return
    is_withdrawn = after is None and not now
    is_sooner = before is not None and (after is None or after < before)
    yield (
        (SUNSET_SOONER if is_sooner and not is_withdrawn else DEPRECATION),
        SUNSET,
    )


def with_sunset_rule(change: Change, documents: tuple[Document, Document], today: date) -> Change:
    """Return the change, with a rule of its own for a removal after its announced date."""
    after_sunset = change.rule.after_sunset
    if change.base is None or after_sunset is None:
        return change
    base = _value(documents[0], change.base)
    if change.rule.removes_values:
        revision = _value(documents[1], change.revision)
        before, after = _values(documents[0], base), _values(documents[1], revision)
        lost = [before[name] for name in before.keys() - after.keys()]
        is_due = bool(lost and after) and all(_is_due(member, today) for member in lost)
    else:
        is_due = _is_due(base, today)
    return replace(change, rule=after_sunset) if is_due else change


def short_notice(
    change: Change, revision: Document, today: date, least: timedelta | None
) -> Iterator[Change]:
    """Yield a change if an announcement comes later than the project promises.

    It is at the date, if there is one: that of an announcement and that of its date are one.
    """
    owner, _, field = change.revision.rpartition("/")
    value = _value(revision, owner) if field in (DEPRECATED, SUNSET) else None
    is_announcement = change.rule in (DEPRECATION, SUNSET_SOONER)
    if least is None or not is_announcement or value is None or not is_deprecated(value):
        return
    announced = mapping(value)
    day = sunset(announced)
    if day is None:
        message = f"it is deprecated without a removal date ({SUNSET})"
    elif day < today + least:
        message = f"its removal on {day} is less than {least.days} days away"
    else:
        return
    place = f"{owner}/{SUNSET if SUNSET in announced else DEPRECATED}"
    yield Change(NOTICE_TOO_SHORT, None, place, message, ())


def is_deprecated(value: object) -> bool:
    """Return whether something is deprecated."""
    return isinstance(value, Mapping) and value.get(DEPRECATED) is True


def sunset(value: Mapping[str, JsonValue]) -> date | None:
    """Return the date on which something is to be removed; None if missing or invalid."""
    try:
        return date.fromisoformat(str(value.get(SUNSET))[:10])
    except ValueError:
        return None


def _is_due(value: JsonValue, today: date) -> bool:
    day = sunset(mapping(value)) if is_deprecated(value) else None
    return day is not None and day <= today


def _values(document: Document, schema: JsonValue) -> JsonObject:
    """Return the values of an enumeration as JSON texts, each with its schema, or else nothing."""
    schema = document.follow(schema)
    if not isinstance(schema, dict):
        return {}
    unions = [schema[keyword] for keyword in UNIONS if keyword in schema]
    members = unions[0] if len(unions) == 1 and isinstance(unions[0], list) else [schema]
    enumerations = [_enumeration(document.follow(member)) for member in members]
    if not all(enumerations):
        return {}
    return {text: value for values in enumerations for text, value in values.items()}


def _enumeration(schema: JsonValue) -> JsonObject:
    if not isinstance(schema, dict) or not all(map(_IS_OF_ENUMERATION, schema)):
        return {}
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    return {json.dumps(member, sort_keys=True): schema for member in sequence(values)}


def _value(document: Document, pointer: str) -> JsonValue:
    return resolve(document.data, pointer) if document.has(pointer) else None
