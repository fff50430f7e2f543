"""Rules about names that become the same name in generated code."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping

from specwright.check.context import LintContext
from specwright.check.lint.declared import declared
from specwright.check.lint.rule import Category, LintRule, LintViolation
from specwright.config import Renames
from specwright.document.directions import SUFFIX, inputs_of
from specwright.document.operations.naming import (
    first_tag,
    group_names,
    model_name,
    operation_names,
)
from specwright.document.operations.sites import Direction, OperationSite, operations, parameters
from specwright.findings import Level, values_of
from specwright.json_values import mapping
from specwright.names import snake
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.final import FINAL
from specwright.vocabulary.keywords.pagination import PAGINATION

# A name in the document, its place, and the names in code that it becomes, each after the scope
# in which it must be unique.
Named = tuple[str, Pointer, tuple[tuple[Hashable, str], ...]]


def _clashes(context: LintContext, what: str, named: Iterable[Named]) -> Iterator[LintViolation]:
    owners: dict[tuple[Hashable, str], tuple[str, Pointer]] = {}
    for name, pointer, becomes in named:
        clash = next((identifier for identifier in becomes if identifier in owners), None)
        if clash is not None:
            first, first_place = owners[clash]
            written = context.document.as_written(first_place)
            yield LintViolation(
                pointer,
                f"{what} '{name}' and '{first}' ({written}) both become '{clash[1]}'",
            )
        for identifier in becomes:
            owners.setdefault(identifier, (name, pointer))


def operation_id_clash(context: LintContext) -> Iterator[LintViolation]:
    yield from _clashes(
        context,
        "operations",
        (_named(site, context.names, short=context.short_names) for site in _identified(context)),
    )


def _identified(context: LintContext) -> Iterator[OperationSite]:
    """Yield operations, without those with an id of another one: `operation_id_unique` does."""
    for site in operations(context.document):
        first = context.by_operation_id(site.id) if site.id is not None else None
        if first is None or first.pointer == site.pointer:
            yield site


def _named(site: OperationSite, names: Renames, *, short: bool) -> Named:
    pointer = site.pointer if site.id is None else site / "operationId"
    return site.name, pointer, in_code(site, names, short=short)


def in_code(
    site: OperationSite,
    renames: Renames = Renames(),  # noqa: B008 (it never changes)
    *,
    short: bool,
) -> tuple[tuple[Hashable, str], ...]:
    """Return an operation's names in code, each after the scope in which it must be unique."""
    tag = _renamed(renames.tags, first_tag(site.value))
    name = renames.of_operation(site.id, f"{site.method} {site.key}") or site.name
    names = operation_names(name, tag, short=short)
    if site.direction is not Direction.PATH:
        return (("webhooks", names.handler),)
    group = group_names(tag).attribute
    becomes = [("handlers", names.handler), ("plans", names.constant), (group, names.method)]
    page = declared(PAGINATION, site.value)
    if page is not None and page.resume:
        becomes.append((group, names.follow))
    if site.method in FINAL.methods and declared(FINAL, site.value) is not None:
        becomes.append((group, names.wait))
    return tuple(becomes)


def tag_name_clash(context: LintContext) -> Iterator[LintViolation]:
    groups: dict[str, Pointer] = {}
    for site in operations(context.document):
        if site.direction is Direction.PATH:
            place = site.pointer + join("tags", 0)
            groups.setdefault(_renamed(context.names.tags, first_tag(site.value)), place)
    yield from _clashes(context, "tags", (_group(tag, pointer) for tag, pointer in groups.items()))


def _group(tag: str, pointer: Pointer) -> Named:
    return tag, pointer, (("client", group_names(tag).attribute), *classes_of(tag))


def _renamed(names: Mapping[str, str], name: str) -> str:
    return names.get(name, name)


def classes_of(tag: str) -> tuple[tuple[Hashable, str], ...]:
    """Return the classes of a tag's group, each after the module in which it must be unique."""
    names = group_names(tag)
    return (
        ("clients", names.class_name),
        ("server", names.protocol),
        ("server", f"Unimplemented{names.protocol}"),
    )


def schema_name_clash(context: LintContext) -> Iterator[LintViolation]:
    schemas = mapping(context.components.get("schemas"))
    yield from _clashes(
        context,
        "schemas",
        (
            (key, join("components", "schemas", key), (("models", _model_name(context, key)),))
            for key in schemas
        ),
    )


def _model_name(context: LintContext, key: str) -> str:
    return model_name(_renamed(context.names.schemas, key))


def input_name_clash(context: LintContext) -> Iterator[LintViolation]:
    schemas = mapping(context.components.get("schemas"))
    names = {_model_name(context, key): key for key in schemas}
    for key, sent in inputs_of(context.document).items():
        other = names.get(model_name(_renamed(context.names.schemas, key) + SUFFIX))
        if other is not None:
            written = context.document.as_written(join("components", "schemas", key))
            yield LintViolation(
                join("components", "schemas", other),
                f"the requests' form of schema '{key}' ({written}) is called "
                f"'{model_name(sent)}', since '{other}' has the name '{model_name(other)}'",
            )


