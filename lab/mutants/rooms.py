"""The tests nearest to each part of the code: the one table of the mutation tests."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

TOOLKIT = "generator/specwright"


@dataclass(frozen=True, slots=True)
class Row:
    """A part of a room, and its tests, the nearest ones first.

    Attributes:
        folder: the code, a folder or a glob of files; of two rows that match, the first counts.
        tests: arguments of pytest.
        copies: a folder's name under which packages carry a copy of the room.
        postgres: whether its tests need a PostgreSQL, which is started once for all of them.
    """

    room: str
    folder: str
    tests: tuple[str, ...]
    copies: str | None = None
    postgres: bool = False

    def holds(self, path: Path) -> bool:
        """Return whether a file, relative to the repository, is code of this row."""
        return path.match(self.folder) or Path(self.folder) in path.parents


# Those of the service that ask about other things, or that take minutes.
_NOT_OF_THE_STORE = tuple(
    f"--ignore=tests/service/{name}"
    for name in (
        *("faults", "hostile", "test_cli.py", "test_demo.py", "test_deployment.py"),
        *("test_files.py", "test_guard.py", "test_logs.py", "test_middleware.py"),
        *("test_protocol.py", "test_sender.py", "test_serve.py", "test_shared_limits.py"),
        *("test_settings.py", "test_simulator.py", "test_worker_process.py"),
    )
)

ROWS = (
    Row("compare", f"{TOOLKIT}/compare", ("tests/compare",)),
    Row(
        "compare",
        f"{TOOLKIT}/samples",
        ("tests/samples", "tests/conformance/test_samples.py", "tests/compare"),
    ),
    Row(
        "conformance",
        f"{TOOLKIT}/conformance/checks/webhooks",
        ("tests/conformance/webhooks", "tests/conformance"),
    ),
    Row(
        "conformance",
        f"{TOOLKIT}/conformance/fuzzing",
        ("tests/conformance/fuzzing", "tests/conformance"),
    ),
    Row("conformance", f"{TOOLKIT}/conformance", ("tests/conformance",)),
    Row(
        "report",
        f"{TOOLKIT}/report",
        (
            *("tests/report", "tests/validate/test_reports.py"),
            *("tests/validate/test_rules_command.py", "tests/derived/test_derived.py"),
        ),
    ),
    Row(
        "runtime",
        f"{TOOLKIT}/runtime/server",
        ("tests/runtime", "tests/functional/test_contract_server.py", "tests/functional"),
        "_runtime",
    ),
    Row("runtime", f"{TOOLKIT}/runtime", ("tests/functional", "tests/runtime"), "_runtime"),
    Row(
        "store", "service/esim_service/store", ("tests/service", *_NOT_OF_THE_STORE), postgres=True
    ),
)
ROOMS = tuple(dict.fromkeys(row.room for row in ROWS))


def rows(room: str) -> list[Row]:
    """Return the rows of a room."""
    return [row for row in ROWS if row.room == room]


def row_of(path: Path) -> Row | None:
    """Return the row of a file, relative to the repository; or None for other code."""
    return next((row for row in ROWS if path.suffix == ".py" and row.holds(path)), None)


def files(room: str) -> Iterator[Path]:
    """Yield the code of a room, sorted, relative to the repository."""
    found = {path for row in rows(room) for path in (ROOT / row.folder).rglob("*.py")}
    yield from (path.relative_to(ROOT) for path in sorted(found))
