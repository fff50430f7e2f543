"""Static pages next to the API, and redirects to them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Receive, Send
from starlette.types import Scope as ASGIScope

from partner_esim.server import REQUEST_ID_HEADER

from .protocol import error

_ALLOW = "GET, HEAD, OPTIONS"


class StaticPage:
    """Serves a page, with 304 for clients that have it already.

    It is rendered at the first request.
    """

    def __init__(
        self,
        make: Callable[[], bytes],
        media_type: str,
        new_request_id: Callable[[], str],
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._make = make
        self._media_type = media_type
        self._new_request_id = new_request_id
        self._headers = headers or {}

    async def __call__(self, asgi_scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Respond to a request."""
        await self._respond(Request(asgi_scope))(asgi_scope, receive, send)

    @cached_property
    def _body(self) -> bytes:
        return self._make()

    @cached_property
    def _etag(self) -> str:
        return f'"{hashlib.sha256(self._body).hexdigest()[:32]}"'

    def _respond(self, request: Request) -> Response:
        request_id = self._new_request_id()
        if request.method not in ("GET", "HEAD"):
            return _other_method(request, request_id)
        headers = {
            REQUEST_ID_HEADER: request_id,
            "ETag": self._etag,
            "Cache-Control": "no-cache",
            **self._headers,
        }
        if self._is_known(request.headers.get("if-none-match", "")):
            return Response(status_code=304, headers=headers)
        return Response(self._body, media_type=self._media_type, headers=headers)

    def _is_known(self, tags: str) -> bool:
        # A weak comparison (RFC 9110, 13.1.2): compressing proxies make tags weak.
        known = {tag.strip().removeprefix("W/") for tag in tags.split(",")}
        return "*" in known or self._etag in known


class PageRedirect:
    """Redirects to a page by a relative URL, which also works behind a proxy with a path prefix."""

    def __init__(self, relative: str, new_request_id: Callable[[], str]) -> None:
        self._relative = relative
        self._new_request_id = new_request_id

    async def __call__(self, asgi_scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Respond to a request."""
        await self._respond(Request(asgi_scope))(asgi_scope, receive, send)

    def _respond(self, request: Request) -> Response:
        request_id = self._new_request_id()
        if request.method not in ("GET", "HEAD"):
            return _other_method(request, request_id)
        return RedirectResponse(self._relative, headers={REQUEST_ID_HEADER: request_id})


def _other_method(request: Request, request_id: str) -> Response:
    headers = {REQUEST_ID_HEADER: request_id, "Allow": _ALLOW}
    if request.method == "OPTIONS":
        return Response(status_code=204, headers=headers)
    message = f"This path does not support {request.method}."
    body = error("method_not_allowed", message, request_id)
    return Response(body, 405, media_type="application/json", headers=headers)
