"""Handlers that wait for a file, a database or a computation, in threads of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import CoroutineType
from typing import Any, ParamSpec, TypeVar, cast

from starlette.concurrency import run_in_threadpool

P = ParamSpec("P")
T = TypeVar("T")


def in_thread(handler: Callable[P, T]) -> Callable[P, CoroutineType[object, object, T]]:
    """Make a handler of a function that blocks: other requests are served while it runs."""

    @wraps(handler)
    async def threaded(*args: P.args, **kwargs: P.kwargs) -> T:
        return await run_in_threadpool(handler, *args, **kwargs)

    # An async function returns a Coroutine to mypy, and a CoroutineType to pyright.
    made: Any = threaded
    return cast("Callable[P, CoroutineType[object, object, T]]", made)
