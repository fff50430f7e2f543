"""Files that are uploaded and downloaded, and what a server says of them."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import FastAPI, HTTPException, Request, Response, UploadFile
from pydantic import BaseModel

from specwright.conformance.checks.lifecycle.uploads import (
    FILE_IS_DESCRIBED,
    FILE_IS_KEPT,
    uploads,
)
from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.checks.robustness.failures import SERVER_ERROR
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (FILE_IS_KEPT, FILE_IS_DESCRIBED)
POST, PUT = "POST /files: ", "PUT /files/{file_id}/content: "
BACK = "a short text comes back as it was"
CUT, OTHER = (
    f"a long file is cut; {BACK}",
    f"a file has other bytes than it was uploaded with; {BACK}",
)
WRONG = "'{}' is not that of the uploaded bytes"
OCTETS = {"content": {"application/octet-stream": {}}, "description": "The bytes."}


class Info(BaseModel):
    id: str
    title: str
    size: int
    sha256: str | None


def same(data: bytes) -> bytes:
    return data


def as_text(data: bytes) -> bytes:
    return data.decode("utf-8", "replace").encode()


def cut(data: bytes) -> bytes:
    return data[:1024]


def in_kilobytes(data: bytes) -> int:
    return -(-len(data) // 1000)


def as_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def as_base64(data: bytes) -> str:
    return "sha-256:" + b64encode(hashlib.sha256(data).digest()).decode()


def of_nothing(data: bytes) -> str:
    return as_hex(b"")


@dataclass
class Server:
    """A server of files.

    Attributes:
        store: what it makes of the bytes.
        size: what it says of their number.
        digest: what it says of their checksum.
        stale: sizes and checksums are those of the first bytes.
        refuses: files that are not texts are refused.
        elsewhere: a download redirects to another server.
        plain: the body of an upload is the file.
        path: the last part of the path of a download.
    """

    store: Callable[[bytes], bytes] = same
    size: Callable[[bytes], int] = len
    digest: Callable[[bytes], str] | None = as_hex
    stale: bool = False
    refuses: bool = False
    elsewhere: bool = False
    plain: bool = False
    path: str = "content"

    def app(self) -> FastAPI:
        app, numbers = FastAPI(), count()
        files, infos = dict[str, bytes](), dict[str, Info]()

        def described(id_: str, title: str, data: bytes) -> Info:
            digest = None if self.digest is None else self.digest(data)
            return Info(id=id_, title=title, size=self.size(data), sha256=digest)

        def stored(id_: str, title: str, data: bytes) -> Info:
            if self.refuses and as_text(data) != data:
                raise HTTPException(400)
            if id_ not in infos or not self.stale:
                infos[id_] = described(id_, title, data)
            files[id_] = self.store(data)
            return infos[id_]

        async def upload(content: UploadFile, title: Annotated[str, "Any."] = "text") -> Info:
            return stored(f"f{next(numbers)}", title, await content.read())

        async def upload_plain(request: Request) -> Info:
            return stored(f"f{next(numbers)}", "text", await request.body())

        body = {"requestBody": {"required": True, "content": OCTETS["content"]}}
        extra: dict[str, Any] = body if self.plain else {}
        add = app.post("/files", status_code=201, openapi_extra=extra)
        add(upload_plain if self.plain else upload)

        @app.get("/files/{file_id}")
        def read(file_id: str) -> Info:
            if file_id not in infos:
                raise HTTPException(404)
            return infos[file_id]

        @app.put("/files/{file_id}/content")
        async def replace(file_id: str, content: UploadFile) -> Info:
            return stored(file_id, read(file_id).title, await content.read())

        @app.get(f"/files/{{file_id}}/{self.path}", responses={200: OCTETS})
        def download(file_id: str) -> Response:
            if file_id not in files:
                raise HTTPException(404)
            if self.elsewhere:
                return Response(status_code=302, headers={"Location": "https://files.invalid"})
            return Response(files[file_id], media_type="application/octet-stream")

        return app


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(
    ("server", "violations"),
    [
        ({}, []),
        ({"store": as_text}, [POST + OTHER, PUT + OTHER]),
        ({"store": cut}, [POST + CUT, PUT + CUT]),
        # All files are converted, or binary ones refused.
        ({"store": bytes.upper}, []),
        ({"store": cut, "refuses": True}, []),
        ({"elsewhere": True}, []),
        ({"store": cut, "path": "download"}, [POST + CUT, PUT + CUT]),
        ({"store": cut, "path": "elsewhere"}, []),
        # Another unit, and sizes of bytes before and after.
        ({"size": in_kilobytes}, []),
        (
            {"size": lambda data: min(len(data), 1024)},
            [POST + WRONG.format("size"), PUT + WRONG.format("size")],
        ),
        ({"digest": as_base64}, []),
        ({"digest": None}, []),
        ({"digest": lambda data: "pending"}, []),
        ({"digest": of_nothing}, [POST + WRONG.format("sha256"), PUT + WRONG.format("sha256")]),
        ({"store": lambda data: data or b"-"}, [POST + OTHER, PUT + OTHER]),
        ({"stale": True}, [PUT + WRONG.format("size"), PUT + WRONG.format("sha256")]),
    ],
)
def test_uploads(
    tmp_path: Path, server: dict[str, Any], violations: list[str], plain: bool
) -> None:
    with driver_of(Server(**server, plain=plain).app(), tmp_path) as driver:
        explore(driver)
        before = dict(driver.successes)
        uploads(driver)
        assert sorted(messages(driver, *PROVEN)) == sorted(violations)
        later = driver.successes["/paths/~1files/post"][0]
        assert later.body == before["/paths/~1files/post"][0].body


def test_an_upload_of_which_nothing_can_be_read_is_not_judged(tmp_path: Path) -> None:
    app, sent = FastAPI(), list[bytes]()

    @app.post("/files", status_code=201)
    async def upload(content: UploadFile) -> None:
        sent.append(await content.read())

    @app.get("/files")
    def files() -> dict[str, int]:
        return {"size": 12}

    with driver_of(app, tmp_path) as driver:
        explore(driver)
        uploads(driver)
        assert messages(driver, *PROVEN) == []
        assert sent[-2:] == [b"a short text", b""]


@pytest.mark.parametrize("is_found", [True, False])
def test_an_empty_file_must_not_be_a_failure(tmp_path: Path, is_found: bool) -> None:
    app = FastAPI()

    @app.post("/files", status_code=201)
    async def upload(content: UploadFile) -> dict[str, str]:
        # As a server that looks at the first byte, for the kind of the file.
        if not await content.read():
            raise HTTPException(500)
        return {"id": "7"} if is_found else {}

    @app.get("/files/{file_id}")
    def read(file_id: str) -> dict[str, str]:
        return {"id": file_id}

    with driver_of(app, tmp_path) as driver:
        explore(driver)
        uploads(driver)
        [message] = messages(driver, SERVER_ERROR)
        assert message.startswith("POST /files: ")
