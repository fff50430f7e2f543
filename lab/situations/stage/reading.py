"""Situations with responses that grow, and with broken responses."""

from __future__ import annotations

import json
import resource
from collections.abc import Callable
from datetime import datetime
from typing import Any

import origin
from origin import Origin, reply
from outcome import NotOfferedError, Outcome, raised, situation, tried

LIMIT = 0.5
MEGABYTES = 96


def _read(sdk: Any, server: Origin, member: Any, value: object) -> Any:
    """Return the attribute of a member to which the response gives a value, or the error."""
    if member is None:
        raise NotOfferedError
    server.says(reply({**member.resource, member.name: value}))
    return tried(lambda: getattr(member.read(server.url), member.attribute))


def _arrives(got: Any, value: object) -> Outcome:
    if isinstance(got, Exception):
        return Outcome("refused", type(got).__name__)
    return Outcome("as it is") if got == value else Outcome("another value", repr(got))


def _without(sdk: Any, server: Origin) -> Any:
    member = sdk.OPTIONAL
    rest = {name: value for name, value in member.resource.items() if name != member.name}
    server.says(reply(rest))
    return tried(lambda: member.read(server.url))


@situation
def optional_absent(sdk: Any, server: Origin) -> Outcome:
    model = _without(sdk, server)
    got = tried(lambda: getattr(model, sdk.OPTIONAL.attribute))
    if isinstance(got, Exception):
        return Outcome("raises", type(got).__name__)
    if got is None:
        return Outcome("None")
    note = f"`if` takes it for {bool(got)}; its type is {type(got).__name__}"
    return Outcome("a true value" if got else "a false value", note)


@situation
def optional_null(sdk: Any, server: Origin) -> Outcome:
    got = _read(sdk, server, sdk.NULLABLE, None)
    if isinstance(got, Exception):
        return Outcome("refused", type(got).__name__)
    return Outcome("None") if got is None else Outcome("another value", repr(got))


@situation
def absent_or_null(sdk: Any, server: Origin) -> Outcome:
    absent = _without(sdk, server)
    server.says(reply({**sdk.OPTIONAL.resource, sdk.OPTIONAL.name: None}))
    null = tried(lambda: sdk.OPTIONAL.read(server.url))
    if isinstance(null, Exception):
        return Outcome("null is refused", type(null).__name__)
    seen = [sdk.is_given(model, sdk.OPTIONAL) for model in (absent, null)]
    return Outcome("distinguished") if seen == [False, True] else Outcome("not distinguished")


@situation
def new_member(sdk: Any, server: Origin) -> Outcome:
    member = sdk.TEXT
    server.says(reply({**member.resource, "brand_new": "kept"}))
    model = tried(lambda: member.read(server.url))
    if isinstance(model, Exception):
        return Outcome("refused", type(model).__name__)
    return Outcome("kept" if tried(lambda: sdk.extra(model, "brand_new")) == "kept" else "dropped")


@situation
def new_enum_value(sdk: Any, server: Origin) -> Outcome:
    return _arrives(_read(sdk, server, sdk.ENUM, "unheard_of"), "unheard_of")


@situation
def longer_text(sdk: Any, server: Origin) -> Outcome:
    return _arrives(_read(sdk, server, sdk.TEXT, "x" * 500), "x" * 500)


@situation
def larger_number(sdk: Any, server: Origin) -> Outcome:
    return _arrives(_read(sdk, server, sdk.NUMBER, 10**9), 10**9)


@situation
def naive_time(sdk: Any, server: Origin) -> Outcome:
    got = _read(sdk, server, sdk.INSTANT, "2026-03-02T09:15:04")
    if isinstance(got, Exception):
        return Outcome("refused", type(got).__name__)
    assert isinstance(got, datetime), got
    return Outcome("a datetime", "naive" if got.tzinfo is None else "a zone was added")


@situation
def integral_float(sdk: Any, server: Origin) -> Outcome:
    got = _read(sdk, server, sdk.NUMBER, 5.0)
    if isinstance(got, Exception):
        return Outcome("refused", type(got).__name__)
    return Outcome("an int" if type(got) is int else "a float", repr(got))


