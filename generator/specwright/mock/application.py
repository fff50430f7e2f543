"""The mock as an ASGI application."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any
from urllib.parse import unquote

from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.sites import Direction, OperationSite, essence
from specwright.mock.responses import Bodies, MockResponse
from specwright.pointer import Pointer
from specwright.runtime.shared.templates import PathTemplate

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_CODE = re.compile(r"\bcode=\"?(\d{3})")
_QUALITY = re.compile(r";\s*q=([0-9.]+)")
_NOT_FOUND = MockResponse("", 404)
_WITHOUT_RESPONSE = MockResponse("", 200)


class Mock:
    """A server that responds to each operation as the document declares.

    It sends the first success. A client requests another status with the header
    `Prefer: code=404` (RFC 7240), and a media type with `Accept`.

    Args:
        document: an OpenAPI 3.1 document; its operations are served at its paths.
        seed: selects one of the values of a body.
    """

    def __init__(self, document: Document, seed: int = 0) -> None:
        self.seed = seed
        self._bodies = Bodies(document)
        self._responses: dict[str, tuple[MockResponse, ...]] = {}
        self._operations = {
            operation.pointer: (PathTemplate(unquote(operation.key)), operation)
            for operation in sites.operations(document)
            if operation.direction is Direction.PATH
        }

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Respond to a request."""
        while (await receive()).get("more_body"):
            pass
        headers = {
            name.decode("latin-1"): text.decode("latin-1") for name, text in scope["headers"]
        }
        operation = self.operation(scope["method"], scope["raw_path"].decode("ascii"))
        response = _NOT_FOUND if operation is None else self._chosen(operation, headers)
        media_type, body = response.content(self.seed)
        fields = [] if media_type is None else [(b"content-type", media_type.encode("latin-1"))]
        if 300 <= response.status < 400:
            fields.append((b"location", b"/"))
        fields.append((b"content-length", str(len(body)).encode()))
        if response.status in (204, 304) or scope["method"] == "HEAD":
            fields = [field for field in fields if field[0] != b"content-length"]
        await send({"type": "http.response.start", "status": response.status, "headers": fields})
        await send({"type": "http.response.body", "body": body})

    def operation(self, method: str, path: str) -> OperationSite | None:
        """Return the operation of a request; the path with the fewest variables wins."""
        segments = [unquote(segment) for segment in path.split("/")]
        fitting = (
            (template, operation)
            for template, operation in self._operations.values()
            if operation.method == method and template.values(segments) is not None
        )
        _, operation = min(fitting, key=lambda pair: len(pair[0].names), default=(None, None))
        return operation

    def responses(self, pointer: Pointer) -> tuple[MockResponse, ...]:
        """Return the responses that the operation at a pointer declares."""
        if pointer not in self._responses:
            self._responses[pointer] = self._bodies.responses(self._operations[pointer][1])
        return self._responses[pointer]

    def _chosen(self, operation: OperationSite, headers: dict[str, str]) -> MockResponse:
        responses = self.responses(operation.pointer) or (_WITHOUT_RESPONSE,)
        wanted = _CODE.search(headers.get("prefer", ""))
        if wanted is not None:
            responses = (
                tuple(item for item in responses if item.status == int(wanted[1])) or responses
            )
        else:
            first = next((item for item in responses if 200 <= item.status < 300), responses[0])
            responses = tuple(item for item in responses if item.status == first.status)
        return _accepted(responses, headers.get("accept", "*/*"))


def _accepted(responses: Sequence[MockResponse], accept: str) -> MockResponse:
    """Return the first response with the most preferred media type (RFC 9110, 12.5.1)."""
    weights: dict[str, float] = {}
    for range_ in accept.split(","):
        quality = _QUALITY.search(range_)
        name = range_[: quality.start()] if quality else range_
        weights[name.replace(" ", "").lower()] = float(quality[1]) if quality else 1.0

    def weight(response: MockResponse) -> float:
        media_type = (response.media_type or "").replace(" ", "").lower()
        top = media_type.partition("/")[0]
        names = (media_type, essence(media_type), f"{top}/*", "*/*")
        return next((weights[name] for name in names if name in weights), 0.0)

    return max(responses, key=weight)
