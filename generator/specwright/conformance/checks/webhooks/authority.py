"""The certificate authority of a receiver, trusted only by implementations under test."""

from __future__ import annotations

import os
import ssl
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from specwright.errors import InputError
from specwright.extras import LazyLibrary

if TYPE_CHECKING:
    import trustme
else:
    trustme = LazyLibrary("trustme")

HOST = "127.0.0.1"
CERTIFICATE, RECEIVER = "authority.pem", "receiver.pem"
_BEGIN = b"-----BEGIN CERTIFICATE-----"


@dataclass(frozen=True, slots=True)
class Authority:
    """An authority that has signed one certificate, that of the local receiver.

    Its key is discarded, so it cannot sign a second certificate.

    Attributes:
        file: its own certificate, for the implementation to trust.
        context: the TLS context of the receiver.
    """

    file: Path
    context: ssl.SSLContext = field(repr=False)

    @classmethod
    def at(cls, directory: Path) -> Authority:
        """Return the authority of a directory, and create it if it is missing.

        An implementation loads trusted authorities when it starts, so the next run needs the same.

        Raises:
            InputError: the directory cannot be used.
        """
        file, receiver = directory / CERTIFICATE, directory / RECEIVER
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            # In this order: another process that creates them writes the second one first.
            if file.exists() and not receiver.exists():
                raise InputError(
                    f"{directory}: contains {CERTIFICATE} without {RECEIVER}",
                    hint=f"remove {CERTIFICATE} to create a new one",
                )
            if not receiver.exists():
                _make(receiver)
            context.load_cert_chain(receiver)
            if not file.exists():
                content = receiver.read_bytes()
                _put(file, content[content.rindex(_BEGIN) :], 0o644)
            context.load_verify_locations(file)
        except ssl.SSLError:
            raise InputError(
                f"{directory}: contains no readable certificate authority",
                hint=f"remove {CERTIFICATE} and {RECEIVER} to create a new one",
            ) from None
        except OSError as error:
            raise InputError(f"{error.filename or directory}: {error.strerror}") from None
        return cls(file, context)


def _make(receiver: Path) -> None:
    """Write the key and certificate of a receiver and the authority's certificate to one file."""
    authority = trustme.CA()
    signed = authority.issue_cert(HOST).private_key_and_cert_chain_pem
    receiver.parent.mkdir(parents=True, exist_ok=True)
    _put(receiver, signed.bytes() + authority.cert_pem.bytes(), 0o600)


def _put(path: Path, content: bytes, mode: int) -> None:
    """Write a file atomically; of two written at the same time, one stays."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}-") as part:
        part.write(content)
        part.flush()
        Path(part.name).chmod(mode)
        with suppress(FileExistsError):
            os.link(part.name, path)
