"""The imports of toolkit and service follow the tables of ARCHITECTURE.md, without cycles."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLKIT, SERVICE = "specwright", "esim_service"
PACKAGES = {
    TOOLKIT: ROOT / "generator" / TOOLKIT,
    SERVICE: ROOT / "service" / SERVICE,
}
# The chapter of ARCHITECTURE.md that has the table of a package.
CHAPTERS = {TOOLKIT: "## The layers", SERVICE: "## The service"}
ROW = re.compile(r"\| \d+ \| ([^|]+) \|")


def rows(package: str) -> list[list[str]]:
    """The names of each row of a package's table; a name may be a glob."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    chapter = text.partition(f"{CHAPTERS[package]}\n")[2].partition("\n## ")[0]
    return [re.findall(r"`([\w*]+)`", row) for row in ROW.findall(chapter)]


def rank(package: str, part: str) -> int | None:
    """The row of a part; None when the table does not have it."""
    for number, names in enumerate(rows(package)):
        if any(fnmatch(part, name) for name in names):
            return number
    return None


ONLY_IMPORTER = {
    "datamodel_code_generator": "models",
    "schemathesis": "conformance.fuzzing.hooks",
}
HEAVY = (
    "datamodel_code_generator",
    "openapi_spec_validator",
    "jsonschema_rs",
    "pydantic",
    "jinja2",
)
NEVER_IR = ("check", "compare", "conformance")


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


def is_ours(package: str, dotted: str) -> bool:
    """Whether a name is a module or a folder of a package."""
    place = PACKAGES[package].parent.joinpath(*dotted.split("."))
    return dotted.startswith(f"{package}.") and (
        place.is_dir() or place.with_suffix(".py").is_file()
    )


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield every statement; expressions, the most part of a module, hold none."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            if isinstance(child, ast.stmt):
                yield child
            yield from statements(child)


