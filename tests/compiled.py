"""Generated packages have most modules in common; each text is compiled once in this process."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any

import pytest


@functools.cache
def _compiled(source: bytes) -> CodeType:
    return compile(source, "<source>", "exec", dont_inherit=True)


def _located(code: CodeType, path: str) -> CodeType:
    constants = tuple(
        _located(constant, path) if isinstance(constant, CodeType) else constant
        for constant in code.co_consts
    )
    return code.replace(co_filename=path, co_consts=constants)


def _source_to_code(self: SourceFileLoader, data: Any, path: Any, **options: Any) -> CodeType:
    return _located(_compiled(bytes(data)), path)


@contextmanager
def once() -> Iterator[None]:
    """Compile each text of a module once; tracebacks still name the file that was imported."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SourceFileLoader, "source_to_code", _source_to_code)
        yield
