"""Rules of the specification itself, checked by the official schema and openapi-spec-validator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from specwright.check.context import LintContext
from specwright.check.lint.rule import Category, Check, LintRule, LintViolation
from specwright.check.schema import check_schema, unknown_dialect
from specwright.check.semantics import PARAMETER_DUPLICATE, PATH_PARAMETERS
from specwright.document.operations.sites import Direction
from specwright.findings import Level, values_of
from specwright.json_values import mapping, sequence
from specwright.pointer import join
from specwright.text import shorten

_VARIABLE = re.compile(r"\{[^{}]*\}")


def official_schema(context: LintContext) -> Iterator[LintViolation]:
    for problem in check_schema(context.document):
        yield LintViolation(problem.pointer, problem.message, problem.values)


def later_field(context: LintContext) -> Iterator[LintViolation]:
    if not context.document.version.startswith("3.1"):
        return
    for node in context.of_kind("mediaType"):
        if "itemSchema" in node.value:
            place = node.pointer + join("itemSchema")
            yield LintViolation(
                place, "'itemSchema' is a field of OpenAPI 3.2: write 'openapi: 3.2.0'"
            )


def dialect(context: LintContext) -> Iterator[LintViolation]:
    unknown = unknown_dialect(context.document)
    if unknown is not None:
        yield LintViolation(
            "/jsonSchemaDialect", f"schemas in the dialect '{unknown}' are not checked"
        )


def _semantic(rule: str) -> Check:
    def check(context: LintContext) -> Iterator[LintViolation]:
        for semantic in context.semantics:
            if semantic.rule == rule:
                name = semantic.message.partition("'")[2].partition("'")[0]
                yield LintViolation(semantic.pointer, shorten(semantic.message), values_of(name))

    return check


def reference_kind(context: LintContext) -> Iterator[LintViolation]:
    kinds = {node.pointer: node.kind for node in context.nodes}
    for node in context.nodes:
        place, _, pointer = (node.ref or "").partition("#")
        target = node.kind if place else kinds.get(unquote(pointer), node.kind)
        if node.ref and target != node.kind:
            yield LintViolation(
                node.pointer + join("$ref"),
                f"must refer to an object of the kind '{node.kind}', but refers to a '{target}'",
            )


def path_clash(context: LintContext) -> Iterator[LintViolation]:
    seen: dict[str, str] = {}
    for path in mapping(context.document.data.get("paths")):
        template = _VARIABLE.sub("{}", path)
        first = seen.setdefault(template, path)
        if first != path:
            yield LintViolation(join("paths", path), f"'{path}' matches the same URLs as '{first}'")


def security_defined(context: LintContext) -> Iterator[LintViolation]:
    known = mapping(context.components.get("securitySchemes"))
    for node in context.of_kind("securityRequirement"):
        for name in node.value:
            # 3.2 allows the URI of a scheme in place of a name.
            if name not in known and not re.match(r"[#./]|https?:", name):
                yield LintViolation(
                    node.pointer + join(name),
                    f"security scheme '{name}' is not in components/securitySchemes",
                )


def server_variables(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("server"):
        variables = mapping(node.value.get("variables"))
        for name in re.findall(r"\{([^{}]+)\}", str(node.value.get("url"))):
            if name not in variables:
                message = f"variable '{name}' is not described"
                yield LintViolation(node.pointer + "/url", message, values_of(name))
    for node in context.of_kind("serverVariable"):
        values = sequence(node.value.get("enum"))
        if values and node.value.get("default") not in values:
            yield LintViolation(
                node.pointer + "/default", "the default is not among the enum values"
            )


def webhook_body(context: LintContext) -> Iterator[LintViolation]:
    for operation in context.operations:
        if operation.direction is Direction.WEBHOOK and not operation.value.get("requestBody"):
            yield LintViolation(
                operation.pointer, "a webhook without a request body delivers no data"
            )


RULES = (
    LintRule(
        "openapi-schema",
        Category.DOCUMENT,
        "The official schema of the version decides what an OpenAPI document is; every tool "
        "relies on it.",
        """
        paths:
          /orders:
            get:
              responses:
                "200":
                  describtion: The orders.
        """,
        """
        paths:
          /orders:
            get:
              responses:
                "200":
                  description: The orders.
        """,
        Level.ERROR,
        Level.ERROR,
        official_schema,
    ),
    LintRule(
        "later-field",
        Category.DOCUMENT,
        "A field of a later version of OpenAPI is unknown to tools for the version that the "
        "document names; they may ignore it or refuse the document.",
        """
        openapi: 3.1.1
        paths:
          /events:
            get:
              responses:
                "200":
                  description: The events.
                  content: {text/event-stream: {itemSchema: {type: object}}}
        """,
        """
        openapi: 3.2.0
        paths:
          /events:
            get:
              responses:
                "200":
                  description: The events.
                  content: {text/event-stream: {itemSchema: {type: object}}}
        """,
        Level.WARNING,
        Level.WARNING,
        later_field,
    ),
    LintRule(
        "schema-dialect",
        Category.DOCUMENT,
        "Schemas in an unknown dialect of JSON Schema are not checked, so mistakes in them go "
        "unnoticed.",
        """
        jsonSchemaDialect: https://example.com/our-own-dialect
        """,
        """
        jsonSchemaDialect: https://spec.openapis.org/oas/3.1/dialect/base
        """,
        Level.INFO,
        Level.WARNING,
        dialect,
    ),
    LintRule(
        "reference-kind",
        Category.DOCUMENT,
        "A reference takes the place of an object, so its target is of the same kind: a schema "
        "where a schema is expected.",
        """
        components:
          parameters:
            Limit: {name: limit, in: query, schema: {type: integer}}
          schemas:
            Page: {type: object, properties: {limit: {$ref: "#/components/parameters/Limit"}}}
        """,
        """
        components:
          parameters:
            Limit: {name: limit, in: query, schema: {$ref: "#/components/schemas/Limit"}}
          schemas:
            Limit: {type: integer}
            Page: {type: object, properties: {limit: {$ref: "#/components/schemas/Limit"}}}
        """,
        Level.ERROR,
        Level.ERROR,
        reference_kind,
    ),
    LintRule(
        PATH_PARAMETERS,
        Category.DOCUMENT,
        "Every variable of a path is described by a path parameter and vice versa; otherwise no "
        "client can build the URL.",
        """
        paths:
          /orders/{order_id}:
            get:
              parameters:
                - {name: id, in: path, required: true, schema: {type: string}}
              responses: {"200": {description: The order.}}
        """,
        """
        paths:
          /orders/{order_id}:
            get:
              parameters:
                - {name: order_id, in: path, required: true, schema: {type: string}}
              responses: {"200": {description: The order.}}
        """,
        Level.WARNING,
        Level.ERROR,
        _semantic(PATH_PARAMETERS),
    ),
    LintRule(
        PARAMETER_DUPLICATE,
        Category.DOCUMENT,
        "A parameter is identified by its name and its place; described twice, one of the two "
        "descriptions is ignored.",
        """
        paths:
          /orders:
            get:
              parameters:
                - {name: limit, in: query, schema: {type: integer}}
                - {name: limit, in: query, schema: {type: string}}
              responses: {"200": {description: The orders.}}
        """,
        """
        paths:
          /orders:
            get:
              parameters:
                - {name: limit, in: query, schema: {type: integer}}
              responses: {"200": {description: The orders.}}
        """,
        Level.WARNING,
        Level.ERROR,
        _semantic(PARAMETER_DUPLICATE),
    ),
    LintRule(
        "tags",
        Category.DOCUMENT,
        "Tags are declared once, and a parent tag (3.2) exists and is not its own descendant.",
        """
        tags: [{name: orders}, {name: orders}]
        """,
        """
        tags: [{name: orders}, {name: plans}]
        """,
        Level.WARNING,
        Level.ERROR,
        _semantic("tags"),
    ),
    LintRule(
        "path-clash",
        Category.DOCUMENT,
        "Paths that differ only in the names of their variables match the same URLs; it is "
        "undefined which one answers.",
        """
        paths:
          /orders/{order_id}: {}
          /orders/{reference}: {}
        """,
        """
        paths:
          /orders/{order_id}: {}
          /orders/by-reference/{reference}: {}
        """,
        Level.WARNING,
        Level.ERROR,
        path_clash,
    ),
    LintRule(
        "security-defined",
        Category.DOCUMENT,
        "A requirement names a scheme in components; otherwise a client cannot know which "
        "credentials to send.",
        """
        security: [{apiKey: []}]
        """,
        """
        security: [{apiKey: []}]
        components:
          securitySchemes:
            apiKey: {type: http, scheme: bearer}
        """,
        Level.WARNING,
        Level.ERROR,
        security_defined,
    ),
    LintRule(
        "server-variables",
        Category.DOCUMENT,
        "The variables of a server URL are described, and their defaults are among the allowed "
        "values.",
        """
        servers:
          - url: https://{region}.example.com
            variables:
              region: {default: moon, enum: [eu, us]}
        """,
        """
        servers:
          - url: https://{region}.example.com
            variables:
              region: {default: eu, enum: [eu, us]}
        """,
        Level.WARNING,
        Level.ERROR,
        server_variables,
    ),
    LintRule(
        "webhook-body",
        Category.DOCUMENT,
        "A webhook delivers its data in the request body.",
        """
        webhooks:
          order.completed:
            post:
              responses: {"2XX": {description: Received.}}
        """,
        """
        webhooks:
          order.completed:
            post:
              requestBody:
                content: {application/json: {schema: {type: object}}}
              responses: {"2XX": {description: Received.}}
        """,
        Level.INFO,
        Level.ERROR,
        webhook_body,
    ),
)
