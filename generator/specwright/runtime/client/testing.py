"""Transports that answer from memory, for tests of code that uses a client."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel

from ..shared.operation import Operation
from ..shared.templates import PathTemplate
from .transport import Request, Response


@dataclass(frozen=True, slots=True)
class Book:
    """What a fake service knows: its operations, and an example of each model as JSON."""

    operations: Sequence[Operation[Any]]
    models: ModuleType
    examples: Mapping[str, str]

    def example(self, model: type[BaseModel], changes: Mapping[str, object]) -> Any:
        """Return the document's example of a model, some properties replaced."""
        made = model.model_validate_json(self.examples[model.__name__])
        return made.model_copy(update=changes)

    def find(self, request: Request) -> Operation[Any] | None:
        """Return the operation that a request is for; the longest path that fits wins."""
        segments = urlsplit(request.url).path.split("/")
        fitting = [
            operation
            for operation in self.operations
            if operation.method == request.method and _fits(operation, segments)
        ]
        return max(fitting, key=lambda each: len(each.path.split("{")[0]), default=None)

    def success(self, operation: Operation[Any]) -> Response:
        """Return an operation's first success with the document's example."""
        status, model = next(each for each in operation.responses.items() if each[0][0] == "2")
        body = self.examples.get(model or "", "")
        return response(body.encode(), int(status.replace("XX", "00")))


class Recorder:
    """Remembers what was sent and decides what is answered.

    Attributes:
        requests: all requests in the order in which they were sent.
    """

    def __init__(self, book: Book, answer: Callable[[Request], Response] | None = None) -> None:
        self.requests: list[Request] = []
        self._book = book
        self._answer = answer
        self._replies: dict[str, list[Response | Exception]] = {}

    def reply(self, operation_id: str, *replies: Response | Exception) -> None:
        """Answer an operation with these, one after the other; the last one stays."""
        known = {operation.id for operation in self._book.operations}
        if operation_id not in known or not replies:
            raise ValueError(f"no operation {operation_id!r}, or no reply to it")
        self._replies[operation_id] = list(replies)

    def answer(self, request: Request) -> Response:
        """Record a request and answer it."""
        self.requests.append(request)
        if self._answer is not None:
            return self._answer(request)
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
    """A transport of a client."""

    def send(self, request: Request) -> Response:
        """Answer a request."""
        return self.answer(request)

    def close(self) -> None:
        """Do nothing."""


class AsyncFakeTransport(Recorder):
    """A transport of an asynchronous client."""

    async def send(self, request: Request) -> Response:
        """Answer a request."""
        return self.answer(request)

    async def close(self) -> None:
        """Do nothing."""


def response(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Make an answer of a model, of any JSON value, or of bytes."""
    match body:
        case bytes():
            content = body
        case BaseModel():
            content = body.model_dump_json(by_alias=True, exclude_unset=True).encode()
        case _:
            content = json.dumps(body).encode()
    sent = {"content-type": "application/json", **(headers or {})}
    return Response(status, list(sent.items()), content)


def _fits(operation: Operation[Any], segments: Sequence[str]) -> bool:
    # What comes before is the path of the base URL.
    template = PathTemplate(operation.path)
    return template.values(["", *segments[1 - template.length :]]) is not None
