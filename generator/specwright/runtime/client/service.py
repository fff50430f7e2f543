"""What a client is told of the API before its first call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..shared.auth.scheme import Scheme
from ..shared.codec import Codecs
from ..shared.operation import Security
from ..shared.servers import Server
from .errors import StatusErrors


@dataclass(frozen=True, slots=True)
class Service:
    """What is known of the API besides its operations."""

    codecs: Codecs
    error: StatusErrors
    env_prefix: str
    user_agent: str
    # The usual one first.
    servers: tuple[Server, ...] = ()
    # The URLs of those that only some operations have, as the document writes them.
    operation_servers: tuple[str, ...] = ()
    schemes: Mapping[str, Scheme] = field(default_factory=dict[str, Scheme])
    # With the policy, and with what is left.
    rate_limit_headers: tuple[str | None, str | None] = (None, None)

    def variable(self, argument: str) -> str:
        """Return the variable of the environment that stands in for an argument."""
        return f"{self.env_prefix}_{argument.upper()}"

    @property
    def security(self) -> Security:
        """What requests without an operation ask for: any credential, or none."""
        return (*({name: ()} for name in self.schemes), {})
