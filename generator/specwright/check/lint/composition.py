"""The parts of one schema together, for rules about keywords that models do not check.

The parts are those of an `allOf`, the target of a `$ref` with others beside it, unions beside
constraints, and what a base says about a property that an heir declares, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from specwright.check.context import LintContext
from specwright.check.lint.rule import LintViolation
from specwright.check.lint.schemas import is_closed
from specwright.document.normalise import COMPONENTS
from specwright.document.schemas.applicators import UNIONS, Subschema, held
from specwright.document.schemas.inheritance import (
    ALTERNATIVES,
    TYPED,
    adds_properties,
    parts,
    properties,
    refinements,
    requiring_alternatives,
    undeclared,
    with_plain_reference,
)
from specwright.document.schemas.inspection import ANNOTATIONS, is_class, reference, unwrapped
from specwright.document.schemas.scalars import alternatives
from specwright.document.shape import Node
from specwright.json_values import JsonObject, JsonValue, mapping, one_or_more, sequence, texts
from specwright.pointer import ROOT, Pointer, resolve, split

# Steps to a schema that is one with the schema around it.
PART = re.compile(r"/(allOf/\d+|propertyNames)$")
PARTS = re.compile(r"(/allOf/\d+)+$")


def composed(context: LintContext, pointer: Pointer, whole: JsonValue) -> list[Subschema]:
    """Return the parts of a schema that are one class; none for a schema without others."""
    if {"allOf", "$ref", *UNIONS}.isdisjoint(mapping(whole)) or reference(whole) is not None:
        return []
    if unwrapped(whole)[0] != ROOT or alternatives(context.document, whole) is not None:
        return []
    return parts(context.document, Subschema(pointer, whole))


def place_of(pointer: Pointer, part: Subschema, keyword: str) -> Pointer:
    """Return the place of a keyword of a part if it is within the schema, else the schema's."""
    is_within = part.pointer == pointer or (
        part.pointer.startswith(f"{pointer}/") and keyword in mapping(part.value)
    )
    return f"{part.pointer}/{keyword}" if is_within else pointer


def whole_of(context: LintContext, pointer: Pointer, steps: re.Pattern[str]) -> JsonValue:
    """Return the schema around one at a pointer, without these steps to it."""
    return resolve(context.document.data, steps.sub("", pointer))


def refined_properties(context: LintContext) -> dict[Pointer, JsonValue]:
    """Return the properties, and their items, that other parts of their object declare, too.

    Each with the schema that they are together.
    """
    nodes = (Subschema(node.pointer, node.value) for node in context.of_kind("schema"))
    wholes: dict[Pointer, JsonValue] = {}
    for schema, declared in refinements(context.document, nodes):
        for step in ("", "/items"):
            several = {
                declaration.pointer + step: resolve(declaration.value, step)
                for declaration in declared.declarations
                if not step or "items" in mapping(declaration.value)
            }
            for pointer, own in several.items():
                # Those of a base may stand alone, without what an heir says.
                if pointer.startswith(f"{schema.pointer}/"):
                    bases: list[JsonValue] = [
                        {"$ref": "#" + quote(base)} for base in several if base != pointer
                    ]
                    wholes[pointer] = {"allOf": [*bases, own]}
    return wholes


def beyond_classes(
    context: LintContext, pointer: Pointer, whole: JsonValue
) -> Iterator[LintViolation]:
    """Yield the keywords about an object's members that its class of several parts does not check.

    A class checks the members that no part names, and counts members where it has a name.
    """
    several = composed(context, pointer, whole)
    declared = properties(context.document, Subschema(pointer, whole)) if several else {}
    has_union = any(not mapping(part.value).keys().isdisjoint(UNIONS) for part in several)
    is_component = len(split(pointer)) == len(split(COMPONENTS)) + 1
    is_named = is_component or is_class(context.document, with_plain_reference(mapping(whole)))
    has_class = is_named and not has_union
    for part in several:
        value = mapping(part.value)
        other = mapping(value.get("additionalProperties"))
        own = mapping(value.get("properties")).keys()
        is_same = all(declared[name].schema.value == other for name in declared.keys() - own)
        keywords = ["additionalProperties"] if other else []
        if (
            is_component
            and has_class
            and part.pointer == pointer
            and "allOf" not in value
            and is_same
        ):
            keywords = []
        if not has_class and len(several) > 1:
            keywords += [k for k in ("maxProperties", "minProperties") if k in value]
        for keyword in keywords:
            yield LintViolation(
                place_of(pointer, part, keyword), f"models do not check '{keyword}'"
            )


