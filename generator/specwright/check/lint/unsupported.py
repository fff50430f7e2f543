"""Rules about what a document may say and generated code does not do."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from specwright.check.lint.rule import Category, Rule, Violation
from specwright.check.subject import Subject, mapping, sequence
from specwright.document import sites
from specwright.document.normalise import COMPONENTS
from specwright.document.security import credential_scheme, schemes
from specwright.document.sites import Direction, Site, essence, is_json, is_range
from specwright.document.unions import open_member
from specwright.findings import Level
from specwright.pointer import Pointer, join, split
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM

_FLOWS = frozenset({"oauth2", "openIdConnect"})
_FORMS = frozenset({"application/x-www-form-urlencoded"})
# Content in units that a reader wants one by one.
_STREAMS = frozenset(
    {
        "application/json-seq",
        "application/jsonl",
        "application/x-ndjson",
        "application/x-jsonlines",
        "application/ndjson",
        "text/event-stream",
    }
)
_XML = ("application/xml", "+xml", "/xml")


def unsupported_security_scheme(subject: Subject) -> Iterator[Violation]:
    chosen = credential_scheme(subject.document)
    for name, scheme in schemes(subject.document):
        if chosen is None:
            yield Violation(scheme.pointer, f"the client cannot send the credential of '{name}'")
        elif scheme.pointer != chosen[1].pointer:
            yield Violation(
                scheme.pointer, f"the client sends the credential of '{chosen[0]}', not of '{name}'"
            )
        elif scheme.value.get("type") in _FLOWS:
            yield Violation(
                scheme.pointer, "the client takes a token as its key; it does not obtain one"
            )


def unsupported_security(subject: Subject) -> Iterator[Violation]:
    chosen = credential_scheme(subject.document)
    known = {chosen[0]} if chosen else set()
    for holder in (Site("", subject.document.data), *subject.operations):
        requirements = list(map(mapping, sequence(holder.value.get("security"))))
        for index, requirement in enumerate(requirements):
            pointer = holder.pointer + join("security", index)
            if not requirement and len(requirements) > 1:
                yield Violation(pointer, "the client sends credentials always")
            elif requirement.keys() - known:
                names = " with ".join(f"'{name}'" for name in requirement)
                yield Violation(pointer, f"the client sends no {names}")


def unsupported_server(subject: Subject) -> Iterator[Violation]:
    for node in subject.of_kind("server"):
        url, variables = str(node.value.get("url")), mapping(node.value.get("variables"))
        place, _, number = node.pointer.rpartition("/")
        if place != "/servers":
            yield Violation(node.pointer, "all operations are called at the base URL of the client")
        elif number != "0":
            yield Violation(node.pointer, "the base URL of the client is that of the first server")
        # A URL that is one variable is what the client calls its base URL.
        elif variables and url.strip("/") not in {f"{{{name}}}" for name in variables}:
            yield Violation(
                f"{node.pointer}/variables",
                "the client takes the defaults of variables, or a whole base URL",
            )


def unsupported_parameter(subject: Subject) -> Iterator[Violation]:
    for node in subject.of_kind("parameter"):
        if node.ref is not None:
            continue
        place = node.value.get("in")
        if place not in ("path", "query", "header", "cookie"):
            yield Violation(f"{node.pointer}/in", f"parameters in '{place}' are left out")
        if "content" in node.value:
            yield Violation(
                f"{node.pointer}/content", "the value is written in the parameter's style, not so"
            )
        if node.value.get("allowReserved") is True:
            yield Violation(
                f"{node.pointer}/allowReserved", "reserved characters are always percent-encoded"
            )
        if node.value.get("style") == "cookie":
            yield Violation(f"{node.pointer}/style", "cookies are written in the style 'form'")


def unsupported_body(subject: Subject) -> Iterator[Violation]:
    for operation in subject.operations:
        body = sites.request_body(subject.document, operation)
        if body is None or operation.direction is Direction.CALLBACK:
            continue
        contents = list(sites.contents(subject.document, body))
        taken = _taken(subject, body)
        for name, content in contents:
            if content != taken:
                yield Violation(
                    content.pointer, f"'{name}' is left out: one form of a body is sent"
                )
            elif operation.direction is Direction.WEBHOOK and not is_json(name):
                yield Violation(content.pointer, f"no event is made of '{name}'")
            elif is_range(name) and not is_json(name):
                yield Violation(content.pointer, f"'{name}' is sent as the name of a media type")
            elif reason := _not_opaque(name):
                yield Violation(
                    content.pointer, f"the method takes the bytes of the body, {reason}"
                )


def unsupported_answer(subject: Subject) -> Iterator[Violation]:
    for operation in subject.operations:
        if operation.direction is not Direction.PATH:
            continue
        for status, response in sites.responses(subject.document, operation):
            if status[:1] in ("1", "3"):
                yield Violation(response.pointer, f"an answer with {status} is raised as an error")
            if status[:1] != "2":
                continue
            taken = _taken(subject, response)
            for name, content in sites.contents(subject.document, response):
                if content != taken:
                    yield Violation(content.pointer, f"'{name}' is never asked for")
                elif "itemSchema" in content.value or essence(name) in _STREAMS:
                    yield Violation(
                        content.pointer, "the answer is read to its end, not item by item"
                    )
                elif reason := _not_opaque(name):
                    yield Violation(content.pointer, f"the method returns bytes, {reason}")


def _taken(subject: Subject, holder: Site) -> Site | None:
    """The content of a body or a response that generated code knows."""
    contents = (content for _, content in sites.contents(subject.document, holder))
    return sites.json_content(subject.document, holder) or next(contents, None)


def _not_opaque(media_type: str) -> str | None:
    """What bytes are not, where a media type says more than that."""
    plain = essence(media_type)
    if is_json(plain):
        return None
    if plain in _FORMS or plain.startswith("multipart/"):
        return "not the fields of the form"
    if plain.endswith(_XML):
        return "not what the XML says"
    return "not text" if plain.startswith("text/") else None


def unsupported_callback(subject: Subject) -> Iterator[Violation]:
    for operation in subject.operations:
        for name in mapping(operation.value.get("callbacks")):
            yield Violation(
                operation.pointer + join("callbacks", name), f"no code is made for '{name}'"
            )


def unsupported_read_write(subject: Subject) -> Iterator[Violation]:
    for keyword in ("readOnly", "writeOnly"):
        found = [
            node.pointer for node in subject.of_kind("schema") if node.value.get(keyword) is True
        ]
        # Documents that use it use it everywhere; what counts is which models it is about.
        by_owner: dict[Pointer, list[Pointer]] = defaultdict(list)
        for pointer in found:
            by_owner[pointer.rpartition("/properties/")[0] or pointer].append(pointer)
        for first, *others in by_owner.values():
            more = f" (here and in {len(others)} more properties)" if others else ""
            yield Violation(
                f"{first}/{keyword}",
                f"requests and answers share one model, without {keyword}{more}",
            )


def unsupported_open_union(subject: Subject) -> Iterator[Violation]:
    for node in subject.of_kind("schema"):
        if EXTENSIBLE_ENUM.name not in node.value or not {"oneOf", "anyOf"} & node.value.keys():
            continue
        pointer = node.pointer + join(EXTENSIBLE_ENUM.name)
        if len(split(node.pointer)) != len(split(COMPONENTS)) + 1:
            yield Violation(pointer, "the union has no name of its own, and stays closed")
        elif open_member(subject.document, node.value) is None:
            yield Violation(
                pointer, "not every alternative says which tags are its own; the union stays closed"
            )


_Schema = dict[str, Any]
# Places where a schema has the type that something else gives it.
_PART = re.compile(r"/(allOf/\d+|propertyNames)$")
_NUMERIC = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_TEXTUAL = ("minLength", "maxLength", "pattern")


def _always(schema: _Schema) -> bool:
    return True


def _has_properties(schema: _Schema) -> bool:
    return "properties" in schema


def _has_no_type(schema: _Schema) -> bool:
    return not {"type", "allOf", "anyOf", "oneOf", "enum", "const", "$ref"} & schema.keys()


def _is_true(keyword: str) -> Callable[[_Schema], bool]:
    return lambda schema: schema[keyword] is True


def _has_values(keyword: str) -> Callable[[_Schema], bool]:
    """Whether a keyword names values that no literal type of Python can name."""

    def has(schema: _Schema) -> bool:
        named = schema[keyword]
        values = named if keyword == "enum" and isinstance(named, list) else [named]
        return any(isinstance(value, dict | list | float) for value in values)

    return has


# Keywords of JSON Schema 2020-12 that models do not check, and where they do not.
_UNCHECKED: dict[str, Callable[[_Schema], bool]] = {
    **dict.fromkeys(
        (
            "$dynamicRef",
            "contains",
            "contentSchema",
            "dependentRequired",
            "dependentSchemas",
            "dependencies",
            "additionalItems",
            "if",
            "not",
            "prefixItems",
            "unevaluatedItems",
            "unevaluatedProperties",
        ),
        _always,
    ),
    "uniqueItems": _is_true("uniqueItems"),
    **dict.fromkeys(("maxProperties", "minProperties", "propertyNames"), _has_properties),
    **dict.fromkeys((*_NUMERIC, *_TEXTUAL), _has_no_type),
    **{keyword: _has_values(keyword) for keyword in ("const", "enum")},
}


def unsupported_schema(subject: Subject) -> Iterator[Violation]:
    # What stands inside a keyword that is not checked goes without saying.
    covered: list[Pointer] = []
    for node in subject.of_kind("schema"):
        if any(node.pointer.startswith(f"{each}/") for each in covered):
            continue
        schema = {**node.value, "type": ""} if _PART.search(node.pointer) else node.value
        found = [
            node.pointer + join(keyword)
            for keyword, applies in _UNCHECKED.items()
            if keyword in schema and applies(schema)
        ]
        if found:
            covered = found
        for pointer in found:
            yield Violation(pointer, f"models do not check '{pointer.rpartition('/')[2]}'")


_BEARER = """
        security: [{token: []}]
        components:
          securitySchemes:
            token: {type: http, scheme: bearer}
        """
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

_UNION = f"""
        components:
          schemas:
            Card: {{type: object, required: [kind], properties: {{kind: {{%s}}}}}}
            Method:
              oneOf: [{{$ref: "#/components/schemas/Card"}}]
              discriminator: {{propertyName: kind}}
              {EXTENSIBLE_ENUM.name}: [card]
        """


def _rule(
    rule: str, why: str, bad: str, good: str, check: Callable[[Subject], Iterator[Violation]]
) -> Rule:
    return Rule(
        f"unsupported-{rule}",
        Category.UNSUPPORTED,
        why,
        bad,
        good,
        Level.WARNING,
        Level.ERROR,
        check,
    )


RULES = (
    _rule(
        "security-scheme",
        "The client sends one credential in a header, and the server asks for that one: a bearer "
        "token or an API key. It is that of the first such scheme.",
        """
        components:
          securitySchemes:
            key: {type: apiKey, in: query, name: key}
        """,
        """
        components:
          securitySchemes:
            key: {type: apiKey, in: header, name: X-Key}
        """,
        unsupported_security_scheme,
    ),
    _rule(
        "security",
        "An operation asks for the one credential that the client has, or for none. There are no "
        "alternatives, no credentials that may be left out, and never two at a time.",
        """
        security: [{token: []}, {}]
        components:
          securitySchemes:
            token: {type: http, scheme: bearer}
        """,
        _BEARER,
        unsupported_security,
    ),
    _rule(
        "server",
        "The client calls everything at one base URL, by default that of the first server with the "
        "defaults of its variables.",
        """
        servers: [{url: https://api.example.com}, {url: https://eu.example.com}]
        """,
        """
        servers: [{url: https://api.example.com}]
        """,
        unsupported_server,
    ),
    _rule(
        "parameter",
        "Parameters travel in path, query, headers and cookies, in the styles of OpenAPI 3.1, and "
        "percent-encoded.",
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
        """
        paths:
          /orders:
            get:
              parameters: [{name: filter, in: query, schema: {type: string}}]
              responses: {"204": {description: None.}}
        """,
        unsupported_parameter,
    ),
    _rule(
        "body",
        "A request body is sent in one form: JSON where it is among the choices, else the bytes "
        "that the caller passes.",
        _BODY % "multipart/form-data",
        _BODY % "application/json",
        unsupported_body,
    ),
    _rule(
        "answer",
        "A successful answer is taken in one form, JSON where it is among the choices, and read to "
        "its end. Anything else is returned as bytes.",
        _ANSWER % "text/event-stream",
        _ANSWER % "application/json",
        unsupported_answer,
    ),
    _rule(
        "callback",
        "Neither the client nor the server stub knows callbacks; an event of the whole API is a "
        "webhook.",
        """
        paths:
          /orders:
            post:
              callbacks:
                done:
                  "{$request.body#/url}": {post: {responses: {"204": {description: Heard.}}}}
              responses: {"202": {description: Begun.}}
        """,
        """
        webhooks:
          done: {post: {responses: {"204": {description: Heard.}}}}
        """,
        unsupported_callback,
    ),
    _rule(
        "read-write",
        "readOnly and writeOnly make one name stand for two shapes, and a model has one; two "
        "schemas say which one is meant.",
        """
        components:
          schemas:
            Order:
              type: object
              properties: {order_id: {type: string, readOnly: true}}
        """,
        """
        components:
          schemas:
            Order: {type: object, properties: {order_id: {type: string}}}
            OrderCreate: {type: object, properties: {plan_id: {type: string}}}
        """,
        unsupported_read_write,
    ),
    _rule(
        "open-union",
        "A value whose tag is newer than the package is taken where the union is a component with "
        "a discriminator, and each alternative has the values of its tag as const or enum.",
        _UNION % "type: string",
        _UNION % "const: card",
        unsupported_open_union,
    ),
    _rule(
        "schema",
        "Models check what types of Python can say. Another keyword is for the server to check, "
        "and for the reader of the document.",
        """
        components:
          schemas:
            Labels: {type: array, items: {type: string}, uniqueItems: true}
        """,
        """
        components:
          schemas:
            Labels: {type: array, items: {type: string}, maxItems: 10}
        """,
        unsupported_schema,
    ),
)
