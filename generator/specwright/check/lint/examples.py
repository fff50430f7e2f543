"""Rules about examples, defaults and enumerated values."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator

from specwright.check.context import LintContext
from specwright.check.lint.rule import Category, LintRule, LintViolation
from specwright.check.schema_at import find
from specwright.document.operations import sites
from specwright.document.operations.sites import Direction, OperationSite, Site, is_json
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.instances import SchemaMismatch
from specwright.document.schemas.polarity import Polarity, is_left_out
from specwright.document.shape import Node
from specwright.findings import Level, values_of
from specwright.json_values import JsonValue, mapping, sequence
from specwright.pointer import Pointer, join, parents, resolve, split
from specwright.runtime.shared.media.table import medium_of
from specwright.text import shorten

_ID_NAME = re.compile(r"(?:.*_)?id|.*[a-z]Id")
_TYPES: dict[type, tuple[str, ...]] = {
    bool: ("boolean",),
    int: ("integer", "number"),
    str: ("string",),
    list: ("array",),
    dict: ("object",),
    type(None): ("null",),
}


def example_valid(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("mediaType", "parameter", "header", "schema"):
        yield from invalid_examples(context, node)


def invalid_examples(context: LintContext, node: Node) -> Iterator[LintViolation]:
    """Yield the mismatches of the examples that one object has."""
    if node.kind == "schema":
        for index, value in enumerate(sequence(node.value.get("examples"))):
            pointer = node.pointer + join("examples", index)
            yield from _violations(context, node.pointer, pointer, value, "example")
        if "example" in node.value:
            pointer = f"{node.pointer}/example"
            yield from _violations(context, node.pointer, pointer, node.value["example"], "example")
    elif node.ref is None:
        for schema, pointer, value in _described(context, node):
            yield from _violations(context, schema, pointer, value, "example")


def _described(context: LintContext, node: Node) -> Iterator[tuple[Pointer, Pointer, JsonValue]]:
    """Yield the examples of a media type, parameter or header, each with the place of its schema.

    An example that is text is none of a value, unless the media type is JSON. One of a stream is a
    list of its items.
    """
    site = Site(node.pointer, node.value)
    tokens = split(node.pointer)
    media_type = tokens[-1] if node.kind == "mediaType" and tokens[-2] == "content" else ""
    is_stream = medium_of(media_type).is_stream if media_type else False
    item = sites.item_schema(context.document, site) if is_stream else None
    for pointer, value in sites.examples(context.document, site):
        if media_type and isinstance(value, str) and not is_json(media_type):
            continue
        if item is not None:
            values = value if isinstance(value, list) else [value]
            for index, part in enumerate(values):
                inner = join(index) if isinstance(value, list) else ""
                yield item.pointer, pointer + inner, part
        elif not is_stream and isinstance(node.value.get("schema"), dict):
            yield f"{node.pointer}/schema", pointer, value


def _violations(
    context: LintContext, schema: Pointer, pointer: Pointer, value: JsonValue, what: str
) -> Iterator[LintViolation]:
    for problem in context.problems(schema, value):
        if problem.missing is not None and _is_left_out(context, schema, problem):
            continue
        inside = problem.pointer if _is_written_at(context, pointer) else ""
        at = f" at {problem.pointer}" if problem.pointer else ""
        message = f"the {what} does not fit{at}: {problem.message}"
        yield LintViolation(pointer + inside, message, problem.values)


def _is_left_out(context: LintContext, schema: Pointer, problem: SchemaMismatch) -> bool:
    """Return whether values lack a property in every direction that a schema has.

    A schema that no message has as its own may be of either direction.
    """
    place = problem.pointer + join(problem.missing or "")
    whole = Subschema(schema, resolve(context.document.data, schema))
    described = find(context, whole, place)
    known = (context.polarities.get(place) for place in parents(schema))
    directions = next(filter(None, known), None)
    lacks = (is_left_out(context.document, described, p) for p in directions or Polarity)
    return all(lacks) if directions else any(lacks)


def _is_written_at(context: LintContext, pointer: Pointer) -> bool:
    return pointer.rpartition("/")[2] not in mapping(context.components.get("examples"))


def default_valid(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("schema"):
        if "default" in node.value:
            yield from _violations(
                context, node.pointer, f"{node.pointer}/default", node.value["default"], "default"
            )


def enum_valid(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("schema"):
        values = node.value.get("enum")
        if isinstance(values, list):
            yield from _enum(node, values)


def _enum(node: Node, values: list[JsonValue]) -> Iterator[LintViolation]:
    kinds = node.value.get("type")
    allowed = {kinds} if isinstance(kinds, str) else set(map(str, sequence(kinds)))
    seen: set[str] = set()
    for index, value in enumerate(values):
        pointer = node.pointer + join("enum", index)
        if allowed and not allowed.intersection(_types_of(value)):
            message = f"{_written(value)} is not of type {' or '.join(sorted(allowed))}"
            yield LintViolation(pointer, message, values_of("type"))
        written = f"{type(value).__name__} {value!r}"
        if written in seen:
            yield LintViolation(pointer, f"{_written(value)} is listed twice")
        seen.add(written)


def _written(value: JsonValue) -> str:
    return shorten(json.dumps(value, ensure_ascii=False))


def _types_of(value: JsonValue) -> tuple[str, ...]:
    if isinstance(value, float):
        return ("integer", "number") if value.is_integer() else ("number",)
    return _TYPES[type(value)]


def example_present(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("mediaType"):
        if node.ref is not None or "schema" not in node.value:
            continue
        schema = context.follow(node.value["schema"])
        if not any(word in holder for holder in (node.value, schema) for word in _EXAMPLE_WORDS):
            yield LintViolation(node.pointer, "this body has no example")


_EXAMPLE_WORDS = ("example", "examples")


def example_id(context: LintContext) -> Iterator[LintViolation]:
    """Yield the ids sent by examples that no example of a response shows."""
    sent: list[tuple[str, Pointer, JsonValue]] = []
    known: dict[str, set[JsonValue]] = defaultdict(set)
    for operation in context.operations:
        sent.extend(_sent_ids(context, operation))
    for node in context.of_kind("mediaType"):
        if "requestBody" not in split(node.pointer) or node.pointer.startswith("/webhooks/"):
            for pointer, value in sites.examples(context.document, Site(node.pointer, node.value)):
                for name, _, value_id in _ids(value, pointer, ""):
                    known[name].add(value_id)
    for name, pointer, value in sent:
        shown = known.get(name, set()) or (known["id"] if name != "id" else set())
        if shown and value not in shown:
            yield LintViolation(pointer, f"no example of a response has {name} {value!r}")


def _sent_ids(
    context: LintContext, operation: OperationSite
) -> Iterator[tuple[str, Pointer, JsonValue]]:
    document = context.document
    if operation.direction is Direction.WEBHOOK:
        return
    for (place, name), parameter in sites.parameters(document, operation).items():
        if place == "path" and _ID_NAME.fullmatch(name):
            for pointer, value in sites.examples(document, parameter):
                yield from _ids(value, pointer, name)
    body = sites.request_body(document, operation)
    for _, content in sites.contents(document, body) if body else ():
        for pointer, value in sites.examples(document, content):
            yield from _ids(value, pointer, "")


def _ids(value: JsonValue, pointer: Pointer, name: str) -> Iterator[tuple[str, Pointer, JsonValue]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _ids(inner, pointer + join(key), key)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _ids(inner, pointer + join(index), name)
    elif isinstance(value, str) and _ID_NAME.fullmatch(name):
        yield name, pointer, value


RULES = (
    LintRule(
        "example-valid",
        Category.EXAMPLES,
        "People copy examples and tools replay them; one that does not fit its schema is a "
        "mistake in one of the two. Formats such as date-time count.",
        """
        components:
          schemas:
            Quantity: {type: integer, maximum: 10, examples: [12]}
        """,
        """
        components:
          schemas:
            Quantity: {type: integer, maximum: 10, examples: [2]}
        """,
        Level.WARNING,
        Level.ERROR,
        example_valid,
    ),
    LintRule(
        "default-valid",
        Category.EXAMPLES,
        "A default is the value that the service uses when none is sent: it must be allowed.",
        """
        components:
          schemas:
            Quantity: {type: integer, default: "1"}
        """,
        """
        components:
          schemas:
            Quantity: {type: integer, default: 1}
        """,
        Level.WARNING,
        Level.ERROR,
        default_valid,
    ),
    LintRule(
        "enum-valid",
        Category.EXAMPLES,
        "A value of another type than the schema's can never occur; one listed twice is a typo.",
        """
        components:
          schemas:
            Size: {type: string, enum: [small, large, small]}
        """,
        """
        components:
          schemas:
            Size: {type: string, enum: [small, medium, large]}
        """,
        Level.WARNING,
        Level.ERROR,
        enum_valid,
    ),
    LintRule(
        "example-present",
        Category.EXAMPLES,
        "An example per body is the shortest documentation, and the input of mocks and contract "
        "tests.",
        """
        paths:
          /balance:
            get:
              responses:
                "200":
                  description: The balance.
                  content: {application/json: {schema: {type: object}}}
        """,
        """
        paths:
          /balance:
            get:
              responses:
                "200":
                  description: The balance.
                  content:
                    application/json:
                      schema: {type: object}
                      examples: {plenty: {value: {balance: "100.00"}}}
        """,
        Level.OFF,
        Level.ERROR,
        example_present,
    ),
    LintRule(
        "example-id",
        Category.EXAMPLES,
        "An example request that names a resource works in a sandbox only if that resource is "
        "there: its id appears in an example of a response.",
        """
        paths:
          /orders:
            get:
              responses:
                "200":
                  description: The orders.
                  content: {application/json: {example: [{order_id: ord_1}]}}
          /orders/{order_id}:
            get:
              parameters:
                - name: order_id
                  in: path
                  required: true
                  schema: {type: string}
                  example: ord_7
              responses: {"200": {description: The order.}}
        """,
        """
        paths:
          /orders:
            get:
              responses:
                "200":
                  description: The orders.
                  content: {application/json: {example: [{order_id: ord_1}]}}
          /orders/{order_id}:
            get:
              parameters:
                - name: order_id
                  in: path
                  required: true
                  schema: {type: string}
                  example: ord_1
              responses: {"200": {description: The order.}}
        """,
        Level.OFF,
        Level.ERROR,
        example_id,
    ),
)
