"""Sequences of calls, written once and run by both clients.

A flow is a generator: it yields its next step and receives the result of a call, or the error
of a failed one is thrown into it. It does no I/O of its own.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar, cast

from ..errors import ApiError
from .retries import Pause

Question = TypeVar("Question")
Received = TypeVar("Received")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class CallStep(Generic[Question]):
    """A call to make."""

    question: Question


@dataclass(frozen=True, slots=True)
class YieldStep(Generic[Value]):
    """A value for the caller."""

    value: Value


Step: TypeAlias = CallStep[Question] | YieldStep[Value] | Pause
# Receives a result after each `CallStep` and None after the other steps.
Flow: TypeAlias = Generator[Step[Question, Value], Received, None]


def run(
    flow: Flow[Question, Value, Received],
    ask: Callable[[Question], Received],
    sleep: Callable[[float], None],
) -> Generator[Value]:
    """Run a flow and yield its values."""
    outcome: Received | ApiError | None = None
    while (step := _resume(flow, outcome)) is not None:
        outcome = None
        if isinstance(step, YieldStep):
            yield step.value
        elif isinstance(step, Pause):
            sleep(step)
        else:
            try:
                outcome = ask(step.question)
            except ApiError as error:
                outcome = error


async def sleep(seconds: float) -> None:
    """Sleep without blocking the event loop."""
    # Imported late: programs without asynchronous calls never load it.
    import asyncio

    await asyncio.sleep(seconds)


async def run_async(
    flow: Flow[Question, Value, Received],
    ask: Callable[[Question], Awaitable[Received]],
    sleep: Callable[[float], Awaitable[None]],
) -> AsyncGenerator[Value]:
    """Run a flow and yield its values."""
    outcome: Received | ApiError | None = None
    while (step := _resume(flow, outcome)) is not None:
        outcome = None
        if isinstance(step, YieldStep):
            yield step.value
        elif isinstance(step, Pause):
            await sleep(step)
        else:
            try:
                outcome = await ask(step.question)
            except ApiError as error:
                outcome = error


def _resume(
    flow: Flow[Question, Value, Received], outcome: Received | ApiError | None
) -> Step[Question, Value] | None:
    """Return the next step of a flow; None at its end."""
    try:
        if isinstance(outcome, ApiError):
            return flow.throw(outcome)
        # A flow receives None at its start and after steps without a result.
        return flow.send(cast("Received", outcome))
    except StopIteration:
        return None
