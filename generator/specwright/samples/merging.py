"""One schema for several that apply to the same value, as far as keywords can be joined."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import zip_longest
from math import lcm

from specwright.json_values import JsonObject, JsonValue, mapping, one_or_more, sequence
from specwright.patterns import matches

# Keywords of which several apply each on its own, with those that belong to them.
_GROUPS: dict[str, tuple[str, ...]] = {
    "contains": ("minContains", "maxContains"),
    "if": ("then", "else"),
    **dict.fromkeys(("anyOf", "oneOf", "not", "pattern"), ()),
}
_BELONGING = frozenset(name for names in _GROUPS.values() for name in names)
# Values in a schema that accept everything.
_ANY: tuple[JsonValue, ...] = (True, {})


def combined(own: JsonObject, other: JsonObject) -> JsonObject:
    """Return the keywords of two schemas; of those that cannot be joined, the own ones.

    Keywords of which several apply each on its own are left in `allOf`.
    """
    whole = {**other, **own}
    rest = [*sequence(own.get("allOf")), *sequence(other.get("allOf"))]
    for name in own.keys() & other.keys():
        if own[name] == other[name]:
            continue
        if name in _GROUPS:
            group = (name, *_GROUPS[name])
            rest.append({keyword: other[keyword] for keyword in group if keyword in other})
        elif name in _JOINED:
            whole[name] = _JOINED[name](own[name], other[name])
    for name, group in _GROUPS.items():
        # What belongs to a keyword is taken with it.
        if group and name in own:
            whole = {
                keyword: value
                for keyword, value in whole.items()
                if keyword not in group or keyword in own
            }
    properties = _properties(own, other)
    if properties:
        whole["properties"] = properties
    if rest:
        whole["allOf"] = rest
    return whole


def both(own: JsonValue, other: JsonValue) -> JsonValue:
    """Return a schema of the values that two schemas accept."""
    if own == other or other in _ANY:
        return own
    if own in _ANY:
        return other
    if own is False or other is False:
        return False
    return {"allOf": [own, other]}


def of_member(schema: JsonObject, name: str) -> JsonValue:
    """Return the schema of a property."""
    member, is_known = True, False
    declared = mapping(schema.get("properties"))
    whole: JsonValue = member
    if name in declared:
        whole, is_known = declared[name], True
    for pattern, value in mapping(schema.get("patternProperties")).items():
        if matches(pattern, name):
            whole, is_known = both(whole, value), True
    return whole if is_known else schema.get("additionalProperties", True)


def of_item(schema: JsonObject, index: int) -> JsonValue:
    """Return the schema of an item."""
    first = sequence(schema.get("prefixItems"))
    return first[index] if index < len(first) else schema.get("items", True)


def _properties(own: JsonObject, other: JsonObject) -> JsonObject:
    """Return the properties of two schemas; those of one alone are further ones of the other."""
    first, second = mapping(own.get("properties")), mapping(other.get("properties"))
    whole: JsonObject = {**second, **first}
    for name in whole:
        if name in first and name in second:
            whole[name] = both(first[name], second[name])
        else:
            whole[name] = both(whole[name], of_member(other if name in first else own, name))
    return whole


def _of_keys(own: JsonValue, other: JsonValue) -> JsonValue:
    first, second = mapping(own), mapping(other)
    shared = {name: both(first[name], second[name]) for name in first.keys() & second.keys()}
    return {**second, **first, **shared}


def _prefixes(own: JsonValue, other: JsonValue) -> JsonValue:
    pairs = zip_longest(sequence(own), sequence(other), fillvalue=True)
    return [both(first, second) for first, second in pairs]


def _types(own: JsonValue, other: JsonValue) -> JsonValue:
    def are_common(kind: JsonValue, kinds: list[JsonValue]) -> bool:
        return kind in kinds or (kind == "integer" and "number" in kinds)

    first, second = one_or_more(own), one_or_more(other)
    common = [kind for kind in first if are_common(kind, second)]
    common += [kind for kind in second if are_common(kind, first) and kind not in common]
    return common or own


def _shared(own: JsonValue, other: JsonValue) -> JsonValue:
    return [value for value in sequence(own) if value in sequence(other)]


def _required(own: JsonValue, other: JsonValue) -> JsonValue:
    return [*sequence(other), *sequence(own)]


def _needed(own: JsonValue, other: JsonValue) -> JsonValue:
    first, second = mapping(own), mapping(other)
    return {name: _required(first.get(name), second.get(name)) for name in {**second, **first}}


def _bound(choose: Callable[[float, float], float]) -> Callable[[JsonValue, JsonValue], JsonValue]:
    def chosen(own: JsonValue, other: JsonValue) -> JsonValue:
        if isinstance(own, bool | str | list | dict) or isinstance(other, bool | str | list | dict):
            return own
        return own if own is None or other is None else choose(own, other)

    return chosen


def _multiple(own: float, other: float) -> float:
    """Return the least common multiple."""
    if not (own > 0 and other > 0):
        return own
    first, second = Fraction(str(own)), Fraction(str(other))
    below = lcm(first.denominator, second.denominator)
    common = Fraction(lcm(int(first * below), int(second * below)), below)
    return int(common) if common.denominator == 1 else float(common)


_JOINED: dict[str, Callable[[JsonValue, JsonValue], JsonValue]] = {
    "type": _types,
    "enum": _shared,
    "required": _required,
    "dependentRequired": _needed,
    "patternProperties": _of_keys,
    "dependentSchemas": _of_keys,
    "prefixItems": _prefixes,
    "uniqueItems": lambda own, other: own is True or other is True,
    "multipleOf": _bound(_multiple),
    **dict.fromkeys(("items", "propertyNames", "additionalProperties", "contentSchema"), both),
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems"), _bound(max)),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems"), _bound(min)),
    **{"minProperties": _bound(max), "maxProperties": _bound(min)},
}
