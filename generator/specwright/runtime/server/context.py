"""The request behind a call of a handler."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.types import Message, Receive, Scope

from ..shared.operation import Operation


class Context:
    """The request behind a call of a handler.

    Attributes:
        scope, receive: the request as ASGI has it.
        body: the bytes of the body; None until they are read, and where none is declared.
        operation: the plan of the operation; None while the request fits none.
        principal: what `authenticate` returned; None for an operation without security.
        request_id: also in the answer, where the contract declares a header for it.
        fields: the request's headers by lower-case name; one that came twice has both values.
        headers: sent with the answer, whether that is a success or an error.
        rate_headers: what the rate limiter has to say, with every answer after its count.
    """

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.scope = scope
        self.receive = receive
        self.fields = _fields(scope["headers"])
        self.request_id = ""
        self.body: bytes | None = None
        self.operation: Operation[Any] | None = None
        # The application's own type; anything stricter than Any would make every handler cast.
        self.principal: Any = None
        self.headers: dict[str, str] = {}
        self.rate_headers: dict[str, str] = {}

    @property
    def request(self) -> Request:
        """The request as Starlette has it; its body may be read once more."""
        return Request(self.scope, self.receive if self.body is None else self._read_again)

    async def _read_again(self) -> Message:
        return {"type": "http.request", "body": self.body}


def _fields(headers: Iterable[tuple[bytes, bytes]]) -> Mapping[bytes, bytes]:
    fields: dict[bytes, bytes] = {}
    for name, value in headers:
        # A field that may be there once only gets a value that nothing takes (RFC 9110, 5.3).
        fields[name] = fields[name] + b", " + value if name in fields else value
    return fields
