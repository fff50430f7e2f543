"""The mock as an ASGI application."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl

from specwright.document.model import Document
from specwright.document.operations.security import Credential
from specwright.document.operations.sites import OperationSite
from specwright.document.schemas.polarity import Polarity
from specwright.mock.pages import Arguments
from specwright.mock.preferences import (
    NoSuchResponseError,
    Preferences,
    UnsupportedPreferenceError,
)
from specwright.mock.responses import WITHOUT_BODY, Bodies, MockResponse
from specwright.mock.routes import Routes
from specwright.pointer import Pointer
from specwright.runtime.shared.auth.digest import Digest, DigestChallenge
from specwright.samples.sent import of_direction
from specwright.samples.witnesses import Witnesses

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_DIGEST = Digest(argument="")
# Any credentials that answer it are accepted, with any nonce.
_CHALLENGE = DigestChallenge(realm="mock", nonce="mock", algorithm="SHA-256", qop=("auth",))
# An operation that declares no responses may respond with any status.
_WITHOUT_RESPONSE = MockResponse("default", 200)
# A longer body chooses no page.
_LONGEST_BODY = 1_000_000


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    wait: float = 0.0

    def with_headers(self, headers: Mapping[str, str]) -> _Reply:
        names = {name.lower() for name in headers}
        kept = {name: value for name, value in self.headers.items() if name.lower() not in names}
        return replace(self, headers={**kept, **headers})


class Mock:
    """A server that responds to each operation as the document declares.

    It sends the first success. A client requests another status with the header
    `Prefer: code=404` (RFC 7240), an example by its name with `Prefer: example=NAME`, and a media
    type with `Accept`. A list with declared pagination has two pages. Web pages of any origin may
    read the responses: they contain nothing but what the document says.

    It checks no credentials, but where an operation requires Digest, a request without any is
    challenged.

    Args:
        document: an OpenAPI 3.1 document; its operations are served below the paths of its servers.
        seed: selects one of the values of a body.

    Attributes:
        routes: the operations by path.
    """

    def __init__(self, document: Document, seed: int = 0) -> None:
        self.seed = seed
        self._document = document
        self.routes = Routes(document)
        self._challenged = _challenged(document)
        self._bodies = Bodies(of_direction(document, Polarity.TO_CLIENT))
        self._responses: dict[Pointer, tuple[MockResponse, ...]] = {}
        # The values of a body are found once, by the server or by `missing` in another thread.
        self._lock = Lock()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Respond to a request."""
        body = await _body(receive)
        headers = _read(scope["headers"])
        query = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        path = scope["raw_path"].decode("ascii")
        reply = self._reply(scope["method"], path, headers, Arguments(query, body))
        if reply.wait:
            await asyncio.sleep(reply.wait)
        if "origin" in headers:
            reply = reply.with_headers(_shared(headers["origin"], reply.headers))
        if reply.status not in WITHOUT_BODY:
            reply = reply.with_headers({"content-length": str(len(reply.body))})
        written = [(n.encode("latin-1"), v.encode("latin-1")) for n, v in reply.headers.items()]
        sent = b"" if scope["method"] == "HEAD" else reply.body
        await send({"type": "http.response.start", "status": reply.status, "headers": written})
        await send({"type": "http.response.body", "body": sent})

    def responses(self, operation: OperationSite) -> tuple[MockResponse, ...]:
        """Return the responses that an operation declares."""
        with self._lock:
            if operation.pointer not in self._responses:
                responses = map(self._bodies.agreeing, self._bodies.responses(operation))
                self._responses[operation.pointer] = tuple(responses)
            return self._responses[operation.pointer]

    def missing(self) -> Iterable[str]:
        """Yield the reasons why responses cannot be sent, each once, with one of its operations."""
        seen: set[str] = set()
        for operation in self.routes.operations:
            for response in self.responses(operation):
                for reason in response.missing:
                    if reason not in seen:
                        seen.add(reason)
                        yield f"{reason} of {operation.method} {operation.key} {response.pattern}"

    def unused(self) -> Iterable[str]:
        """Yield the reasons why examples and last pages are not sent, each once."""
        whole = Witnesses(self._document)
        with self._lock:
            reasons = [
                reason
                for operation in self.routes.operations
                for reason in self._bodies.unused(operation, whole)
            ]
        yield from dict.fromkeys(reasons)

    def _reply(
        self, method: str, path: str, headers: Mapping[str, str], asked: Arguments
    ) -> _Reply:
        operations = self.routes.at(path)
        if not operations:
            if method in ("GET", "HEAD") and self.routes.is_base(path):
                # Programs that wait for the mock ask for the URL that the command names.
                return _Reply(204)
            return _problem(404, self._unknown(path))
        allowed = ", ".join(_allowed(operations))
        if method == "OPTIONS" and "access-control-request-method" in headers:
            return _Reply(204, _preflight(allowed, headers))
        operation = operations.get(method)
        if method == "HEAD" and operation is None:
            operation = operations.get("GET")
        if operation is not None:
            try:
                preferences = Preferences.of(headers, asked.query)
            except UnsupportedPreferenceError as error:
                return _problem(400, str(error))
            authorization = headers.get("authorization", "")
            if operation.pointer in self._challenged and _DIGEST.read(authorization) is None:
                return self._challenge(operation, preferences)
            reply = self._declared(operation, preferences, asked)
            return replace(reply, wait=preferences.wait)
        if method == "OPTIONS":
            return _Reply(204, {"allow": allowed})
        reply = _problem(405, f"{path} has no operation {method}, only {allowed}")
        return reply.with_headers({"allow": allowed})

    def _unknown(self, path: str) -> str:
        base = self.routes.base_path
        if base and self.routes.is_without_base(path):
            return f"the document has {path} below the path of its server: {base}{path}"
        return f"the document has no path {path}"

    def _challenge(self, operation: OperationSite, preferences: Preferences) -> _Reply:
        try:
            refusal = replace(preferences, code="401", example=None)
            reply = self._sent(refusal.chosen(self.responses(operation)))
        except NoSuchResponseError:
            reply = _problem(401, "send the request again, and answer this challenge")
        return reply.with_headers({"www-authenticate": _CHALLENGE.write()})

    def _declared(
        self, operation: OperationSite, preferences: Preferences, asked: Arguments
    ) -> _Reply:
        name = f"{operation.method} {operation.key}"
        try:
            response = preferences.chosen(self.responses(operation) or (_WITHOUT_RESPONSE,))
        except NoSuchResponseError as error:
            return _problem(400, f"{name} declares {error}")
        if preferences.example is None:
            with self._lock:
                response = self._bodies.page(operation, response, asked)
        return self._sent(response)

    def _sent(self, response: MockResponse) -> _Reply:
        if response.missing:
            return _problem(500, f"{'; '.join(response.missing)}; write an example there")
        with self._lock:
            response = self._bodies.agreeing(response)
        media_type, body = response.content(self.seed)
        headers = {} if media_type is None else {"content-type": media_type}
        return _Reply(response.status, {**headers, **response.headers}, body)


