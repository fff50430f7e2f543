"""The certificate that the receiver shows, with the authority that a service must trust for it."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..store.database import OperatorError

HOST = "127.0.0.1"
_AUTHORITY, _RECEIVER = "authority.pem", "receiver.pem"


@dataclass(frozen=True, slots=True)
class Identity:
    """Files in PEM.

    Attributes:
        authority: the certificate of the authority.
        receiver: the certificate of the receiver, with its key.
    """

    authority: Path
    receiver: Path


def default_directory() -> Path:
    """Return where the identity of this user is kept."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches, "esim-service", "listen")


def identity(directory: Path) -> Identity:
    """Return the identity in a directory; there is a new one where there was none.

    A service reads what it trusts when it starts, so the next receiver needs the same. The key of
    the authority is thrown away: nobody can sign a second certificate with it.

    Raises:
        OperatorError: it cannot be made.
    """
    found = Identity(directory / _AUTHORITY, directory / _RECEIVER)
    try:
        if not (found.authority.is_file() and found.receiver.is_file()):
            _make(directory)
    except OSError as error:
        raise OperatorError(f"{directory} cannot be used: {error.strerror}") from error
    return found


def _make(directory: Path) -> None:
    try:
        # An extra brings it; a service needs none of it.
        import trustme
    except ImportError:
        raise OperatorError("this needs: pip install 'esim-service[listen]'") from None
    authority = trustme.CA()
    receiver = authority.issue_cert(HOST)
    directory.parent.mkdir(parents=True, exist_ok=True)
    # Only its owner can look into it. It gets its name when it is complete.
    made = Path(tempfile.mkdtemp(prefix=f"{directory.name}-", dir=directory.parent))
    try:
        made.joinpath(_AUTHORITY).write_bytes(authority.cert_pem.bytes())
        made.joinpath(_RECEIVER).touch(mode=0o600)
        made.joinpath(_RECEIVER).write_bytes(receiver.private_key_and_cert_chain_pem.bytes())
        # Of two that are made at the same time, one stays.
        with suppress(FileExistsError):
            made.rename(directory)
    finally:
        shutil.rmtree(made, ignore_errors=True)
