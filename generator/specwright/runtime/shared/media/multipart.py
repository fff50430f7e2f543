"""Multipart forms (RFC 7578; OpenAPI 3.1.1, 4.8.14.5)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..files import File, as_file, is_file
from ..operation import Content, Part
from ..parts import members, pairs
from .medium import Chunks, Converter, Medium, Payload

_ESCAPED = {ord("\n"): "%0A", ord("\r"): "%0D", ord('"'): "%22"}
_PLAIN = Part()
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# Set from the name and the media type of a file.
_OWN_HEADERS = frozenset({"content-disposition", "content-type"})


@dataclass(frozen=True, slots=True)
class Field:
    """A received part: a text or a file."""

    name: str
    value: str | File


class Multipart(Medium):
    """Parts with headers of their own: texts, JSON values and files."""

    received = returned = "bytes"
    is_object = True
    has_parts = True
    has_files = True
    is_multipart = True

    def matches(self, essence: str) -> bool:
        """Return whether the media type is that of a multipart form."""
        return essence == "multipart/form-data"

    def encode(self, content: Content, value: Any, converter: Converter) -> tuple[str, Payload]:
        """Encode the members of an object as parts; files are read while they are sent."""
        parts = converter.members(value)
        files = {key: list(_files(each)) for key, each in parts.items() if _has_files(each)}
        # With stand-ins for files, the schema can validate presence, item counts and uniqueness.
        stand_ins = {
            key: [str(each.index(file)) for file in each] if isinstance(parts[key], list) else ""
            for key, each in files.items()
        }
        rest = json.loads(converter.write({**parts, **stand_ins}))
        boundary = os.urandom(16).hex()
        heads_and_files = [
            part
            for key in rest
            for part in (
                zip(_heads_of_files(boundary, key, files[key], content), files[key], strict=True)
                if key in files
                else ((head, None) for head in _text_parts(boundary, key, rest[key], content))
            )
        ]
        end = f"--{boundary}--\r\n".encode()
        media_type = f"multipart/form-data; boundary={boundary}"
        if all(file is None for _, file in heads_and_files):
            return media_type, b"".join([*(head for head, _ in heads_and_files), end])

        def read() -> Iterator[bytes]:
            for head, file in heads_and_files:
                yield head
                if file is not None:
                    yield from file.chunks()
                    yield b"\r\n"
            yield end

        sizes = [(len(head), 0 if file is None else file.size) for head, file in heads_and_files]
        is_known = all(size is not None for _, size in sizes)
        more = sum(2 for _, file in heads_and_files if file is not None) + len(end)
        size = more + sum(head + (size or 0) for head, size in sizes) if is_known else None
        is_repeatable = all(file is None or file.is_repeatable for _, file in heads_and_files)
        return media_type, Chunks(read, size, is_repeatable)

    def decode(self, content: Content, data: bytes, media_type: str, converter: Converter) -> bytes:
        """Return the bytes: only a server parses multipart forms."""
        return data

    def build(self, content: Content, fields: Iterable[Field], converter: Converter) -> Any:
        """Return the value of the parts of a form.

        Raises:
            ValueError: a part must be JSON but is not.
            pydantic.ValidationError: the value breaks the schema.
        """
        sent_: list[tuple[str, str]] = []
        files: dict[str, list[File]] = {}
        for field in fields:
            if isinstance(field.value, File):
                files.setdefault(field.name, []).append(field.value)
            else:
                sent_.append((field.name, field.value))
        values: dict[str, Any] = members(content, sent_)
        for key, each in files.items():
            is_list = len(each) > 1 or content.parts.get(key, _PLAIN).kind == "array"
            values[key] = each if is_list else each[0]
        return converter.make(values)


def _has_files(value: object) -> bool:
    return any(map(is_file, _each(value)))


def _files(value: object) -> Iterator[File]:
    return (as_file(part) for part in _each(value))


def _each(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else [value]


def _heads_of_files(
    boundary: str, key: str, files: list[File], content: Content
) -> Iterator[bytes]:
    declared = content.parts.get(key, _PLAIN).content_type
    is_one = declared is not None and not {"*", ","} & set(declared)
    for number, file in enumerate(files, 1):
        media_type = file.content_type or (declared if is_one and declared else file.media_type)
        # Receivers treat a part without a file name as text, and store files by their names.
        name = file.name or ("file" if len(files) == 1 else f"file-{number}")
        yield _head(boundary, key, media_type, name, _more_headers(file))


def _text_parts(boundary: str, key: str, value: Any, content: Content) -> Iterator[bytes]:
    part = content.parts.get(key, _PLAIN)
    is_json = part.style in ("content", "form")
    has_composites = any(isinstance(member, dict | list) for member in _each(value))
    # JSON items become separate parts.
    items: list[Any] = _each(value) if is_json and has_composites else [value]
    for item in items:
        for name_, text in pairs(content, key, item, "header"):
            media_type = part.content_type
            if media_type is None and has_composites:
                media_type = "application/json" if is_json else None
            yield _head(boundary, name_, media_type) + text.encode() + b"\r\n"


def _more_headers(file: File) -> list[str]:
    """Return the headers of a part that a caller has added.

    Raises:
        ValueError: a header is not valid, or is one that the file has anyway.
    """
    for name, text in file.headers.items():
        if not _NAME.fullmatch(name) or name.lower() in _OWN_HEADERS:
            raise ValueError("a header of the file has a name that is not valid")
        if text != text.strip() or not text.isprintable():
            raise ValueError(f"the header {name} of the file has a value that is not valid")
    return [f"{name}: {text}" for name, text in file.headers.items()]


def _head(
    boundary: str,
    key: str,
    media_type: str | None,
    filename: str | None = None,
    headers: Sequence[str] = (),
) -> bytes:
    disposition = f'form-data; name="{key.translate(_ESCAPED)}"'
    if filename is not None:
        disposition += f'; filename="{filename.translate(_ESCAPED)}"'
    lines = [f"--{boundary}", f"Content-Disposition: {disposition}"]
    if media_type is not None:
        lines.append(f"Content-Type: {media_type}")
    return "\r\n".join([*lines, *headers, "", ""]).encode()
