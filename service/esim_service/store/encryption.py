"""Encryption of the signing secrets in the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .changes.database import OperatorError

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

# The prefix of an encrypted secret; one that is not encrypted begins with `whsec_`.
_MARK = "fernet:"


class SecretBox:
    """Encrypts secrets with the first of its keys, and decrypts them with any.

    Without keys it leaves secrets unchanged.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        """Create a box.

        Raises:
            OperatorError: there are keys, but the encryption library is missing.
        """
        self._cipher = _cipher(keys) if keys else None

    def encrypt(self, secret: str) -> str:
        """Return the stored form of a secret."""
        if self._cipher is None:
            return secret
        return _MARK + self._cipher.encrypt(secret.encode()).decode("ascii")

    def decrypt(self, stored: str) -> str:
        """Return the secret of a stored form.

        Raises:
            OperatorError: it was encrypted with none of the keys.
        """
        if not stored.startswith(_MARK):
            return stored
        if self._cipher is None:
            raise OperatorError("signing secrets are encrypted, but ESIM_SECRETS_KEY is not set")
        from cryptography.fernet import InvalidToken

        try:
            return self._cipher.decrypt(stored.removeprefix(_MARK)).decode()
        except InvalidToken:
            raise OperatorError(
                "signing secrets are encrypted with a key that is not in ESIM_SECRETS_KEY"
            ) from None


def _cipher(keys: Sequence[str]) -> MultiFernet:
    try:
        # An extra installs it; without encryption it is not needed.
        from cryptography.fernet import Fernet, MultiFernet
    except ImportError:
        raise OperatorError(
            "ESIM_SECRETS_KEY needs: pip install 'esim-service[encryption]'"
        ) from None
    return MultiFernet([Fernet(key) for key in keys])
