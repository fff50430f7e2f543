"""What all kinds of security schemes have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from ..operation import Location


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """A security scheme of the document (OpenAPI 3.1.1, 4.8.27).

    Attributes:
        argument: name of the client's argument that takes the credential.
        location, name: the part of a request that holds it; without a name, the connection does.
        value: the Python type of a credential.
        invalid: a credential that no service takes, for tests.
        challenge: how a service asks for it (RFC 9110, 11.6.1); empty where there is no way.
    """

    argument: str
    location: Location = "header"
    name: str = "Authorization"

    value: ClassVar[str] = "str"
    invalid: ClassVar[object] = "invalid"

    @classmethod
    def of(cls, argument: str, declared: Mapping[str, Any]) -> Self | None:
        """Return the scheme that an object of the document declares, if it is of this kind."""
        raise NotImplementedError

    @property
    def challenge(self) -> str:
        """How a service asks for the credential."""
        return ""

    @property
    def grants(self) -> Sequence[str]:
        """Names of the module's classes that a client may be given to obtain credentials by."""
        return ()

    def token_url_for(self, credential: object) -> str | None:
        """Return the URL where a grant gives credentials; None for a credential itself."""
        return None

    def parse(self, text: str) -> object:
        """Return the credential that a variable of the environment holds."""
        return text

    def write(self, credential: object) -> str | None:
        """Return the text that is sent; None where no request can carry the credential."""
        raise NotImplementedError

    def read(self, text: str) -> object | None:
        """Return the credential of a text that was sent; None where there is none in it."""
        raise NotImplementedError

    def secrets(self, credential: object) -> tuple[str, ...]:
        """Return the texts by which a report would tell the credential."""
        text = self.write(credential)
        return () if text is None else (text,)


def is_printable(value: object) -> bool:
    """Tell whether a value is a text that every part of a request can carry as it is."""
    return (
        isinstance(value, str)
        and value != ""
        and value.isascii()
        and value.isprintable()
        and value == value.strip(" ")
    )
