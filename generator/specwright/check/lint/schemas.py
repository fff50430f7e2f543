"""Rules about schemas."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from urllib.parse import quote, unquote

import jsonschema_rs
from jsonschema_rs.canonical import UnsatisfiableReason, find_unsatisfiable
from jsonschema_rs.canonical.schema import clone

from specwright.check.context import LintContext
from specwright.check.lint.rule import Category, LintRule, LintViolation
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.discriminators import Discriminators
from specwright.document.schemas.inheritance import properties
from specwright.document.shape import shape_of, walk
from specwright.findings import Level
from specwright.json_values import JsonObject, mapping, sequence
from specwright.pointer import Pointer, join, resolve, split
from specwright.samples.overlaps import overlap
from specwright.text import shorten
from specwright.vocabulary.keywords.error import ERROR

_COMPONENT = re.compile(r"/components/schemas/[^/]+")
# The way from a composition to one of its parts.
_COMPOSED = re.compile(r"(/allOf/\d+)+$")
# Places of schemas that are conditions or parts of a whole, not types of their own.
_PART = re.compile(
    r"/(allOf/\d+|not|if|then|else|contains|propertyNames|dependentSchemas/[^/]+)(?=/|$)"
)


def schema_inline(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("schema"):
        if (
            ("properties" in node.value or "oneOf" in node.value or "anyOf" in node.value)
            and node.ref is None
            and not _COMPONENT.fullmatch(node.pointer)
            and not _PART.search(node.pointer)
            and not _is_only_nullable(node.value)
        ):
            yield LintViolation(
                node.pointer,
                f"this schema has no name; move it to {context.section('schema')}",
            )


def _is_only_nullable(schema: JsonObject) -> bool:
    """Return whether a schema is a reference or null, which needs no name."""
    choices = sequence(schema.get("anyOf")) or sequence(schema.get("oneOf"))
    return len(choices) == 2 and {"type": "null"} in choices and "properties" not in schema


def unsatisfiable(context: LintContext) -> Iterator[LintViolation]:
    """Yield schemas that no value fits, from one call: the library shares work between them."""
    roots: list[Pointer] = []
    for node in context.of_kind("schema"):
        if not roots or not node.pointer.startswith(f"{roots[-1]}/"):
            roots.append(node.pointer)
    data = context.document.data
    if any(True for _ in pattern_valid(context)):
        # One invalid pattern would stop the whole search.
        data = _without_broken_patterns(data)
    wrapped = {
        **data,
        "type": "object",
        "properties": {pointer: {"$ref": f"#{quote(pointer)}"} for pointer in roots},
    }
    for pointer, reason in find_unsatisfiable(wrapped, offline=True).items():
        if pointer.startswith("/properties/"):
            continue
        match reason:
            case UnsatisfiableReason.Conflict(causes):
                keywords = sorted({word for cause in causes for word in cause.keywords} - {"type"})
                named = f": {', '.join(keywords)} contradict each other" if keywords else ""
                yield LintViolation(pointer, f"no value fits this schema{named}")
            case UnsatisfiableReason.Empty(cause) if cause.keywords and cause.keywords != ["$ref"]:
                words = ", ".join(cause.keywords)
                yield LintViolation(pointer, f"no value fits this schema: {words} leave nothing")
    yield from _endless(context)


def one_of_overlap(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("schema"):
        shared = overlap(context.witnesses, Subschema(node.pointer, node.value))
        if shared is not None:
            yield LintViolation(
                node.pointer + join("oneOf"),
                f"{shorten(json.dumps(shared.value))} fits the alternatives {shared.first + 1} and "
                f"{shared.second + 1}, so 'oneOf' refuses it: write 'anyOf', or tell them apart",
            )


def _without_broken_patterns(data: JsonObject) -> JsonObject:
    copy = clone(data)
    for node in walk(copy):
        if node.kind == "schema" and not compiles(str(node.value.get("pattern", ""))):
            del node.value["pattern"]
    return copy


def _endless(context: LintContext) -> Iterator[LintViolation]:
    """Yield schemas that require themselves: every value would have to contain another one."""
    schemas = mapping(context.components.get("schemas"))
    needs = {
        f"#/components/schemas/{name}": list(_needs(mapping(schema)))
        for name, schema in schemas.items()
    }
    done: set[str] = set()
    for start in needs:
        stack = [(start, iter(needs[start]))]
        way = {start}
        while stack:
            current, rest = stack[-1]
            following = next((ref for ref in rest if ref in needs and ref not in done), None)
            if following is None:
                stack.pop()
                way.discard(current)
                done.add(current)
            elif following in way:
                yield LintViolation(following[1:], "no value fits this schema: it requires itself")
                done.add(following)
            else:
                stack.append((following, iter(needs[following])))
                way.add(following)


def _needs(schema: JsonObject) -> Iterator[str]:
    """Yield references to schemas that every value of this schema contains a value of."""
    ref = schema.get("$ref")
    if isinstance(ref, str):
        yield ref
    for part in sequence(schema.get("allOf")):
        yield from _needs(mapping(part))
    if schema.get("type") == "object":
        for name in sequence(schema.get("required")):
            if isinstance(name, str):
                yield from _needs(mapping(mapping(schema.get("properties")).get(name)))
    if schema.get("type") == "array" and schema.get("minItems", 0):
        yield from _needs(mapping(schema.get("items")))


def required_declared(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("schema"):
        required = node.value.get("required")
        own = node.value.get("properties")
        if isinstance(required, list) and isinstance(own, dict) and is_closed(node.value):
            # A part of a composition may require what another one declares.
            whole = _COMPOSED.sub("", node.pointer)
            composed = Subschema(whole, resolve(context.document.data, whole))
            declared = own.keys() | properties(context.document, composed).keys()
            for index, name in enumerate(required):
                if isinstance(name, str) and name not in declared:
                    yield LintViolation(
                        node.pointer + join("required", index),
                        f"'{name}' is required but not among the properties",
                    )


def is_closed(schema: JsonObject) -> bool:
    """Return whether all properties are declared here, and nothing else adds any."""
    return not any(
        word in schema for word in ("allOf", "anyOf", "oneOf", "$ref", "patternProperties")
    ) and not isinstance(schema.get("additionalProperties"), dict)


def array_items(context: LintContext) -> Iterator[LintViolation]:
    if not context.is_before_3_1:
        return
    # Swagger 2.0 requires them of parameters and headers, which have no schema.
    where = "Swagger 2.0" if context.is_swagger else "OpenAPI 3.0"
    instead = "{type: string}" if context.is_swagger else "{}"
    kinds = ("parameter", "header", "items") if context.is_swagger else ("schema",)
    for node in context.written_nodes:
        is_array = node.kind in kinds and node.value.get("type") == "array"
        if is_array and node.ref is None and "items" not in node.value:
            yield LintViolation(
                node.pointer + join("type"),
                f"an array needs 'items' in {where}: write 'items: {instead}' for items of any "
                "type",
                is_written=True,
            )


def component_unused(context: LintContext) -> Iterator[LintViolation]:
    sections = shape_of(context.written.data).sections
    depth = len(split(sections["schema"])) + 1
    used = {join(*split(pointer)[:depth]) for pointer in _used(context)}
    for section in sorted(set(sections.values()) - {sections["securityScheme"]}):
        if context.written.has(section):
            for name in mapping(resolve(context.written.data, section)):
                pointer = section + join(name)
                if pointer not in used:
                    yield LintViolation(pointer, f"nothing refers to '{name}'", is_written=True)


def _used(context: LintContext) -> Iterator[Pointer]:
    """Yield the place of every part of the written document that another one needs."""
    for node in context.written_nodes:
        if node.ref is not None and node.ref.startswith("#/"):
            yield unquote(node.ref[1:])
    discriminators = Discriminators(context.document)
    for node in context.of_kind("schema"):
        discriminator = discriminators.of(Subschema(node.pointer, node.value))
        for schema in discriminator.tags.values() if discriminator else ():
            # A base is among its own alternatives.
            if schema.pointer != node.pointer:
                yield context.document.as_written(schema.pointer)
    declared = str(mapping(context.document.data.get(ERROR.name)).get("schema"))
    if declared.startswith("#/"):
        yield declared[1:]


def pattern_valid(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("schema"):
        pattern = node.value.get("pattern")
        if isinstance(pattern, str) and not compiles(pattern):
            yield LintViolation(
                f"{node.pointer}/pattern",
                f"'{shorten(pattern)}' is not a valid regular expression, or too large",
            )


@cache
def compiles(pattern: str) -> bool:
    """Return whether a pattern is a regular expression."""
    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except ValueError:
        return False
    return True


RULES = (
    LintRule(
        "schema-inline",
        Category.SCHEMAS,
        "Objects and unions without a name get an invented one in generated code, and that "
        "changes when the document is rearranged.",
        """
        paths:
          /orders:
            post:
              requestBody:
                content:
                  application/json:
                    schema: {type: object, properties: {plan_id: {type: string}}}
              responses: {"200": {description: The order.}}
        """,
        """
        paths:
          /orders:
            post:
              requestBody:
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/OrderCreate"}
              responses: {"200": {description: The order.}}
        components:
          schemas:
            OrderCreate: {type: object, properties: {plan_id: {type: string}}}
        """,
        Level.OFF,
        Level.ERROR,
        schema_inline,
    ),
    LintRule(
        "schema-unsatisfiable",
        Category.SCHEMAS,
        "A schema that no value fits makes the operation that uses it unusable.",
        """
        components:
          schemas:
            Label: {type: string, minLength: 10, maxLength: 5}
        """,
        """
        components:
          schemas:
            Label: {type: string, minLength: 5, maxLength: 10}
        """,
        Level.WARNING,
        Level.ERROR,
        unsatisfiable,
    ),
    LintRule(
        "one-of-overlap",
        Category.SCHEMAS,
        "Validators refuse a value that fits several alternatives of 'oneOf'. Where such values "
        "are to be expected, generated code reads the union as 'anyOf'.",
        """
        components:
          schemas:
            Size: {oneOf: [{type: integer}, {type: number}]}
        """,
        """
        components:
          schemas:
            Size: {anyOf: [{type: integer}, {type: number}]}
        """,
        Level.WARNING,
        Level.ERROR,
        one_of_overlap,
    ),
    LintRule(
        "required-declared",
        Category.SCHEMAS,
        "A required property without a schema is usually a typo.",
        """
        components:
          schemas:
            Order:
              type: object
              properties: {order_id: {type: string}}
              required: [id]
        """,
        """
        components:
          schemas:
            Order:
              type: object
              properties: {order_id: {type: string}}
              required: [order_id]
        """,
        Level.WARNING,
        Level.ERROR,
        required_declared,
    ),
    LintRule(
        "pattern-valid",
        Category.SCHEMAS,
        "A pattern that is not a regular expression (ECMA-262) checks nothing or stops tools.",
        """
        components:
          schemas:
            Code: {type: string, pattern: "[a-z"}
        """,
        """
        components:
          schemas:
            Code: {type: string, pattern: "[a-z]"}
        """,
        Level.WARNING,
        Level.ERROR,
        pattern_valid,
    ),
    LintRule(
        "array-items",
        Category.SCHEMAS,
        "OpenAPI 3.0 requires 'items' of an array, also of one with items of any type; readers "
        "differ in what they make of an array without.",
        """
        openapi: 3.0.3
        components:
          schemas:
            Labels: {type: array}
        """,
        """
        openapi: 3.0.3
        components:
          schemas:
            Labels: {type: array, items: {type: string}}
        """,
        Level.WARNING,
        Level.ERROR,
        array_items,
    ),
    LintRule(
        "component-unused",
        Category.SCHEMAS,
        "A component without references is documented, generated and maintained without use.",
        """
        components:
          schemas:
            Forgotten: {type: string}
        """,
        """
        components:
          schemas:
            Label: {type: string}
          parameters:
            label: {name: label, in: query, schema: {$ref: "#/components/schemas/Label"}}
        paths:
          /orders:
            parameters: [{$ref: "#/components/parameters/label"}]
        """,
        Level.OFF,
        Level.WARNING,
        component_unused,
    ),
)
