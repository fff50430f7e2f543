"""The imports of the toolkit point down the layers of ARCHITECTURE.md and nowhere else."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "generator" / "specwright"

ROWS = (
    {"__main__"},
    {"cli", "commands"},
    {"pipeline"},
    {"emit", "targets", "report"},
    {"render", "models", "check"},
    {"ir"},
    {"document", "config"},
    {"errors", "text", "names", "pointer", "runtime"},
)
RANK = {part: row for row, parts in enumerate(ROWS) for part in parts}

ONLY_IMPORTER = {
    "datamodel_code_generator": "models",
    "openapi_spec_validator": "check.semantics",
}
HEAVY = (
    "datamodel_code_generator",
    "openapi_spec_validator",
    "jsonschema_rs",
    "pydantic",
    "jinja2",
)
NEVER_IR = ("check", "compare", "contract")


@dataclass(frozen=True, slots=True)
class Import:
    """One import statement of one of our modules."""

    importer: str
    imported: str
    line: int
    relative: bool = False

    def __str__(self) -> str:
        return f"specwright.{self.importer}:{self.line} imports {self.imported}"


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imports_of(path: Path) -> Iterator[Import]:
    importer = module_name(path)
    package = ["specwright", *path.relative_to(PACKAGE).parent.parts]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(importer, alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*above, *(node.module.split(".") if node.module else [])])
            for alias in node.names:
                # `from specwright import text` names a module, so the part below counts, too.
                whole = f"{source}.{alias.name}" if source == "specwright" else source
                yield Import(importer, whole, node.lineno, relative=node.level > 0)


IMPORTS = [found for path in sorted(PACKAGE.rglob("*.py")) for found in imports_of(path)]


def part_of(dotted: str) -> str:
    return dotted.split(".")[0]


def ours() -> Iterator[tuple[Import, str, str]]:
    """Every import between two different parts of the toolkit."""
    for found in IMPORTS:
        if found.imported.startswith("specwright."):
            source = part_of(found.importer)
            target = part_of(found.imported.removeprefix("specwright."))
            if source and source != target and not target.startswith("__"):
                yield found, source, target


def test_every_part_of_the_toolkit_has_a_row() -> None:
    parts = {part_of(module_name(path)) for path in PACKAGE.rglob("*.py")} - {""}
    assert parts <= RANK.keys(), "add the new part to ARCHITECTURE.md and to ROWS"


def test_imports_point_down() -> None:
    wrong = [
        str(found) for found, source, target in ours() if RANK.get(source, 0) >= RANK.get(target, 0)
    ]
    assert not wrong


def test_the_runtime_can_be_copied_elsewhere() -> None:
    wrong = [
        str(found)
        for found in IMPORTS
        if part_of(found.importer) == "runtime"
        and part_of(found.imported) == "specwright"
        and not found.relative
    ]
    assert not wrong, "the copy in a generated package could not import this"


def test_what_judges_the_document_never_sees_the_ir() -> None:
    wrong = [
        str(found) for found, source, target in ours() if source in NEVER_IR and target == "ir"
    ]
    assert not wrong


@pytest.mark.parametrize(("library", "owner"), ONLY_IMPORTER.items())
def test_a_slow_library_has_one_importer(library: str, owner: str) -> None:
    wrong = [
        str(found)
        for found in IMPORTS
        if part_of(found.imported) == library and not f"{found.importer}.".startswith(f"{owner}.")
    ]
    assert not wrong


def test_the_command_line_loads_nothing_that_help_does_not_need() -> None:
    probe = (
        "import sys; import specwright.cli; "
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.strip() == "[]"
