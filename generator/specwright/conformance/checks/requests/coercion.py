"""Values that fit a schema after a conversion, which many servers do before they validate."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import judge_rejection
from specwright.conformance.recording.exchange import value_at
from specwright.document.schemas.instances import Instances
from specwright.findings import Level
from specwright.json_values import JsonValue
from specwright.pointer import Pointer, split

COERCION = BehaviourRule(
    "coercion",
    BehaviourCategory.VALIDATION,
    (
        'A value of the wrong type is refused, even if it could be converted, such as "17" for '
        "17: otherwise, a bug in a client goes unnoticed."
    ),
    example='POST /items {"price": "17"} -> 201, and `price` is a number',
    advice=(
        "Turn coercion off (`strict` in Pydantic), or leave it: the rule is a note unless "
        "`lint.toml` says otherwise."
    ),
    level=Level.INFO,
    judge=judge_rejection,
)
LISTED_CASE = BehaviourRule(
    "listed-case",
    BehaviourCategory.VALIDATION,
    "A listed value is refused in another case: JSON Schema compares all characters, and a client "
    "that sends it breaks with the next server.",
    example='POST /items {"state": "SOLD"} -> 201, and `state` has "enum": ["new", "sold"]',
    advice=(
        "Compare the value as it is, or list both spellings. Some frameworks fold the case of "
        "enumerations by default: `JsonStringEnumConverter` of .NET does."
    ),
    level=Level.WARNING,
    judge=judge_rejection,
)

# The most conversions in one body.
_MOST = 8
_WORDS = {
    **dict.fromkeys(("true", "1", "yes", "on", "y", "t"), True),
    **dict.fromkeys(("false", "0", "no", "off", "n", "f"), False),
}


def is_converted(instances: Instances, schema: Pointer, value: JsonValue) -> bool:
    """Return whether an invalid value would fit if its scalars were of other types."""
    for turn in range(_MOST):
        problem = next(instances.problems(schema, value), None)
        if problem is None:
            return turn > 0
        changed = _mended(instances, schema, value, problem.pointer)
        if changed is None:
            return False
        value = changed[0]
    return False


def is_in_another_case(
    instances: Instances, schema: Pointer, value: JsonValue, place: Pointer
) -> bool:
    """Return whether a text in an invalid value would fit in another case."""
    text = value_at(value, place)
    if not isinstance(text, str):
        return False
    spellings = (text.lower(), text.upper(), text.capitalize())
    changed = (_with(value, split(place), spelling) for spelling in spellings)
    return any(not any(instances.problems(schema, other)) for other in changed)


def _mended(
    instances: Instances, schema: Pointer, value: JsonValue, place: Pointer
) -> tuple[JsonValue] | None:
    """Return the value with a part converted so that the part fits; None if that is impossible."""
    for other in _conversions(value_at(value, place)):
        changed = _with(value, split(place), other)
        if all(problem.pointer != place for problem in instances.problems(schema, changed)):
            return (changed,)
    return None


def _conversions(value: JsonValue) -> Iterator[JsonValue]:
    """Yield the conversions of a text, a number or a boolean to the other types."""
    match value:
        case bool():
            yield from (int(value), json.dumps(value))
        case int() | float():
            if isinstance(value, float) and value.is_integer():
                yield int(value)
            if value in (0, 1):
                yield bool(value)
            yield json.dumps(value)
            yield from _times(value)
        case str():
            yield from _numbers(value)
            if value.strip().lower() in _WORDS:
                yield _WORDS[value.strip().lower()]


def _times(seconds: float) -> Iterator[JsonValue]:
    """Yield the point in time so many seconds after 1970 began, and the duration."""
    with suppress(OverflowError, ValueError, OSError):
        moment = datetime.fromtimestamp(seconds, UTC)
        yield moment.isoformat()
        yield moment.date().isoformat()
    yield f"PT{json.dumps(seconds)}S"


def _numbers(text: str) -> Iterator[JsonValue]:
    try:
        number = float(text)
    except ValueError:
        return
    if math.isfinite(number):
        yield int(number) if number.is_integer() else number


def _with(value: JsonValue, way: tuple[str, ...] | list[str], other: JsonValue) -> JsonValue:
    """Return a copy of a value with another one at the end of a path."""
    if not way:
        return other
    if isinstance(value, dict):
        return {**value, way[0]: _with(value[way[0]], way[1:], other)}
    if isinstance(value, list):
        index = int(way[0])
        return [*value[:index], _with(value[index], way[1:], other), *value[index + 1 :]]
    return value
