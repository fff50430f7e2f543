"""The ten words of ARCHITECTURE.md have one sense each in the code of the service."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SERVICE = ROOT / "service" / "esim_service"
_ROW = re.compile(r"\| ([a-z ]+) \| [^|]+ \|")

# What names consisting of a word are types of. A longer name, such as `cursor_scope`, says itself
# what it is.
SENSES = {
    "scope": {"Scope"},
    "stamp": {"Stamp"},
    "reference": {"str"},
    # Of the database: the payload of the request with its version, and the body of the response.
    "stored response": {"StoredResponse", "bytes", "int"},
    "hold": {"DatabaseWriter"},
    "slot": set[str](),
    "job": {"Job"},
    # `C` is what a loop of work claims.
    "claim": {"Job", "DueDelivery", "C"},
    "outbox": {"Outbox"},
    "window": {"Windows", "FileWindows", "RedisWindows"},
}
_CONTAINERS = frozenset(
    "Sequence Collection Mapping Unit Iterator AsyncIterator AbstractAsyncContextManager tuple list"
    " dict".split()
)


def other_senses(source: str) -> Iterator[str]:
    """Yield the names consisting of one of the words that have another type."""
    tree = ast.parse(source)
    foreign = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and not node.level
        for alias in node.names
    }
    for name, type_ in _typed(tree):
        words = name.strip("_").replace("_", " ")
        types = SENSES.get(words, SENSES.get(words.removesuffix("s")))
        used = {
            foreign.get(node.id, node.id)
            for node in ast.walk(type_)
            if isinstance(node, ast.Name) and node.id not in _CONTAINERS
        }
        if types is not None and not used <= types:
            yield f"{name}: {ast.unparse(type_)}"


def _typed(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield parameters, variables and functions, with their types as far as they are written."""
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg=name, annotation=ast.expr() as type_):
                yield name, type_
            case ast.AnnAssign(target=ast.Name(id=name), annotation=type_):
                yield name, type_
            case ast.FunctionDef(name=name, returns=ast.expr() as type_):
                yield name, type_
            case ast.AsyncFunctionDef(name=name, returns=ast.expr() as type_):
                yield name, type_
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name() as type_)):
                if type_.id[:1].isupper():
                    yield name, type_


def test_the_words_are_those_of_the_page() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8").partition("ten words in one sense")[2]
    rows = [row for line in text.partition("\n## ")[0].splitlines() if (row := _ROW.match(line))]
    assert [row[1] for row in rows] == list(SENSES)


@pytest.mark.parametrize(
    "path", sorted(SERVICE.rglob("*.py")), ids=lambda path: str(path.relative_to(SERVICE))
)
def test_a_word_has_one_sense(path: Path) -> None:
    assert not list(other_senses(path.read_text("utf-8")))


@pytest.mark.parametrize(
    "source",
    [
        "def replay(claim: IdempotentRequest) -> None: ...",
        "claim = IdempotentRequest()",
        "class OrderRequest:\n    claim: IdempotentRequest",
        "def page(*scope: object) -> None: ...",
        "from starlette.types import Scope\ndef call(scope: Scope) -> None: ...",
        "def stored_response() -> Response: ...",
        "def take(jobs: Sequence[Delivery]) -> None: ...",
        "def _reference() -> bytes: ...",
    ],
)
def test_another_sense_is_seen(source: str) -> None:
    assert list(other_senses(source))


def test_the_words_of_the_runtime_fit_any_api() -> None:
    sources = (ROOT / "generator" / "specwright" / "runtime").rglob("*.py")
    text = "".join(path.read_text("utf-8") for path in sources).lower()
    assert [word for word in ("esim", "balance", "end_user") if word in text] == []
