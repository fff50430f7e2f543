"""What a client is told before its first call: the API, and how calls are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType

from .errors import StatusErrors

MAX_RESPONSE_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Service:
    """What is known of the API besides its operations."""

    models: ModuleType
    error: StatusErrors
    env_prefix: str
    server_url: str
    user_agent: str
    credential_header: str | None
    credential_prefix: str


@dataclass(frozen=True, slots=True)
class Options:
    """How calls are made.

    Attributes:
        timeout: seconds for each step of one attempt (connect, send, each read).
        max_retries: attempts after the first, of operations that are safe to repeat.
        deadline: seconds for a call with all its attempts and pauses; None for no limit.
        headers: sent with every request.
        max_response_bytes: an answer with a larger body is a `ResponseTooLargeError`.
    """

    timeout: float = 30.0
    max_retries: int = 2
    deadline: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    max_response_bytes: int = MAX_RESPONSE_BYTES
