"""Models from a second process, which loads the generator while the first one continues."""

from __future__ import annotations

import errno
import gc
import os
import pickle
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Thread
from types import TracebackType
from typing import BinaryIO, NoReturn

from specwright.document.model import Document
from specwright.document.shape import walk
from specwright.errors import SpecwrightError
from specwright.isolation import ProcessCopy, Stopped, TaskLimits, limit_memory, limit_time
from specwright.models.generate import ModelsError, ModelSource, generate

# Many times the need of large documents in use (docs/decisions/0051).
SECONDS = 20.0
SECONDS_PER_OBJECT = 0.006
MEMORY = 768 * 1024 * 1024


class ModelWorker:
    """A process for the models of one document; it starts at once and ends with the block.

    It is a copy of this process, which need not load a second time what it has loaded. Windows
    has no copies: there, the models are generated in this process.
    """

    def __init__(self) -> None:
        if sys.platform == "win32":
            return
        reading, writing = os.pipe()

        def work(results: BinaryIO) -> None:
            os.close(writing)
            with os.fdopen(reading, "rb") as documents:
                _work(documents, results)

        self._process = ProcessCopy(work)
        os.close(reading)
        self._documents: BinaryIO = os.fdopen(writing, "wb")

    def __enter__(self) -> ModelWorker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if sys.platform == "win32":
            return
        self._process.kill()
        self._process.wait()
        with suppress(BrokenPipeError):
            self._documents.close()

    def begin(self, document: Document) -> Callable[[], ModelSource]:
        """Send the document; return a function that waits for its models."""
        if sys.platform == "win32":
            return partial(generate, document)
        content = pickle.dumps((document.path, document.data, document.anchors, _limits(document)))
        # More than a pipe holds, and the process reads nothing until it has loaded everything.
        sending = Thread(target=self._send, args=(content,), daemon=True)
        sending.start()
        return partial(self._result, document, sending)

    def _send(self, content: bytes) -> None:
        # If the process has already ended, that is reported when its models are requested.
        with suppress(BrokenPipeError), self._documents:
            self._documents.write(content)

    def _result(self, document: Document, sending: Thread) -> ModelSource:
        output = self._process.output.read()
        sending.join()
        status, _ = self._process.wait()
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


def _work(documents: BinaryIO, results: BinaryIO) -> None:
    # Garbage collection would take a sixth of the time; the end of the process frees it all.
    gc.disable()
    # Loaded before there is a document to read: this takes most of the time.
    import datamodel_code_generator.parser.openapi  # noqa: F401

    path, data, anchors, limits = pickle.load(documents)
    limit_memory(limits.memory)
    limit_time(limits.seconds)
    try:
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
