"""Text of a document never becomes code, wherever it stands and whatever it says."""

from __future__ import annotations

import ast
import builtins
import importlib
import json
import sys
import unicodedata
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from specwright.config import Options
from specwright.document.sources.load import load
from specwright.emit.fileset import FileSet
from specwright.pipeline import generate
from tests.functional.documents import Json, content, ref
from tests.functional.origin import Answer, Origin

CANARY = "PWNED_BY_A_DOCUMENT"
RUN = f"__import__('builtins').{CANARY} = 1"

TEXTS = {
    "double quotes": f'"; {RUN}; "',
    "single quotes": f"'; {RUN}; '",
    "three double quotes": f'"""\n{RUN}\n"""',
    "three single quotes": f"'''\n{RUN}\n'''",
    "quotes in a row": '"' * 7 + f"\n{RUN}\n",
    "escaped quotes": f'\\"""\n{RUN}\n\\"""',
    "trailing backslash": "ends with a backslash \\",
    "trailing quote": 'ends with a quote "',
    "two backslashes": f'\\\\"""\n{RUN}\n',
    "newline": f"first\n{RUN}\nlast",
    "carriage return": f"first\r{RUN}\rlast",
    "indented": f"first\n    {RUN}\n        {RUN}",
    "line separators": f"first\u2028{RUN}\u2029{RUN}\x85{RUN}\x0b{RUN}\x0c{RUN}\x1c{RUN}",
    "right to left": f"\u202e\u2066{RUN}\u2069\u202c\u200f",
    "control": f"\x01\x1b[31m\x7f\ufeff{RUN}",
    "braces": f"{{{RUN}}} {{0}} {{}} %s %(x)s ${{x}}",
    "template": "{{ 7 * 7 }}{% raw %}{% set x = 1 %}{# #}{{ cycler.__init__.__globals__ }}",
    "template end": "{% endraw %}{% endblock %}#}}}%}",
    "comment": f"# {RUN} # type: ignore # noqa -*- coding: utf-7 -*-",
    "f-string": "{" + RUN + "!r:>{10}}",
    "astral": "\U0001f600 é ÿ \U000e0041",
    "parenthesis": f") -> None: {RUN}\n",
    "dunder": "__class__",
    "keyword": "class",
    "shadow": "self",
    "builtin": "str",
    "empty": "",
    "spaces": "   ",
}

HIDDEN = frozenset({"Cc", "Cf", "Zl", "Zp"})


def hostile(text: str) -> Json:
    """A document with `text` at every place that may hold any text."""
    name = text or "x"
    return {
        "openapi": "3.1.1",
        "info": {
            "title": f"T {text}",
            "version": name,
            "summary": text,
            "description": text,
            "x-other": {name: text},
        },
        "servers": [{"url": "http://127.0.0.1:1", "description": text}],
        "tags": [{"name": f"tag {text}", "description": text}],
        "security": [{"key": []}],
        "paths": {
            "/things/{id}": {
                "get": {
                    "operationId": f"getThing {text}",
                    "tags": [f"tag {text}"],
                    "summary": text,
                    "description": text,
                    "parameters": [
                        {
                            "name": "id",
                            "in": "path",
                            "required": True,
                            "description": text,
                            "schema": {"type": "string"},
                        },
                        {
                            "name": f"q {text}",
                            "in": "query",
                            "description": text,
                            "schema": {"type": "string", "default": text, "description": text},
                        },
                        {
                            "name": "choice",
                            "in": "query",
                            "schema": {"type": "string", "enum": [name, "other"]},
                        },
                    ],
                    "responses": {
                        "200": {
                            "description": text,
                            "headers": {
                                "X-One": {"description": text, "schema": {"type": "string"}}
                            },
                            **content(ref("Thing")),
                        },
                        "404": {"description": text, **content(ref("Error"))},
                    },
                    "x-contract-requires-one-of": {
                        "parameters": [f"q {text}", "choice"],
                        "code": name,
                    },
                },
                "put": {
                    "operationId": "putThing",
                    "tags": ["other"],
                    "parameters": [
                        {
                            "name": "id",
                            "in": "path",
                            "required": True,
                            "schema": {"type": "string"},
                        }
                    ],
                    "requestBody": {
                        "description": text,
                        "required": True,
                        **content(ref("Thing")),
                    },
                    "responses": {"204": {"description": text}},
                },
            }
        },
        "webhooks": {
            f"hook {text}": {
                "post": {
                    "operationId": f"hook {text}",
                    "summary": text,
                    "requestBody": {"required": True, **content(ref("Thing"))},
                    "responses": {"204": {"description": text}},
                }
            }
        },
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "description": text}},
            "schemas": {
                "Thing": {
                    "type": "object",
                    "title": text,
                    "description": text,
                    "customTypePath": RUN,
                    "x-python-type": RUN,
                    "properties": {
                        "plain": {"type": "string"},
                        f"p {text}": {
                            "type": "string",
                            "title": text,
                            "description": text,
                            "default": text,
                            "examples": [text],
                            "$comment": text,
                            "customTypePath": f"os.{CANARY}",
                        },
                        "choice": {"type": "string", "enum": [name, "other"], "description": text},
                        "fixed": {"const": text, "description": text},
                        "open": {"type": "string", "x-extensible-enum": [name, "other"]},
                        "matched": {"type": "string", "pattern": _escaped(text)},
                        "amount": {
                            "type": "string",
                            "format": "decimal",
                            "pattern": _escaped(text),
                        },
                        "formatted": {"type": "string", "format": name},
                        "object": {"type": "object", "default": {name: text}},
                        "listed": {
                            "type": "array",
                            "items": {"type": "string", "enum": [name]},
                            "default": [name],
                        },
                    },
                },
                "Alias": {"type": "string", "description": text, "pattern": _escaped(text)},
                "Error": {
                    "type": "object",
                    "properties": {name: {"type": "string", "description": text}},
                },
            },
        },
        "x-contract-error": {
            "schema": "#/components/schemas/Error",
            "code": "/" + name.replace("~", "~0").replace("/", "~1"),
            "message": "/" + name.replace("~", "~0").replace("/", "~1"),
            "codes": {name: {"status": 404, "type": name}},
        },
    }


