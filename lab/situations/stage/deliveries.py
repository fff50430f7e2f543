"""Situations with genuine and forged webhook deliveries."""

from __future__ import annotations

import json
import time
from typing import Any

from origin import Origin
from outcome import NotOfferedError, Outcome, raised, situation, tried


def _taken(sdk: Any, body: bytes, headers: dict[str, str]) -> Outcome:
    got = tried(lambda: sdk.receive(body, headers))
    if not isinstance(got, Exception):
        return Outcome("accepted")
    kind, note = raised(sdk, got)
    return Outcome("refused" if kind == "own error" else "foreign error", note)


def _delivery(sdk: Any, age: float = 0) -> tuple[bytes, dict[str, str]]:
    if sdk.EVENT is None:
        raise NotOfferedError
    body = json.dumps(sdk.EVENT).encode()
    return body, sdk.sign(body, time.time() - age)


@situation
def genuine_delivery(sdk: Any, server: Origin) -> Outcome:
    return _taken(sdk, *_delivery(sdk))


@situation
def changed_body(sdk: Any, server: Origin) -> Outcome:
    body, headers = _delivery(sdk)
    return _taken(sdk, body + b" ", headers)


@situation
def old_timestamp(sdk: Any, server: Origin) -> Outcome:
    return _taken(sdk, *_delivery(sdk, age=3600))


@situation
def future_timestamp(sdk: Any, server: Origin) -> Outcome:
    return _taken(sdk, *_delivery(sdk, age=-3600))


@situation
def second_signature(sdk: Any, server: Origin) -> Outcome:
    body, headers = _delivery(sdk)
    return _taken(sdk, body, sdk.rotated(headers))


@situation
def other_case(sdk: Any, server: Origin) -> Outcome:
    body, headers = _delivery(sdk)
    return _taken(sdk, body, sdk.in_other_case(headers))


@situation
def no_signature(sdk: Any, server: Origin) -> Outcome:
    body, _ = _delivery(sdk)
    return _taken(sdk, body, {})


@situation
def signed_nonsense(sdk: Any, server: Origin) -> Outcome:
    sdk.read_event(sdk.EVENT, server)
    body = b'{"not": JSON'
    return _taken(sdk, body, sdk.sign(body, time.time()))


@situation
def new_event_type(sdk: Any, server: Origin) -> Outcome:
    if sdk.EVENT is None:
        raise NotOfferedError
    event = tried(lambda: sdk.read_event({**sdk.EVENT, "type": "comet.sighted"}, server))
    if isinstance(event, Exception):
        return Outcome("refused", type(event).__name__)
    kind = type(event).__name__
    if kind in sdk.KNOWN_EVENTS:
        return Outcome("read as an event of another type", kind)
    is_typed = "Unknown" in kind
    return Outcome("a type for unknown events" if is_typed else "an event without a type", kind)
