"""Samples are complete programs: each of them sends the request of the example."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from email.parser import BytesParser
from pathlib import Path
from typing import Any

import pytest

from specwright.config import PackageOptions
from specwright.document.sources.load import load_in_part
from specwright.pipeline import reference
from specwright.reference.options import CLIENT, ReferenceOptions
from specwright.reference.programs import PROGRAMS
from tests.conftest import Run
from tests.functional.origin import Answer, Asked, Origin, running
from tests.reference.shop import shop, write
from tests.reference.test_docs import samples

ATTACK = "$(touch pwned)`touch pwned`'\"\\;${x}\n#\u2028*/"
# The programs that tests run, with their files. HTTPie is not among their dependencies.
RUN = {
    "curl": ("bash", "sample.sh"),
    "javascript": ("node", "sample.mjs"),
    "requests": (sys.executable, "sample.py"),
}


@pytest.fixture
def origin() -> Iterator[Origin]:
    with running() as started:
        started.answer(Answer(body=b'{"id":"1"}'))
        yield started


def made(directory: Path, document: dict[str, Any], program: str) -> list[str]:
    """The samples of a program, for each operation of a document."""
    options = ReferenceOptions(samples=(program,))
    source = load_in_part(write(directory, document))
    html = reference(source, PackageOptions(), options)["index.html"].decode()
    return [text for _, text in samples(html, PROGRAMS[program].title)]


def sent(
    directory: Path, origin: Origin, program: str, document: dict[str, Any], at: int = 0
) -> Asked:
    """The request that a sample sends."""
    document["servers"] = [{"url": f"{origin.url}/api"}]
    command, name = RUN[program]
    if shutil.which(command) is None:
        pytest.skip(f"{command} is not installed")
    file = directory / name
    file.write_text(made(directory, document, program)[at], "utf-8")
    secrets = {"SHOP_API_KEY": "k+1", "SHOP_TOKEN": "t.1", "SHOP_AUTH": "ann:p:w"}
    done = subprocess.run(
        [command, file.name],
        cwd=directory,
        env={**os.environ, **secrets},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '{"id":"1"}' in done.stdout
    return origin.asked[-1]


@pytest.mark.parametrize("program", RUN)
def test_a_sample_sends_its_request(program: str, origin: Origin, tmp_path: Path) -> None:
    asked = sent(tmp_path, origin, program, shop())
    assert (asked.method, asked.target) == ("GET", "/api/items/it%201")
    assert asked.headers["x-key"] == "k+1"
    assert asked.body == b""
    asked = sent(tmp_path, origin, program, shop(), 1)
    assert (asked.method, asked.target) == ("POST", "/api/items")
    assert asked.headers["content-type"] == "application/json"
    assert json.loads(asked.body) == {"name": "it's a cup"}


@pytest.mark.parametrize("program", RUN)
@pytest.mark.parametrize(
    ("scheme", "header", "value"),
    [
        ({"type": "http", "scheme": "bearer"}, "authorization", "Bearer t.1"),
        ({"type": "http", "scheme": "basic"}, "authorization", "Basic YW5uOnA6dw=="),
        ({"type": "apiKey", "in": "cookie", "name": "sid"}, "cookie", "sid=k+1"),
    ],
)
def test_a_sample_carries_the_credential(
    scheme: dict[str, str], header: str, value: str, program: str, origin: Origin, tmp_path: Path
) -> None:
    document = shop()
    document["components"]["securitySchemes"]["key"] = scheme
    assert sent(tmp_path, origin, program, document).headers[header] == value


@pytest.mark.parametrize("program", RUN)
def test_a_key_in_the_query_is_joined(program: str, origin: Origin, tmp_path: Path) -> None:
    document = shop()
    document["components"]["securitySchemes"]["key"] = {
        **{"type": "apiKey", "in": "query", "name": "k y"}
    }
    assert sent(tmp_path, origin, program, document).target == "/api/items/it%201?k%20y=k+1"


@pytest.mark.parametrize("program", RUN)
def test_forms_have_texts_and_files(program: str, origin: Origin, tmp_path: Path) -> None:
    document = shop()
    schema = {
        "type": "object",
        "required": ["name", "photo"],
        "properties": {
            "name": {"type": "string", "const": "a & b"},
            "photo": {"type": "string", "format": "binary"},
        },
    }
    body = document["paths"]["/items"]["post"]["requestBody"]
    body["content"] = {"multipart/form-data": {"schema": schema}}
    (tmp_path / "file").write_bytes(b"\x89PNG")
    asked = sent(tmp_path, origin, program, document, 1)
    head = f"Content-Type: {asked.headers['content-type']}\r\n\r\n".encode()
    name, photo = BytesParser().parsebytes(head + asked.body).get_payload()
    assert name.get_payload(decode=True) == b"a & b"
    assert photo.get_payload(decode=True) == b"\x89PNG"


@pytest.mark.parametrize("program", RUN)
def test_a_body_that_is_no_text_is_a_file(program: str, origin: Origin, tmp_path: Path) -> None:
    document = shop()
    body = document["paths"]["/items"]["post"]["requestBody"]
    body["content"] = {"application/octet-stream": {}}
    (tmp_path / "body").write_bytes(b"\x00\x01")
    asked = sent(tmp_path, origin, program, document, 1)
    assert asked.body == b"\x00\x01"
    assert asked.headers["content-type"] == "application/octet-stream"


@pytest.mark.parametrize("program", RUN)
def test_hostile_values_are_sent_and_not_run(program: str, origin: Origin, tmp_path: Path) -> None:
    document = shop()
    operation = document["paths"]["/items"]["post"]
    operation["requestBody"]["content"]["application/json"]["example"] = {
        "name": ATTACK,
        "__proto__": {"note": None},
    }
    operation["parameters"] = [
        {
            **{"name": "X-Note", "in": "header", "required": True, "schema": {"type": "string"}},
            "example": "$(touch pwned)'\"`",
        }
    ]
    asked = sent(tmp_path, origin, program, document, 1)
    assert asked.headers["x-note"] == "$(touch pwned)'\"`"
    assert json.loads(asked.body) == {"name": ATTACK, "__proto__": {"note": None}}
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_credential_is_never_in_a_sample(program: str, tmp_path: Path) -> None:
    for scheme in ("basic", "digest", "bearer"):
        document = shop()
        document["components"]["securitySchemes"]["key"] = {"type": "http", "scheme": scheme}
        [get, post] = made(tmp_path, document, program)
        variable = "SHOP_TOKEN" if scheme == "bearer" else "SHOP_AUTH"
        is_said = (program, scheme) == ("javascript", "digest")
        for text in (get, post):
            assert (variable in text) != is_said
            assert ("does not answer the challenges" in text) == is_said


def test_words_of_httpie_are_those_of_curl(tmp_path: Path) -> None:
    document = shop()
    document["paths"]["/items/{id}"]["get"]["parameters"].append(
        {**{"name": "lang", "in": "cookie", "required": True}, "example": "de", "schema": {}}
    )
    get, post = (text.replace("\\\n", " ") for text in made(tmp_path, document, "httpie"))
    assert shlex.split(get) == [
        *("http", "GET", "https://shop.example/api/items/it%201"),
        *("X-Key:${SHOP_API_KEY}", "Cookie:lang=de"),
    ]
    [curl] = [text for text in made(tmp_path, document, "curl") if "POST" in text]
    assert shlex.split(post)[:3] == ["http", "POST", "https://shop.example/api/items"]
    assert shlex.split(post)[-2:] == ["--raw", shlex.split(curl)[-1]]


def test_samples_are_chosen(specwright: Run, tmp_path: Path) -> None:
    source = write(tmp_path, shop())
    chosen = ("--sample", "httpie", "--sample", CLIENT)
    done = specwright("docs", source, "--output", "d.html", *chosen, cwd=tmp_path)
    assert done.returncode == 0
    html = (tmp_path / "d.html").read_text("utf-8")
    assert re.findall(r'data-program="(\w+)"', html) == ["httpie", CLIENT] * 2
    done = specwright("docs", source, "--output", "d.html", "--sample", "telnet", cwd=tmp_path)
    assert done.returncode == 2
    assert "'telnet' is not one of" in done.stderr
