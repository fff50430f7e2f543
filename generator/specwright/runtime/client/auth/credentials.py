"""The credentials of a client: fetched for each attempt, and never shown.

Error reports show the local variables of each frame, so a frame that an exception passes through
must not hold a credential: an invalid one is deleted first, and checked in a separate function.
"""

from __future__ import annotations

import os
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from ...shared.auth.scheme import Scheme
from ...shared.operation import Operation
from ..errors import InvalidArgumentError
from ..service import Service
from ..transport.base import Request, Response
from .digest import DigestSessions
from .signing import carries, signed
from .tokens import Tokens

if TYPE_CHECKING:
    import httpx2


class Credentials:
    """The credentials given to a client.

    Args:
        given: credentials, or sources of current ones, by the names of the client's arguments.
    """

    __slots__ = ("_brought", "_given", "_service", "_sessions")

    def __init__(self, **credentials: Any) -> None:
        self._given = credentials
        self._sessions = DigestSessions()

    def prepare(self, service: Service, base_url: str, brought: Set[str] | None) -> None:
        """Read missing credentials from the environment.

        Args:
            base_url: the base of a relative token URL.
            brought: lower-case names of the headers that the caller's HTTP client adds; None
                without a client or transport of the caller.

        Raises:
            InvalidArgumentError: a credential cannot be sent in a request.
        """
        self._service, self._brought = service, brought
        for scheme in service.schemes.values():
            name = scheme.argument
            if self._given.get(name) in (None, ""):
                self._given[name] = self._of_environment(scheme)
            token_url = scheme.token_url_for(self._given[name])
            if token_url is not None:
                device_url = scheme.device_url_for(self._given[name])
                url = urljoin(f"{base_url}/", token_url)
                device_url = device_url and urljoin(f"{base_url}/", device_url)
                self._given[name] = Tokens(self._given[name], url, device_url, service.user_agent)
            elif self._given[name] is not None and not callable(self._given[name]):
                _text(scheme, self._given[name])

    def chosen(self, operation: Operation[Any], request: Request) -> Sequence[Scheme]:
        """Return the schemes to apply to a request, from the first complete alternative.

        Those that answer a challenge are the last, since they depend on the whole request.

        Raises:
            InvalidArgumentError: a credential is missing from every alternative.
        """
        schemes = self._service.schemes
        missing: list[list[Scheme]] = []
        for alternative in operation.security:
            asked = [schemes[name] for name in alternative]
            asked = [scheme for scheme in asked if not carries(request, scheme)]
            present = [scheme for scheme in asked if self._given.get(scheme.argument) is not None]
            absent = [
                scheme for scheme in asked if scheme not in present and not self._brings(scheme)
            ]
            if alternative and not absent:
                return sorted(present, key=lambda scheme: scheme.is_challenged)
            missing.append(absent)
        if missing and all(missing):
            ways = dict.fromkeys(" and ".join(map(self._way, absent)) for absent in missing)
            raise InvalidArgumentError(f"{operation.id}: missing credentials; {'; or '.join(ways)}")
        return ()

    def source(self, scheme: Scheme) -> Any:
        """Return the credential for a scheme, or its source."""
        return self._given[scheme.argument]

    def added(self, request: Request, scheme: Scheme, credential: object) -> Request:
        """Return a request with a credential added.

        Raises:
            InvalidArgumentError: the credential cannot be sent in a request.
        """
        try:
            text = _text(scheme, credential)
            if scheme.is_challenged:
                text = self._sessions.text(credential, request)
            return signed(request, scheme, text) if text else request
        finally:
            del credential

    def renewed(self, schemes: Sequence[Scheme], request: Request, response: Response) -> bool:
        """Take in a refusal; return whether the same request may now have other credentials.

        Tokens that were obtained are discarded, and the challenge is kept.
        """
        sources = [self._given.get(scheme.argument) for scheme in schemes]
        forgotten = sum(source.forget() for source in sources if isinstance(source, Tokens))
        sessions = any(scheme.is_challenged for scheme in schemes) and self._sessions
        return bool(sessions and sessions.take(request.url, response.headers)) or forgotten > 0

    def _of_environment(self, scheme: Scheme) -> object:
        text = os.environ.get(self._service.variable(scheme.argument))
        return scheme.parse(text) if text else None

    def _brings(self, scheme: Scheme) -> bool:
        """Return whether the caller's HTTP client adds the credential of a scheme."""
        brought = self._brought
        return brought is not None and (not scheme.name or scheme.name.lower() in brought)

    def _way(self, scheme: Scheme) -> str:
        if not scheme.name:
            return f"pass an http_client that handles {scheme.argument}"
        return f"pass {scheme.argument} or set {self._service.variable(scheme.argument)}"


def brought(
    http_client: httpx2.Client | httpx2.AsyncClient | None, transport: object
) -> frozenset[str] | None:
    """Return the header names that the caller's HTTP client adds; None without any transport."""
    if http_client is None:
        return None if transport is None else frozenset()
    signed = {"authorization"} if http_client.auth is not None else set[str]()
    return frozenset(http_client.headers) | signed


def _text(scheme: Scheme, credential: object) -> str:
    text = scheme.write(credential)
    del credential
    if text is None:
        raise InvalidArgumentError(
            f"{scheme.argument} is empty or not a {scheme.value}, begins or ends with a space, or "
            f"has characters that are not valid in a {scheme.location}"
        )
    return text
