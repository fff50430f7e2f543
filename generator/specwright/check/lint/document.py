"""Rules of the specification about the document as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from specwright import distributions
from specwright.check.context import LintContext
from specwright.check.lint.rule import Category, LintRule, LintViolation
from specwright.check.schema import check_schema, unknown_dialect
from specwright.document.operations.sites import Direction
from specwright.errors import did_you_mean
from specwright.findings import Level, values_of
from specwright.json_values import mapping, sequence
from specwright.pointer import Pointer, join


def official_schema(context: LintContext) -> Iterator[LintViolation]:
    for problem in check_schema(context.document):
        yield LintViolation(problem.pointer, problem.message, problem.values, is_written=True)


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


def tags(context: LintContext) -> Iterator[LintViolation]:
    declared: dict[str, Pointer] = {}
    parents: dict[str, str] = {}
    for index, tag in enumerate(map(mapping, sequence(context.document.data.get("tags")))):
        name, parent, place = tag.get("name"), tag.get("parent"), join("tags", index)
        if not isinstance(name, str):
            continue
        if name in declared:
            yield LintViolation(place + join("name"), f"tag '{name}' is already declared")
        elif isinstance(parent, str) and context.document.version >= "3.2":
            parents[name] = parent
        declared.setdefault(name, place)
    for name, parent in parents.items():
        if parent not in declared:
            hint = did_you_mean(parent, declared, "no tag has this name")
            yield LintViolation(
                declared[name] + join("parent"), f"'{parent}' is not a declared tag: {hint}"
            )
    yield from _circles(parents, declared)


def _circles(parents: Mapping[str, str], places: Mapping[str, Pointer]) -> Iterator[LintViolation]:
    """Yield each circle of parents once, at its first tag."""
    done: set[str] = set()
    for start in parents:
        way: list[str] = []
        name = start
        while name in parents and name not in done:
            done.add(name)
            way.append(name)
            name = parents[name]
        if name in way:
            circle = " -> ".join([*way[way.index(name) :], name])
            yield LintViolation(
                places[name] + join("parent"), f"a tag is its own descendant: {circle}"
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
        # The official schema reports that there is none.
        if values and "default" in node.value and node.value["default"] not in values:
            yield LintViolation(
                node.pointer + "/default", "the default is not among the enum values"
            )


def package_metadata(context: LintContext) -> Iterator[LintViolation]:
    info = mapping(context.document.data.get("info"))
    version = info.get("version")
    if isinstance(version, str) and not distributions.is_version(version):
        yield LintViolation(
            join("info", "version"),
            f"'{version}' is not a version of Python packages: the package has "
            f"'{distributions.version(version)}', or 'version' of [tool.specwright]",
        )
    texts = (
        ("license", "identifier", distributions.license_expression, "an SPDX expression"),
        ("contact", "email", distributions.is_email, "an e-mail address"),
        ("contact", "url", distributions.is_url, "the URL of a page"),
    )
    for holder, member, is_valid, kind in texts:
        text = mapping(info.get(holder)).get(member)
        if isinstance(text, str) and not is_valid(text):
            place = join("info", holder, member)
            yield LintViolation(place, f"'{text}' is not {kind}: the package leaves it out")


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
        "package-metadata",
        Category.DOCUMENT,
        "A Python package has a version by PEP 440, a licence as an SPDX expression, and "
        "addresses that exist. Other versions are converted, the rest is left out.",
        """
        info: {title: Orders, version: 2026-01-15-final, license: {name: MIT, identifier: M.I.T.}}
        """,
        """
        info: {title: Orders, version: 2026.1.15, license: {name: MIT, identifier: MIT}}
        """,
        Level.INFO,
        Level.WARNING,
        package_metadata,
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
        tags,
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
