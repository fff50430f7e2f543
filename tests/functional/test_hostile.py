"""Text of a document never becomes code, regardless of its place and content."""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import inspect
import json
import sys
import unicodedata
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from specwright.config import PackageOptions
from specwright.document.sources.load import load
from specwright.emit.fileset import FileSet
from specwright.pipeline import generate
from tests.functional.hostile_documents import CANARY, RUN, hostile
from tests.functional.origin import Answer, Origin

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
    return generate(load(path), PackageOptions(package="hostile", client_name="Client"))


# The packages have most files in common; each is read once.
@functools.cache
def _names(source: bytes) -> frozenset[str | None]:
    """Return the names in code."""
    return frozenset(
        getattr(node, field, None)
        for node in ast.walk(ast.parse(source))
        for field in ("id", "attr", "name", "arg")
    )


@functools.cache
def _hidden(text: bytes) -> frozenset[str]:
    """Return the characters that nobody sees."""
    return frozenset(
        character
        for character in set(text.decode())
        if character not in "\n\t" and unicodedata.category(character) in HIDDEN
    )


def test_no_text_becomes_code(made: FileSet) -> None:
    for path, data in made.items():
        if path.endswith(".py"):
            assert CANARY not in _names(data), path


def test_no_character_is_there_that_nobody_sees(made: FileSet) -> None:
    for path, data in made.items():
        assert not _hidden(data), path


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
    for _, group in inspect.getmembers(client):
        for name in dir(group):
            if name.startswith("get_thing"):
                return getattr(group, name)
    raise AssertionError("no operation")
