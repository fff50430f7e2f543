"""Situations that could expose the API key."""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterator
from types import FrameType
from typing import Any

import origin
from origin import Origin, reply
from outcome import Outcome, refused, situation, tried


def _errors(sdk: Any, server: Origin, client: Any) -> Iterator[Exception]:
    """Yield the error of each way in which a call fails."""
    answers = (
        reply(sdk.failure("invalid_key"), 401),
        origin.breaks,
        reply(b"<html>"),
    )
    for answer in answers:
        server.says(answer)
        got = tried(lambda: sdk.get(client))
        if isinstance(got, Exception):
            yield got
    got = tried(lambda: sdk.mistake(client))
    if isinstance(got, Exception):
        yield got


@situation
def key_in_texts(sdk: Any, server: Origin) -> Outcome:
    client = sdk.client(server.url, max_retries=0)
    texts = {"repr(client)": repr(client), "str(client)": str(client)}
    for error in _errors(sdk, server, client):
        cause: BaseException | None = error
        while cause is not None:
            texts[f"str({type(cause).__name__})"] = f"{cause} {cause!r}"
            cause = cause.__cause__ or cause.__context__
    shown = [name for name, text in texts.items() if sdk.KEY in text]
    return Outcome("shown", ", ".join(shown)) if shown else Outcome("nowhere")


@situation
def key_in_logs(sdk: Any, server: Origin) -> Outcome:
    stream = io.StringIO()
    logging.basicConfig(level=logging.DEBUG, stream=stream, force=True)
    with contextlib.redirect_stderr(stream), contextlib.redirect_stdout(stream):
        sdk.log_all()
        client = sdk.client(server.url, max_retries=0)
        list(_errors(sdk, server, client))
        server.says(reply(sdk.CREATED, 201))
        tried(lambda: sdk.create(client))
    logged = stream.getvalue()
    return Outcome("shown" if sdk.KEY in logged else "nowhere", f"{len(logged.splitlines())} lines")


@situation
def key_in_frames(sdk: Any, server: Origin) -> Outcome:
    client = sdk.client(server.url, max_retries=0)
    shown = [name for error in _errors(sdk, server, client) for name in _frames(error, sdk.KEY)]
    distinct = list(dict.fromkeys(shown))
    if not distinct:
        return Outcome("nowhere")
    more = f" and {len(distinct) - 2} more" if len(distinct) > 2 else ""
    return Outcome("shown", ", ".join(distinct[:2]) + more)


def _frames(error: BaseException, key: str) -> Iterator[str]:
    """Yield the local variables that show the key, as error trackers would print them."""
    cause: BaseException | None = error
    while cause is not None:
        trace = cause.__traceback__
        while trace is not None:
            yield from _locals(trace.tb_frame, key)
            trace = trace.tb_next
        cause = cause.__cause__ or cause.__context__


def _locals(frame: FrameType, key: str) -> Iterator[str]:
    for name, value in frame.f_locals.items():
        with contextlib.suppress(Exception):
            if key in repr(value):
                yield f"{frame.f_code.co_name}: {name}"


@situation
def key_with_a_line_break(sdk: Any, server: Origin) -> Outcome:
    server.says(reply(sdk.RESOURCE))
    got = tried(lambda: sdk.get(sdk.client(server.url, key=sdk.KEY + "\n", max_retries=0)))
    if not isinstance(got, Exception):
        return Outcome("sent")
    kind, note = refused(sdk, got)
    texts, cause = "", got
    while cause is not None:
        texts += f"{cause} {cause!r}"
        cause = cause.__cause__ or cause.__context__
    return Outcome(f"{kind}, key shown" if sdk.KEY in texts else kind, note)
