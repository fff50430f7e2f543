"""The description of an API for its client."""

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
    """The data of an API that is not specific to one operation."""

    codecs: Codecs
    error: StatusErrors
    env_prefix: str
    user_agent: str
    # The default one first.
    servers: tuple[Server, ...] = ()
    # The URLs of servers that only some operations have, as written in the document.
    operation_servers: tuple[str, ...] = ()
    schemes: Mapping[str, Scheme] = field(default_factory=dict[str, Scheme])
    # For the policy and for the remaining requests.
    rate_limit_headers: tuple[str | None, str | None] = (None, None)

    def variable(self, argument: str) -> str:
        """Return the environment variable for an argument."""
        return f"{self.env_prefix}_{argument.upper()}"

    @property
    def security(self) -> Security:
        """The security of requests without an operation: any credential, or none."""
        return (*({name: ()} for name in self.schemes), {})
