"""The API's own document, as `GET {base_url}/openapi.json` serves it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from importlib import resources
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from partner_esim.models import Error, ErrorObject

_NAME = "openapi.json"
_ALLOW = "GET, HEAD, OPTIONS"


def load() -> dict[str, Any]:
    """Return the document as it is in the repository."""
    text = (resources.files(__package__) / "data" / _NAME).read_text("utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


def render(base_url: str) -> bytes:
    """Return the document with the address of this service as its server."""
    document = load()
    for server in document["servers"]:
        server["variables"]["base_url"]["default"] = base_url
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


class DocumentEndpoint:
    """Answers requests for the document; clients that have it already are told so."""

    def __init__(self, base_url: str, new_request_id: Callable[[], str]) -> None:
        self._body = render(base_url)
        self._etag = f'"{hashlib.sha256(self._body).hexdigest()[:32]}"'
        self._new_request_id = new_request_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        await self._answer(Request(scope))(scope, receive, send)

    def _answer(self, request: Request) -> Response:
        request_id = self._new_request_id()
        headers = {"Request-Id": request_id}
        if request.method == "OPTIONS":
            return Response(status_code=204, headers={**headers, "Allow": _ALLOW})
        if request.method not in ("GET", "HEAD"):
            body = _not_allowed(request.method, request_id).model_dump_json(by_alias=True)
            headers["Allow"] = _ALLOW
            return Response(body, 405, media_type="application/json", headers=headers)
        headers |= {"ETag": self._etag, "Cache-Control": "no-cache"}
        if self._is_known(request.headers.get("if-none-match", "")):
            return Response(status_code=304, headers=headers)
        return Response(self._body, media_type="application/json", headers=headers)

    def _is_known(self, tags: str) -> bool:
        # A weak comparison (RFC 9110, 13.1.2): proxies that compress make tags weak.
        known = {each.strip().removeprefix("W/") for each in tags.split(",")}
        return "*" in known or self._etag in known


def _not_allowed(method: str, request_id: str) -> Error:
    return Error(
        error=ErrorObject(
            type="invalid_request_error",
            code="method_not_allowed",
            message=f"This path does not support {method}.",
            request_id=request_id,
        )
    )
