"""The base class of security schemes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from ..operation import Location


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """A security scheme of the document (OpenAPI 3.1.1, 4.8.27).

    Attributes:
        argument: name of the client's argument for the credential.
        location, name: the part of a request with the credential; without a name, the connection.
        alone: the client's argument if it takes no other credential: what people call this kind.
        value: the Python type of a credential.
        invalid: a credential that no service accepts, for tests.
        is_pair: whether a credential is a user name and a password.
        has_token_endpoint: whether tokens can be obtained for it.
        is_challenged: whether each request answers a challenge of the service with another text.
        received: the Python type of what a server gets; empty if it is a credential.
        exports: names of the module that the implementation of a server needs.
        challenge: the text in `WWW-Authenticate` (RFC 9110, 11.6.1); empty if not applicable.
    """

    argument: str
    location: Location = "header"
    name: str = "Authorization"

    alone: ClassVar[str] = "token"
    value: ClassVar[str] = "str"
    invalid: ClassVar[object] = "invalid"
    is_pair: ClassVar[bool] = False
    has_token_endpoint: ClassVar[bool] = False
    is_challenged: ClassVar[bool] = False
    received: ClassVar[str] = ""
    exports: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def of(cls, argument: str, declared: Mapping[str, Any]) -> Self | None:
        """Return the scheme declared by an object of the document, if it is of this kind."""
        raise NotImplementedError

    @property
    def is_sent(self) -> bool:
        """Whether requests contain the credential; else it is a matter of the connection."""
        return bool(self.name)

    @property
    def prefix(self) -> str | None:
        """The text before a credential that is sent as it is; None for an encoded one."""
        return None

    @property
    def challenge(self) -> str:
        """The challenge for the credential in `WWW-Authenticate`."""
        return ""

    @property
    def grants(self) -> Sequence[str]:
        """Names of the module's grant classes, which a client accepts to obtain credentials."""
        return ()

    @property
    def grant_exports(self) -> Sequence[str]:
        """Names of the module that a caller needs to obtain credentials."""
        return self.grants

    def device_url_for(self, credential: object) -> str | None:
        """Return the URL that issues codes for a grant; None for a grant without codes."""
        return None

    def token_url_for(self, credential: object) -> str | None:
        """Return the token URL for a grant; None for a credential itself."""
        return None

    def parse(self, text: str) -> object:
        """Return the credential in the text of an environment variable."""
        return text

    def write(self, credential: object) -> str | None:
        """Return the text to send; None if the credential cannot be sent in a request.

        It is empty if there is nothing to send before a challenge.
        """
        raise NotImplementedError

    def read(self, text: str) -> object | None:
        """Return the credential in a received text; None if it has none."""
        raise NotImplementedError

    def secrets(self, credential: object) -> tuple[str, ...]:
        """Return the texts that would reveal the credential in a report."""
        text = self.write(credential)
        return () if text is None else (text,)


def is_printable(value: object) -> bool:
    """Return whether a value is a text that is valid unchanged in every part of a request."""
    return (
        isinstance(value, str)
        and value != ""
        and value.isascii()
        and value.isprintable()
        and value == value.strip(" ")
    )
