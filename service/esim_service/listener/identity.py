"""The certificate that the receiver shows, with the authority that a service must trust for it."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..store.changes.database import OperatorError

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

    @property
    def is_complete(self) -> bool:
        """Whether both files are there."""
        return self.authority.is_file() and self.receiver.is_file()


def default_directory() -> Path:
    """Return where the identity of this user is kept.

    Raises:
        OperatorError: the user has no home.
    """
    try:
        caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:
        raise OperatorError("there is no home directory: set XDG_CACHE_HOME") from None
    return Path(caches, "esim-service", "listen").absolute()


def identity(directory: Path) -> Identity:
    """Return the identity in a directory; there is a new one where there was none.

    A service reads what it trusts when it starts, so the next receiver needs the same. The key of
    the authority is thrown away: nobody can sign a second certificate with it.

    Raises:
        OperatorError: it cannot be made.
    """
    found = Identity(directory / _AUTHORITY, directory / _RECEIVER)
    try:
        if not found.is_complete:
            _make(found, directory)
    except OSError as error:
        raise OperatorError(f"{directory} cannot be used: {error.strerror}") from error
    return found


def _make(found: Identity, directory: Path) -> None:
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
        try:
            made.rename(directory)
        except OSError:
            # Of two that are made at the same time, one stays.
            if not found.is_complete:
                raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
