"""Rules about parts of schemas that models do not check."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator

from specwright.check.context import LintContext
from specwright.check.lint.rule import LintViolation, unsupported
from specwright.check.lint.schemas import compiles
from specwright.document.normalise import COMPONENTS
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.inheritance import refinements
from specwright.document.schemas.inspection import checked_pattern, has_checked_names
from specwright.document.schemas.scalars import joined
from specwright.document.schemas.unions import has_nameless_union, may_overlap, unknown_member
from specwright.document.shape import Node
from specwright.json_values import JsonObject, JsonValue, mapping, sequence
from specwright.patterns import linear
from specwright.pointer import Pointer, join, resolve, split
from specwright.text import shorten
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM

_MOST_PARTS = 5_000


def unsupported_open_union(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("schema"):
        if EXTENSIBLE_ENUM.name not in node.value or not {"oneOf", "anyOf"} & node.value.keys():
            continue
        pointer = node.pointer + join(EXTENSIBLE_ENUM.name)
        if len(split(node.pointer)) != len(split(COMPONENTS)) + 1:
            yield LintViolation(pointer, "the union has no name of its own, and stays closed")
        elif unknown_member(context.document, node.value) is None:
            yield LintViolation(
                pointer, "not every alternative says which tags are its own; the union stays closed"
            )


def unsupported_one_of(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("schema"):
        if not may_overlap(context.document, node.value):
            continue
        # Parts of an `allOf` are one with the schema around them.
        is_part = _PART.search(node.pointer) is not None
        if is_part or has_nameless_union(context.document, node.value):
            yield LintViolation(
                f"{node.pointer}/oneOf", "models also accept a value that fits several alternatives"
            )


_Schema = JsonObject
# Places where a schema gets its type from another one.
_PART = re.compile(r"/(allOf/\d+|propertyNames)$")
_NUMERIC = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_TEXTUAL = ("minLength", "maxLength", "pattern")


def _always(schema: _Schema) -> bool:
    return True


def _has_properties(schema: _Schema) -> bool:
    return "properties" in schema


def _has_unnamed_values(schema: _Schema) -> bool:
    """Return whether a class has members beside its fields that have no type."""
    return _has_properties(schema) and not isinstance(schema.get("additionalProperties"), dict)


def _has_no_type(schema: _Schema) -> bool:
    return not {"type", "allOf", "anyOf", "oneOf", "enum", "const", "$ref"} & schema.keys()


def _is_no_tuple(schema: _Schema) -> bool:
    """Return whether an array may have fewer or more items than are described."""
    items = schema["prefixItems"]
    count = len(items) if isinstance(items, list) else None
    return _has_no_type(schema) or not schema.get("minItems") == schema.get("maxItems") == count


def _is_unique_anything(schema: _Schema) -> bool:
    return schema["uniqueItems"] is True and _has_no_type(schema)


def _has_no_class(schema: _Schema) -> bool:
    """Return whether the type is open, so that no single class has all the keywords."""
    declared = schema.get("type")
    types = [type_ for type_ in declared if type_ != "null"] if isinstance(declared, list) else []
    is_untyped = _has_no_type(schema) and not _has_properties(schema)
    return is_untyped or len(types) > 1 or not {"anyOf", "oneOf"}.isdisjoint(schema)


def _has_values(keyword: str) -> Callable[[_Schema], bool]:
    """Return a check of whether a keyword names values that no literal type of Python can name."""

    def has(schema: _Schema) -> bool:
        named = schema[keyword]
        values = named if keyword == "enum" and isinstance(named, list) else [named]
        return any(isinstance(value, dict | list | float) for value in values)

    return has


# Keywords of JSON Schema 2020-12 that models do not check, with the condition for each.
_UNCHECKED: dict[str, Callable[[_Schema], bool]] = {
    **dict.fromkeys(
        (
            "$dynamicRef",
            "contains",
            "contentSchema",
            "dependentRequired",
            "dependentSchemas",
            "dependencies",
            "additionalItems",
            "if",
            "not",
            "unevaluatedItems",
            "unevaluatedProperties",
        ),
        _always,
    ),
    "prefixItems": _is_no_tuple,
    "uniqueItems": _is_unique_anything,
    **dict.fromkeys(("maxProperties", "minProperties"), _has_no_class),
    "propertyNames": _has_unnamed_values,
    "patternProperties": lambda schema: not has_checked_names(schema),
    **dict.fromkeys((*_NUMERIC, *_TEXTUAL), _has_no_type),
    **{keyword: _has_values(keyword) for keyword in ("const", "enum")},
}


def _refining(context: LintContext) -> Iterator[Pointer]:
    """Yield the properties, and their items, that get a type from another part of their object."""
    nodes = (Subschema(node.pointer, node.value) for node in context.of_kind("schema"))
    for schema, declared in refinements(context.document, nodes):
        for step in ("", "/items"):
            several = [
                (declaration.pointer + step, mapping(resolve(declaration.value, step)))
                for declaration in declared.declarations
                if not step or "items" in mapping(declaration.value)
            ]
            if not all(_has_no_type(value) for _, value in several):
                # Those of a base may stand alone, without that type.
                yield from (at for at, _ in several if at.startswith(f"{schema.pointer}/"))


def unsupported_schema(context: LintContext) -> Iterator[LintViolation]:
    # Keywords inside one that is not checked need no finding of their own.
    covered: list[Pointer] = []
    refining = set(_refining(context))
    for node in context.of_kind("schema"):
        if any(node.pointer.startswith(f"{pointer}/") for pointer in covered):
            continue
        has_type = _PART.search(node.pointer) or node.pointer in refining
        schema = {"type": "", **node.value} if has_type else node.value
        keywords = [
            node.pointer + join(keyword)
            for keyword, applies in _UNCHECKED.items()
            if keyword in schema and applies(schema)
        ]
        if keywords:
            covered = keywords
        for pointer in keywords:
            yield LintViolation(pointer, f"models do not check '{pointer.rpartition('/')[2]}'")


_UNION = f"""
        components:
          schemas:
            Card: {{type: object, required: [kind], properties: {{kind: {{%s}}}}}}
            Method:
              oneOf: [{{$ref: "#/components/schemas/Card"}}]
              discriminator: {{propertyName: kind}}
              {EXTENSIBLE_ENUM.name}: [card]
        """


def unsupported_pattern(context: LintContext) -> Iterator[LintViolation]:
    # Invalid patterns are reported by `pattern-valid`.
    for node in context.of_kind("schema"):
        pattern = node.value.get("pattern")
        if isinstance(pattern, str) and checked_pattern(node.value) is None and compiles(pattern):
            yield LintViolation(
                f"{node.pointer}/pattern", f"models do not check '{shorten(pattern)}'"
            )
        for name in mapping(node.value.get("patternProperties")):
            if linear(name) is None and compiles(name):
                yield LintViolation(
                    node.pointer + join("patternProperties", name),
                    f"models accept any property: they cannot match '{shorten(name)}'",
                )
        if "allOf" in node.value:
            yield from _joined(context, node)


def _joined(context: LintContext, node: Node) -> Iterator[LintViolation]:
    """Yield the places where the parts of a schema have several patterns for one value."""
    patterns: dict[tuple[str, ...], set[str]] = defaultdict(set)
    parts: list[tuple[tuple[str, ...], JsonValue]] = [((), node.value)]
    seen: set[tuple[tuple[str, ...], int]] = set()
    while parts:
        place, part = parts.pop()
        schema = mapping(part)
        if (place, id(schema)) in seen:
            continue
        seen.add((place, id(schema)))
        if len(seen) > _MOST_PARTS:
            yield LintViolation(f"{node.pointer}/allOf", "too many parts to compare their patterns")
            return
        if isinstance(pattern := schema.get("pattern"), str):
            patterns[place].add(pattern)
        parts += [(place, member) for member in sequence(schema.get("allOf"))]
        if "$ref" in schema:
            parts.append((place, context.follow(schema)))
        if not place:
            parts += [((name,), each) for name, each in mapping(schema.get("properties")).items()]
    if joined(context.document, node.value) is not None:
        patterns.pop((), None)
    for place, several in sorted(patterns.items()):
        if len(several) > 1:
            whose = f" of '{place[0]}'" if place else ""
            yield LintViolation(
                f"{node.pointer}/allOf", f"models check one of the {len(several)} patterns{whose}"
            )


RULES = (
    unsupported(
        "unsupported-open-union",
        "A value with a tag newer than the package is accepted if the union is a component with "
        "a discriminator, and each alternative has the values of its tag as const or enum.",
        _UNION % "type: string",
        _UNION % "const: card",
        unsupported_open_union,
    ),
    unsupported(
        "unsupported-one-of",
        "Within allOf, or beside an alternative that is a union without a name, a union accepts a "
        "value that fits one alternative or more; with different types, or a discriminator, no "
        "value fits two.",
        """
        components:
          schemas:
            Size:
              allOf:
                - oneOf: [{type: string, maxLength: 3}, {type: string, pattern: "^X"}]
                - {type: string, minLength: 1}
        """,
        """
        components:
          schemas:
            Size: {oneOf: [{type: string, maxLength: 3}, {type: string, pattern: "^X"}]}
        """,
        unsupported_one_of,
    ),
    unsupported(
        "unsupported-schema",
        "Models check the keywords that Python types can express. Others are left to the server "
        "and to the reader of the document.",
        """
        components:
          schemas:
            Labels: {type: array, items: {type: string}, contains: {const: default}}
        """,
        """
        components:
          schemas:
            Labels: {type: array, items: {type: string}, maxItems: 10}
        """,
        unsupported_schema,
    ),
    unsupported(
        "unsupported-pattern",
        "Models match patterns in linear time. That excludes look-around except at the start, "
        "references to groups, patterns that are too large, and a "
        "second pattern for the same property of a class and its base.",
        """
        components:
          schemas:
            Code: {type: string, pattern: "^[0-9]+(?<!0)$"}
        """,
        """
        components:
          schemas:
            Code: {type: string, pattern: "^[0-9]*[1-9]$"}
        """,
        unsupported_pattern,
    ),
)
