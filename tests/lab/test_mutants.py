"""Mutants of code: the mutants of a file, the processes that see them, and the end of a run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lab.mutants import serving
from lab.mutants.__main__ import changed_lines
from lab.mutants.figures import Figures, Survivor, load, render, save
from lab.mutants.mutants import Mutant, mutants, sampled
from lab.mutants.rooms import ROOMS, ROOT, ROWS, files, row_of
from tests.repository import Repository

LIMITS = """\
LIMIT = 7


def allowed(count: int) -> bool:
    if count < LIMIT:
        return True
    print("too many")
    return False


def later() -> int:
    return 3
"""

# What tests a room of its own, which is not in the table.
TOY = """\
import json, sys
from dataclasses import asdict
from pathlib import Path
from lab.mutants import rooms

if __name__ == "__main__":
    rooms.ROOT = Path(sys.argv[1])
    rooms.ROWS = (rooms.Row("toy", "toy", ("tests",)),)
    from lab.mutants import serving, trials

    with serving.started_everywhere():
        outcome = trials.run(trials.Wanted("toy", 120, 0.5, 2))
    print(json.dumps([[trial.name.edit, trial.end, trial.processes] for trial in outcome.trials]))
"""
TOY_TESTS = """\
import os, subprocess, sys
from pathlib import Path

from toy.limits import allowed, later
from toy.table import ROWS

# No line of the table runs in a test.
COUNT = len(ROWS)


def test_what_is_below_the_limit_is_allowed():
    assert allowed(6)


def test_what_is_at_the_limit_is_not_allowed():
    program = "from toy.limits import allowed; raise SystemExit(allowed(7))"
    place = Path(__file__).parents[1]
    assert subprocess.run([sys.executable, "-c", program], cwd=place).returncode == 0


