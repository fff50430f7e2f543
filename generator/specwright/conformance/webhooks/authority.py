"""The certification authority of the receiver, which only implementations under test trust."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path

import trustme

from specwright.errors import InputError

CERTIFICATE, KEY = "authority.pem", "authority.key"


@dataclass(frozen=True, slots=True)
class Authority:
    """Signs the certificate of a receiver.

    Attributes:
        file: its own certificate, for the implementation to trust.
    """

    file: Path
    _authority: trustme.CA = field(repr=False)

    @classmethod
    def at(cls, directory: Path) -> Authority:
        """Return the authority of a directory; there is a new one where there was none.

        An implementation reads what it trusts when it starts, so the next run needs the same one.

        Raises:
            InputError: the directory cannot be used.
        """
        certificate, key = directory / CERTIFICATE, directory / KEY
        try:
            if certificate.exists() and key.exists():
                made = trustme.CA.from_pem(certificate.read_bytes(), key.read_bytes())
            else:
                made = trustme.CA()
                directory.mkdir(parents=True, exist_ok=True)
                key.touch(mode=0o600)
                made.private_key_pem.write_to_path(key)
                made.cert_pem.write_to_path(certificate)
        except OSError as error:
            raise InputError(f"{error.filename or directory}: {error.strerror}") from None
        except ValueError:
            raise InputError(
                f"{directory}: holds no certification authority that can be read",
                hint=f"remove {CERTIFICATE} and {KEY}, and a new one is made",
            ) from None
        return cls(certificate, made)

    def context(self, host: str) -> ssl.SSLContext:
        """Return what a server needs to answer for a host."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(host).configure_cert(context)
        return context
