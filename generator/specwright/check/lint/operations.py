"""Rules about operations, webhooks included."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from specwright.check.context import LintContext
from specwright.check.lint.rule import Category, LintRule, LintViolation
from specwright.document.operations import sites
from specwright.document.operations.sites import Direction, OperationSite, Site
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.inheritance import properties
from specwright.errors import did_you_mean
from specwright.findings import Level, values_of
from specwright.json_values import mapping, sequence
from specwright.pointer import Pointer, join

_CAMEL_CASE = re.compile(r"[a-z][a-z0-9]*([A-Z][a-z0-9]*)*")


def operation_id(context: LintContext) -> Iterator[LintViolation]:
    for operation in context.operations:
        # A misspelt one is reported as a field that is unknown.
        is_misspelt = bool(get_close_matches("operationId", operation.value, cutoff=0.8))
        if (
            operation.id is None
            and not is_misspelt
            and operation.direction is not Direction.CALLBACK
        ):
            yield LintViolation(operation.pointer, f"{_title(operation)} has no operationId")


def operation_id_unique(context: LintContext) -> Iterator[LintViolation]:
    for operation in context.operations:
        first = context.by_operation_id(operation.id) if operation.id is not None else None
        if first is not None and first is not operation:
            yield LintViolation(
                f"{operation.pointer}/operationId",
                f"operationId '{operation.id}' is already used by {_title(first)}",
            )


def operation_id_case(context: LintContext) -> Iterator[LintViolation]:
    for operation in context.operations:
        if operation.id is not None and not _CAMEL_CASE.fullmatch(operation.id):
            yield LintViolation(
                f"{operation.pointer}/operationId", f"operationId '{operation.id}' is not camelCase"
            )


def operation_tag(context: LintContext) -> Iterator[LintViolation]:
    for operation in context.operations:
        tags = sequence(operation.value.get("tags"))
        if len(tags) != 1 and operation.direction is not Direction.CALLBACK:
            pointer = f"{operation.pointer}/tags" if tags else operation.pointer
            yield LintViolation(pointer, f"{_title(operation)} has {len(tags)} tags instead of one")


def tag_declared(context: LintContext) -> Iterator[LintViolation]:
    tags = map(mapping, sequence(context.document.data.get("tags")))
    declared = [name for tag in tags if isinstance(name := tag.get("name"), str)]
    places: dict[str, list[Pointer]] = defaultdict(list)
    for operation in context.operations:
        for index, tag in enumerate(sequence(operation.value.get("tags"))):
            if isinstance(tag, str) and tag not in declared:
                places[tag].append(operation.pointer + join("tags", index))
    for tag, pointers in places.items():
        count = f" ({len(pointers)} operations have it)" if len(pointers) > 1 else ""
        hint = did_you_mean(tag, declared, "add it to 'tags' of the document")
        yield LintViolation(pointers[0], f"tag '{tag}' is not declared{count}: {hint}")


def operation_text(context: LintContext) -> Iterator[LintViolation]:
    for operation in context.operations:
        for field in ("summary", "description"):
            if not operation.value.get(field):
                message = f"{_title(operation)} has no {field}"
                yield LintViolation(operation.pointer, message, values_of(field))


def querystring_alone(context: LintContext) -> Iterator[LintViolation]:
    for operation in context.operations:
        parameters = sites.parameters(context.document, operation)
        whole = [at for (place, _), at in parameters.items() if place == sites.WHOLE_QUERY]
        others = [at for (place, _), at in parameters.items() if place == "query"]
        if whole and len(whole + others) > 1:
            names = ", ".join(f"'{at.value.get('name')}'" for at in (*whole, *others))
            message = f"{_title(operation)} has {names}, and one of them is the whole query"
            yield LintViolation(whole[-1].pointer, message, values_of(operation.pointer))


def exploded_names(context: LintContext) -> Iterator[LintViolation]:
    for operation in context.operations:
        owners: dict[tuple[str, str], Pointer] = {}
        for (place, name), parameter in sites.parameters(context.document, operation).items():
            for sent in _sent_names(context, place, name, parameter):
                owner = owners.setdefault((place, sent), parameter.pointer)
                if owner != parameter.pointer:
                    message = (
                        f"{_title(operation)} sends '{sent}' in {place} for two parameters, as the "
                        "members of an exploded object have their own names: rename one, or give "
                        "the object another style, such as deepObject"
                    )
                    values = values_of(operation.pointer, sent)
                    yield LintViolation(parameter.pointer, message, values, (owner,))


def _sent_names(context: LintContext, place: str, name: str, parameter: Site) -> Iterable[str]:
    """Return the names under which a parameter is sent in a query or a cookie."""
    is_form = parameter.value.get("style", "form") == "form" and "schema" in parameter.value
    if place in ("query", "cookie") and is_form and parameter.value.get("explode") is not False:
        schema = Subschema(parameter / "schema", parameter.value["schema"])
        return properties(context.document, schema) or (name,)
    return (name,)


def response_success(context: LintContext) -> Iterator[LintViolation]:
    for operation in context.operations:
        responses = mapping(operation.value.get("responses"))
        if responses and all(status[:1] in ("4", "5") for status in responses):
            yield LintViolation(
                f"{operation.pointer}/responses",
                f"{_title(operation)} declares no successful response",
            )


def _title(operation: OperationSite) -> str:
    return f"{operation.method} {operation.key}"


RULES = (
    LintRule(
        "operation-id",
        Category.OPERATIONS,
        "The operationId becomes the name of the method in every generated client and server; "
        "without one the name changes whenever the path does.",
        """
        paths:
          /orders:
            get:
              responses: {"200": {description: The orders.}}
        """,
        """
        paths:
          /orders:
            get:
              operationId: listOrders
              responses: {"200": {description: The orders.}}
        """,
        Level.WARNING,
        Level.ERROR,
        operation_id,
    ),
    LintRule(
        "operation-id-unique",
        Category.OPERATIONS,
        "Links and generated code find operations by their id, in paths, webhooks and callbacks "
        "alike.",
        """
        paths:
          /orders:
            get:
              operationId: listOrders
              responses: {"200": {description: The orders.}}
        webhooks:
          order.completed:
            post:
              operationId: listOrders
              responses: {"2XX": {description: Received.}}
        """,
        """
        paths:
          /orders:
            get:
              operationId: listOrders
              responses: {"200": {description: The orders.}}
        webhooks:
          order.completed:
            post:
              operationId: orderCompleted
              responses: {"2XX": {description: Received.}}
        """,
        Level.ERROR,
        Level.ERROR,
        operation_id_unique,
    ),
    LintRule(
        "operation-id-case",
        Category.OPERATIONS,
        "One way of writing ids makes the generated names predictable.",
        """
        paths:
          /orders:
            get:
              operationId: List_orders
              responses: {"200": {description: The orders.}}
        """,
        """
        paths:
          /orders:
            get:
              operationId: listOrders
              responses: {"200": {description: The orders.}}
        """,
        Level.OFF,
        Level.ERROR,
        operation_id_case,
    ),
    LintRule(
        "operation-tag",
        Category.OPERATIONS,
        "The tag is the group: the attribute of the client and the Protocol of the server that "
        "an operation belongs to. It belongs to one.",
        """
        paths:
          /orders:
            get:
              tags: [orders, plans]
              responses: {"200": {description: The orders.}}
        """,
        """
        paths:
          /orders:
            get:
              tags: [orders]
              responses: {"200": {description: The orders.}}
        """,
        Level.OFF,
        Level.ERROR,
        operation_tag,
    ),
    LintRule(
        "tag-declared",
        Category.OPERATIONS,
        "A tag that is not in the list of tags has no description and no place in the order of "
        "the documentation; often it is a typo.",
        """
        tags: [{name: orders}]
        paths:
          /orders:
            get:
              tags: [order]
              responses: {"200": {description: The orders.}}
        """,
        """
        tags: [{name: orders}]
        paths:
          /orders:
            get:
              tags: [orders]
              responses: {"200": {description: The orders.}}
        """,
        Level.INFO,
        Level.ERROR,
        tag_declared,
    ),
    LintRule(
        "operation-text",
        Category.OPERATIONS,
        "Summary and description are the documentation of the generated method.",
        """
        paths:
          /orders:
            get:
              responses: {"200": {description: The orders.}}
        """,
        """
        paths:
          /orders:
            get:
              summary: List orders
              description: Orders of the account, newest first.
              responses: {"200": {description: The orders.}}
        """,
        Level.OFF,
        Level.ERROR,
        operation_text,
    ),
    LintRule(
        "querystring-alone",
        Category.OPERATIONS,
        "A parameter in `querystring` is the whole query (OpenAPI 3.2.0, 4.12.1): an operation has "
        "one of them at most, and then none in `query`, even if its path item declares them.",
        """
        openapi: 3.2.0
        paths:
          /orders:
            parameters:
              - {name: size, in: query, schema: {type: integer}}
            get:
              parameters:
                - name: filter
                  in: querystring
                  content: {application/json: {schema: {type: object}}}
              responses: {"200": {description: The orders.}}
        """,
        """
        openapi: 3.2.0
        paths:
          /orders:
            get:
              parameters:
                - name: filter
                  in: querystring
                  content: {application/json: {schema: {type: object}}}
              responses: {"200": {description: The orders.}}
        """,
        Level.WARNING,
        Level.ERROR,
        querystring_alone,
    ),
    LintRule(
        "exploded-names",
        Category.OPERATIONS,
        "The members of an exploded object are parameters of their own in a query or a cookie "
        "(OpenAPI 3.1.1, 4.8.12.3): with the name of another parameter, a server cannot tell which "
        "of the two it received.",
        """
        paths:
          /orders:
            get:
              parameters:
                - {name: page, in: query, schema: {type: integer}}
                - name: filter
                  in: query
                  schema: {type: object, properties: {page: {type: string}}}
              responses: {"200": {description: The orders.}}
        """,
        """
        paths:
          /orders:
            get:
              parameters:
                - {name: page, in: query, schema: {type: integer}}
                - name: filter
                  in: query
                  style: deepObject
                  schema: {type: object, properties: {page: {type: string}}}
              responses: {"200": {description: The orders.}}
        """,
        Level.WARNING,
        Level.ERROR,
        exploded_names,
    ),
    LintRule(
        "response-success",
        Category.OPERATIONS,
        "A client needs to know the response to a successful request.",
        """
        paths:
          /orders:
            get:
              responses: {"404": {description: No orders.}}
        """,
        """
        paths:
          /orders:
            get:
              responses: {"200": {description: The orders.}}
        """,
        Level.INFO,
        Level.ERROR,
        response_success,
    ),
)
