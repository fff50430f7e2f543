"""Rules about what operations may say and generated code does not do."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.check.lint.rule import Violation, unsupported
from specwright.check.subject import Subject, mapping
from specwright.document import sites
from specwright.document.security import scheme_of, schemes
from specwright.document.sites import Direction, Site, essence, is_json, is_range
from specwright.pointer import join
from specwright.runtime.shared.auth.http_client import ByHTTPClient

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
    for name, scheme in schemes(subject.document):
        is_left = isinstance(scheme_of("", scheme.value), ByHTTPClient)
        # A certificate belongs to the connection, and so to the HTTP client.
        if is_left and scheme.value.get("type") != "mutualTLS":
            yield Violation(
                scheme.pointer, f"the client leaves '{name}' to the HTTP client that it is given"
            )


def unsupported_server(subject: Subject) -> Iterator[Violation]:
    for node in subject.of_kind("server"):
        place, _, number = node.pointer.rpartition("/")
        if place != "/servers" and number != "0":
            yield Violation(node.pointer, "the first of these servers is called, or the base URL")


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
        "The client sends tokens, passwords and API keys. It answers no challenge of a service, as "
        "Digest asks for: an HTTP client can, which the caller passes as `http_client`.",
        """
        components:
          securitySchemes:
            user: {type: http, scheme: digest}
        """,
        """
        components:
          securitySchemes:
            user: {type: http, scheme: basic}
        """,
        unsupported_security_scheme,
    ),
    unsupported(
        "unsupported-server",
        "An operation that has servers of its own is called at the first of them, unless the "
        "client is given a base URL that is none of the document's.",
        """
        paths:
          /files:
            servers: [{url: https://files.example.com}, {url: https://files.example.org}]
            get: {responses: {"204": {description: None.}}}
        """,
        """
        servers: [{url: https://api.example.com}, {url: https://eu.example.com}]
        paths:
          /files:
            servers: [{url: https://files.example.com}]
            get: {responses: {"204": {description: None.}}}
        """,
        unsupported_server,
    ),
    unsupported(
        "unsupported-parameter",
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
    unsupported(
        "unsupported-body",
        "A request body is sent in one form: JSON where it is among the choices, else the bytes "
        "that the caller passes.",
        _BODY % "multipart/form-data",
        _BODY % "application/json",
        unsupported_body,
    ),
    unsupported(
        "unsupported-answer",
        "A successful answer is taken in one form, JSON where it is among the choices, and read to "
        "its end. Anything else is returned as bytes.",
        _ANSWER % "text/event-stream",
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
