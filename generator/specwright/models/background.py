"""Models from a second process, which loads the generator while the first one continues."""

from __future__ import annotations

import errno
import gc
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Thread
from types import TracebackType
from typing import NoReturn

from specwright.document.model import Document
from specwright.document.shape import walk
from specwright.errors import SpecwrightError
from specwright.isolation import Stopped, TaskLimits, limit_memory, limit_time
from specwright.models.generate import ModelsError, ModelSource, generate

# -P: the working directory belongs to the user and must not be imported from.
_COMMAND = (sys.executable, "-P", "-m", "specwright.models.background")

# Three times the need of large documents in use (docs/decisions/0051).
SECONDS = 10.0
SECONDS_PER_OBJECT = 0.0015
MEMORY = 768 * 1024 * 1024


class ModelWorker:
    """A process for the models of one document; it starts at once and ends with the block."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def __enter__(self) -> ModelWorker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def begin(self, document: Document) -> Callable[[], ModelSource]:
        """Send the document; return a function that waits for its models."""
        content = pickle.dumps((document.path, document.data, document.anchors, _limits(document)))
        # More than a pipe holds, and the process reads nothing until it has loaded everything.
        sending = Thread(target=self._send, args=(content,), daemon=True)
        sending.start()
        return partial(self._result, document, sending)

    def _send(self, content: bytes) -> None:
        assert self._process.stdin is not None
        # If the process has already ended, that is reported when its models are requested.
        with suppress(BrokenPipeError), self._process.stdin as stdin:
            stdin.write(content)

    def _result(self, document: Document, sending: Thread) -> ModelSource:
        assert self._process.stdout is not None
        output = self._process.stdout.read()
        sending.join()
        status = self._process.wait()
        if status < 0:
            stopped = Stopped.by(-status)
            raise SpecwrightError(f"{document.path}: models cannot be generated: {stopped}")
        if status > 0:
            # The error occurs again here, where its place in the document is known.
            return generate(document)
        outcome: ModelSource | str = pickle.loads(output)
        if isinstance(outcome, str):
            raise ModelsError(document.path, outcome)
        return outcome


@dataclass(frozen=True, slots=True)
class _Elsewhere:
    """The source of a document in the second process, which does not have its lines."""

    file: str
    text: str = ""

    def position(self, tokens: tuple[str, ...]) -> NoReturn:
        raise LookupError(tokens)

    def line(self, number: int) -> NoReturn:
        raise LookupError(number)


def _limits(document: Document) -> TaskLimits:
    objects = sum(1 for _ in walk(document.data))
    return TaskLimits(SECONDS + SECONDS_PER_OBJECT * objects, MEMORY)


def _main() -> None:
    # The parent is interrupted, too, and ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Garbage collection would take a sixth of the time; the end of the process frees it all.
    gc.disable()
    # Loaded before there is a document to read: this takes most of the time.
    import datamodel_code_generator.parser.openapi  # noqa: F401

    path, data, anchors, limits = pickle.load(sys.stdin.buffer)
    limit_memory(limits.memory)
    limit_time(limits.seconds)
    try:
        with results:
            pickle.dump(_outcome(Document(path, data, _Elsewhere(path), {}, anchors)), results)
    except Exception as error:
        if _is_for_want_of_memory(error):
            os.kill(os.getpid(), signal.SIGKILL)
        raise


def _outcome(document: Document) -> ModelSource | str:
    """Return the models, or the reason why they cannot be made."""
    try:
        return generate(document)
    except ModelsError as error:
        if _is_for_want_of_memory(error):
            raise
        return error.reason


def _is_for_want_of_memory(error: BaseException | None) -> bool:
    """Return whether an error was caused by a lack of memory, even if libraries wrapped it."""
    while error is not None:
        # Compiled code that gets no memory may forget to say so, which is a SystemError.
        if isinstance(error, MemoryError | SystemError):
            return True
        if getattr(error, "errno", None) == errno.ENOMEM:
            return True
        error = error.__cause__ or error.__context__
    return False


if __name__ == "__main__":
    _main()