def lacks_property(context: LintContext, node: Node, refined: Mapping[Pointer, JsonValue]) -> bool:
    """Return whether a schema requires a property that no class has, since nothing declares it."""
    if "properties" in node.value and is_closed(node.value):
        # `required-declared` names the property.
        return False
    if "object" not in one_or_more(node.value.get("type", "object")):
        return False
    if undeclared(context.document, Subschema(node.pointer, node.value)):
        return False
    if requiring_alternatives(node.value):
        return False
    whole = refined.get(node.pointer, whole_of(context, node.pointer, ALTERNATIVES))
    lacking = set(texts(node.value["required"]))
    for schema in (whole, node.value):
        lacking -= properties(context.document, Subschema(node.pointer, schema)).keys()
    if PART.search(node.pointer) or "$ref" in node.value:
        for part in parts(context.document, Subschema(node.pointer, whole)):
            for member in sequence(mapping(part.value).get("anyOf")):
                lacking -= mapping(mapping(context.follow(member)).get("properties")).keys()
    alternatives_ = [
        {
            name
            for name, declared in properties(context.document, member).items()
            if declared.is_required
        }
        for member in held(context.document, Subschema(node.pointer, node.value), UNIONS)
    ]
    return not all(lacking <= required for required in alternatives_ or [set()])


def _says_less(context: LintContext, base: Subschema, own: Subschema) -> bool:
    """Return whether the schema of a property says all that one of a base says about it."""
    end = Subschema(*context.document.end(base.pointer, base.value))
    own_parts = {part.pointer for part in parts(context.document, own)}
    whole = base if reference(base.value) is None else end
    if {part.pointer for part in parts(context.document, whole)} <= own_parts:
        return True
    if mapping(base.value).get("oneOf", base) == mapping(own.value).get("oneOf"):
        return True
    if alternatives_ := [*held(context.document, own, UNIONS)]:
        return all(_says_less(context, base, alternative) for alternative in alternatives_)
    if alternatives_ := [*held(context.document, end, UNIONS)]:
        return "oneOf" not in mapping(end.value) and any(
            _says_less(context, alternative, own) for alternative in alternatives_
        )
    declared = properties(context.document, base)
    known = properties(context.document, own)
    return all(
        name in known
        and known[name].schema.value == property_.schema.value
        and known[name].is_required >= property_.is_required
        for name, property_ in declared.items()
    )


def replaced_properties(context: LintContext) -> Iterator[LintViolation]:
    """Yield the properties with a schema of objects that replaces an inherited one."""
    nodes = (Subschema(node.pointer, node.value) for node in context.of_kind("schema"))
    for schema, declared in refinements(context.document, nodes):
        *bases, own = declared.declarations
        value = mapping(own.value)
        if not own.pointer.startswith(f"{schema.pointer}/") or TYPED.isdisjoint(value):
            continue
        ends = [mapping(context.follow(base.value)) for base in bases]
        known = alternatives(context.document, {"allOf": [*ends]})
        several = alternatives(context.document, {"allOf": [*ends, value]})
        if several is not None:
            is_union = any(not end.keys().isdisjoint(UNIONS) for end in ends)
            is_plain = {"const", "enum"}.isdisjoint(value) and known != several
            if is_union and is_plain and any(one.get("type") != "array" for one in several):
                yield LintViolation(own.pointer, "models also accept what the inherited one does")
            continue
        if says_type_only(value) or adds_properties(context.document, bases, own):
            continue
        # The generator adds the properties of a base to each alternative of an `anyOf`.
        if "anyOf" in value and all("properties" in end and "allOf" not in end for end in ends):
            continue
        if not all(_says_less(context, base, own) for base in bases):
            yield LintViolation(own.pointer, "models check this schema, and not the inherited one")


def says_type_only(schema: JsonObject) -> bool:
    """Return whether a schema says no more than the type of a value."""
    return schema.keys() <= {"type", "const", *ANNOTATIONS}
