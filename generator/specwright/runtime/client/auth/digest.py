"""The Digest sessions of a client: challenges that its requests answer (RFC 7616, 3.4)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_hex

from ...shared.auth.digest import DigestChallenge, authorization, digest_challenges
from ..transport.base import Request
from ..wire.addresses import origin_of

_logger = logging.getLogger(__name__.partition(".")[0])


@dataclass(slots=True)
class _Session:
    """The requests that answer one challenge; with its one `cnonce`, also those of `-sess`."""

    challenge: DigestChallenge
    cnonce: str
    count: int = 0


class DigestSessions:
    """The latest challenge of each origin; later requests answer it at once."""

    def __init__(self) -> None:
        self._sessions: dict[str, _Session] = {}
        self._lock = threading.Lock()

    def text(self, credential: object, request: Request) -> str:
        """Return the text to send with a request; empty before the first challenge."""
        try:
            with self._lock:
                session = self._sessions.get(origin_of(request.url))
                if session is None:
                    return ""
                session.count += 1
                count = session.count
            target = _target(request.url)
            return authorization(
                credential, session.challenge, request.method, target, count, session.cnonce
            )
        finally:
            del credential

    def take(self, url: str, headers: Sequence[tuple[str, str]]) -> bool:
        """Keep the challenge in a refusal; return whether there is one that can be answered.

        Args:
            url: that of the request.
            headers: those of the response.
        """
        texts = [text for name, text in headers if name.lower() == "www-authenticate"]
        offered = list(digest_challenges(texts))
        challenge = next((offer for offer in offered if offer.is_supported), None)
        origin = origin_of(url)
        with self._lock:
            self._sessions.pop(origin, None)
            if challenge is not None:
                self._sessions[origin] = _Session(challenge, token_hex(16))
        if offered and challenge is None:
            ways = [f"{offer.algorithm[:20]!r} with qop {offer.qop[:4]}" for offer in offered]
            _logger.warning("the service requires Digest by %s: not supported", ways)
        return challenge is not None


def _target(url: str) -> str:
    """Return the target of a request as it is sent; empty for a URL that no transport accepts."""
    import httpx2

    try:
        return httpx2.URL(url).raw_path.decode("ascii")
    except httpx2.InvalidURL:
        return ""