def property_name_clash(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("schema"):
        properties = mapping(node.value.get("properties"))
        if len(properties) > 1:
            yield from _clashes(
                context,
                "properties",
                (
                    (name, node.pointer + join("properties", name), (("model", snake(name)),))
                    for name in properties
                ),
            )


def parameter_name_clash(context: LintContext) -> Iterator[LintViolation]:
    for operation in context.operations:
        spellings: dict[str, str] = {}
        for place, name in parameters(context.document, operation):
            first = spellings.setdefault(snake(name), f"{place} parameter '{name}'")
            if first != f"{place} parameter '{name}'":
                yield LintViolation(
                    operation.pointer,
                    f"{place} parameter '{name}' and {first} both become '{snake(name)}'",
                    values_of(place, name),
                )


RULES = (
    LintRule(
        "operation-id-clash",
        Category.NAMES,
        "Methods are named after operationIds in snake case; two ids that become one name "
        "cannot both be generated.",
        """
        paths:
          /orders:
            get:
              operationId: listOrders
              responses: {"200": {description: The orders.}}
          /all-orders:
            get:
              operationId: list_orders
              responses: {"200": {description: The orders.}}
        """,
        """
        paths:
          /orders:
            get:
              operationId: listOrders
              responses: {"200": {description: The orders.}}
          /all-orders:
            get:
              operationId: listAllOrders
              responses: {"200": {description: The orders.}}
        """,
        Level.ERROR,
        Level.ERROR,
        operation_id_clash,
    ),
    LintRule(
        "tag-name-clash",
        Category.NAMES,
        "The operations of a tag are a group of the client and a class of the stub; two tags that "
        "become one name are one group.",
        """
        paths:
          /orders:
            get:
              tags: [Orders]
              responses: {"200": {description: The orders.}}
          /all-orders:
            get:
              tags: [orders]
              responses: {"200": {description: The orders.}}
        """,
        """
        paths:
          /orders:
            get:
              tags: [orders]
              responses: {"200": {description: The orders.}}
          /all-orders:
            get:
              tags: [orders]
              responses: {"200": {description: The orders.}}
        """,
        Level.WARNING,
        Level.ERROR,
        tag_name_clash,
    ),
    LintRule(
        "schema-name-clash",
        Category.NAMES,
        "Classes are named after schemas; two names that differ in separators or the case of words "
        "only cannot both be generated.",
        """
        components:
          schemas:
            OrderLine: {type: string}
            order_line: {type: string}
        """,
        """
        components:
          schemas:
            OrderLine: {type: string}
            OrderLineText: {type: string}
        """,
        Level.ERROR,
        Level.ERROR,
        schema_name_clash,
    ),
    LintRule(
        "input-name-clash",
        Category.NAMES,
        "A schema with readOnly or writeOnly properties is two models, `Order` and `OrderInput`; "
        "where another schema has that name, requests get one that is harder to read.",
        """
        paths:
          /orders:
            post:
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}
              responses: {"204": {description: Done.}}
        components:
          schemas:
            Order:
              type: object
              properties: {id: {type: string, readOnly: true}, size: {type: integer}}
            OrderInput: {type: string}
        """,
        """
        paths:
          /orders:
            post:
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}
              responses: {"204": {description: Done.}}
        components:
          schemas:
            Order:
              type: object
              properties: {id: {type: string, readOnly: true}, size: {type: integer}}
            OrderText: {type: string}
        """,
        Level.WARNING,
        Level.ERROR,
        input_name_clash,
    ),
    LintRule(
        "property-name-clash",
        Category.NAMES,
        "Attributes are named after properties in snake case; the second of two that become one "
        "name gets a number.",
        """
        components:
          schemas:
            Order:
              type: object
              properties: {planId: {type: string}, plan_id: {type: string}}
        """,
        """
        components:
          schemas:
            Order:
              type: object
              properties: {plan_id: {type: string}}
        """,
        Level.WARNING,
        Level.ERROR,
        property_name_clash,
    ),
    LintRule(
        "parameter-name-clash",
        Category.NAMES,
        "Arguments are named after parameters in snake case; those that share a name, except for "
        "that of the path, are prefixed with their place.",
        """
        paths:
          /orders/{id}:
            get:
              parameters:
                - {name: id, in: path, required: true, schema: {type: string}}
                - {name: id, in: query, schema: {type: string}}
              responses: {"200": {description: The order.}}
        """,
        """
        paths:
          /orders/{id}:
            get:
              parameters:
                - {name: id, in: path, required: true, schema: {type: string}}
                - {name: fields, in: query, schema: {type: string}}
              responses: {"200": {description: The order.}}
        """,
        Level.WARNING,
        Level.ERROR,
        parameter_name_clash,
    ),
)
