"""Progress of uploads and downloads, and headers of parts, in both clients."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import document
from tests.functional.origin import Answer, Origin
from tests.functional.test_client import Caller
from tests.functional.test_downloads import BODY, rest, save, whole

FILE = {"type": "string", "format": "binary"}
FORM = {"type": "object", "properties": {"file": FILE}}
DONE = {"204": {"description": "Done."}}
OCTETS = {"200": {"description": "It.", "content": {"application/octet-stream": {}}}}
API = document(
    paths={
        "/form": {
            "post": {
                "tags": ["files"],
                "operationId": "upload",
                "requestBody": {
                    "required": True,
                    "content": {"multipart/form-data": {"schema": FORM}},
                },
                "responses": DONE,
            }
        },
        "/octets": {
            "get": {"tags": ["files"], "operationId": "download", "responses": OCTETS},
            "put": {
                "tags": ["files"],
                "operationId": "replace",
                "requestBody": {"required": True, "content": {"application/octet-stream": {}}},
                "responses": DONE,
            },
        },
    }
)
SIZE = 150_000
CHUNKS = [65_536, 131_072, SIZE]


@pytest.fixture(params=["sync", "async"])
def caller(request: pytest.FixtureRequest, package: Generate, origin: Origin) -> Caller:
    return Caller(package(API), origin, request.param == "async")


class Pipe(io.RawIOBase):
    """A file of unknown size."""

    def __init__(self) -> None:
        self._content = io.BytesIO(b"x" * SIZE)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._content.read(size)


@pytest.mark.parametrize("kind", ["bytes", "path", "opened", "pipe"])
@pytest.mark.parametrize("method", ["upload", "replace"])
def test_an_upload_shows_its_progress(
    caller: Caller, origin: Origin, tmp_path: Path, method: str, kind: str
) -> None:
    (tmp_path / "file").write_bytes(b"x" * SIZE)
    content = {
        "bytes": lambda: b"x" * SIZE,
        "path": lambda: tmp_path / "file",
        "opened": lambda: io.BytesIO(b"x" * SIZE),
        "pipe": Pipe,
    }[kind]()
    shown: list[tuple[int, int | None]] = []
    file = caller.module.File(content, "x.bin", progress=lambda *sizes: shown.append(sizes))
    origin.answer(Answer(204, b""))
    argument = {"upload": "file", "replace": "body"}[method]
    caller(lambda client: getattr(client.files, method)(**{argument: file}))
    assert b"x" * SIZE in origin.asked[0].body
    assert shown == [(done, None if kind == "pipe" else SIZE) for done in CHUNKS]


def test_each_attempt_begins_again(caller: Caller, origin: Origin) -> None:
    shown: list[int] = []
    file = caller.module.File(b"12", progress=lambda done, size: shown.append(done))
    origin.answer(Answer(503, headers={"retry-after": "0"}), Answer(204, b""))
    caller(lambda client: client.files.replace(body=file), max_retries=1)
    assert shown == [2, 2]


def test_a_download_shows_its_progress(caller: Caller, origin: Origin, tmp_path: Path) -> None:
    shown: list[tuple[int, int | None]] = []
    origin.answer(whole(BODY, sent=4), rest(BODY, 4, 10))
    progress = save(tmp_path / "a", progress=lambda *sizes: shown.append(sizes))
    caller(progress, max_retries=1)
    assert (shown[0], shown[-1]) == ((4, 10), (10, 10))


def test_a_part_has_more_headers(caller: Caller, origin: Origin) -> None:
    file = caller.module.File(b"1", "a.bin", headers={"X-Checksum": "ab cd", "Content-Id": "<a>"})
    origin.answer(Answer(204, b""))
    caller(lambda client: client.files.upload(file=file))
    assert (
        b'Content-Disposition: form-data; name="file"; filename="a.bin"\r\n'
        b"Content-Type: application/octet-stream\r\n"
        b"X-Checksum: ab cd\r\nContent-Id: <a>\r\n\r\n1\r\n"
    ) in origin.asked[0].body


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/html"},
        {"CONTENT-DISPOSITION": "form-data"},
        {"X:": "a"},
        {"": "a"},
        {"X": "a\r\nY: b"},
        {"X": "a\n"},
        {"X": " a"},
        {"X\r\nY": "b"},
    ],
)
def test_a_header_of_a_part_is_checked(
    caller: Caller, origin: Origin, headers: dict[str, str]
) -> None:
    file = caller.module.File(b"1", headers=headers)
    with pytest.raises(caller.module.InvalidArgumentError, match="header"):
        caller(lambda client: client.files.upload(file=file))
    assert origin.asked == []


def test_a_file_can_be_compared_and_hashed(package: Generate) -> None:
    kind: Any = package(API).File
    one, other = kind(b"1", "a"), kind(b"1", "a", progress=print)
    assert one == other
    assert hash(one) == hash(other)
    assert "print" not in repr(other)
