"""Each directory beside this file is a case: what `specwright generate` gets and what it makes.

A case holds an input document and `options.toml` (a pyproject.toml by another name), and either
`expected/` (the tree that is generated) or `stderr.txt` (what the command says when it refuses).
`pytest tests/golden --accept NAME` replaces the expectation of one case.
"""

import difflib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CASES = sorted(path.parent for path in HERE.glob("*/options.toml"))
EXPECTATIONS = ("expected", "stderr.txt")

# The runtime is copied word for word and the lock file holds hashes of it. Both would change in
# every case with every change of the runtime; tests/functional looks at them instead.
NOT_KEPT = ("_runtime", "specwright.lock.json")


def prepare(case: Path, place: Path) -> None:
    """Make a project directory of a case."""
    shutil.copytree(case, place, dirs_exist_ok=True, ignore=shutil.ignore_patterns(*EXPECTATIONS))
    (place / "options.toml").rename(place / "pyproject.toml")


def tree(top: Path) -> dict[str, str]:
    return {
        path.relative_to(top).as_posix(): path.read_text("utf-8")
        for path in sorted(top.rglob("*"))
        if path.is_file() and not set(NOT_KEPT) & set(path.relative_to(top).parts)
    }


def differences(expected: dict[str, str], made: dict[str, str]) -> Iterator[str]:
    """Both ways: what is missing, what is too much, what is different."""
    for name in sorted(expected.keys() | made.keys()):
        if name not in made:
            yield f"missing: {name}"
        elif name not in expected:
            yield f"not expected: {name}"
        else:
            yield from difflib.unified_diff(
                expected[name].splitlines(),
                made[name].splitlines(),
                f"expected/{name}",
                f"made/{name}",
                lineterm="",
            )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_golden(case: Path, tmp_path, specwright, accept) -> None:
    prepare(case, tmp_path)
    result = specwright("generate", cwd=tmp_path)
    output = tmp_path / "generated"
    made = tree(output) if output.exists() else {}

    if accept(case.name):
        replace_expectation(case, result.returncode, result.stderr, made)

    refusal = case / "stderr.txt"
    if refusal.exists():
        assert result.stderr == refusal.read_text("utf-8")
        assert result.returncode != 0
        assert not made, "a run that failed must not write"
    else:
        assert result.returncode == 0, result.stderr
        found = list(differences(tree(case / "expected"), made))
        assert not found, "\n".join(found)


def replace_expectation(case: Path, code: int, stderr: str, made: dict[str, str]) -> None:
    shutil.rmtree(case / "expected", ignore_errors=True)
    (case / "stderr.txt").unlink(missing_ok=True)
    if code:
        (case / "stderr.txt").write_text(stderr, "utf-8")
    for name, text in made.items():
        target = case / "expected" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")


def test_every_directory_is_a_case() -> None:
    directories = {path for path in HERE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert directories == set(CASES), "a case without options.toml is never run"


def test_every_case_has_one_expectation() -> None:
    wrong = [
        case.name
        for case in CASES
        if sum((case / expectation).exists() for expectation in EXPECTATIONS) != 1
    ]
    assert not wrong
