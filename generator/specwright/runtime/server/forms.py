"""Multipart forms, parsed by Starlette, which needs `python-multipart` for it."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from ..shared.files import File
from ..shared.media.multipart import Field


async def fields_of(media_type: str, data: bytes) -> list[Field]:
    """Return the parts of a form in order.

    Raises:
        ValueError: the body is not a valid multipart form.
    """

    async def stream() -> AsyncGenerator[bytes]:
        yield data

    headers = Headers({"content-type": media_type})
    try:
        form = await MultiPartParser(headers, stream(), max_part_size=len(data) + 1).parse()
    except (MultiPartException, KeyError) as error:
        raise ValueError(getattr(error, "message", "it has no boundary")) from None
    return [Field(name, await _value(value)) for name, value in form.multi_items()]


async def _value(value: UploadFile | str) -> str | File:
    if isinstance(value, str):
        return value
    content = await value.read()
    await value.close()
    return File(content, value.filename, value.content_type)
