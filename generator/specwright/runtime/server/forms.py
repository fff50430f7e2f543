"""Multipart forms, parsed by Starlette, which needs `python-multipart` for it."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from ..shared.files import File
from ..shared.media.multipart import Field


class _Parser(MultiPartParser):
    has_ended = False

    def on_part_end(self) -> None:
        # Starlette would read the text of a part as Latin-1; that of a file is elsewhere.
        self._current_part.data.decode()
        super().on_part_end()

    def on_end(self) -> None:
        self.has_ended = True


async def fields_of(media_type: str, data: bytes) -> list[Field]:
    """Return the parts of a form in order.

    Raises:
        ValueError: the body is not a valid multipart form.
    """

    async def stream() -> AsyncGenerator[bytes]:
        yield data

    headers = Headers({"content-type": media_type})
    parser = _Parser(headers, stream(), max_part_size=len(data) + 1)
    try:
        form = await parser.parse()
    except (MultiPartException, KeyError) as error:
        raise ValueError(getattr(error, "message", "it has no boundary")) from None
    if not parser.has_ended:
        # The part before it would be missing.
        raise ValueError("it has no last boundary")
    return [Field(name, await _value(value)) for name, value in form.multi_items()]


async def _value(value: UploadFile | str) -> str | File:
    if isinstance(value, str):
        return value
    content = await value.read()
    await value.close()
    return File(content, value.filename, value.content_type)
