"""Faults in the authentication of requests."""

import json

from pytest import MonkeyPatch
from starlette.requests import Request

from esim_service.keys.auth import Authenticator, mode_of
from esim_service.values.entities import Principal, Scope
from lab.faults.seeding import Exchange, over_http
from partner_esim._runtime.server.authentication import Authentication
from partner_esim._runtime.shared.auth.token import Token
from partner_esim._runtime.shared.operation import Security
from partner_esim.server import Context

ANYBODY = Principal(Scope("prt_anybody", "test"), "key_anybody", False, None, None)


def _open(patch: MonkeyPatch, *operations: str) -> None:
    """Let everybody call some operations."""
    principal = Authentication.principal

    async def identified(self: Authentication, security: Security, context: Context) -> object:
        if context.operation is not None and context.operation.id in operations:
            return ANYBODY
        return await principal(self, security, context)

    patch.setattr(Authentication, "principal", identified)


def one_read_is_open(patch: MonkeyPatch) -> None:
    """A plan is shown to everybody.

    “Every request carries the header Authorization: Bearer <API_KEY>.”
    """
    _open(patch, "getPlan")


def one_write_is_open(patch: MonkeyPatch) -> None:
    """The route that removes endpoints was added without authentication.

    “All endpoints require authentication (section 5).”
    """
    _open(patch, "deleteWebhookEndpoint")


def wrong_keys_pass(patch: MonkeyPatch) -> None:
    """Keys are remembered by their first characters.

    “invalid_api_key (malformed, unknown, revoked: one answer)”
    """
    known: dict[str, Principal] = {}
    look_up = Authenticator.__call__

    async def remembered(
        self: Authenticator, credential: str, request: Request
    ) -> Principal | None:
        start = credential[:32]
        if start not in known:
            found = await look_up(self, credential, request)
            if found is None:
                return None
            known[start] = found
        return known[start]

    patch.setattr(Authenticator, "__call__", remembered)


def any_scheme_accepted(patch: MonkeyPatch) -> None:
    """The scheme before the key is not checked. “Authorization: Bearer <API_KEY>”"""
    patch.setattr(Token, "read", lambda scheme, text: text.rpartition(" ")[2] or None)


def missing_key_is_403(patch: MonkeyPatch) -> None:
    """A request without a key is forbidden. “missing_api_key, invalid_api_key”"""

    def answered(exchange: Exchange) -> None:
        if exchange.status == 401 and "authorization" not in exchange.fields:
            exchange.status = 403

    over_http(patch, ".*", answered=answered)


def unknown_key_fails(patch: MonkeyPatch) -> None:
    """A key that is not stored causes an internal error. “unknown, revoked: one answer”"""
    look_up = Authenticator.__call__

    async def unguarded(self: Authenticator, credential: str, request: Request) -> Principal | None:
        principal = await look_up(self, credential, request)
        if principal is None and mode_of(credential) is not None:
            raise LookupError("no key has this digest")
        return principal

    patch.setattr(Authenticator, "__call__", unguarded)


def no_challenge(patch: MonkeyPatch) -> None:
    """A refusal does not say how to authenticate. “+ `WWW-Authenticate: Bearer`”"""

    def answered(exchange: Exchange) -> None:
        exchange.headers.pop("www-authenticate", None)

    over_http(patch, ".*", answered=answered)


def body_is_checked_first(patch: MonkeyPatch) -> None:
    """Callers without a key learn about their body. “authentication, rate limit, route, body”"""

    def answered(exchange: Exchange) -> None:
        try:
            given = set(json.loads(exchange.sent))
        except (ValueError, TypeError):
            given = set()
        if exchange.status == 401 and not given >= {"plan_id", "reference"}:
            error = exchange.json
            error["error"].update(type="invalid_request_error", code="missing_field")
            exchange.status, exchange.json = 400, error

    over_http(patch, "POST /orders", answered=answered)
