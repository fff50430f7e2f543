"""Responses without a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from pydantic import JsonValue

# A body that the document does not describe: a JSON value, which may be a text, or bytes.
RawBody: TypeAlias = JsonValue | bytes


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirect; a client does not follow it (RFC 9110, 15.4).

    Attributes:
        url: the value of `Location`; it may be relative to the request URL and may contain a
            secret.
    """

    status: int
    url: str = field(repr=False)
