"""Every declared reader of a keyword acts on it: client, stub, contract tests and review."""

import ast
import copy
import functools
import json
import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from specwright import pipeline
from specwright.compare.schemas.annotations import ANNOTATIONS
from specwright.compare.verdicts.declarations import reviewed_keywords
from specwright.config import read_config
from specwright.document.model import Document
from specwright.document.shape import Node, walk
from specwright.document.sources.load import load
from specwright.emit.fileset import FileSet
from specwright.models.generate import ModelSource, generate
from specwright.vocabulary.keyword import Keyword, KeywordReader, Place
from specwright.vocabulary.table import KEYWORDS

TOOLKIT = Path(pipeline.__file__).parent
PLAN = "_operations.py"
# The files of a package that belong to one side alone; client and stub share the others.
SIDES = {
    "client.py": {KeywordReader.CLIENT},
    "async_client.py": {KeywordReader.CLIENT},
    "server.py": {KeywordReader.STUB},
}
ROOMS = {KeywordReader.CLIENT: "runtime/client", KeywordReader.STUB: "runtime/server"}
# The keywords that refer into each of these, and cannot stay where it goes.
REFERRING = {
    ("x-contract-rate-limit", Place.DOCUMENT): ("x-contract-rate-limit",),
    ("x-contract-pagination", Place.OPERATION): ("x-contract-order", "x-contract-filter"),
    ("x-contract-chosen-from", Place.PROPERTY): ("x-contract-required-when",),
    ("x-contract-error", Place.DOCUMENT): (
        "x-contract-capacity",
        # The amounts in the error body.
        "x-contract-charge",
        "x-contract-idempotency",
        "x-contract-invalid",
        "x-contract-requires-one-of",
        # What expired cursors are refused with, and what refers into the items.
        "x-contract-pagination",
        "x-contract-order",
        "x-contract-filter",
    ),
}
EACH = pytest.mark.parametrize(
    "keyword", KEYWORDS, ids=lambda each: f"{each.name} of a {each.places[0]}"
)


def place(node: Node) -> Place | None:
    """Where the declarations of an object stand."""
    match node.kind:
        case "operation":
            return Place.WEBHOOK if node.pointer.startswith("/webhooks/") else Place.OPERATION
        case "schema":
            return Place.PROPERTY if node.pointer.split("/")[-2] == "properties" else Place.SCHEMA
        case "document" | "parameter":
            return Place(node.kind)
    return None


@functools.cache
def contract(root: Path) -> Document:
    """The contract, with the example of each keyword of generated code that it does not declare.

    One that names other parts of a document is declared in the contract itself.
    """
    document = load(root / "spec" / "openapi.json")
    data = copy.deepcopy(dict(document.data))
    nodes = list(walk(data))
    declared = {(place(node), name) for node in nodes for name in node.value}
    for keyword in KEYWORDS:
        is_missing = declared.isdisjoint((kind, keyword.name) for kind in keyword.places)
        if is_missing and not ROOMS.keys().isdisjoint(keyword.readers):
            for node in nodes:
                method = node.pointer.rpartition("/")[2].upper()
                if place(node) in keyword.places and method in (keyword.methods or (method,)):
                    node.value[keyword.name] = keyword.example
    return document.with_data(data)


def without(value: Any, names: Collection[str]) -> Any:
    """The value without the members of these names, at any depth."""
    if isinstance(value, dict):
        return {name: without(each, names) for name, each in value.items() if name not in names}
    return [without(item, names) for item in value] if isinstance(value, list) else value


@functools.cache
def package(root: Path, at_root: frozenset[str], below: frozenset[str]) -> FileSet:
    """The package of the contract without some keywords of the document, and of its parts."""
    document = contract(root)
    config = read_config(root / "pyproject.toml")
    kept = {name: each for name, each in document.data.items() if name not in at_root}
    data = {
        name: each if name.startswith("x-contract-") else without(each, below)
        for name, each in kept.items()
    }
    return pipeline.generate(document.with_data(data), config.options, begin_models=_begin_models)


_MODELS: dict[str, ModelSource] = {}


def _begin_models(document: Document) -> Callable[[], ModelSource]:
    """Models are made of components alone, in which most of the keywords do not stand."""
    components = json.dumps(document.data.get("components", {}))
    if components not in _MODELS:
        _MODELS[components] = generate(document)
    return lambda: _MODELS[components]


@functools.cache
def nodes(room: str) -> Sequence[ast.AST]:
    """The syntax of a room of the toolkit."""
    trees = [ast.parse(file.read_text("utf-8")) for file in (TOOLKIT / room).rglob("*.py")]
    return [node for tree in trees for node in ast.walk(tree)]


def readers(name: str, before: str, after: str) -> Iterator[KeywordReader]:
    """Those that see the difference between two versions of a generated file."""
    if name != PLAN:
        yield from SIDES.get(name, set(ROOMS))
        return
    # A field of the plan is for those whose part of the runtime reads it.
    lines = set(before.splitlines()) ^ set(after.splitlines())
    fields = {field for line in lines for field in re.findall(r"\b([a-z_]+)=", line)}
    for reader, room in ROOMS.items():
        if any(isinstance(node, ast.Attribute) and node.attr in fields for node in nodes(room)):
            yield reader


@EACH
def test_generated_code_differs_for_those_that_read_a_keyword(
    keyword: Keyword[Any], root: Path
) -> None:
    name = frozenset({keyword.name})
    at_root = name if Place.DOCUMENT in keyword.places else frozenset()
    others = frozenset(REFERRING.get((keyword.name, keyword.places[0]), ()))
    before = package(root, frozenset(), others)
    after = package(root, at_root, others | (name - at_root))
    found = {
        reader
        for path in before.keys() | after.keys()
        if path.endswith(".py") and before.get(path) != after.get(path)
        for reader in readers(
            path.rpartition("/")[2],
            before.get(path, b"").decode(),
            after.get(path, b"").decode(),
        )
    }
    named = set(keyword.readers) & set(ROOMS)
    assert found == named, "the readers are not those whose generated code depends on the keyword"


@EACH
def test_the_review_reads_a_keyword(keyword: Keyword[Any]) -> None:
    read = {keyword.name for place in Place for keyword in reviewed_keywords(place)} | {
        annotation.keyword for annotation in ANNOTATIONS
    }
    # Some say only how values are made, or hidden.
    assert (KeywordReader.REVIEW in keyword.readers) == (keyword.name in read)


@EACH
def test_the_contract_tests_read_a_keyword(keyword: Keyword[Any]) -> None:
    home = next(
        name
        for name, module in sys.modules.items()
        if name.startswith("specwright.vocabulary.keywords.")
        and any(value is keyword for value in vars(module).values())
    )
    imported = {node.module for node in nodes("conformance") if isinstance(node, ast.ImportFrom)}
    assert (home in imported) == (KeywordReader.TESTS in keyword.readers)
