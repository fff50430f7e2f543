"""The imports of toolkit and service point down the layers of ARCHITECTURE.md and nowhere else."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLKIT, SERVICE = "specwright", "esim_service"
PACKAGES = {
    TOOLKIT: ROOT / "generator" / TOOLKIT,
    SERVICE: ROOT / "service" / SERVICE,
}
ROWS = {
    TOOLKIT: (
        {"__main__"},
        {"cli", "commands"},
        {"pipeline"},
        {"emit", "targets", "report"},
        {"render", "models", "check"},
        {"ir"},
        {"document", "config"},
        {"findings"},
        {"errors", "text", "names", "pointer", "runtime"},
    ),
    SERVICE: (
        {"cli"},
        {"commands"},
        {"serving", "working"},
        {"service"},
        {"auth", "parts", "windows"},
        {"background", "front", "keyring", "listening", "operations", "pages", "reference"}
        | {"postgres_windows", "redis_windows"},
        {"api", "jobs", "limits", "retention"},
        {"delivery", "simulator", "wire"},
        {"activity", "carrier", "claiming"},
        {"domain"},
        {"store"},
        {"catalogue", "document", "entities", "ids", "logs", "money", "settings"},
        {"clock", "data"},
    ),
}
RANK = {
    package: {part: row for row, parts in enumerate(rows) for part in parts}
    for package, rows in ROWS.items()
}

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

    package: str
    importer: str
    imported: str
    line: int
    relative: bool = False

    def __str__(self) -> str:
        return f"{self.package}.{self.importer}:{self.line} imports {self.imported}"


def module_name(package: str, path: Path) -> str:
    parts = path.relative_to(PACKAGES[package]).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def modules(package: str) -> Iterator[Path]:
    return iter(sorted(PACKAGES[package].rglob("*.py")))


def imports_of(package: str, path: Path) -> Iterator[Import]:
    importer = module_name(package, path)
    place = [package, *path.relative_to(PACKAGES[package]).parent.parts]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(package, importer, alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            above = place[: len(place) - node.level + 1] if node.level else []
            source = ".".join([*above, *(node.module.split(".") if node.module else [])])
            for alias in node.names:
                # `from specwright import text` names a module, so the part below counts, too.
                whole = f"{source}.{alias.name}" if source == package else source
                yield Import(package, importer, whole, node.lineno, relative=node.level > 0)


IMPORTS = {
    package: [found for path in modules(package) for found in imports_of(package, path)]
    for package in PACKAGES
}


def part_of(dotted: str) -> str:
    return dotted.split(".")[0]


def ours(package: str) -> Iterator[tuple[Import, str, str]]:
    """Every import between two different parts of a package."""
    for found in IMPORTS[package]:
        if found.imported.startswith(f"{package}."):
            source = part_of(found.importer)
            target = part_of(found.imported.removeprefix(f"{package}."))
            if source and source != target and not target.startswith("__"):
                yield found, source, target


@pytest.mark.parametrize("package", PACKAGES)
def test_every_part_has_a_row(package: str) -> None:
    parts = {part_of(module_name(package, path)) for path in modules(package)} - {""}
    assert parts <= RANK[package].keys(), "add the new part to ARCHITECTURE.md and to ROWS"


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_point_down(package: str) -> None:
    rank = RANK[package]
    wrong = [
        str(found)
        for found, source, target in ours(package)
        if rank.get(source, 0) >= rank.get(target, 0)
    ]
    assert not wrong


def test_the_service_knows_nothing_of_the_toolkit() -> None:
    wrong = [str(found) for found in IMPORTS[SERVICE] if part_of(found.imported) == TOOLKIT]
    assert not wrong


def test_the_runtime_can_be_copied_elsewhere() -> None:
    wrong = [
        str(found)
        for found in IMPORTS[TOOLKIT]
        if part_of(found.importer) == "runtime"
        and part_of(found.imported) == TOOLKIT
        and not found.relative
    ]
    assert not wrong, "the copy in a generated package could not import this"


def test_what_judges_the_document_never_sees_the_ir() -> None:
    wrong = [
        str(found)
        for found, source, target in ours(TOOLKIT)
        if source in NEVER_IR and target == "ir"
    ]
    assert not wrong


@pytest.mark.parametrize(("library", "owner"), ONLY_IMPORTER.items())
def test_a_slow_library_has_one_importer(library: str, owner: str) -> None:
    wrong = [
        str(found)
        for found in IMPORTS[TOOLKIT]
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
