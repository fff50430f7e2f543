"""Settings: the configuration of the service, from the environment."""

from __future__ import annotations

import base64
import difflib
import os
import ssl
from collections.abc import Collection
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

PREFIX = "ESIM_"
API_PATH = "/api/v1"

_KEY_BYTES = 32

Port = Annotated[int, Field(ge=0, le=65535)]


class SettingsError(ValueError):
    """The environment is not a valid configuration; the message has one line per wrong setting."""


class ServiceSettings(BaseSettings):
    """All settings; each is the environment variable of its name in capitals after `ESIM_`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, frozen=True)

    database: str = Field(
        default="esim.sqlite3",
        description="The database: the path of an SQLite file, or a `postgresql://` URL.",
    )
    redis_url: str | None = Field(
        default=None,
        description="A `redis://` or `rediss://` URL. Processes that share it share the rate "
        "limits of keys. Without it: PostgreSQL counts for all processes, and a process on SQLite "
        "for itself.",
    )
    carrier: str | None = Field(
        default=None,
        description="The carrier for live mode: the name of an entry point of the group "
        "`esim_service.carriers`. Without it there is no live mode; test mode has a simulator.",
    )
    secrets_key: SecretStr | None = Field(
        default=None,
        description="The key that encrypts the signing secrets of webhooks in the database: 32 "
        "bytes in URL-safe Base64. Several, separated by commas: the first encrypts, all decrypt. "
        "Without it the secrets are stored unencrypted.",
    )
    host: str = Field(default="127.0.0.1", description="The address that `serve` listens on.")
    port: Port = Field(
        default=8000, description="The port that `serve` listens on; 0 chooses a free one."
    )
    base_url: str | None = Field(
        default=None,
        description="The public URL of the API; its path ends in `/api/v1`. "
        "Without it: that of `host` and `port`.",
    )
    metrics_host: str = Field(
        default="127.0.0.1", description="The address of `/healthz`, `/readyz` and `/metrics`."
    )
    metrics_port: Port | None = Field(
        default=None,
        description="The port of `/healthz`, `/readyz` and `/metrics`; 0 chooses a free one. "
        "Without it: 9464, or a free one when that is in use.",
    )
    worker: bool = Field(
        default=True,
        description="Whether `serve` also delivers webhooks and does all other background work. "
        "`false` leaves that to `worker` processes, which need PostgreSQL.",
    )
    drain_seconds: float = Field(
        default=0.0,
        ge=0,
        le=600,
        allow_inf_nan=False,
        description="How long `serve` answers requests after SIGTERM while `/readyz` says 503, so "
        "that a proxy that checks it stops sending; longer than the proxy's interval.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The minimum level of log entries."
    )
    webhook_allow_cidr: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode] = Field(
        default=(),
        description="Networks, separated by commas, that webhooks may reach although they are "
        "not public. For development and tests only.",
    )
    webhook_ca_file: Path | None = Field(
        default=None,
        description="A PEM file of certificate authorities to trust for webhook endpoints, in "
        "addition to those of the system. For development and tests only.",
    )
    webhook_retry_scale: float = Field(
        default=1.0,
        gt=0,
        le=1,
        allow_inf_nan=False,
        description="A factor for the pauses between the attempts of a delivery. Less "
        "than 1 is for development and tests only.",
    )

    @property
    def encryption_keys(self) -> tuple[str, ...]:
        """The keys of `secrets_key`, the encrypting one first."""
        text = self.secrets_key.get_secret_value() if self.secrets_key else ""
        return tuple(filter(None, (part.strip() for part in text.split(","))))

    @property
    def only_for_tests(self) -> tuple[str, ...]:
        """The variables of settings that must not be used with live keys."""
        names = ("webhook_allow_cidr", "webhook_ca_file", "webhook_retry_scale")
        return tuple(
            f"{PREFIX}{name.upper()}"
            for name in names
            if getattr(self, name) != type(self).model_fields[name].default
        )

    @field_validator("base_url")
    @classmethod
    def _check_base_url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must be an http or https URL")
        if parts.query or parts.fragment or not parts.path.endswith(API_PATH):
            raise ValueError(f"must end in {API_PATH}")
        return value

    @field_validator("redis_url")
    @classmethod
    def _check_redis_url(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("redis://", "rediss://", "unix://")):
            raise ValueError("must be a redis:// or rediss:// URL")
        return value

    @field_validator("secrets_key")
    @classmethod
    def _check_keys(cls, value: SecretStr | None) -> SecretStr | None:
        for number, key in enumerate(value.get_secret_value().split(",") if value else (), 1):
            try:
                size = len(base64.b64decode(key.strip(), altchars=b"-_", validate=True))
            except ValueError:
                size = 0
            if size != _KEY_BYTES:
                raise ValueError(
                    f"key {number} is not {_KEY_BYTES} bytes in URL-safe Base64: make one with "
                    f"`openssl rand -base64 {_KEY_BYTES} | tr +/ -_`"
                )
        return value

    @field_validator("webhook_allow_cidr", mode="before")
    @classmethod
    def _read_networks(cls, value: object) -> object:
        if isinstance(value, str):
            return [ip_network(part.strip()) for part in value.split(",") if part.strip()]
        return value

    @field_validator("webhook_ca_file")
    @classmethod
    def _check_file(cls, value: Path | None) -> Path | None:
        if value is not None:
            try:
                ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(value)
            except ssl.SSLError:
                raise ValueError(f"{value} contains no PEM certificate") from None
            except OSError as error:
                raise ValueError(f"{value} cannot be read: {error.strerror}") from None
        return value


def load(**values: object) -> ServiceSettings:
    """Read the settings from the environment; `given` overrides some of them.

    Raises:
        SettingsError: a setting is invalid.
    """
    known = {f"{PREFIX}{name.upper()}" for name in ServiceSettings.model_fields}
    ours = {name for name in os.environ if name.upper().startswith(PREFIX)}
    if unknown := sorted(name for name in ours if name.upper() not in known):
        raise SettingsError("\n".join(_unknown(name, known) for name in unknown))
    try:
        return ServiceSettings.model_validate(values)
    except ValidationError as error:
        lines = {
            f"{PREFIX}{str(fault['loc'][0]).upper()}: {fault['msg'].removeprefix('Value error, ')}"
            for fault in error.errors(include_url=False)
        }
        raise SettingsError("\n".join(sorted(lines))) from None


def _unknown(name: str, known: Collection[str]) -> str:
    close = difflib.get_close_matches(name, known, 1)
    hint = f": did you mean {close[0]}?" if close else ""
    return f"{ascii(name)[1:-1]}: unknown setting{hint}"


def render() -> str:
    """Return the table of all settings as Markdown."""
    rows = ["| Variable | Default | Description |\n|---|---|---|\n"]
    for name, field in ServiceSettings.model_fields.items():
        is_unset = field.default is None or field.default == ()
        text = str(field.default)
        text = text.lower() if isinstance(field.default, bool) else text
        default = "" if is_unset else f"`{text}`"
        rows.append(f"| `{PREFIX}{name.upper()}` | {default} | {field.description} |\n")
    return "".join(rows)
