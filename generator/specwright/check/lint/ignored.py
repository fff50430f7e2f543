"""Rules about parts of a document that have no effect."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from specwright.check.context import LintContext
from specwright.check.lint.rule import Category, LintRule, LintViolation
from specwright.document.operations.headers import OF_HTTP
from specwright.document.schemas.inspection import ANNOTATIONS
from specwright.document.schemas.polarity import MARKS
from specwright.document.shape import OBJECTS, Node
from specwright.findings import Level
from specwright.json_values import mapping
from specwright.pointer import join

# OAS 3.1.1, 4.8.12.1: definitions of these header parameters are ignored.
_IGNORED = {
    "accept": "the media types of the responses",
    "authorization": "'security' and a security scheme",
    "content-type": "the media types of the request body",
}
_BY_HTTP = "HTTP sets it itself, for the message or its connection"
_DESCRIPTIVE = ANNOTATIONS - {"default", *MARKS}
# Fields of a Reference Object since 3.1 (OAS 3.1.1, 4.8.23).
_OF_REFERENCES = frozenset({"$ref", "summary", "description"})
# Edit distance from which a keyword is taken for another one: `maxLenght` is `maxLength`.
_SIMILAR = 0.8


def reference_siblings(context: LintContext) -> Iterator[LintViolation]:
    for node in context.written_nodes:
        siblings = _ignored(context, node)
        if siblings - _DESCRIPTIVE:
            yield _beside(context, node, siblings)


def reference_annotations(context: LintContext) -> Iterator[LintViolation]:
    for node in context.written_nodes:
        siblings = _ignored(context, node)
        if siblings and siblings <= _DESCRIPTIVE:
            yield _beside(context, node, siblings)


def _ignored(context: LintContext, node: Node) -> set[str]:
    """Return the fields beside a reference that the version of the document ignores."""
    # The path item has a field `$ref` of its own.
    if node.ref is None or node.kind == "pathItem":
        return set()
    siblings = {name for name in node.value if not name.startswith("x-")} - {"$ref"}
    if context.is_before_3_1:
        return siblings
    return set() if node.kind == "schema" else siblings - _OF_REFERENCES


def _beside(context: LintContext, node: Node, siblings: set[str]) -> LintViolation:
    names = [name for name in node.value if name in siblings]
    listed = ", ".join(f"'{name}'" for name in names)
    if node.kind == "schema":
        advice = "write 'allOf' with the reference, and these beside it"
    else:
        advice = "write the object out, or change its definition"
    return LintViolation(
        node.pointer + join(names[0]),
        f"OpenAPI ignores {listed} beside a '$ref': {advice}",
        is_written=True,
    )


def nullable_ignored(context: LintContext) -> Iterator[LintViolation]:
    if context.is_before_3_1:
        return
    for node in context.of_kind("schema"):
        if node.value.get("nullable") is True:
            kind = node.value.get("type")
            advice = (
                f"write 'type: [{kind}, \"null\"]'"
                if isinstance(kind, str)
                else "add null to the types or the alternatives"
            )
            yield LintViolation(
                node.pointer + join("nullable"),
                f"'nullable' is a keyword of OpenAPI 3.0, so null is not allowed here: {advice}",
            )


def keyword_misspelt(context: LintContext) -> Iterator[LintViolation]:
    # Before 3.1, unknown keywords are forbidden, so the official schema reports them.
    if context.is_before_3_1:
        return
    keywords = OBJECTS["schema"]
    by_lower = {keyword.lower(): keyword for keyword in keywords}
    for node in context.of_kind("schema"):
        for name in node.value:
            if name in keywords or name.startswith("x-"):
                continue
            near = get_close_matches(name.lower(), by_lower, 1, _SIMILAR)
            if near:
                yield LintViolation(
                    node.pointer + join(name),
                    f"'{name}' is not a keyword of JSON Schema and has no effect "
                    f"(did you mean '{by_lower[near[0]]}'?)",
                )


def header_ignored(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("parameter"):
        name = node.value.get("name")
        if node.value.get("in") == "header" and isinstance(name, str):
            key = name.lower()
            why = f"{_IGNORED[key]} describe it" if key in _IGNORED else _BY_HTTP
            if key in _IGNORED or key in OF_HTTP:
                yield LintViolation(
                    node.pointer + join("name"), f"the header parameter '{name}' is ignored: {why}"
                )
    for node in context.of_kind("response"):
        for name in mapping(node.value.get("headers")):
            if name.lower() == "content-type":
                yield LintViolation(
                    node.pointer + join("headers", name),
                    f"the header '{name}' is ignored: the media types of the response describe it",
                )


RULES = (
    LintRule(
        "reference-siblings",
        Category.DOCUMENT,
        "A reference takes the place of a whole object, so most fields beside it are ignored: all "
        "of them in OpenAPI 3.0, and all but 'summary' and 'description' in later versions, "
        "except beside those of schemas.",
        """
        openapi: 3.0.3
        components:
          schemas:
            Label: {type: string}
            Order:
              type: object
              properties:
                label: {$ref: "#/components/schemas/Label", nullable: true}
        """,
        """
        openapi: 3.0.3
        components:
          schemas:
            Label: {type: string}
            Order:
              type: object
              properties:
                label: {nullable: true, allOf: [{$ref: "#/components/schemas/Label"}]}
        """,
        Level.WARNING,
        Level.ERROR,
        reference_siblings,
    ),
    LintRule(
        "reference-annotations",
        Category.DOCUMENT,
        "OpenAPI ignores descriptions and examples beside a reference (3.0 all of them, later "
        "versions only examples, and not beside those of schemas); some tools show them, so the "
        "documentation depends on the tool.",
        """
        openapi: 3.0.3
        components:
          schemas:
            Label: {type: string}
            Order:
              type: object
              properties:
                label: {$ref: "#/components/schemas/Label", description: For the parcel.}
        """,
        """
        openapi: 3.0.3
        components:
          schemas:
            Label: {type: string}
            Order:
              type: object
              properties:
                label:
                  description: For the parcel.
                  allOf: [{$ref: "#/components/schemas/Label"}]
        """,
        Level.INFO,
        Level.WARNING,
        reference_annotations,
    ),
    LintRule(
        "nullable-ignored",
        Category.SCHEMAS,
        "OpenAPI 3.1 has the types of JSON Schema, and no longer the keyword 'nullable': a value "
        "may be null only if that is one of its types.",
        """
        components:
          schemas:
            Note: {type: string, nullable: true}
        """,
        """
        components:
          schemas:
            Note: {type: [string, "null"]}
        """,
        Level.WARNING,
        Level.ERROR,
        nullable_ignored,
    ),
    LintRule(
        "keyword-misspelt",
        Category.SCHEMAS,
        "JSON Schema ignores unknown keywords, so a misspelt constraint is not checked.",
        """
        components:
          schemas:
            Note: {type: string, maxLenght: 80}
        """,
        """
        components:
          schemas:
            Note: {type: string, maxLength: 80}
        """,
        Level.WARNING,
        Level.ERROR,
        keyword_misspelt,
    ),
    LintRule(
        "header-ignored",
        Category.PATHS,
        "OpenAPI describes some headers by other means, and ignores parameters and headers of "
        "these names; clients never send what they say.",
        """
        paths:
          /orders:
            get:
              parameters: [{name: Authorization, in: header, schema: {type: string}}]
              responses: {"200": {description: The orders.}}
        """,
        """
        paths:
          /orders:
            get:
              security: [{token: []}]
              responses: {"200": {description: The orders.}}
        components:
          securitySchemes: {token: {type: http, scheme: bearer}}
        """,
        Level.WARNING,
        Level.ERROR,
        header_ignored,
    ),
)