def _escaped(text: str) -> str:
    """A pattern that matches `text` and means the same to JSON Schema and to Pydantic."""
    return "".join(c if c.isalnum() and c.isascii() else f"\\x{{{ord(c):x}}}" for c in text)


def _package(directory: Path, files: FileSet) -> ModuleType:
    for path, data in files.items():
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    importlib.invalidate_caches()
    return importlib.import_module("hostile")


@pytest.fixture(scope="module", params=sorted(TEXTS))
def text(request: pytest.FixtureRequest) -> str:
    found: str = TEXTS[request.param]
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, text: str) -> FileSet:
    path = tmp_path_factory.mktemp("hostile") / "api.json"
    path.write_text(json.dumps(hostile(text)))
    return generate(load(path), Options(package="hostile", client_name="Client"))


def test_no_text_becomes_code(made: FileSet) -> None:
    for path, data in made.items():
        if path.endswith(".py"):
            for node in ast.walk(ast.parse(data)):
                names = {getattr(node, field, None) for field in ("id", "attr", "name", "arg")}
                assert CANARY not in names, path


def test_no_character_is_there_that_nobody_sees(made: FileSet) -> None:
    for path, data in made.items():
        hidden = [
            character
            for character in data.decode()
            if character not in "\n\t"
            and unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp")
        ]
        assert not hidden, (path, hidden)


def test_the_package_works_and_nothing_runs(
    made: FileSet,
    tmp_path: Path,
    text: str,
    origin: Origin,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delattr(builtins, CANARY, raising=False)
    for name in [n for n in sys.modules if n.partition(".")[0] == "hostile"]:
        monkeypatch.delitem(sys.modules, name)
    package = _package(tmp_path, made)
    for module in ("models", "client", "async_client", "server", "webhooks", "testing", "errors"):
        importlib.import_module(f"hostile.{module}")
    body: dict[str, Any] = {"plain": "p", f"p {text}": text, "fixed": text, "choice": text or "x"}
    origin.answer(Answer(body=json.dumps(body).encode()))
    with package.Client("key", base_url=origin.url, max_retries=0) as client:
        raw = client.with_raw_response(_get(client), "a")
    assert raw.value.model_dump(by_alias=True, exclude_unset=True)[f"p {text}"] == text
    assert not hasattr(builtins, CANARY)


def _get(client: Any) -> Any:
    for group in vars(client).values():
        for name in dir(group):
            if name.startswith("get_thing"):
                return getattr(group, name)
    raise AssertionError("no operation")
