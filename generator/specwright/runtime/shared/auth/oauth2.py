"""OAuth 2.0 tokens, given or obtained by the client."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

from .token import Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A grant for which a client obtains and refreshes tokens as needed.

    Attributes:
        client_id, client_secret: the client's own credentials, if it has any.
        scopes: the requested scopes; empty for the service's default.
        token_url: the token endpoint; None uses the document's.
        auth_method: how the client's id and secret are sent (RFC 8414, 2).
    """

    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    scopes: Sequence[str] = ()
    token_url: str | None = None
    auth_method: Literal["client_secret_basic", "client_secret_post"] = "client_secret_basic"

    def form(self) -> dict[str, str]:
        """Return the form fields of a token request."""
        return {"scope": " ".join(self.scopes)} if self.scopes else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCredentials(Grant):
    """The grant of a client that acts on its own behalf (RFC 6749, 4.4)."""

    def form(self) -> dict[str, str]:
        """Return the form fields of a token request."""
        return {"grant_type": "client_credentials", **Grant.form(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordCredentials(Grant):
    """The grant of a user's password, entrusted to the client (RFC 6749, 4.3)."""

    username: str
    password: str = field(repr=False)

    def form(self) -> dict[str, str]:
        """Return the form fields of a token request."""
        person = {"username": self.username, "password": self.password}
        return {"grant_type": "password", **person, **Grant.form(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class UserCode:
    """The code by which a user authorizes a device (RFC 8628, 3.2).

    Attributes:
        verification_uri: the address at which the user enters the code.
        verification_uri_complete: an address that contains the code; None without one.
        expires_in: the lifetime of the code in seconds.
    """

    user_code: str
    verification_uri: str
    verification_uri_complete: str | None
    expires_in: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceAuthorization(Grant):
    """The grant of a user in a browser on any device, shown a code by the client (RFC 8628).

    Attributes:
        show: shows the code to the user; the call then waits for the user.
        device_authorization_url: the endpoint that issues codes; None uses the document's.
    """

    show: Callable[[UserCode], object] = field(repr=False)
    device_authorization_url: str | None = None

    def form(self) -> dict[str, str]:
        """Return the form fields of a token request, without those that the endpoint issues."""
        return {"grant_type": "urn:ietf:params:oauth:grant-type:device_code"}


_GRANTS: Mapping[str, type[Grant]] = {
    "clientCredentials": ClientCredentials,
    "password": PasswordCredentials,
    "deviceAuthorization": DeviceAuthorization,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuth2(Token):
    """A bearer token of OAuth 2.0 (RFC 6749, RFC 6750).

    Attributes:
        token_urls: of the grants that the client supports, by the names of flows.
        device_authorization_url: the endpoint that issues codes for devices, if there is one.
    """

    has_token_endpoint: ClassVar[bool] = True

    token_urls: Mapping[str, str] = field(default_factory=dict[str, str])
    device_authorization_url: str = ""

    @classmethod
    def of(cls, argument: str, declared: Mapping[str, Any]) -> Self | None:
        """Return the scheme declared by an object of the document, if it is of this kind."""
        if declared.get("type") != "oauth2":
            return None
        flows: Mapping[str, Mapping[str, Any]] = declared.get("flows") or {}
        urls = {flow: str(flows[flow].get("tokenUrl")) for flow in _GRANTS if flow in flows}
        device = flows.get("deviceAuthorization") or {}
        device_url = str(device.get("deviceAuthorizationUrl", ""))
        return cls(argument=argument, token_urls=urls, device_authorization_url=device_url)

    @property
    def grants(self) -> Sequence[str]:
        """Names of the module's grant classes, which a client accepts to obtain credentials."""
        return [_GRANTS[flow].__name__ for flow in self.token_urls]

    @property
    def grant_exports(self) -> Sequence[str]:
        """Names of the module that a caller needs to obtain credentials."""
        return [*self.grants, *(["UserCode"] if self.device_authorization_url else [])]

    def device_url_for(self, credential: object) -> str | None:
        """Return the URL that issues codes for a grant; None for a grant without codes."""
        if isinstance(credential, DeviceAuthorization):
            return credential.device_authorization_url or self.device_authorization_url
        return None

    def token_url_for(self, credential: object) -> str | None:
        """Return the token URL for a grant; None for a credential itself."""
        for flow, url in self.token_urls.items():
            if isinstance(credential, _GRANTS[flow]):
                return credential.token_url or url
        return None
