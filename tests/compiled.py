"""Generated packages have most modules in common; each text is compiled once in this process."""

from __future__ import annotations

import _imp
import dataclasses
import functools
import marshal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any

import pytest


@functools.cache
def _compiled(source: bytes) -> bytes:
    return marshal.dumps(compile(source, "<source>", "exec", dont_inherit=True))


@functools.cache
def _compiled_method(source: str) -> CodeType:
    return compile(source, "<string>", "exec", dont_inherit=True)


def _source_to_code(self: SourceFileLoader, data: Any, path: Any, **options: Any) -> CodeType:
    code: CodeType = marshal.loads(_compiled(bytes(data)))
    # As the import of a cached module does: tracebacks name the file that was imported.
    _imp._fix_co_filename(code, path)
    return code


def _exec_method(source: str, *namespaces: Any) -> None:
    exec(_compiled_method(source), *namespaces)


@contextmanager
def once() -> Iterator[None]:
    """Compile each text of a module once, and each method that `dataclasses` writes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SourceFileLoader, "source_to_code", _source_to_code)
        patch.setattr(dataclasses, "exec", _exec_method, raising=False)
        yield
