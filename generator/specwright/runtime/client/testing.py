"""Fake transports with responses from memory, for tests of code that uses a client."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from pydantic import BaseModel

from ..shared.codec import Codecs
from ..shared.operation import Operation
from ..shared.templates import PathTemplate
from .transport.base import Request, Response

Reply = TypeVar("Reply", bound=Response | Exception)
# One for each path of the document.
_template = cache(PathTemplate)


@dataclass(frozen=True, slots=True)
class Book:
    """The data of a fake service: its operations, and examples as JSON.

    Attributes:
        examples: by model name.
        events: by event type, each with the name of its model.
    """

    operations: Sequence[Operation[Any]]
    codecs: Codecs
    examples: Mapping[str, str]
    events: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])

    def example(self, model: type[BaseModel], changes: Mapping[str, object]) -> Any:
        """Return the document's example of a model, with some fields changed."""
        return self._changed(model, self.examples[model.__name__], changes)

    def event(self, type_: str, changes: Mapping[str, object]) -> Any:
        """Return the document's example of an event, with some fields changed."""
        model, value = self.events[type_]
        return self._changed(self.codecs.model(model), value, changes)

    def _changed(self, model: type[BaseModel], value: str, changes: Mapping[str, object]) -> Any:
        unknown = changes.keys() - model.model_fields.keys()
        if unknown:
            raise TypeError(f"{model.__name__} has no field {min(unknown)!r}")
        codec = self.codecs[model.__name__]
        changed: BaseModel = codec.read(value.encode()).model_copy(update=changes)
        absent = {name for name in changes if changes[name] is None and codec.leaves_out(name)}
        written = changed.model_dump_json(
            by_alias=True, exclude_unset=True, exclude=absent, warnings=False
        )
        return codec.read(written.encode())

    def find(self, request: Request) -> Operation[Any] | None:
        """Return the operation of a request; the match with the longest literal prefix wins."""
        segments = urlsplit(request.url).path.split("/")
        fitting = [
            operation
            for operation in self.operations
            if operation.method == request.method and _fits(operation, segments)
        ]
        return max(fitting, key=lambda each: len(each.path.split("{")[0]), default=None)

    def success(self, operation: Operation[Any]) -> Response:
        """Return the first successful response of an operation, with the document's example."""
        status = next(iter(operation.successes), "200")
        contents = operation.responses.get(status, ())
        body = next((self.examples.get(content.model or "", "") for content in contents), "")
        # `default` means any status.
        return response(body.encode(), int(status.replace("XX", "00").replace("default", "200")))


class Recorder:
    """Records requests and chooses the responses.

    Attributes:
        requests: all requests in the order sent.
    """

    def __init__(self, book: Book, respond: Callable[[Request], Response] | None = None) -> None:
        self.requests: list[Request] = []
        self._book = book
        self._respond = respond
        self._replies: dict[str, list[Response | Exception]] = {}

    def reply(self, operation_id: str, *replies: Response | Exception) -> None:
        """Set the replies to an operation, used one after the other; the last one is repeated."""
        known = {operation.id for operation in self._book.operations}
        if operation_id not in known or not replies:
            raise ValueError(f"unknown operation {operation_id!r}, or no replies")
        self._replies[operation_id] = [_checked(reply) for reply in replies]

    def respond(self, request: Request) -> Response:
        """Record a request and return the response."""
        self.requests.append(request)
        if self._respond is not None:
            return _checked(self._respond(request))
        operation = self._book.find(request)
        if operation is None:
            return response({}, 404)
        replies = self._replies.get(operation.id)
        if not replies:
            return self._book.success(operation)
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply


class FakeTransport(Recorder):
    """A fake transport for a client."""

    def send(self, request: Request) -> Response:
        """Return the response to a request."""
        return self.respond(request)

    def close(self) -> None:
        """Do nothing."""


class AsyncFakeTransport(Recorder):
    """A fake transport for an asynchronous client."""

    async def send(self, request: Request) -> Response:
        """Return the response to a request."""
        return self.respond(request)

    async def close(self) -> None:
        """Do nothing."""


def response(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with a model, any JSON value, or bytes as its body."""
    match body:
        case bytes():
            content = body
        case BaseModel():
            content = body.model_dump_json(by_alias=True, exclude_unset=True).encode()
        case _:
            content = json.dumps(body).encode()
    sent = {"content-type": "application/json", **(headers or {})}
    return Response(status, list(sent.items()), content)


def _checked(reply: Reply) -> Reply:
    if not isinstance(cast("object", reply), Response | Exception):
        kind = type(reply).__name__
        raise TypeError(f"a reply must be a Response, as created by `response()`, not a {kind}")
    return reply


def _fits(operation: Operation[Any], segments: Sequence[str]) -> bool:
    # The segments before are the path of the base URL.
    template = _template(operation.path)
    return template.values(["", *segments[1 - template.length :]]) is not None
