"""Rules about what operations may say and generated code does not do."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.check.lint.rule import Violation, unsupported
from specwright.check.subject import Subject, mapping, sequence
from specwright.document import sites
from specwright.document.security import credential_scheme, schemes
from specwright.document.sites import Direction, Site, essence, is_json
from specwright.pointer import join

_FLOWS = frozenset({"oauth2", "openIdConnect"})
_PARTS = frozenset({"allowReserved", "encoding", "headers", "itemEncoding", "prefixEncoding"})
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
        for name in mapping(node.value.get("content")):
            if not is_json(name) and essence(name) != "text/plain":
                pointer = node.pointer + join("content", name)
                yield Violation(pointer, "the value is written as text, not so")


def unsupported_body(subject: Subject) -> Iterator[Violation]:
    for operation in subject.operations:
        body = sites.request_body(subject.document, operation)
        if body is None or operation.direction is Direction.CALLBACK:
            continue
        for name, content in sites.contents(subject.document, body):
            if operation.direction is Direction.WEBHOOK and not is_json(name):
                yield Violation(content.pointer, f"no event is made of '{name}'")
            elif reason := _not_opaque(name):
                yield Violation(content.pointer, f"the method takes {reason}")
            yield from _left_out(content)
            for _, encoding in sites.members(subject.document, content, "encoding"):
                yield from _left_out(encoding)


def _left_out(holder: Site) -> Iterator[Violation]:
    """What a form says of its parts beyond their media types and styles."""
    for field in _PARTS & holder.value.keys():
        if field != "encoding" or "/encoding/" in holder.pointer:
            yield Violation(holder / field, f"a part has no '{field}'")


def unsupported_answer(subject: Subject) -> Iterator[Violation]:
    for operation in subject.operations:
        if operation.direction is not Direction.PATH:
            continue
        for status, response in sites.responses(subject.document, operation):
            if status[:1] == "1":
                yield Violation(response.pointer, f"an answer with {status} is passed over")
            if status[:1] != "2":
                continue
            for name, content in sites.contents(subject.document, response):
                if reason := _not_opaque(name):
                    yield Violation(content.pointer, f"the method returns {reason}")


def _not_opaque(media_type: str) -> str | None:
    """What generated code takes or returns, where the media type says more than that."""
    plain = essence(media_type)
    if plain.endswith(_XML):
        return "a text, not what the XML says"
    if plain.startswith("multipart/") and plain != "multipart/form-data":
        return "bytes, not the parts"
    return None


def unsupported_callback(subject: Subject) -> Iterator[Violation]:
    for operation in subject.operations:
        for name in mapping(operation.value.get("callbacks")):
            yield Violation(
                operation.pointer + join("callbacks", name), f"no code is made for '{name}'"
            )


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

RULES = (
    unsupported(
        "unsupported-security-scheme",
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
    unsupported(
        "unsupported-security",
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
    unsupported(
        "unsupported-server",
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
    unsupported(
        "unsupported-parameter",
        "Parameters travel in path, query, headers and cookies, in the styles of OpenAPI, or as "
        "JSON or text.",
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
        "unsupported-body",
        "Bodies of requests are JSON, forms, text, items in lines, or bytes. XML is a text to the "
        "caller, and parts that are no form are bytes.",
        _BODY % "multipart/mixed",
        _BODY % "application/json",
        unsupported_body,
    ),
    unsupported(
        "unsupported-answer",
        "Answers are JSON, forms, text, events and items in lines, or bytes. XML is a text to the "
        "caller, and parts are bytes.",
        _ANSWER % "application/xml",
        _ANSWER % "application/json",
        unsupported_answer,
    ),
    unsupported(
        "unsupported-callback",
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
)
