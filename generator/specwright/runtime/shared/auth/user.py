"""Schemes with the name and the password of a user as credential."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .scheme import Scheme


@dataclass(frozen=True, slots=True, kw_only=True)
class User(Scheme):
    """User name and password, separated by a colon in an environment variable."""

    alone: ClassVar[str] = "auth"
    value: ClassVar[str] = "tuple[str, str]"
    invalid: ClassVar[object] = ("invalid", "invalid")
    is_pair: ClassVar[bool] = True

    def parse(self, text: str) -> tuple[str, str]:
        """Return the credential in the text of an environment variable."""
        user, _, password = text.partition(":")
        return user, password


def user_of(credential: object) -> tuple[str, str] | None:
    """Return a credential as user name and password; None if no request can carry them."""
    match credential:
        case (str() as user, str() as password):
            is_valid = user.isprintable() and password.isprintable() and ":" not in user
            return (user, password) if is_valid else None
        case _:
            return None
