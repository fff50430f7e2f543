"""The key of a client: asked for at each attempt, and shown nowhere.

Reports of errors show the local variables of each frame, so none that an exception leaves through
holds the key: what is refused is deleted first, and the key is checked away from where it came in.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any

from .errors import InvalidArgumentError
from .fields import is_field_value
from .service import Service
from .transport import Headers


class Credential:
    """The header that says who calls.

    Args:
        key: the key, or what gives the present one.
    """

    __slots__ = ("_key", "_name", "_prefix")

    def __init__(self, key: str | Callable[[], str | Awaitable[str]] | None) -> None:
        self._key: Any = key
        self._name = self._prefix = ""

    def prepare(self, service: Service, headers: Headers) -> None:
        """Take the key of the environment if there is no other.

        Args:
            headers: the caller's own; the key's among them stands in for a key.

        Raises:
            InvalidArgumentError: there is no key, or no header can carry it.
        """
        if service.credential_header is None:
            self._key = None
            return
        self._name, self._prefix = service.credential_header, service.credential_prefix
        variable = f"{service.env_prefix}_API_KEY"
        self._key = self._key or os.environ.get(variable) or None
        if self._key is None:
            if not any(name.lower() == self._name.lower() for name, _ in headers):
                raise InvalidArgumentError(f"no key: pass api_key or set {variable}")
        elif not callable(self._key):
            self._field(self._key)

    @property
    def name(self) -> str | None:
        """The header, in lower case; None when there is no key to send."""
        return None if self._key is None else self._name.lower()

    def field(self) -> tuple[str, str]:
        """Return the header's name and value.

        Raises:
            InvalidArgumentError: no header can carry the key.
        """
        return self._field(self._key() if callable(self._key) else self._key)

    async def field_async(self) -> tuple[str, str]:
        """Return the header's name and value.

        Raises:
            InvalidArgumentError: no header can carry the key.
        """
        return self._field(await self._present())

    async def _present(self) -> object:
        key = self._key() if callable(self._key) else self._key
        return await key if isawaitable(key) else key

    def _field(self, key: object) -> tuple[str, str]:
        if isinstance(key, str) and key and key.isascii() and is_field_value(key):
            return self._name, self._prefix + key
        del key
        raise InvalidArgumentError(
            "the key is empty or not a text, begins or ends with a space, or has characters no "
            "header can carry"
        )