def test_a_copy_of_the_process_may_ask():
    if (pid := os.fork()) == 0:
        os._exit(later())
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3
"""


def of(text: str, root: Path) -> list[Mutant]:
    (root / "limits.py").write_text(text, "utf-8")
    return mutants(Path("limits.py"), root)


def named(found: list[Mutant], edit: str) -> Mutant:
    [mutant] = [candidate for candidate in found if candidate.name.edit == edit]
    return mutant


def test_an_operator_a_statement_and_a_condition_have_mutants(tmp_path: Path) -> None:
    found = of(LIMITS, tmp_path)
    assert {
        "< LIMIT → <= LIMIT",
        "if count < LIMIT → if not (count < LIMIT)",
        'print("too many") → pass',
        "return False → return None",
        "7 → 8",
    } <= {mutant.name.edit for mutant in found}


def test_each_mutant_has_one_edit_and_a_name_of_its_own(tmp_path: Path) -> None:
    found = of(LIMITS, tmp_path)
    assert len({mutant.name for mutant in found}) == len(found)
    assert all(mutant.source() != LIMITS == mutant.undone().source() for mutant in found)
    edited = named(found, "< LIMIT → <= LIMIT")
    assert edited.source() == LIMITS.replace("<", "<=")
    assert edited.lines == range(5, 6)


def test_types_and_docstrings_have_no_mutants(tmp_path: Path) -> None:
    text = (
        '"""Doc."""\nfrom typing import TypeVar\nT = TypeVar("T", bound="X")\nx: dict["a", "b"]\n'
    )
    assert [mutant.name.edit for mutant in of(text, tmp_path)] == [
        'T = TypeVar("T", bound="X") → T = None'
    ]


def test_lines_above_change_neither_the_names_nor_the_order(tmp_path: Path) -> None:
    before = [mutant.name for mutant in sampled(of(LIMITS, tmp_path))]
    after = [mutant.name for mutant in sampled(of("# A comment.\n\n" + LIMITS, tmp_path))]
    assert before == after != sorted(before, key=lambda name: name.edit)


@pytest.mark.parametrize("above", ["", "# A copy, made by somebody.\n"])
def test_other_processes_import_the_mutant_and_its_copies(tmp_path: Path, above: str) -> None:
    mutant = LIMITS.replace("7", "8")
    serving.keep(tmp_path / "kept", "limits.py", LIMITS, mutant)
    (tmp_path / "limits.py").write_text(above + LIMITS, "utf-8")
    with serving.started_everywhere():
        done = subprocess.run(
            [sys.executable, "-c", "import limits; print(limits.LIMIT)"],
            cwd=tmp_path,
            env={**os.environ, serving.VARIABLE: str(tmp_path / "kept")},
            capture_output=True,
            text=True,
            check=True,
        )
    assert done.stdout == "8\n"
    assert (tmp_path / "limits.py").read_text("utf-8") == above + LIMITS


def test_functions_that_exist_already_are_mutated_wherever_they_are_held(tmp_path: Path) -> None:
    path = tmp_path / "limits.py"
    path.write_text(LIMITS, "utf-8")
    held: dict[str, object] = {}
    exec(compile(LIMITS, path, "exec"), held)
    allowed = held["allowed"]
    mutant = LIMITS.replace("<", "<=").encode()
    serving.replace([allowed], lambda name: mutant if name == str(path) else None)  # type: ignore[list-item]
    assert allowed(7)  # type: ignore[operator]


@pytest.mark.exhaustive
def test_a_run_tells_what_tests_see_from_what_they_do_not(tmp_path: Path) -> None:
    for file, text in {
        "toy/limits.py": LIMITS,
        "toy/table.py": "ROWS = (1, 2)\n",
        "tests/test_limits.py": TOY_TESTS,
        "pytest.ini": "[pytest]\npythonpath = .\n",
        "trial.py": TOY,
    }.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text, "utf-8")
    done = subprocess.run(
        [sys.executable, tmp_path / "trial.py", tmp_path],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    ends = {edit: (end, processes) for edit, end, processes in json.loads(done.stdout)}
    assert ends["return True → return None"] == ("killed", False)
    assert ends["< LIMIT → <= LIMIT"] == ("killed", False)
    assert ends["LIMIT = 7 → LIMIT = None"] == ("killed", False)
    assert ends["7 → 8"][0] == "killed"
    assert ends["3 → 4"] == ("killed", False)
    assert ends["ROWS = (1, 2) → ROWS = None"][0] == "killed"
    assert ends['print("too many") → pass'] == ("survived", True)
    assert ends["return False → return None"] == ("survived", True)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.folder)
def test_the_code_and_the_tests_of_a_row_exist(row) -> None:
    assert any((ROOT / row.folder).rglob("*.py"))
    assert all((ROOT / test.removeprefix("--ignore=")).exists() for test in row.tests)


@pytest.mark.parametrize("room", ROOMS)
def test_each_file_of_a_room_has_a_row_wherever_it_moves_inside(room: str) -> None:
    for path in files(room):
        for place in (path, path.parent / "another" / path.name):
            row = row_of(place)
            assert row is not None
            assert row.room == room


def test_the_lines_of_a_change_are_those_that_commits_add_or_change(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "changed")
    repository.write("a.py", "one\ntwo\nthree\n")
    repository.write("moved.py", LIMITS)
    base = repository.commit()
    repository.write("a.py", "one\n2\nthree\nfour\n")
    repository.git("mv", "moved.py", "there.py")
    repository.write("page.md", "text\n")
    repository.commit()
    assert changed_lines(f"{base}..HEAD", repository.top) == {"a.py": {2, 4}}


def test_the_page_joins_survivors_and_their_words(tmp_path: Path) -> None:
    survivor = Survivor("compare/x.py", "f", "a | b → a & b")
    unseen = Survivor("compare/y.py", "g", "1 → 2", reached=False)
    figures = {"compare": Figures(100, 10, 7, 1, [survivor, unseen])}
    save(figures, tmp_path / "figures.json")
    page = render(load(tmp_path / "figures.json"), {survivor.key: "equivalent"})
    assert "| compare | 100 | 10 | 7 | 1 | 2 | 1 | 80 | 49 to 95 |" in page
    assert "| store | not tried yet |" in page
    assert "| compare/x.py `f` | `a \\| b → a & b` | equivalent |" in page
    assert "| compare/y.py `g` | `1 → 2` | not reached |" in page


@pytest.mark.parametrize(
    ("mutants", "tried", "killed", "timeouts", "interval"),
    [
        (14_660, 76, 71, 0, (85, 98)),
        (7_376, 194, 172, 0, (83, 93)),
        (3_430, 58, 54, 1, (85, 99)),
        (100, 10, 10, 0, (72, 100)),
        (100, 10, 0, 0, (0, 28)),
        (100, 0, 0, 0, (0, 100)),
        (10, 10, 7, 1, (80, 80)),
    ],
)
def test_a_sample_is_shown_with_the_interval_that_follows(
    mutants: int, tried: int, killed: int, timeouts: int, interval: tuple[int, int]
) -> None:
    assert Figures(mutants, tried, killed, timeouts).interval == interval