def _broken(sdk: Any, server: Origin, answer: origin.Answer, said: str = "") -> Outcome:
    """Return the outcome of a call with a response; `said` is a word to find in the message."""
    server.says(answer)
    got = tried(lambda: sdk.get(sdk.client(server.url, max_retries=0)))
    if not isinstance(got, Exception):
        return Outcome("no error", f"returns {type(got).__name__}")
    kind, note = raised(sdk, got)
    says = kind == "own error" and said and said in str(got)
    return Outcome(f"{kind} that says {said}" if says else kind, note)


@situation
def html(sdk: Any, server: Origin) -> Outcome:
    page = b"<html><body>Back soon</body></html>"
    return _broken(sdk, server, reply(page, content_type="text/html"), "text/html")


@situation
def broken_json(sdk: Any, server: Origin) -> Outcome:
    return _broken(sdk, server, reply(b'{"id": '))


@situation
def truncated_body(sdk: Any, server: Origin) -> Outcome:
    return _broken(sdk, server, reply(json.dumps(sdk.RESOURCE).encode()[:20], content_length="500"))


@situation
def no_content(sdk: Any, server: Origin) -> Outcome:
    return _broken(sdk, server, reply(b"", 204))


@situation
def missing_member(sdk: Any, server: Origin) -> Outcome:
    rest = {name: value for name, value in sdk.RESOURCE.items() if name != sdk.REQUIRED}
    return _broken(sdk, server, reply(rest))


@situation
def other_media_type(sdk: Any, server: Origin) -> Outcome:
    server.says(reply(sdk.RESOURCE, content_type="text/plain"))
    got = tried(lambda: sdk.get(sdk.client(server.url, max_retries=0)))
    if isinstance(got, Exception):
        return raised(sdk, got)
    return Outcome(
        "a str instead of a model" if isinstance(got, str) else "read", type(got).__name__
    )


def _ends(sdk: Any, server: Origin, answer: origin.Answer) -> Outcome:
    server.says(answer)
    client = sdk.client(server.url, timeout=LIMIT, deadline=LIMIT, max_retries=0)
    got = tried(lambda: sdk.get(client))
    note = type(got).__name__ if isinstance(got, Exception) else "returns"
    ended = len(origin.DROPS) < origin.DRIPS
    return Outcome("ends in time" if ended else "waits as long as it drips", note)


@situation
def dripping_head(sdk: Any, server: Origin) -> Outcome:
    return _ends(sdk, server, origin.drips_head)


@situation
def dripping_body(sdk: Any, server: Origin) -> Outcome:
    return _ends(sdk, server, origin.drips_body(sdk.RESOURCE))


def _large(sdk: Any, server: Origin, make: Callable[[object, int], origin.Answer]) -> Outcome:
    server.says(make(sdk.RESOURCE, MEGABYTES))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    got = tried(lambda: sdk.get(sdk.client(server.url, max_retries=0)))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    note = f"{round(grown, -1)} MB more memory"
    if isinstance(got, Exception):
        return Outcome("refused", f"{type(got).__name__}, {note}")
    return Outcome("taken whole", note)


@situation
def gzip_bomb(sdk: Any, server: Origin) -> Outcome:
    return _large(sdk, server, origin.bomb)


@situation
def large_body(sdk: Any, server: Origin) -> Outcome:
    return _large(sdk, server, origin.pads)


@situation
def repeated_cursor(sdk: Any, server: Origin) -> Outcome:
    most = 200
    server.says(reply(sdk.PAGE))
    items = sdk.iterate(sdk.client(server.url, max_retries=0))

    def walk() -> None:
        for _ in items:
            if len(server.asked) >= most:
                return

    got = tried(walk)
    note = f"{len(server.asked)} requests"
    if len(server.asked) >= most:
        return Outcome("goes on forever", f"stopped after {most} requests")
    if isinstance(got, Exception):
        return Outcome(raised(sdk, got).word, f"{type(got).__name__}, {note}")
    return Outcome("ends as if all were read", note)
