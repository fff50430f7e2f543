"""Values made valid by small steps, as the errors of a validator suggest.

A value of the parts of a schema is often not yet one of the whole: `then` requires a property,
`not` excludes one, `contains` asks for another item. Each step changes the value where an error is,
by the schema that applies there together with the one that reports it. The step that leaves the
fewest errors is taken.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

from jsonschema_rs import ValidationError, Validator

from specwright.json_values import JsonObject, JsonValue, mapping, sequence
from specwright.samples.merging import of_item, of_member

_MOST_STEPS, _MOST_OPTIONS, _MOST_ERRORS = 16, 24, 50
_PER_PLACE = 8
Path = tuple[str | int, ...]


class Parts(Protocol):
    """Values of the parts of a schema."""

    def keywords(self, schema: JsonValue) -> JsonObject:
        """Return the keywords of a schema and of those that apply with it."""

    def distinct(self, schema: JsonValue, count: int, depth: int) -> Sequence[JsonValue]:
        """Return different values that a schema accepts."""

    def others(
        self, schema: JsonObject, value: JsonObject, depth: int
    ) -> Iterator[tuple[str, JsonValue]]:
        """Yield members that an object of a schema may have beside those that it has."""

    def target(self, ref: str) -> JsonValue:
        """Return the target of a reference."""


def repaired(
    parts: Parts, validator: Validator, schema: JsonValue, value: JsonValue, depth: int
) -> JsonValue | None:
    """Return a value that the validator of a schema accepts, made from another; None without one.

    Null is not a result, as it needs no repair.
    """
    return _Repair(parts, validator, schema, depth).result(value)


class _Repair:
    def __init__(self, parts: Parts, validator: Validator, schema: JsonValue, depth: int) -> None:
        self._parts = parts
        self._validator = validator
        self._schema = schema
        self._depth = depth + 1
        # The schemas that reported errors, by the place of the value. They may apply again.
        self._demands: dict[Path, list[JsonValue]] = {}

    def result(self, value: JsonValue) -> JsonValue | None:
        seen: set[str] = set()
        for _ in range(_MOST_STEPS):
            errors = [*islice(self._validator.iter_errors(value), _MOST_ERRORS)]
            if not errors:
                return value
            least: tuple[int, JsonValue] | None = None
            for option in islice(self._options(value, errors), _MOST_OPTIONS):
                key = json.dumps(option, sort_keys=True)
                if key in seen:
                    continue
                seen.add(key)
                count = sum(1 for _ in islice(self._validator.iter_errors(option), _MOST_ERRORS))
                if least is None or count < least[0]:
                    least = count, option
                if not count:
                    break
            if least is None:
                return None
            value = least[1]
        return None

    def _options(self, value: JsonValue, errors: Sequence[ValidationError]) -> Iterator[JsonValue]:
        for error in errors:
            path = tuple(error.instance_path)
            demand = self._reporting(error.evaluation_path[:-1])
            if demand is not None and demand not in (known := self._demands.setdefault(path, [])):
                known.append(demand)
        for error in errors:
            path = tuple(error.instance_path)
            part = _at(value, path)
            yield from (_with(value, path, option) for option in self._direct(error, path, part))
            if error.kind.name == "falseSchema" and path:
                yield _without(value, path)
            if path or self._demands.get(path):
                schema = self._whole(path)
                for option in self._parts.distinct(schema, _PER_PLACE, self._depth):
                    yield _with(value, path, option)
            yield from (_with(value, path, option) for option in self._changed(path, part))

    def _direct(self, error: ValidationError, path: Path, part: JsonValue) -> Iterator[JsonValue]:
        """Yield values of a place that lack the cause of an error."""
        # Each kind of error has some of these alone.
        kind: Any = error.kind
        match kind.name, part:
            case "required", dict():
                schema = of_member(self._keywords(path), kind.property)
                for member in self._parts.distinct(schema, 2, self._depth):
                    yield {**part, kind.property: member}
            case (("additionalProperties" | "unevaluatedProperties"), dict()):
                yield {name: member for name, member in part.items() if name not in kind.unexpected}
            case "propertyNames", dict():
                yield {name: part[name] for name in part if name != kind.error.instance}
            case "minProperties", dict():
                more = islice(
                    self._parts.others(self._keywords(path), part, self._depth),
                    max(kind.limit - len(part), 0),
                )
                yield {**part, **dict(more)}
            case (("minItems" | "contains"), list()):
                keywords = self._keywords(path)
                schema = of_item(keywords, len(part))
                if kind.name == "contains":
                    contained = mapping(self._reporting(error.evaluation_path[:-1])).get("contains")
                    schema = {"allOf": [schema, contained]}
                for item in self._parts.distinct(schema, len(part) + 1, self._depth):
                    if keywords.get("uniqueItems") is not True or item not in part:
                        yield [*part, item]
            case "maxItems", list():
                yield part[: kind.limit]

    def _changed(self, path: Path, part: JsonValue) -> Iterator[JsonValue]:
        """Yield values of a place that differ in one member."""
        if isinstance(part, dict):
            yield from ({n: part[n] for n in part if n != name} for name in reversed(part))
            keywords = self._keywords(path)
            for name in {**part, **mapping(keywords.get("properties"))}:
                for member in self._parts.distinct(of_member(keywords, name), 2, self._depth):
                    yield {**part, name: member}

    def _keywords(self, path: Path) -> JsonObject:
        return self._parts.keywords(self._whole(path))

    def _whole(self, path: Path) -> JsonValue:
        """Return the schema of a place, with those that reported errors there."""
        schema: JsonValue = self._schema
        for length in range(len(path) + 1):
            if length:
                token, keywords = path[length - 1], self._parts.keywords(schema)
                schema = (
                    of_member(keywords, token)
                    if isinstance(token, str)
                    else of_item(keywords, token)
                )
            demands = self._demands.get(path[:length], ())
            schema = {"allOf": [schema, *demands]} if demands else schema
        return schema

    def _reporting(self, path: Sequence[str | int]) -> JsonValue:
        """Return the schema at a path of keywords; None if there is none."""
        schema: JsonValue = self._schema
        for token in path:
            if token == "$ref" and isinstance(ref := mapping(schema).get("$ref"), str):
                schema = self._parts.target(ref)
            elif isinstance(token, int):
                schema = next(iter(sequence(schema)[token : token + 1]), None)
            else:
                schema = mapping(schema).get(token)
        return schema


def _at(value: JsonValue, path: Path) -> JsonValue:
    for token in path:
        value = mapping(value)[token] if isinstance(token, str) else sequence(value)[token]
    return value


def _with(value: JsonValue, path: Path, part: JsonValue) -> JsonValue:
    """Return a copy of a value with another part at a place."""
    if not path:
        return part
    first, rest = path[0], path[1:]
    if isinstance(first, str):
        members = mapping(value)
        return {**members, first: _with(members[first], rest, part)}
    items = sequence(value)
    return [*items[:first], _with(items[first], rest, part), *items[first + 1 :]]


def _without(value: JsonValue, path: Path) -> JsonValue:
    """Return a copy of a value that lacks a member or an item."""
    *holder, token = path
    part = _at(value, tuple(holder))
    if isinstance(token, str):
        less: JsonValue = {name: each for name, each in mapping(part).items() if name != token}
    else:
        less = [item for n, item in enumerate(sequence(part)) if n != token]
    return _with(value, tuple(holder), less)
