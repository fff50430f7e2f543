"""An attempt to deliver a webhook, as seen by its receiver."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from specwright.http_messages import Headers


class DeliveryFault(StrEnum):
    """A way in which the receiver makes an attempt fail."""

    ERROR = "status 500"
    GONE = "status 410"
    REFUSED = "status 404"
    SLOW = "a response after the timeout"
    REDIRECT = "a redirect"
    DROP = "a connection closed without a response"
    RESET = "a connection reset"


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """A request that reached an endpoint.

    Attributes:
        endpoint: the URL of the endpoint.
        is_cut: whether the body was too long and is truncated.
        is_redirected: whether it followed a redirect.
        received_at: the arrival of its last byte, in seconds since 1970.
        fault: how it was made to fail; None if it was acknowledged.
        status: the status of the response; None without a response.
        location: the target of a redirect.
    """

    endpoint: str = field(repr=False)
    method: str
    url: str = field(repr=False)
    headers: Headers = field(repr=False)
    body: bytes = field(repr=False)
    is_cut: bool
    is_redirected: bool
    received_at: float
    fault: DeliveryFault | None
    status: int | None
    location: str | None = field(default=None, repr=False)

    def values(self, name: str) -> tuple[str, ...]:
        """Return all values of a header; names are case-insensitive (RFC 9110, 5.1)."""
        wanted = name.lower()
        return tuple(value for key, value in self.headers if key.lower() == wanted)
