"""The credentials of a client: asked for at each attempt, and shown nowhere.

Reports of errors show the local variables of each frame, so none that an exception leaves through
holds a credential: what is refused is deleted first, and checked away from where it came in.
"""

from __future__ import annotations

import os
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from ..shared.auth.scheme import Scheme
from ..shared.operation import Operation
from .errors import InvalidArgumentError
from .service import Service
from .signing import carries, signed
from .tokens import Tokens
from .transport import Request

if TYPE_CHECKING:
    import httpx2


class Credentials:
    """What a client was given to say who calls.

    Args:
        given: credentials, or what gives the present ones, by the names of the client's arguments.
    """

    __slots__ = ("_brought", "_given", "_service")

    def __init__(self, **given: Any) -> None:
        self._given = given

    def prepare(self, service: Service, base_url: str, brought: Set[str] | None) -> None:
        """Take credentials of the environment where there are no others.

        Args:
            base_url: what a relative URL for tokens is relative to.
            brought: names of headers, in lower case, that the caller's HTTP client adds; None
                where the client has none of the caller's.

        Raises:
            InvalidArgumentError: no request can carry a credential.
        """
        self._service, self._brought = service, brought
        for scheme in service.schemes.values():
            name = scheme.argument
            if self._given.get(name) in (None, ""):
                self._given[name] = self._of_environment(scheme)
            token_url = scheme.token_url_for(self._given[name])
            if token_url is not None:
                url = urljoin(f"{base_url}/", token_url)
                self._given[name] = Tokens(self._given[name], url, service.user_agent)
            elif self._given[name] is not None and not callable(self._given[name]):
                _text(scheme, self._given[name])

    def chosen(self, operation: Operation[Any], request: Request) -> Sequence[Scheme]:
        """Return what to add to a request: schemes of the first alternative that is complete.

        Raises:
            InvalidArgumentError: a credential is missing from every alternative.
        """
        schemes = self._service.schemes
        missing: list[list[Scheme]] = []
        for alternative in operation.security:
            asked = [schemes[name] for name in alternative]
            asked = [each for each in asked if not carries(request, each)]
            given = [each for each in asked if self._given.get(each.argument) is not None]
            absent = [each for each in asked if each not in given and not self._brings(each)]
            if alternative and not absent:
                return given
            missing.append(absent)
        if missing and all(missing):
            ways = dict.fromkeys(" and ".join(map(self._way, absent)) for absent in missing)
            raise InvalidArgumentError(f"{operation.id}: no credentials; {'; or '.join(ways)}")
        return ()

    def source(self, scheme: Scheme) -> Any:
        """Return the credential for a scheme, or what gives it."""
        return self._given[scheme.argument]

    def outdated(self, schemes: Sequence[Scheme]) -> bool:
        """Forget the tokens that were obtained for schemes; tell whether there were any."""
        sources = [self._given.get(each.argument) for each in schemes]
        return sum(each.forget() for each in sources if isinstance(each, Tokens)) > 0

    def _of_environment(self, scheme: Scheme) -> object:
        text = os.environ.get(self._service.variable(scheme.argument))
        return scheme.parse(text) if text else None

    def _brings(self, scheme: Scheme) -> bool:
        """Whether the caller's HTTP client adds what a scheme asks for."""
        brought = self._brought
        return brought is not None and (not scheme.name or scheme.name.lower() in brought)

    def _way(self, scheme: Scheme) -> str:
        if not scheme.name:
            return f"pass an http_client that deals with {scheme.argument}"
        return f"pass {scheme.argument} or set {self._service.variable(scheme.argument)}"


def brought(
    http_client: httpx2.Client | httpx2.AsyncClient | None, transport: object
) -> frozenset[str] | None:
    """Return the names of the headers that the caller's own way adds; None if there is none."""
    if http_client is None:
        return None if transport is None else frozenset()
    signed = {"authorization"} if http_client.auth is not None else set[str]()
    return frozenset(http_client.headers) | signed


def with_credential(request: Request, scheme: Scheme, credential: object) -> Request:
    """Return a request that carries a credential.

    Raises:
        InvalidArgumentError: no request can carry it.
    """
    try:
        return signed(request, scheme, _text(scheme, credential))
    finally:
        del credential


def _text(scheme: Scheme, credential: object) -> str:
    text = scheme.write(credential)
    del credential
    if text is None:
        raise InvalidArgumentError(
            f"{scheme.argument} is empty or not a {scheme.value}, begins or ends with a space, or "
            f"has characters no {scheme.location} can carry"
        )
    return text
