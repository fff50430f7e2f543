"""What a client is told of the API before its first call."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from .errors import StatusErrors


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
    # With the policy, and with what is left.
    rate_limit_headers: tuple[str | None, str | None] = (None, None)
