"""Rules about names that become the same name in generated code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from specwright.check.lint.rule import Category, Rule, Violation
from specwright.check.subject import Subject, mapping
from specwright.document.sites import parameters
from specwright.findings import Level
from specwright.names import pascal, snake
from specwright.pointer import Pointer, join


def _clashes(
    names: Iterable[tuple[str, Pointer]], change: Callable[[str], str], what: str
) -> Iterator[Violation]:
    seen: dict[str, tuple[str, Pointer]] = {}
    for name, pointer in names:
        changed = change(name)
        first, first_pointer = seen.setdefault(changed, (name, pointer))
        if first != name:
            yield Violation(
                pointer,
                f"{what} '{name}' and '{first}' ({first_pointer}) both become '{changed}'",
            )


def operation_id_clash(subject: Subject) -> Iterator[Violation]:
    ids = (
        (operation.id, f"{operation.pointer}/operationId")
        for operation in subject.operations
        if operation.id is not None
    )
    yield from _clashes(ids, snake, "operationIds")


def schema_name_clash(subject: Subject) -> Iterator[Violation]:
    schemas = mapping(subject.components.get("schemas"))
    names = ((name, join("components", "schemas", name)) for name in schemas)
    # Modules and classes meet on file systems that do not tell case apart.
    yield from _clashes(names, lambda name: pascal(name).lower(), "schemas")


def property_name_clash(subject: Subject) -> Iterator[Violation]:
    for node in subject.of_kind("schema"):
        properties = mapping(node.value.get("properties"))
        if len(properties) > 1:
            names = ((name, node.pointer + join("properties", name)) for name in properties)
            yield from _clashes(names, snake, "properties")


def parameter_name_clash(subject: Subject) -> Iterator[Violation]:
    for operation in subject.operations:
        found: dict[str, str] = {}
        for place, name in parameters(subject.document, operation):
            first = found.setdefault(snake(name), f"{place} parameter '{name}'")
            if first != f"{place} parameter '{name}'":
                yield Violation(
                    operation.pointer,
                    f"{place} parameter '{name}' and {first} both become '{snake(name)}'",
                )


RULES = (
    Rule(
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
        Level.WARNING,
        Level.ERROR,
        operation_id_clash,
    ),
    Rule(
        "schema-name-clash",
        Category.NAMES,
        "Classes are named after schemas; two names that differ in case or separators only "
        "cannot both be generated.",
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
        Level.WARNING,
        Level.ERROR,
        schema_name_clash,
    ),
    Rule(
        "property-name-clash",
        Category.NAMES,
        "Attributes are named after properties in snake case; two properties that become one "
        "attribute lose one of the two values.",
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
    Rule(
        "parameter-name-clash",
        Category.NAMES,
        "Arguments are named after parameters in snake case, wherever the parameter is sent.",
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
