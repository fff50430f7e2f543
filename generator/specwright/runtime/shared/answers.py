"""Answers that are no value of a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from pydantic import JsonValue

# A body of which the document says nothing: a JSON value, a text among them, or bytes.
RawBody: TypeAlias = JsonValue | bytes


@dataclass(frozen=True, slots=True)
class Redirect:
    """An answer that leads elsewhere; a client does not follow it (RFC 9110, 15.4).

    Attributes:
        url: the value of `Location`, which may be relative to the request's URL, and may hold
            a secret.
    """

    status: int
    url: str = field(repr=False)
