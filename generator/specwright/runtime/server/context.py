"""The context of a request, as passed to handlers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, cast

from starlette.background import BackgroundTask, BackgroundTasks
from starlette.requests import Request
from starlette.types import Message, Receive, Scope
from typing_extensions import TypeVar

from ..shared.operation import Operation

# Handlers that name no type get any.
PrincipalT = TypeVar("PrincipalT", default=Any)


class Context(Generic[PrincipalT]):
    """The request that a handler serves, with the type of its principal: `Context[User]`.

    Attributes:
        scope, receive: the ASGI request.
        body: the bytes of the body; None until they are read, and if no body is declared.
        operation: the operation as data; None until one matches the request.
        principal: the result of `authenticate`; None for an operation without security.
        request_id: also sent with the response, if the contract declares a header for it.
        fields: the request headers by lower-case name; repeated ones are joined by commas.
        headers: sent with the response, on success and on error.
        rate_headers: the headers of the rate limiter, sent with every counted response.
    """

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.scope = scope
        self.receive = receive
        self.fields = _fields(scope["headers"])
        self.request_id = ""
        self.body: bytes | None = None
        self.operation: Operation[Any] | None = None
        self.principal = cast("PrincipalT", None)
        self.headers: dict[str, str] = {}
        self.rate_headers: dict[str, str] = {}
        self._background: BackgroundTasks | None = None

    @property
    def background(self) -> BackgroundTasks:
        """Functions that run after the response, unless it is an error: `add_task` adds one."""
        if self._background is None:
            self._background = BackgroundTasks()
        return self._background

    @property
    def tasks(self) -> Sequence[BackgroundTask]:
        """The functions that were added."""
        return self._background.tasks if self._background else ()

    @property
    def request(self) -> Request:
        """The request as a Starlette request; its body can be read again."""
        return Request(self.scope, self.receive if self.body is None else self._read_again)

    async def _read_again(self) -> Message:
        return {"type": "http.request", "body": self.body}


def _fields(headers: Iterable[tuple[bytes, bytes]]) -> Mapping[bytes, bytes]:
    fields: dict[bytes, bytes] = {}
    for name, value in headers:
        # For a field that must not be repeated, the joined value is invalid (RFC 9110, 5.3).
        fields[name] = fields[name] + b", " + value if name in fields else value
    return fields
