"""The checks of every request: its credentials, its role, and its body."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.enums import RequestEncodingType
from litestar.exceptions import (
    NotAuthorizedException,
    PermissionDeniedException,
    ValidationException,
)
from litestar.handlers import BaseRouteHandler
from litestar.middleware import AbstractAuthenticationMiddleware, AuthenticationResult

from lab.archive.bug import has
from lab.archive.errors import MediaTypeException

EDITOR, READER = "editor", "reader"


class Caller(msgspec.Struct, frozen=True):
    """The owner of a token."""

    org: str
    role: str


CALLERS = {
    "test-north-editor": Caller("north", EDITOR),
    "test-south-editor": Caller("south", EDITOR),
    "test-north-reader": Caller("north", READER),
}


class Authentication(AbstractAuthenticationMiddleware):
    """Bearer tokens."""

    async def authenticate_request(
        self, connection: ASGIConnection[Any, Any, Any, Any]
    ) -> AuthenticationResult:
        scheme, _, token = connection.headers.get("Authorization", "").partition(" ")
        if has("prefix-token"):
            token = next((known for known in CALLERS if token.startswith(known)), token)
        caller = CALLERS.get(token) if scheme.lower() == "bearer" else None
        if caller is None:
            challenge = {} if has("no-challenge") else {"WWW-Authenticate": "Bearer"}
            raise NotAuthorizedException("The token is missing or unknown", headers=challenge)
        return AuthenticationResult(user=caller, auth=token)


def editors(connection: ASGIConnection[Any, Caller, Any, Any], handler: BaseRouteHandler) -> None:
    """Let only editors pass."""
    if connection.user.role != EDITOR:
        raise PermissionDeniedException("Only editors may do this")


async def check_body(request: Request[Any, Any, Any]) -> None:
    """Refuse a body of another media type, and JSON that fits only after conversions."""
    expected = request.route_handler.parsed_data_field
    if expected is None:
        return
    media_type = expected.kwarg_definition.media_type
    if request.content_type[0] != media_type:
        raise MediaTypeException(f"The body must be {media_type.value}")
    if media_type == RequestEncodingType.JSON:
        try:
            # As a text: what is not UTF-8 is no JSON either, whatever member has it.
            text = (await request.body()).decode()
            is_strict = not has("lax-numbers")
            msgspec.json.decode(text, type=expected.annotation, strict=is_strict)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValidationException(str(error)) from error
