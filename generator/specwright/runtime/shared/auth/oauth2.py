"""A token of OAuth 2.0: one that is given, or one that the client obtains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from .token import Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What a client obtains tokens for; they are obtained and refreshed when they are needed.

    Attributes:
        client_id, client_secret: of the client, if the service knows it by such.
        scopes: asked for; none asks for those that the service gives by itself.
        token_url: where tokens are given; None takes the document's.
        auth_method: where the client's id and secret stand (RFC 8414, 2).
    """

    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    scopes: Sequence[str] = ()
    token_url: str | None = None
    auth_method: Literal["client_secret_basic", "client_secret_post"] = "client_secret_basic"

    def form(self) -> dict[str, str]:
        """Return what is sent for a token."""
        return {"scope": " ".join(self.scopes)} if self.scopes else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCredentials(Grant):
    """A client that acts for itself (RFC 6749, 4.4)."""

    def form(self) -> dict[str, str]:
        """Return what is sent for a token."""
        return {"grant_type": "client_credentials", **Grant.form(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordCredentials(Grant):
    """A user who trusts the client with a password (RFC 6749, 4.3)."""

    username: str
    password: str = field(repr=False)

    def form(self) -> dict[str, str]:
        """Return what is sent for a token."""
        person = {"username": self.username, "password": self.password}
        return {"grant_type": "password", **person, **Grant.form(self)}


_GRANTS: Mapping[str, type[Grant]] = {
    "clientCredentials": ClientCredentials,
    "password": PasswordCredentials,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuth2(Token):
    """A bearer token of OAuth 2.0 (RFC 6749, RFC 6750).

    Attributes:
        token_urls: of the grants that the client can obtain tokens for, by the names of flows.
    """

    token_urls: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, argument: str, declared: Mapping[str, Any]) -> Self | None:
        """Return the scheme that an object of the document declares, if it is of this kind."""
        if declared.get("type") != "oauth2":
            return None
        flows: Mapping[str, Any] = declared.get("flows") or {}
        urls = {flow: str(flows[flow].get("tokenUrl")) for flow in _GRANTS if flow in flows}
        return cls(argument=argument, token_urls=urls)

    @property
    def grants(self) -> Sequence[str]:
        """Names of the module's classes that a client may be given to obtain credentials by."""
        return [_GRANTS[flow].__name__ for flow in self.token_urls]

    def token_url_for(self, credential: object) -> str | None:
        """Return the URL where a grant gives credentials; None for a credential itself."""
        for flow, url in self.token_urls.items():
            if isinstance(credential, _GRANTS[flow]):
                return credential.token_url or url
        return None
