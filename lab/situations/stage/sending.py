"""Situations with retries, redirects, options, headers and proxies."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import origin
from origin import Origin, reply
from outcome import Outcome, raised, refused, situation, tried

# Set explicitly, as some libraries do not retry by default.
RETRIES = 2


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _post_breaks(sdk: Any, server: Origin, send: Callable[[Any], object]) -> Outcome:
    server.says(origin.breaks)
    tried(lambda: send(sdk.client(server.url, max_retries=RETRIES)))
    sent = server.asked
    if len(sent) == 1:
        return Outcome("sent once")
    keys = {tuple(request.values("idempotency-key")) for request in sent}
    has_key = () not in keys or sdk.REFERENCE in sent[0].body
    is_same = len(keys) == 1 and len({request.body for request in sent}) == 1
    note = f"sent {_times(len(sent))}"
    return Outcome("repeated with one key" if has_key and is_same else "repeated blindly", note)


@situation
def post_breaks(sdk: Any, server: Origin) -> Outcome:
    return _post_breaks(sdk, server, sdk.create)


@situation
def safe_post_breaks(sdk: Any, server: Origin) -> Outcome:
    return _post_breaks(sdk, server, sdk.create_safely)


@situation
def unavailable_once(sdk: Any, server: Origin) -> Outcome:
    server.says(reply(sdk.failure("internal_error"), 503), reply(sdk.RESOURCE))
    got = tried(lambda: sdk.get(sdk.client(server.url, max_retries=RETRIES)))
    if len(server.asked) == 1:
        return Outcome("gives up", type(got).__name__)
    assert not isinstance(got, Exception), got
    return Outcome("asks again")


@situation
def too_many_requests(sdk: Any, server: Origin) -> Outcome:
    limited = reply(sdk.failure("rate_limited"), 429, retry_after="1")
    server.says(limited, reply(sdk.RESOURCE))
    got = tried(lambda: sdk.get(sdk.client(server.url, max_retries=RETRIES)))
    if len(server.asked) == 1:
        return Outcome("gives up", type(got).__name__)
    waited = server.asked[1].moment - server.asked[0].moment
    return Outcome("waits as asked" if waited >= 0.95 else "comes back too soon", f"{waited:.1f} s")


def _conflict(sdk: Any, server: Origin, code: str) -> tuple[Any, int]:
    server.says(reply(sdk.failure(code), 409), reply(sdk.CREATED, 201))
    got = tried(lambda: sdk.create_safely(sdk.client(server.url, max_retries=RETRIES)))
    return got, len(server.asked)


@situation
def in_progress(sdk: Any, server: Origin) -> Outcome:
    got, count = _conflict(sdk, server, sdk.IN_PROGRESS)
    return Outcome("gives up", type(got).__name__) if count == 1 else Outcome("asks again")


@situation
def conflict(sdk: Any, server: Origin) -> Outcome:
    got, count = _conflict(sdk, server, "a_conflict_that_lasts")
    return Outcome("raises at once", type(got).__name__) if count == 1 else Outcome("asks again")


@situation
def redirect(sdk: Any, server: Origin) -> Outcome:
    other = Origin()
    other.says(reply(sdk.RESOURCE))
    elsewhere = f"http://localhost:{other.port}/elsewhere"
    server.says(reply(b"", 307, location=elsewhere))
    got = tried(lambda: sdk.get(sdk.client(server.url, max_retries=0)))
    if not other.asked:
        return Outcome("not followed", type(got).__name__)
    shown = any(sdk.KEY in value for _, value in other.asked[0].headers)
    return Outcome("followed with the key" if shown else "followed without the key")


@situation
def own_authorization(sdk: Any, server: Origin) -> Outcome:
    server.says(reply(sdk.RESOURCE))
    own = {sdk.CREDENTIAL: "Bearer another-one"}
    got = tried(lambda: sdk.get(sdk.client(server.url, headers=own, max_retries=0)))
    if not server.asked:
        return refused(sdk, got)
    sent = server.asked[0].values(sdk.CREDENTIAL.lower())
    if len(sent) > 1:
        return Outcome("two are sent")
    return Outcome("the caller's is sent" if sent == list(own.values()) else "its own is sent")


@situation
def content_length(sdk: Any, server: Origin) -> Outcome:
    server.says(reply(sdk.CREATED, 201))
    wrong = {"Content-Length": "3"}
    got = tried(lambda: sdk.create(sdk.client(server.url, headers=wrong, max_retries=0)))
    if isinstance(got, Exception):
        return refused(sdk, got)
    lengths = server.asked[0].values("content-length")
    return Outcome("the wrong length is sent" if "3" in lengths else "the right length is sent")


@situation
def header_beyond_ascii(sdk: Any, server: Origin) -> Outcome:
    server.says(reply(sdk.RESOURCE))
    named = {"X-Name": "Zoë"}
    got = tried(lambda: sdk.get(sdk.client(server.url, headers=named, max_retries=0)))
    if not server.asked:
        kind = refused(sdk, got)
        is_unicode = isinstance(got, UnicodeError)
        return Outcome("foreign error", type(got).__name__) if is_unicode else kind
    sent = server.asked[0].values("x-name")[0].encode("latin-1")
    return Outcome("sent", "UTF-8" if sent == "Zoë".encode() else "Latin-1")


@situation
def no_time_at_all(sdk: Any, server: Origin) -> Outcome:
    server.says(reply(sdk.RESOURCE))
    got = tried(lambda: sdk.get(sdk.client(server.url, timeout=0, max_retries=0)))
    if not isinstance(got, Exception):
        return Outcome("means no limit")
    kind, note = refused(sdk, got)
    odd = "Errno" in str(got) or "in progress" in str(got)
    return Outcome("an error about a socket", str(got)[:60]) if odd else Outcome(kind, note)


@situation
def minus_one_retries(sdk: Any, server: Origin) -> Outcome:
    server.says(reply(sdk.RESOURCE))
    got = tried(lambda: sdk.get(sdk.client(server.url, max_retries=-1)))
    if isinstance(got, Exception):
        return refused(sdk, got)
    return Outcome("means none")


@situation
def proxy_of_the_environment(sdk: Any, server: Origin) -> Outcome:
    proxy = Origin()
    proxy.says(reply(sdk.RESOURCE))
    server.says(reply(sdk.RESOURCE))
    os.environ["HTTP_PROXY"] = os.environ["http_proxy"] = proxy.url
    tried(lambda: sdk.get(sdk.client(server.url, max_retries=0)))
    return Outcome("used" if proxy.asked else "not used")


@situation
def proxy_as_an_argument(sdk: Any, server: Origin) -> Outcome:
    proxy = Origin()
    proxy.says(reply(sdk.RESOURCE))
    server.says(reply(sdk.RESOURCE))
    got = tried(lambda: sdk.get(sdk.client(server.url, proxy=proxy.url, max_retries=0)))
    if proxy.asked:
        return Outcome("used")
    return raised(sdk, got) if isinstance(got, Exception) else Outcome("not used")
