"""Files in requests: as bytes, as an open file, or by path."""

from __future__ import annotations

import io
import mimetypes
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

CHUNK_BYTES = 64 * 1024
_UNKNOWN = "application/octet-stream"


# Called with the number of bytes so far and of all, which may be unknown.
Progress: TypeAlias = Callable[[int, int | None], object]


# Without slots: the fields of a model are compared with those of Pydantic's own types.
@dataclass(frozen=True)
class File:
    """A file with its name and media type.

    Attributes:
        content: its bytes, a file open for reading bytes, or its path.
        filename: its name for the receiver; None uses that of the path or the open file.
        content_type: its media type; None guesses it from the name.
        headers: more headers of its part in a multipart body.
        progress: called while it is sent, with the bytes so far and all bytes, None if unknown;
            an attempt after the first begins at 0 again.
    """

    content: bytes | IO[bytes] | os.PathLike[str] = field(repr=False)
    filename: str | None = None
    content_type: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False, hash=False)
    progress: Progress | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, value: FileTypes) -> File:
        """Return a file, or create one from its content."""
        return value if isinstance(value, File) else cls(value)

    @property
    def name(self) -> str | None:
        """The name sent with the file."""
        if self.filename is not None:
            return self.filename
        content = self.content
        source = content if isinstance(content, os.PathLike) else getattr(content, "name", None)
        is_path = isinstance(source, str | os.PathLike)
        return Path(cast("str | os.PathLike[str]", source)).name if is_path else None

    @property
    def media_type(self) -> str:
        """The media type sent with the file."""
        return self.content_type or mimetypes.guess_type(self.name or "")[0] or _UNKNOWN

    @property
    def size(self) -> int | None:
        """The number of bytes left to read; None if unknown."""
        match self.content:
            case bytes():
                return len(self.content)
            case os.PathLike():
                return Path(self.content).stat().st_size
            case opened:
                return _left(opened)

    @property
    def is_repeatable(self) -> bool:
        """Whether the file can be read again from its current position."""
        if isinstance(self.content, bytes | os.PathLike):
            return True
        return _left(self.content) is not None

    def read(self) -> bytes:
        """Return all bytes."""
        return b"".join(self.chunks())

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes in chunks; restore the position of an open file if possible."""
        if self.progress is None:
            yield from self._chunks()
            return
        done, size = 0, self.size
        for chunk in self._chunks():
            yield chunk
            done += len(chunk)
            self.progress(done, size)

    def _chunks(self) -> Iterator[bytes]:
        match self.content:
            case bytes():
                yield from _parts(io.BytesIO(self.content))
            case os.PathLike():
                with Path(self.content).open("rb") as opened:
                    yield from _parts(opened)
            case opened:
                start = opened.tell() if self.is_repeatable else None
                yield from _parts(opened)
                if start is not None:
                    opened.seek(start)

    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        """Accept any content; in JSON, a file is a text."""
        return core_schema.json_or_python_schema(
            core_schema.no_info_after_validator_function(_of_text, core_schema.str_schema()),
            core_schema.no_info_plain_validator_function(_of_any),
            serialization=core_schema.plain_serializer_function_ser_schema(_text, when_used="json"),
        )


FileTypes: TypeAlias = "File | bytes | IO[bytes] | os.PathLike[str]"


def is_file(value: object) -> bool:
    """Return whether a value is a file, or the content for one."""
    return isinstance(value, File | bytes | os.PathLike) or hasattr(value, "read")


def as_file(value: Any) -> File:
    """Return a file, or create one from its content.

    Raises:
        ValueError: the value is neither.
    """
    if is_file(value):
        return File.of(value)
    raise ValueError("Input should be a file, its bytes or its path")


def _of_any(value: Any) -> File:
    if isinstance(value, str):
        return _of_text(value)
    if is_file(value):
        return File.of(value)
    raise PydanticCustomError("file_type", "Input should be a file, its bytes or its path")


def _of_text(value: str) -> File:
    return File(value.encode())


def _text(value: Any) -> Any:
    return value.read().decode() if isinstance(value, File) else value


def _parts(opened: IO[bytes]) -> Iterator[bytes]:
    while chunk := opened.read(CHUNK_BYTES):
        yield chunk


def _left(opened: IO[bytes]) -> int | None:
    try:
        start = opened.tell()
        end = opened.seek(0, io.SEEK_END)
        opened.seek(start)
    except (AttributeError, OSError, ValueError):
        return None
    return end - start
