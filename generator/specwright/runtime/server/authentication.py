"""Authentication of requests by the security schemes of the document."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from starlette.requests import Request

from ..shared.auth.digest import DigestCredentials
from ..shared.auth.scheme import Scheme
from ..shared.operation import Security
from .context import Context
from .digest import DigestGuard
from .problems import Problem

# Receives the credential of the document's only scheme, or those of several by argument.
Authenticate = Callable[[Any, Request], Awaitable[object]]

_PLACES = {"header": "header", "query": "query parameter", "cookie": "cookie"}


class Authentication:
    """Asks the application for the principal of a request."""

    def __init__(
        self, schemes: Mapping[str, Scheme], authenticate: Authenticate, digest: DigestGuard
    ) -> None:
        self._schemes = schemes
        self._authenticate = authenticate
        self._digest = digest

    async def principal(self, security: Security, context: Context) -> object:
        """Return the principal of the first complete and valid alternative.

        Raises:
            Problem: credentials are required but missing, or not valid.
        """
        request = context.request
        schemes = {name: self._schemes[name] for alternative in security for name in alternative}
        texts = {name: _texts(scheme, request) for name, scheme in schemes.items()}
        by_scheme = {
            name: self._credential(scheme, texts[name], request) for name, scheme in schemes.items()
        }
        for alternative in filter(None, security):
            credentials = {schemes[name].argument: by_scheme[name] for name in alternative}
            if None not in credentials.values():
                only = next(iter(credentials.values()))
                argument = only if len(self._schemes) == 1 else credentials
                principal = await self._authenticate(argument, request)
                if principal is not None:
                    return principal
        challenges = [
            self._digest.challenge(texts[name]) if scheme.is_challenged else scheme.challenge
            for name, scheme in schemes.items()
        ]
        if any(texts.values()):
            raise _refused("invalid_credentials", "The credentials are not valid.", challenges)
        if all(security):
            raise _refused("missing_credentials", _missing(tuple(schemes.values())), challenges)
        return None

    def _credential(self, scheme: Scheme, texts: Sequence[str], request: Request) -> object | None:
        if not scheme.name:
            return scheme.read("")
        # A repeated credential is rejected: implementations differ in which one they use.
        credential = scheme.read(texts[0]) if len(texts) == 1 else None
        if isinstance(credential, DigestCredentials):
            return self._digest.checked(credential, request)
        return credential


def _texts(scheme: Scheme, request: Request) -> Sequence[str]:
    if not scheme.name:
        return ()
    match scheme.location:
        case "header":
            return request.headers.getlist(scheme.name)
        case "query":
            return request.query_params.getlist(scheme.name)
        case _:
            text = request.cookies.get(scheme.name)
            return () if text is None else (text,)


def _missing(asked: Sequence[Scheme]) -> str:
    places = dict.fromkeys(
        f"{_PLACES[scheme.location]} {scheme.name}" if scheme.name else "connection"
        for scheme in asked
    )
    if len(places) == 1:
        return f"The {next(iter(places))} is missing."
    return f"Credentials are missing: {', '.join(places)}."


def _refused(condition: str, message: str, challenges: Sequence[str]) -> Problem:
    text = ", ".join(dict.fromkeys(filter(None, challenges)))
    headers = {"WWW-Authenticate": text} if text else {}
    return Problem(condition, message, headers=headers)
