"""The Digest challenges of a server, without a memory of its clients (RFC 7616)."""

from __future__ import annotations

import hmac
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import replace
from time import time
from urllib.parse import urlsplit

from starlette.requests import Request

from ..shared.auth.digest import Digest, DigestChallenge, DigestCredentials, DigestOptions

_QOP = ("auth",)
_READER = Digest(argument="")
_MOMENT = _RANDOM = 8
_SEAL = 16


class DigestGuard:
    """Issues challenges, and checks which of them a request answers.

    A nonce consists of its time and a signature, so that every process with the secret accepts it.
    Within its lifetime, a request that was recorded can be sent again: TLS prevents that.
    """

    def __init__(self, options: DigestOptions) -> None:
        self._options = options
        self._secret = options.secret or os.urandom(32)

    def checked(self, credentials: DigestCredentials, request: Request) -> DigestCredentials | None:
        """Return credentials that answer a current challenge for a request; None for others.

        Whether they prove the password of the user is for the application to decide.
        """
        options = self._options
        is_ours = (
            credentials.realm == options.realm
            and credentials.algorithm.upper() == options.algorithm
            and credentials.qop in _QOP
            and not credentials.userhash
            and _target(credentials.uri) == _sent_to(request)
            and self._is_current(credentials.nonce)
        )
        return replace(credentials, method=request.method) if is_ours else None

    def challenge(self, texts: Sequence[str]) -> str:
        """Return a new challenge, after a request with these values of `Authorization`."""
        refused = [credentials for text in texts if (credentials := _READER.read(text))]
        return DigestChallenge(
            realm=self._options.realm,
            nonce=self._nonce(),
            algorithm=self._options.algorithm,
            qop=_QOP,
            stale=any(not self._is_current(credentials.nonce) for credentials in refused),
        ).write()

    def _nonce(self) -> str:
        content = int(time()).to_bytes(_MOMENT, "big") + os.urandom(_RANDOM)
        return urlsafe_b64encode(content + self._seal(content)).decode()

    def _is_current(self, nonce: str) -> bool:
        try:
            data = urlsafe_b64decode(nonce.encode("ascii"))
        except ValueError:
            return False
        content, seal = data[:-_SEAL], data[-_SEAL:]
        if not hmac.compare_digest(self._seal(content), seal):
            return False
        return time() - int.from_bytes(content[:_MOMENT], "big") <= self._options.seconds

    def _seal(self, content: bytes) -> bytes:
        return hmac.digest(self._secret, content, "sha256")[:_SEAL]


def _sent_to(request: Request) -> str:
    path: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    query: bytes = request.scope["query_string"]
    return (path + b"?" + query if query else path).decode("latin-1")


def _target(uri: str) -> str:
    """Return path and query of a target, which a proxy may receive as a URL (RFC 9112, 3.2)."""
    if uri.startswith("/"):
        return uri
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    return f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
