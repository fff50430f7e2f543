"""Writing changes only the files that must change, and loses no manual edits."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from specwright.emit import transaction
from specwright.emit.drift import State, compare, unified_diff
from specwright.emit.manifest import LOCK
from specwright.emit.write import write
from specwright.errors import InputError, SpecwrightError

from .conftest import FIRST, SECOND, fileset, snapshot


def states(files: dict[str, bytes], output: Path) -> dict[str, State]:
    return {each.path: each.state for each in compare(fileset(files), output)}


def test_a_first_run_writes_everything(tmp_path: Path) -> None:
    output = tmp_path / "far" / "away"
    written = write(fileset(FIRST), output)
    assert {file_difference.state for file_difference in written} == {State.NEW}
    assert {
        path: content for path, (content, _) in snapshot(output).items() if path != LOCK
    } == FIRST
    assert sorted(path.name for path in output.parent.iterdir()) == ["away"]


def test_a_second_run_touches_nothing(output: Path) -> None:
    before = snapshot(output)
    assert write(fileset(FIRST), output) == ()
    assert snapshot(output) == before


def test_a_run_after_a_change_touches_only_what_changed(output: Path) -> None:
    before = snapshot(output)
    changed = {each.path: each.state for each in write(fileset(SECOND), output)}
    assert changed == {
        "a.py": State.CHANGED,
        "p/q/c.py": State.STALE,
        "r/d.py": State.NEW,
        LOCK: State.CHANGED,
    }
    after = snapshot(output)
    assert {p: c for p, (c, _) in after.items() if p != LOCK} == SECOND
    assert after["p/b.py"] == before["p/b.py"]
    assert not (output / "p" / "q").exists()


def test_every_kind_of_drift_is_seen(output: Path) -> None:
    assert states(FIRST, output) == {}
    (output / "p" / "b.py").write_text("mine\n")
    (output / "a.py").unlink()
    (output / "extra.py").write_text("mine\n")
    assert states(FIRST, output) == {
        "a.py": State.MISSING,
        "extra.py": State.FOREIGN,
        "p/b.py": State.EDITED,
    }
    assert states(SECOND, output)["p/q/c.py"] is State.STALE


def test_what_tools_leave_behind_is_not_drift(output: Path) -> None:
    for name in ("p/__pycache__/b.pyc", "p.egg-info/PKG-INFO", ".mypy_cache/x", ".DS_Store"):
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_text("x")
    assert states(FIRST, output) == {}


@pytest.mark.parametrize("files", [FIRST, SECOND])
@pytest.mark.parametrize("path", ["a.py", "p/b.py", "p/q/c.py"])
def test_an_edit_is_never_lost(output: Path, path: str, files: dict[str, bytes]) -> None:
    (output / path).write_bytes(b"# mine\n")
    before = snapshot(output)
    with pytest.raises(SpecwrightError, match=f"edited by hand: {path}") as caught:
        write(fileset(files), output)
    assert caught.value.exit_code == 2 and caught.value.hint
    assert snapshot(output) == before


@pytest.mark.parametrize("path", ["extra.py", "p/extra.py", "r/d.py"])
def test_a_file_that_was_not_generated_is_never_lost(output: Path, path: str) -> None:
    (output / path).parent.mkdir(exist_ok=True)
    (output / path).write_bytes(b"# mine\n")
    before = snapshot(output)
    with pytest.raises(SpecwrightError, match=f"not generated:  {path}"):
        write(fileset(SECOND), output)
    assert snapshot(output) == before


def test_an_edit_that_says_what_is_generated_is_accepted(output: Path) -> None:
    (output / "a.py").write_bytes(SECOND["a.py"])
    write(fileset(SECOND), output)
    assert states(SECOND, output) == {}


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_that_is_replaced_keeps_its_mode(output: Path, mode: int) -> None:
    (output / "a.py").chmod(mode)
    write(fileset(SECOND), output)
    assert (output / "a.py").read_bytes() == SECOND["a.py"]
    assert (output / "a.py").stat().st_mode & 0o777 == mode


def test_a_deleted_file_comes_back(output: Path) -> None:
    (output / "a.py").unlink()
    write(fileset(FIRST), output)
    assert states(FIRST, output) == {}


def test_a_file_may_become_a_directory_and_the_other_way_round(tmp_path: Path) -> None:
    one, two = {"x": b"1", "y/z": b"2"}, {"x/z": b"1", "y": b"2"}
    write(fileset(one), tmp_path / "out")
    write(fileset(two), tmp_path / "out")
    assert states(two, tmp_path / "out") == {}


def test_links_are_not_followed(output: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    shutil.move(output / "p", elsewhere)
    (output / "p").symlink_to(elsewhere)
    before = snapshot(elsewhere)
    with pytest.raises(SpecwrightError, match="not generated"):
        write(fileset({**FIRST, "p/b.py": b"b = 2\n"}), output)
    assert snapshot(elsewhere) == before
    foreign = dict.fromkeys(("p", "p/b.py", "p/q/c.py"), State.FOREIGN)
    assert states(FIRST, output) == foreign
    (output / "here").symlink_to(output)
    assert states(FIRST, output) == {**foreign, "here": State.FOREIGN}


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"files": 1}', "<<<<<<< HEAD\n"])
def test_a_damaged_lock_file_is_named(output: Path, text: str) -> None:
    (output / LOCK).write_text(text)
    with pytest.raises(InputError, match=rf"{LOCK}:1:\d+: not a lock file"):
        write(fileset(FIRST), output)


def test_a_file_in_place_of_the_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    for output in (tmp_path / "out", tmp_path / "out" / "below"):
        with pytest.raises(SpecwrightError, match="out: is a file, not a directory"):
            write(fileset(FIRST), output)


def test_a_diff_leads_from_what_is_there_to_what_should_be(output: Path) -> None:
    (output / "p" / "b.py").write_text("mine\n")
    diff = "".join(unified_diff(compare(fileset(SECOND), output)))
    for part in (
        "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n",
        "--- a/p/b.py\n+++ b/p/b.py\n@@ -1 +1 @@\n-mine\n+b = 1\n",
        "--- a/p/q/c.py\n+++ /dev/null\n",
        "--- /dev/null\n+++ b/r/d.py\n",
    ):
        assert part in diff


DIFF_OF_A_GIANT = """
import sys
from specwright.emit.drift import FileDifference, State, unified_diff
wanted = b"".join(b"x = %d\\n\\n" % number for number in range(75))
differences = [FileDifference("a.py", State.CHANGED, b"\\n" * 5_000_000, wanted)]
print(sum(line[0] in "-+" for line in unified_diff(differences)))
"""


def test_a_diff_with_a_file_of_far_more_lines_ends(tmp_path: Path) -> None:
    """Equal lines are compared pairwise, and an attacker can choose their number."""
    done = subprocess.run(
        [sys.executable, "-c", DIFF_OF_A_GIANT], capture_output=True, check=True, timeout=60
    )
    assert int(done.stdout) == 5_000_000 + 150 + 2 * 2


def failing_after(calls: int, real: Callable[..., object], error: BaseException):
    """A function that does its work a number of times and then fails, once."""
    left = [calls]

    def call(*arguments: object, **options: object) -> object:
        left[0] -= 1
        if left[0] == -1:
            raise error
        return real(*arguments, **options)

    return call


FAILURES = [OSError(28, "No space left on device"), KeyboardInterrupt()]


@pytest.mark.parametrize("error", FAILURES, ids=["full", "interrupted"])
@pytest.mark.parametrize("calls", range(4))
@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (transaction.Path, "replace"),
        (transaction.shutil, "copy2"),
        (transaction.Path, "write_bytes"),
        (transaction.Path, "mkdir"),
        (transaction.Path, "unlink"),
        (transaction.Path, "rmdir"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_whatever_fails_everything_is_as_it_was(
    output: Path,
    monkeypatch: pytest.MonkeyPatch,
    owner: object,
    name: str,
    calls: int,
    error: BaseException,
) -> None:
    before = snapshot(output)
    monkeypatch.setattr(owner, name, failing_after(calls, getattr(owner, name), error))
    try:
        write(fileset(SECOND), output)
    except (SpecwrightError, KeyboardInterrupt):
        assert snapshot(output) == before
    else:
        assert states(SECOND, output) == {}
    assert sorted(path.name for path in output.parent.iterdir()) == ["generated"]


def test_the_failures_above_do_happen(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = failing_after(1, Path.replace, KeyboardInterrupt())
    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(KeyboardInterrupt):
        write(fileset(SECOND), output)


def test_a_second_interrupt_does_not_stop_the_way_back(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(output)
    real, calls = Path.replace, []

    def replace(*arguments: object) -> None:
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        if len(calls) > 2:
            signal.raise_signal(signal.SIGINT)
        real(*arguments)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        write(fileset(SECOND), output)
    assert len(calls) > 2
    assert snapshot(output) == before
