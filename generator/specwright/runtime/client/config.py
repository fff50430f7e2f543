"""The configuration of a client: the arguments of its constructor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .auth.credentials import Credentials
from .options import MAX_RESPONSE_BYTES, ClientOptions
from .service import Service


# Without `repr`: credentials, headers and URLs may contain secrets.
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ClientConfig:
    """The configuration of a client, apart from the object that sends its requests.

    Attributes:
        base_url: the URL of the API; None uses the environment's, or the first of the service.
        server_variables: variables of server URLs, by argument; None uses the environment's.
        app_name: name and version of the program, for the `User-Agent` header.
        max_response_bytes: maximum size of the body of a response, or of an item of a stream.
        proxy: URL of a proxy; None uses the environment's.
    """

    service: Service
    credentials: Credentials
    base_url: str | None = None
    server_variables: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    options: ClientOptions = field(default_factory=ClientOptions)
    app_name: str | None = None
    max_response_bytes: int = MAX_RESPONSE_BYTES
    proxy: str | None = None