def _challenged(document: Document) -> frozenset[Pointer]:
    """Return the operations that require a request to answer a challenge."""
    credential = Credential.of(document)
    if credential is None:
        return frozenset()
    return frozenset(
        pointer
        for pointer, alternatives in credential.demands.items()
        if alternatives
        and all(
            any(credential.schemes[name].is_challenged for name in alternative)
            for alternative in alternatives
        )
    )


async def _body(receive: Receive) -> bytes:
    """Return the body of a request, or the beginning of a long one."""
    body = b""
    while True:
        message = await receive()
        if len(body) < _LONGEST_BODY:
            body += message.get("body", b"")
        if not message.get("more_body"):
            return body


def _read(headers: Iterable[tuple[bytes, bytes]]) -> Mapping[str, str]:
    """Return headers by name; the values of one that is repeated are a list (RFC 9110, 5.3)."""
    values: dict[str, str] = {}
    for name, value in headers:
        key, text = name.decode("latin-1"), value.decode("latin-1")
        values[key] = f"{values[key]}, {text}" if key in values else text
    return values


def _allowed(operations: Mapping[str, OperationSite]) -> list[str]:
    """Return the methods of a path, with those that need no operation (RFC 9110, 9.3.2)."""
    return sorted({*operations, "OPTIONS", *(("HEAD",) if "GET" in operations else ())})


def _shared(origin: str, headers: Mapping[str, str]) -> Mapping[str, str]:
    """Return the headers that let a page of an origin read a response (Fetch Standard, 3.3.3)."""
    exposed = {"access-control-expose-headers": ", ".join(headers)} if headers else {}
    varied = [value for name, value in headers.items() if name.lower() == "vary"]
    return {
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
        "vary": ", ".join([*varied, "Origin"]),
        **exposed,
    }


def _preflight(allowed: str, headers: Mapping[str, str]) -> Mapping[str, str]:
    """Return the headers that allow a request of a page (Fetch Standard, 3.3.2 and 3.3.3)."""
    asked = headers.get("access-control-request-headers")
    return {
        "access-control-allow-methods": allowed,
        **({} if asked is None else {"access-control-allow-headers": asked}),
    }


def _problem(status: int, detail: str) -> _Reply:
    """Return a response of the mock itself, which the document does not declare (RFC 9457)."""
    problem = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    body = json.dumps(problem).encode()
    return _Reply(status, {"content-type": "application/problem+json"}, body)