def imports_of(package: str, path: Path) -> Iterator[Import]:
    importer = module_name(package, path)
    place = [package, *path.relative_to(PACKAGES[package]).parent.parts]
    for node in statements(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(package, importer, alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            above = place[: len(place) - node.level + 1] if node.level else []
            source = ".".join([*above, *(node.module.split(".") if node.module else [])])
            for alias in node.names:
                # `from specwright import text` names a module, so the part below counts, too.
                is_module = is_ours(package, f"{source}.{alias.name}")
                whole = f"{source}.{alias.name}" if is_module else source
                yield Import(package, importer, whole, node.lineno, relative=node.level > 0)


@cache
def imports(package: str) -> list[Import]:
    return [import_ for path in modules(package) for import_ in imports_of(package, path)]


def part_of(dotted: str) -> str:
    return dotted.split(".")[0]


def ours(package: str) -> Iterator[tuple[Import, str, str]]:
    """Every import between two different parts of a package."""
    for import_ in imports(package):
        if import_.imported.startswith(f"{package}."):
            source = part_of(import_.importer)
            target = part_of(import_.imported.removeprefix(f"{package}."))
            if source and source != target and not target.startswith("__"):
                yield import_, source, target


def parts(package: str) -> set[str]:
    """The folders and modules at the top of a package that hold code."""
    return {
        part_of(module_name(package, path))
        for path in modules(package)
        if path.read_text("utf-8").count("\n") > 1
    } - {"", "__main__"}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_part_has_one_row(package: str) -> None:
    rooms = {
        part: [names for names in rows(package) if any(fnmatch(part, name) for name in names)]
        for part in parts(package)
    }
    wrong = {part: names for part, names in rooms.items() if len(names) != 1}
    assert not wrong, "each part has its place in one row of ARCHITECTURE.md"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_row_is_there(package: str) -> None:
    rooms = parts(package) | {"__main__"}
    wrong = [
        name
        for names in rows(package)
        for name in names
        if not any(fnmatch(part, name) for part in rooms)
    ]
    assert rows(package)
    assert not wrong, "ARCHITECTURE.md names what is not there"


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_point_down(package: str) -> None:
    ranks = {part: rank(package, part) for part in parts(package)}
    wrong = [
        str(import_)
        for import_, source, target in ours(package)
        if source in ranks and target in ranks and (ranks[source] or 0) >= (ranks[target] or 0)
    ]
    assert not wrong


@pytest.mark.parametrize("package", PACKAGES)
def test_no_import_goes_in_a_circle(package: str) -> None:
    """Imports for type checkers and inside functions count, too: a circle is one thing in two."""
    known = {module_name(package, path) for path in modules(package)}
    graph: dict[str, set[str]] = {name: set() for name in known}
    for import_ in imports(package):
        target = import_.imported.removeprefix(f"{package}.")
        # A name that a package gives on is not an import of the package's own module.
        while target and target not in known:
            target = target.rpartition(".")[0]
        if target and import_.imported.startswith(f"{package}.") and target != import_.importer:
            graph[import_.importer].add(target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


FLOORS = re.compile(r"^\| `(\w+)\.(\w+)` \| (.+) \|$", re.MULTILINE)


@pytest.mark.parametrize(
    ("package", "part", "floors"), FLOORS.findall((ROOT / "ARCHITECTURE.md").read_text("utf-8"))
)
def test_imports_inside_a_large_room_point_down(package: str, part: str, floors: str) -> None:
    floor = {
        room: number
        for number, rooms in enumerate(floors.split(";"))
        for room in re.findall(r"`(\w+)`", rooms)
    }
    inside = f"{part}."
    within = [
        (import_, import_.importer.removeprefix(inside), imported.removeprefix(inside))
        for import_ in imports(package)
        if import_.importer.startswith(inside)
        and (imported := import_.imported.removeprefix(f"{package}.")).startswith(inside)
    ]
    wrong = [
        str(import_)
        for import_, importer, imported in within
        if part_of(importer) != part_of(imported)
        and floor[part_of(importer)] >= floor[part_of(imported)]
    ]
    assert within
    assert not wrong


def test_the_service_knows_nothing_of_the_toolkit() -> None:
    wrong = [str(import_) for import_ in imports(SERVICE) if part_of(import_.imported) == TOOLKIT]
    assert not wrong


SQL = re.compile(
    r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b.*\b(FROM|VALUES|SET|WHERE)\b", re.DOTALL
)


def test_rules_hold_no_sql() -> None:
    wrong = [
        f"{module_name(SERVICE, path)}:{node.lineno}"
        for path in modules(SERVICE)
        if part_of(module_name(SERVICE, path)) in ("api", "domain", "jobs", "delivery")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.JoinedStr | ast.Constant) and SQL.search(ast.unparse(node))
    ]
    assert not wrong


def printing(module: Path) -> Iterator[str]:
    """Every place of a module that prints."""
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        match node:
            case (
                ast.Call(func=ast.Attribute(value=ast.Name("click"), attr="echo" | "secho"))
                | ast.Call(func=ast.Name("print"))
            ):
                yield f"{module.name}:{node.lineno}"


def test_one_module_prints() -> None:
    terminal = PACKAGES[TOOLKIT] / "report" / "terminal.py"
    assert list(printing(terminal))
    others = set(modules(TOOLKIT)) - {terminal}
    assert [place for module in others for place in printing(module)] == []


def test_the_runtime_can_be_copied_elsewhere() -> None:
    wrong = [
        str(import_)
        for import_ in imports(TOOLKIT)
        if part_of(import_.importer) == "runtime"
        and part_of(import_.imported) == TOOLKIT
        and not import_.relative
    ]
    assert not wrong, "the copy in a generated package could not import this"


def test_what_judges_the_document_never_sees_the_ir() -> None:
    wrong = [
        str(import_)
        for import_, source, target in ours(TOOLKIT)
        if source in NEVER_IR and target == "ir"
    ]
    assert not wrong


@pytest.mark.parametrize(("library", "owner"), ONLY_IMPORTER.items())
def test_a_slow_library_has_one_importer(library: str, owner: str) -> None:
    wrong = [
        str(import_)
        for import_ in imports(TOOLKIT)
        if part_of(import_.imported) == library
        and not f"{import_.importer}.".startswith(f"{owner}.")
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
