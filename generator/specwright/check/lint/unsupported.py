"""Rules about parts of operations that generated code does not support."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.check.context import LintContext
from specwright.check.lint.rule import LintViolation, remarks, unsupported
from specwright.document.operations import sites
from specwright.document.operations.headers import is_header_name
from specwright.document.operations.security import scheme_of, schemes
from specwright.document.operations.sites import Direction, Site, essence, is_json
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.value_types import ValueTypes
from specwright.document.schemas.xml_shapes import XmlDescriptions
from specwright.document.sources.swagger.values import ANSWER, BODY, PARAMETER
from specwright.json_values import mapping
from specwright.pointer import join
from specwright.runtime.shared.media.table import medium_of

_PARTS = frozenset({"allowReserved", "encoding", "headers", "itemEncoding", "prefixEncoding"})


def unsupported_security_scheme(context: LintContext) -> Iterator[LintViolation]:
    for name, scheme in schemes(context.document):
        # Valid ones that it leaves are of HTTP; a certificate belongs to the connection.
        if scheme.value.get("type") == "http" and not scheme_of("", scheme.value).is_sent:
            yield LintViolation(
                scheme.pointer, f"the client leaves '{name}' to the HTTP client that it is given"
            )


def unsupported_parameter(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("parameter"):
        if node.ref is not None:
            continue
        place = node.value.get("in")
        if place == sites.WHOLE_QUERY:
            lost = sites.lost_media_type(context.document, Site(node.pointer, node.value))
            if lost is not None:
                message = (
                    f"left out: {lost} is neither a form nor JSON, and the schema not of a string"
                )
                yield LintViolation(f"{node.pointer}/content", message)
            continue
        name = node.value.get("name")
        if place == "header" and not is_header_name(str(name)):
            yield LintViolation(
                f"{node.pointer}/name", f"left out: no header can be called {name!r}"
            )
        for name in mapping(node.value.get("content")):
            if not is_json(name) and essence(name) != "text/plain":
                pointer = node.pointer + join("content", name)
                yield LintViolation(pointer, "the value is sent as text, not in this media type")
    yield from remarks(context, PARAMETER)


def unsupported_body(context: LintContext) -> Iterator[LintViolation]:
    types = ValueTypes(context.document)
    for operation in context.operations:
        body = sites.request_body(context.document, operation)
        if body is None:
            continue
        for name, content in sites.contents(context.document, body):
            if operation.direction is not Direction.PATH and not is_json(name):
                yield LintViolation(content.pointer, f"'{name}' is not parsed into an event")
            elif reason := _not_opaque(name):
                yield LintViolation(content.pointer, f"the method takes {reason}")
            yield from _without_members(types, name, content)
            yield from _left_out(content)
            for _, encoding in sites.members(context.document, content, "encoding"):
                yield from _left_out(encoding)
    yield from remarks(context, BODY)


def _without_members(types: ValueTypes, name: str, content: Site) -> Iterator[LintViolation]:
    """Yield the schema of a form that allows no object."""
    allowed = types.of([Subschema(content / "schema", content.value.get("schema", {}))])
    if medium_of(name).has_parts and allowed and "object" not in allowed:
        named = " or ".join(sorted(allowed))
        yield LintViolation(content / "schema", f"a form has the members of an object, not {named}")


def _left_out(holder: Site) -> Iterator[LintViolation]:
    """Yield the fields of a form's parts other than their media types and styles."""
    for field in _PARTS & holder.value.keys():
        if field != "encoding" or "/encoding/" in holder.pointer:
            yield LintViolation(holder / field, f"'{field}' of a part is not supported")


def unsupported_answer(context: LintContext) -> Iterator[LintViolation]:
    types = ValueTypes(context.document)
    for operation in context.operations:
        if operation.direction is not Direction.PATH:
            continue
        for status, response in sites.responses(context.document, operation):
            if status[:1] == "1":
                yield LintViolation(response.pointer, f"a response with {status} is ignored")
            for name, content in sites.contents(context.document, response):
                yield from _without_members(types, name, content)
                if status[:1] != "2":
                    continue
                if reason := _not_opaque(name):
                    yield LintViolation(content.pointer, f"the method returns {reason}")
    yield from remarks(context, ANSWER)


def unsupported_xml(context: LintContext) -> Iterator[LintViolation]:
    """Yield the parts of schemas with values that XML does not have, or does not tell apart."""
    document = context.document
    shapes = XmlDescriptions(document)
    for operation in context.operations:
        body = sites.request_body(document, operation)
        responses = [response for _, response in sites.responses(document, operation)]
        for holder in (*([body] if body is not None else ()), *responses):
            for name, content in sites.contents(document, holder):
                if schema := sites.xml_schema(document, name, content):
                    shapes.root(schema)
    yield from (LintViolation(limit.pointer, limit.message) for limit in shapes.limits.values())


def _not_opaque(media_type: str) -> str | None:
    """Return the type that generated code uses, where the media type says more than that."""
    plain = essence(media_type)
    if plain.startswith("multipart/") and plain != "multipart/form-data":
        return "bytes, not the parts"
    return None


_BODY = """
        paths:
          /orders:
            post:
              requestBody:
                content: {%s: {schema: {type: object}}}
              responses: {"204": {description: Done.}}
        """
_ANSWER = """
        paths:
          /orders:
            get:
              responses:
                "200":
                  description: The orders.
                  content: {%s: {}}
        """
_XML = """
        paths:
          /orders:
            post:
              requestBody:
                content:
                  application/xml:
                    schema: {type: object, xml: {name: order}, properties: {size: {type: %s}}}
              responses: {"204": {description: Done.}}
        """

RULES = (
    unsupported(
        "unsupported-security-scheme",
        "The client sends tokens, passwords and API keys, and answers challenges of Digest. For "
        "those of other schemes, pass an HTTP client as `http_client`.",
        """
        components:
          securitySchemes:
            user: {type: http, scheme: negotiate}
        """,
        """
        components:
          securitySchemes:
            user: {type: http, scheme: basic}
        """,
        unsupported_security_scheme,
    ),
    unsupported(
        PARAMETER,
        "Parameters travel in path, query, headers and cookies, in the styles of OpenAPI, or as "
        "JSON or text; a whole query string also as a form.",
        """
        paths:
          /orders:
            get:
              parameters:
                - name: filter
                  in: query
                  content: {application/xml: {schema: {type: object}}}
              responses: {"204": {description: None.}}
        """,
        """
        paths:
          /orders:
            get:
              parameters:
                - name: filter
                  in: query
                  content: {application/json: {schema: {type: object}}}
              responses: {"204": {description: None.}}
        """,
        unsupported_parameter,
    ),
    unsupported(
        BODY,
        "Request bodies are JSON, XML, forms, text, items in lines, or bytes. Multipart bodies "
        "other than forms are passed as bytes, and forms are objects.",
        _BODY % "multipart/mixed",
        _BODY % "application/json",
        unsupported_body,
    ),
    unsupported(
        ANSWER,
        "Responses are JSON, XML, forms, text, events and items in lines, or bytes. Multipart "
        "bodies are passed as bytes.",
        _ANSWER % "multipart/mixed",
        _ANSWER % "application/json",
        unsupported_answer,
    ),
    unsupported(
        "unsupported-xml",
        "XML has names and texts, but no types. A text of digits is read as a number where the "
        "schema allows both, a list within a list gets an element of its own, and a value without "
        "a type is read as a text.",
        _XML % "[string, integer]",
        _XML % "integer",
        unsupported_xml,
    ),
)
