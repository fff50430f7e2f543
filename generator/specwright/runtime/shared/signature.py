"""HMAC-SHA256 signatures of webhook deliveries (`x-contract-signature`)."""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol


class Headers(Protocol):
    """The headers of a delivery, from any web framework or as a dictionary."""

    def items(self) -> Iterable[tuple[str, str]]:
        """Return the names and values."""
        ...


class SignatureError(Exception):
    """The delivery is not signed with any of the secrets."""


class MalformedSignatureError(SignatureError):
    """The header is missing or malformed."""


class StaleSignatureError(SignatureError):
    """The signature is genuine, but its timestamp is too far in the past or future."""


@dataclass(frozen=True, slots=True)
class SignatureScheme:
    """The signature scheme of deliveries.

    Attributes:
        header: name of the header.
        template: format of its value, with the placeholders `{timestamp}` and `{digest}`.
        payload: the text to sign, with the placeholders `{timestamp}` and `{body}`.
    """

    header: str
    template: str
    payload: str
    _form: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        form = re.escape(self.template)
        for place, pattern in (("timestamp", r"0|[1-9][0-9]{0,14}"), ("digest", r"[0-9a-f]{64}")):
            form = form.replace(re.escape(f"{{{place}}}"), f"(?P<{place}>{pattern})", 1)
        object.__setattr__(self, "_form", re.compile(form))

    def value(self, headers: Headers) -> str | None:
        """Return the value of the header, by case-insensitive name (RFC 9110, 5.1)."""
        name = self.header.lower()
        return next((text for key, text in headers.items() if key.lower() == name), None)

    def sign(self, body: bytes, secret: str, timestamp: int) -> str:
        """Return the header value for a delivery."""
        digest = self._digest(body, secret, str(timestamp))
        return self.template.replace("{timestamp}", str(timestamp)).replace("{digest}", digest)

    def verify(
        self,
        body: bytes,
        value: str | bytes | None,
        secret: str | Sequence[str],
        *,
        tolerance: float,
        now: float,
    ) -> None:
        """Verify the header value of a delivery.

        Raises:
            SignatureError: the delivery is not genuine, or its timestamp is too old or too new.
        """
        text = value.decode("latin-1") if isinstance(value, bytes) else value or ""
        match = self._form.fullmatch(text)
        if match is None:
            raise MalformedSignatureError(f"the header {self.header} is missing or malformed")
        secrets = [secret] if isinstance(secret, str) else secret
        timestamp, digest = match["timestamp"], match["digest"]
        # Every secret is tried, so that the timing does not reveal which one matches.
        matches = [
            hmac.compare_digest(self._digest(body, key, timestamp), digest) for key in secrets
        ]
        if not any(matches):
            raise SignatureError("no secret matches the signature")
        if abs(now - int(timestamp)) > tolerance:
            raise StaleSignatureError(f"the signature is more than {tolerance:g} seconds from now")

    def _digest(self, body: bytes, secret: str, timestamp: str) -> str:
        if not secret:
            raise ValueError("the secret is empty")
        if isinstance(body, str):
            raise TypeError("the body must be the bytes as received, before any decoding")
        before, _, after = self.payload.replace("{timestamp}", timestamp).partition("{body}")
        return hmac.new(
            secret.encode(), before.encode() + body + after.encode(), "sha256"
        ).hexdigest()
