"""An attempt to deliver a webhook, as its receiver saw it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from specwright.conformance.recording.exchange import Headers


class Fault(StrEnum):
    """How an attempt is made to fail."""

    ERROR = "status 500"
    GONE = "status 410"
    REFUSED = "status 404"
    SLOW = "an answer after the time allowed"
    REDIRECT = "a redirect"
    DROP = "a connection closed without an answer"
    RESET = "a connection reset"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request that reached an endpoint.

    Attributes:
        endpoint: the URL of the endpoint.
        is_cut: whether the body was longer than what is kept.
        is_redirected: whether it followed a redirect.
        received_at: seconds since 1970, when its last byte had come.
        fault: how it was made to fail; None when it was acknowledged.
        status: what it is answered with; None where there is no answer.
        location: where a redirect leads.
    """

    endpoint: str = field(repr=False)
    method: str
    url: str = field(repr=False)
    headers: Headers = field(repr=False)
    body: bytes = field(repr=False)
    is_cut: bool
    is_redirected: bool
    received_at: float
    fault: Fault | None
    status: int | None
    location: str | None = field(default=None, repr=False)

    def values(self, name: str) -> tuple[str, ...]:
        """All values of a header field; names have no case (RFC 9110, 5.1)."""
        wanted = name.lower()
        return tuple(value for key, value in self.headers if key.lower() == wanted)
