"""Rules about parts of schemas that models do not check."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping

from specwright.check.context import LintContext
from specwright.check.lint.composition import (
    PART,
    PARTS,
    beyond_classes,
    composed,
    lacks_property,
    place_of,
    refined_properties,
    replaced_properties,
    says_type_only,
)
from specwright.check.lint.rule import LintViolation, unsupported
from specwright.check.lint.schemas import compiles
from specwright.document.normalise import COMPONENTS
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.inheritance import (
    ALTERNATIVES,
    closed_objects,
    with_plain_reference,
)
from specwright.document.schemas.inspection import checked_pattern, has_checked_names, reference
from specwright.document.schemas.scalars import alternatives, distributed, is_endless, joined
from specwright.document.schemas.unions import (
    circular_alternatives,
    has_nameless_union,
    may_overlap,
    unknown_member,
)
from specwright.document.shape import Node
from specwright.json_values import JsonObject, JsonValue, mapping, one_or_more, sequence
from specwright.patterns import linear
from specwright.pointer import Pointer, join, resolve, split
from specwright.samples.overlaps import overlap
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
    refined = refined_properties(context)
    for node in context.of_kind("schema"):
        if _should_be_one(context, Subschema(node.pointer, node.value)):
            union = distributed(context.document, node.value)
            if has_nameless_union(context.document, mapping(union) or node.value):
                yield LintViolation(f"{node.pointer}/oneOf", _FITS_SEVERAL)
        is_own = "oneOf" in node.value or says_type_only(node.value)
        whole = node.value if is_own else refined.get(node.pointer, node.value)
        if not PART.search(node.pointer):
            several = composed(context, node.pointer, whole)
            for part in several:
                if len(several) > 1 and _should_be_one(context, part):
                    yield LintViolation(place_of(node.pointer, part, "oneOf"), _FITS_SEVERAL)


def _should_be_one(context: LintContext, union: Subschema) -> bool:
    """Return whether a value may fit several alternatives, but the expected ones fit one."""
    may = may_overlap(context.document, union.value)
    return may and overlap(context.witnesses, union) is None


_FITS_SEVERAL = "models also accept a value that fits several alternatives"


_Schema = JsonObject
# Keywords that make models of a schema without a type take nothing but arrays or objects.
_TYPING = frozenset(
    {"additionalProperties", "items", "patternProperties", "prefixItems", "properties"}
)
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
    typed = {"type", "allOf", "anyOf", "oneOf", "enum", "const", "$ref"} | _TYPING
    return not typed & schema.keys()


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
        ),
        _always,
    ),
    "unevaluatedProperties": lambda schema: not closed_objects(schema),
    "prefixItems": _is_no_tuple,
    "uniqueItems": _is_unique_anything,
    **dict.fromkeys(("maxProperties", "minProperties"), _has_no_class),
    "propertyNames": _has_unnamed_values,
    "patternProperties": lambda schema: not has_checked_names(schema),
    **dict.fromkeys((*_NUMERIC, *_TEXTUAL), _has_no_type),
    **{keyword: _has_values(keyword) for keyword in ("const", "enum")},
}


# The place of a schema, whether it is joined with other declarations of its property, and whether
# its values are names.
_Whole = tuple[Pointer, bool, bool]


def unsupported_schema(context: LintContext) -> Iterator[LintViolation]:
    # Keywords inside one that is not checked need no finding of their own.
    covered: list[Pointer] = []
    refined = refined_properties(context)
    # A whole of many parts is read once, and not for each part.
    known: dict[_Whole, list[JsonObject] | None] = {}
    yield from replaced_properties(context)
    places = {node.pointer for node in context.of_kind("schema")}
    for pointer in circular_alternatives(context.document):
        yield LintViolation(pointer, "models accept any value: it refers back to its own union")
    for node in context.of_kind("schema"):
        if any(f"{node.pointer}/".startswith(f"{pointer}/") for pointer in covered):
            continue
        around = node.pointer.removesuffix("/items")
        if around != node.pointer and around in places and not _may_be_array(context, around):
            covered.append(node.pointer)
            continue
        is_composed = not {"allOf", "$ref"}.isdisjoint(node.value)
        if is_composed and alternatives(context.document, node.value) == []:
            if not PART.search(node.pointer) and not _is_property(node.pointer):
                yield LintViolation(node.pointer, "no value is valid; models accept null")
            continue
        has_more = is_composed and reference(node.value) is None
        if has_more and is_endless(context.document, with_plain_reference(node.value)):
            message = "models do not check what is beside a reference to a schema that holds itself"
            yield LintViolation(node.pointer, message)
            continue
        if "required" in node.value and lacks_property(context, node, refined):
            yield LintViolation(f"{node.pointer}/required", "models do not check 'required'")
        if not PART.search(node.pointer):
            yield from beyond_classes(context, node.pointer, refined.get(node.pointer, node.value))
        unchecked = _unchecked(context, node, refined, known)
        keywords = [node.pointer + join(keyword) for keyword in unchecked]
        keywords = [keyword for keyword in keywords if keyword not in context.event_data]
        if keywords:
            covered = keywords
        for pointer in keywords:
            yield LintViolation(pointer, f"models do not check '{pointer.rpartition('/')[2]}'")


def _unchecked(
    context: LintContext,
    node: Node,
    refined: Mapping[Pointer, JsonValue],
    known: dict[_Whole, list[JsonObject] | None],
) -> list[str]:
    """Return the keywords of a schema that models do not check with any schema it is a part of."""
    keywords = [keyword for keyword in _UNCHECKED if keyword in node.value]
    if not keywords:
        return []
    is_name = node.pointer.endswith("/propertyNames")
    for steps in (PARTS, ALTERNATIVES):
        is_refined = steps is PARTS and node.pointer in refined
        place = node.pointer if is_refined else steps.sub("", node.pointer)
        if (key := (place, is_refined, is_name)) not in known:
            whole = refined[place] if is_refined else resolve(context.document.data, place)
            if is_name:
                whole = {"allOf": [whole, {"type": "string"}]}
            known[key] = alternatives(context.document, whole)
        schemas = known[key]
        if schemas is None and steps is PARTS:
            is_part = PART.search(node.pointer) or is_refined
            schemas = [{"type": "", **node.value} if is_part else node.value]
        if schemas is not None:
            keywords = [
                keyword
                for keyword in keywords
                if any(keyword in schema and _UNCHECKED[keyword](schema) for schema in schemas)
            ]
    return keywords


def _may_be_array(context: LintContext, pointer: Pointer) -> bool:
    schema = mapping(resolve(context.document.data, pointer))
    return "array" in one_or_more(schema.get("type", "array"))


def _is_property(pointer: Pointer) -> bool:
    return len(split(pointer)) > 1 and split(pointer)[-2] == "properties"


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
              oneOf:
                - {type: string, minLength: 12}
                - oneOf: [{type: string, pattern: "^[b-h]+$"}, {type: integer}]
        """,
        """
        components:
          schemas:
            Size: {oneOf: [{type: string, minLength: 12}, {type: string, pattern: "^[b-h]+$"}]}
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
