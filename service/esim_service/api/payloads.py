"""Digests of payloads, which distinguish a repeated request from a changed one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import compress, product
from typing import Any

from pydantic import BaseModel

# Made once, as `json.dumps` with an option makes one for each call.
_ENCODER = json.JSONEncoder(sort_keys=True)


def payload(body: BaseModel, *others: str) -> bytes:
    """Return the digest of a request that is the same for all requests with its meaning.

    An empty object means the same as none. What is absent is in neither the body nor the digest, so
    that a property that the contract adds leaves it unchanged.
    """
    return _digest(_meant(body), *others)


def older_payloads(body: BaseModel, *objects: str) -> Iterator[bytes]:
    """Yield the digests of a request by the versions of the service that stored no version.

    They distinguished an empty object from none, so these are those of all requests with the same
    meaning.

    Args:
        objects: the properties that may be empty objects.
    """
    meant = _meant(body)
    for are_sent in product((False, True), repeat=len(objects)):
        yield _digest({**{name: {} for name in compress(objects, are_sent)}, **meant})


def _meant(body: BaseModel) -> dict[str, Any]:
    sent = body.model_dump(mode="json")
    return {name: value for name, value in sent.items() if value != {}}


def _digest(members: Mapping[str, Any], *others: str) -> bytes:
    return hashlib.sha256(_ENCODER.encode([members, *others]).encode()).digest()
