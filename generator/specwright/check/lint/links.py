"""Rules about links: their targets exist, and so do the values that they pass on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeGuard
from urllib.parse import unquote

from specwright.check.context import LintContext
from specwright.check.lint.rule import Category, LintRule, LintViolation
from specwright.check.schema_at import describes
from specwright.document.operations import sites
from specwright.document.operations.expressions import EXPRESSION
from specwright.document.operations.sites import OperationSite, Site
from specwright.document.schemas.applicators import Subschema
from specwright.document.shape import Node
from specwright.findings import Level, values_of
from specwright.json_values import JsonValue, mapping
from specwright.pointer import Pointer, join


def link_target(context: LintContext) -> Iterator[LintViolation]:
    for node in _links(context):
        operation_id = node.value.get("operationId")
        reference = node.value.get("operationRef")
        if isinstance(operation_id, str):
            if context.by_operation_id(operation_id) is None:
                yield LintViolation(
                    f"{node.pointer}/operationId", f"there is no operation '{operation_id}'"
                )
        elif _is_local(reference) and _target(context, node) is None:
            yield LintViolation(
                f"{node.pointer}/operationRef", f"'{reference}' is not an operation"
            )


def link_parameters(context: LintContext) -> Iterator[LintViolation]:
    for node in _links(context):
        target = _target(context, node)
        if target is None:
            continue
        known = sites.parameters(context.document, target)
        arguments = mapping(node.value.get("parameters"))
        names = {name for _, name in known} | {f"{place}.{name}" for place, name in known}
        for name in arguments:
            if name not in names:
                yield LintViolation(
                    node.pointer + join("parameters", name),
                    f"the target has no parameter '{name}'",
                )
        for place, name in known:
            if place == "path" and not {name, f"path.{name}"} & set(arguments):
                message = f"the path parameter '{name}' is not given"
                yield LintViolation(node.pointer, message, values_of(name))
        if "requestBody" in node.value and "requestBody" not in target.value:
            yield LintViolation(f"{node.pointer}/requestBody", "the target takes no request body")


def link_expression(context: LintContext) -> Iterator[LintViolation]:
    owners = _owners(context)
    for node in _links(context):
        for pointer, expression in _expressions(node):
            if not isinstance(expression, str) or not expression.startswith("$"):
                continue
            match = EXPRESSION.fullmatch(expression)
            if match is None:
                yield LintViolation(pointer, f"'{expression}' is not a runtime expression")
                continue
            for operation, response in owners.get(node.pointer, []):
                reason = _missing(context, match, operation, response)
                if reason:
                    yield LintViolation(pointer, f"'{expression}': {reason}")


def _links(context: LintContext) -> Iterator[Node]:
    return (node for node in context.of_kind("link") if node.ref is None)


def _is_local(reference: JsonValue) -> TypeGuard[str]:
    return isinstance(reference, str) and reference.startswith("#")


def _target(context: LintContext, node: Node) -> OperationSite | None:
    operation_id = node.value.get("operationId")
    if isinstance(operation_id, str):
        return context.by_operation_id(operation_id)
    reference = node.value.get("operationRef")
    if not _is_local(reference):
        return None
    return context.operations_by_pointer.get(unquote(reference[1:]))


def _expressions(node: Node) -> Iterator[tuple[Pointer, JsonValue]]:
    for name, expression in mapping(node.value.get("parameters")).items():
        yield node.pointer + join("parameters", name), expression
    yield f"{node.pointer}/requestBody", node.value.get("requestBody")


def _owners(context: LintContext) -> dict[Pointer, list[tuple[OperationSite, Site]]]:
    """Return the operations and responses that have each link, by the pointer of the link."""
    written = {node.pointer for node in _links(context)}
    owners: dict[Pointer, list[tuple[OperationSite, Site]]] = {}
    for operation in context.operations:
        for _, response in sites.responses(context.document, operation):
            for _, link in sites.members(context.document, response, "links"):
                if link.pointer in written:
                    owners.setdefault(link.pointer, []).append((operation, response))
    return owners


def _missing(
    context: LintContext, match: re.Match[str], operation: OperationSite, response: Site
) -> str | None:
    """Return why the expression has no value in the request or response of the operation."""
    of_response = match["side"] == "response"
    if match["body"]:
        holder = response if of_response else sites.request_body(context.document, operation)
        body = sites.json_content(context.document, holder)
        if body is None:
            return f"the {match['side']} has no JSON body"
        schema = Subschema(body / "schema", body.value.get("schema"))
        if schema.value and not describes(context, schema, unquote(match["body"])):
            return f"the {match['side']} body has no '{match['body']}'"
        return None
    if match["header"] and of_response:
        headers = {name.lower() for name in mapping(response.value.get("headers"))}
        return None if match["header"].lower() in headers else "the response has no such header"
    for place in ("header", "query", "path"):
        if match[place] and not of_response:
            name = match[place].lower() if place == "header" else match[place]
            known = (place, name) in sites.parameters(context.document, operation)
            return None if known else f"the request has no such {place} parameter"
    return None


_ORDER = """
        paths:
          /orders:
            post:
              operationId: createOrder
              responses:
                "201":
                  description: The order.
                  content:
                    application/json:
                      schema: {type: object, properties: {order_id: {type: string}}}
                  links:
                    self:
                      operationId: %s
                      parameters: {%s: %s}
          /orders/{order_id}:
            get:
              operationId: getOrder
              parameters:
                - {name: order_id, in: path, required: true, schema: {type: string}}
              responses: {"200": {description: The order.}}
        """
_GOOD = _ORDER % ("getOrder", "order_id", "$response.body#/order_id")

RULES = (
    LintRule(
        "link-target",
        Category.LINKS,
        "A link names an operation of this document by its operationId or by a reference.",
        _ORDER % ("readOrder", "order_id", "$response.body#/order_id"),
        _GOOD,
        Level.WARNING,
        Level.ERROR,
        link_target,
    ),
    LintRule(
        "link-parameters",
        Category.LINKS,
        "A link passes only parameters that its target has, and all that its path needs.",
        _ORDER % ("getOrder", "id", "$response.body#/order_id"),
        _GOOD,
        Level.WARNING,
        Level.ERROR,
        link_parameters,
    ),
    LintRule(
        "link-expression",
        Category.LINKS,
        "The values that a link passes on must be in the request or response that it starts from.",
        _ORDER % ("getOrder", "order_id", "$response.body#/id"),
        _GOOD,
        Level.WARNING,
        Level.ERROR,
        link_expression,
    ),
)
