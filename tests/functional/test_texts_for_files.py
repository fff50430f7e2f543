"""Where a body cannot carry files, a schema of a file is one of a text."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.functional.conftest import Generate, codecs
from tests.functional.documents import Json, content, document, operation, ref
from tests.functional.origin import Answer, Origin

BINARY: dict[str, Json] = {
    "format": {"type": "string", "format": "binary"},
    "media type": {"type": "string", "contentMediaType": "application/octet-stream"},
}


def form(name: str) -> Json:
    return {"content": {"multipart/form-data": {"schema": ref(name)}}}


def api(file: Json) -> Json:
    thing: Json = {
        "type": "object",
        "required": ["file"],
        "properties": {"file": file, "parts": {"type": "array", "items": file}},
    }
    albums: Json = {"type": "array", "items": ref("Album")}
    paths: Json = {
        "/change": {"post": operation(ref("Change"), **body(content(ref("Change"))))},
        "/upload": {"post": operation(albums, **body(form("Album")))},
        "/both": {"post": operation(None, **body({"content": both("Both")}))},
        "/whole": {"get": operation(ref("Whole"))},
    }
    for name, item in paths.items():
        for member in item.values():
            member["operationId"] = name.strip("/")
    schemas = {"Change": thing, "Album": thing, "Both": thing, "Upload": thing, "Whole": file}
    # A webhook is received by clients, and answered by them.
    webhook = {"post": operation(ref("Upload"), operationId="hook", **body(form("Upload")))}
    return document(paths, schemas, webhooks={"hook": webhook})


def body(value: Json) -> Json:
    return {"requestBody": {"required": True, **value}}


def both(name: str) -> Json:
    return {**form(name)["content"], **content(ref(name))["content"]}


@pytest.fixture(params=BINARY)
def made(request: pytest.FixtureRequest, package: Generate) -> ModuleType:
    return package(api(BINARY[request.param]))


def test_a_member_of_json_is_a_text(made: ModuleType, origin: Origin) -> None:
    origin.answer(Answer(body=b'{"file": "https://a.example", "parts": ["b"]}'))
    with made.Client(base_url=origin.url) as client:
        thing = client.things.change(file="text", parts=["é"])
        with pytest.raises(made.InvalidArgumentError):
            client.things.change(file=b"bytes")
    assert (thing.file, thing.parts) == ("https://a.example", ["b"])
    assert origin.asked[0].body == '{"file":"text","parts":["é"]}'.encode()


def test_a_member_of_a_form_is_a_file(made: ModuleType, origin: Origin) -> None:
    """Also if the response has the same schema, within another one."""
    origin.answer(Answer(body=b'[{"file": "https://a.example"}]'))
    with made.Client(base_url=origin.url) as client:
        [album] = client.things.upload(file=b"\xff")
    assert isinstance(album, made.models.Album)
    assert album.file == "https://a.example"
    assert b"\r\n\r\n\xff\r\n" in origin.asked[0].body
    assert made.models.AlbumInput(file=b"\xff").file.read() == b"\xff"


def test_a_whole_text_of_json_is_one(made: ModuleType, origin: Origin) -> None:
    origin.answer(Answer(body=b'"a text"'))
    with made.Client(base_url=origin.url) as client:
        assert client.things.whole() == "a text"


def test_a_request_in_both_media_has_files(made: ModuleType) -> None:
    value = codecs(made)["Both"].read(b'{"file": "a"}')
    assert isinstance(value.file, made.File)
    assert not hasattr(made.models, "BothInput")


def test_what_a_webhook_sends_is_a_file_for_its_receiver(made: ModuleType) -> None:
    received = codecs(made)["Upload"].read(b'{"file": "a"}')
    answered = codecs(made)["UploadInput"].read(b'{"file": "a"}')
    assert (type(received.file), type(answered.file)) == (made.File, str)
