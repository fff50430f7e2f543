"""Keys of the vocabulary and headers of contracts are spelled nowhere else."""

import ast
import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path

from specwright.vocabulary.keyword import Place
from specwright.vocabulary.table import KEYWORDS, declarations

ROOT = Path(__file__).parents[2]
TOOLKIT = ROOT / "generator" / "specwright"
KEYWORDS_OF_IT = TOOLKIT / "vocabulary" / "keywords"
KEYS = re.compile(
    "|".join(rf"{re.escape(name)}\b" for name in {keyword.name for keyword in KEYWORDS})
)


@functools.cache
def strings(path: Path) -> tuple[tuple[int, str], ...]:
    """The strings of a module with their lines, without those that only people read."""
    return tuple(_strings(ast.parse(path.read_text("utf-8"))))


def _strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    documentation: set[ast.expr] = set()
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        nodes += ast.iter_child_nodes(node)
        if isinstance(node, ast.Constant):
            text = node.value
            if isinstance(text, str | bytes) and node not in documentation:
                yield node.lineno, text if isinstance(text, str) else text.decode("latin-1")
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            documentation |= {first.value for first in node.body[:1] if isinstance(first, ast.Expr)}


def test_no_module_spells_the_key_of_another() -> None:
    spelled = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted(TOOLKIT.rglob("*.py"))
        if path.parent != KEYWORDS_OF_IT
        for line, text in strings(path)
        if KEYS.search(text)
    ]
    assert not spelled


def test_no_template_spells_a_key() -> None:
    templates = sorted((ROOT / "templates").rglob("*.jinja"))
    assert templates
    assert not [path.name for path in templates if KEYS.search(path.read_text("utf-8"))]


def test_a_key_is_spelled_once() -> None:
    for keyword in {keyword.name for keyword in KEYWORDS}:
        modules = [
            path.name
            for path in KEYWORDS_OF_IT.glob("*.py")
            if any(text == keyword for _, text in strings(path))
        ]
        assert len(modules) == 1, keyword


def test_the_service_spells_no_header_that_its_contract_declares() -> None:
    contract = json.loads((ROOT / "spec" / "openapi.json").read_text("utf-8"))
    webhook = next(iter(contract["webhooks"].values()))["post"]
    error = declarations(contract, Place.DOCUMENT)["error"]
    replay = declarations(contract["paths"]["/orders"]["post"], Place.OPERATION)["idempotency"]
    sent = declarations(webhook, Place.WEBHOOK)
    declared = {
        header.raw.lower()
        for header in (
            error.request_id_header,
            replay.replay.header,
            sent["signature"].header,
            sent["delivery"].event_id_header,
            sent["delivery"].event_type_header,
        )
    }
    spelled = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / "service" / "esim_service").rglob("*.py"))
        for line, text in strings(path)
        if any(header in text.lower() for header in declared)
    ]
    assert len(declared) == 5
    assert not spelled


# One reading: `document/schemas/polarity.py` for the marks of a direction,
# `document/schemas/discriminators.py` for tags and alternatives.
OF_VALUES = frozenset(
    {"readOnly", "writeOnly", "discriminator", "propertyName", "defaultMapping", "mapping"}
)
READERS = {
    "document/schemas/polarity.py": "reads the marks of a direction",
    "document/schemas/discriminator_object.py": "reads discriminators",
    "document/shape.py": "names the fields of all objects",
    "document/sources/bundle.py": "brings the files that a mapping names, before there are schemas",
    "document/sources/upgrade.py": "keeps what readers of 3.0 honour beside a reference",
    "document/sources/swagger/conversion.py": "writes discriminators as OpenAPI 3 has them",
    "check/schema.py": "patches the official schema",
    "check/lint/discriminators.py": "finds discriminators that are not well formed",
    "compare/schemas/discriminators.py": "names a field in the identity of a finding",
    "models/keywords.py": "lists the keywords that models support",
    "models/marks.py": "reads an argument of Pydantic",
    "runtime/client/traffic_report.py": "reads the context of an error of Pydantic",
}


def test_no_other_module_reads_directions_or_discriminators() -> None:
    spelled = {
        str(path.relative_to(TOOLKIT))
        for path in TOOLKIT.rglob("*.py")
        if any(text in OF_VALUES for _, text in strings(path))
    }
    # A reason that is no longer needed goes, too.
    assert spelled == READERS.keys()
