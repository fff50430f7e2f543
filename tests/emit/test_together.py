"""One writer at a time, and one package in one output."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from specwright.emit import write as writing
from specwright.emit import write_lock as exclusive
from specwright.emit.drift import compare
from specwright.emit.manifest import LOCK, Origin, locked
from specwright.emit.write import write
from specwright.emit.write_lock import alone_in
from specwright.errors import SpecwrightError

from .conftest import FIRST, SECOND, fileset, snapshot

HOLDER = """
import sys, time
from pathlib import Path
from specwright.emit.write_lock import alone_in
with alone_in(Path(sys.argv[1])):
    print("alone", flush=True)
    sys.stdin.read()
"""


def test_who_comes_second_is_told_so_and_writes_nothing(output: Path) -> None:
    before = snapshot(output)
    with alone_in(output), pytest.raises(SpecwrightError, match="another run") as caught:
        write(fileset(SECOND), output)
    assert caught.value.exit_code == 2 and caught.value.hint
    assert snapshot(output) == before
    write(fileset(SECOND), output)
    assert compare(fileset(SECOND), output) == ()


def test_nobody_writes_between_the_comparison_and_the_change(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, second = writing.replace_files, []

    def replace_files(*arguments: object) -> None:
        with pytest.raises(SpecwrightError, match="another run"):
            write(fileset(FIRST | {"x.py": b"x = 1\n"}), output)
        second.append("refused")
        real(*arguments)

    monkeypatch.setattr(writing, "replace_files", replace_files)
    write(fileset(SECOND), output)
    assert second == ["refused"]
    assert compare(fileset(SECOND), output) == ()


def test_a_claim_ends_with_the_process_that_made_it(output: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(output)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None and holder.stdin is not None
    with holder, holder.stdout, holder.stdin:
        assert holder.stdout.readline().strip() == b"alone"
        with pytest.raises(SpecwrightError, match="another run"):
            write(fileset(SECOND), output)
        holder.send_signal(signal.SIGKILL if os.name != "nt" else signal.SIGTERM)
        holder.wait(timeout=30)
    write(fileset(SECOND), output)
    assert compare(fileset(SECOND), output) == ()


@pytest.mark.skipif(os.name == "nt", reason="Windows locks a file")
def test_a_claim_to_a_directory_that_is_no_longer_there_is_none(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other run failed and removed the directory it had made; a third one made it again."""
    real = exclusive.fcntl.flock

    def flock(*arguments: int) -> None:
        output.rename(output.with_name("old"))
        output.mkdir()
        real(*arguments)

    monkeypatch.setattr(exclusive.fcntl, "flock", flock)
    with pytest.raises(SpecwrightError, match="another run"), alone_in(output):
        pass


@pytest.mark.skipif(os.name == "nt", reason="Windows locks a file")
def test_a_claim_to_a_directory_that_is_gone_is_none(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = exclusive.fcntl.flock

    def flock(*arguments: int) -> None:
        output.rename(output.with_name("old"))
        real(*arguments)

    monkeypatch.setattr(exclusive.fcntl, "flock", flock)
    with pytest.raises(SpecwrightError, match="another run"), alone_in(output):
        pass


def test_a_run_that_is_refused_leaves_the_directory_to_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both looked before one of them made it; a third would claim one that was made again."""
    output = tmp_path / "out"
    with alone_in(output):
        monkeypatch.setattr(Path, "exists", lambda path: path != output)
        with pytest.raises(SpecwrightError, match="another run"), alone_in(output):
            pass
        assert output.is_dir()


def test_a_directory_is_removed_before_another_run_can_claim_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output, real, there = tmp_path / "out", os.close, []

    def close(claim: int) -> None:
        there.append(output.exists())
        real(claim)

    with pytest.raises(ZeroDivisionError), alone_in(output):
        monkeypatch.setattr(exclusive.os, "close", close)
        1 / 0  # noqa: B018
    assert there == [False]


def _write(start: multiprocessing.synchronize.Event, number: int, output: Path) -> None:
    files = fileset({f"f{index}.py": b"# %d\n" % number for index in range(30)})
    start.wait(30)
    try:
        write(files, output)
    except SpecwrightError as error:
        assert "another run" in error.message


def test_many_at_once_leave_the_files_of_one(tmp_path: Path) -> None:
    output = tmp_path / "out"
    processes = multiprocessing.get_context("fork" if os.name != "nt" else "spawn")
    start = processes.Event()
    runs = [processes.Process(target=_write, args=(start, n, output)) for n in range(6)]
    for run in runs:
        run.start()
    start.set()
    for run in runs:
        run.join(60)
        assert run.exitcode == 0
    written = {content for path, (content, _) in snapshot(output).items() if path != LOCK}
    assert len(written) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("output", ["out", "far/away/out"])
def test_a_directory_that_nothing_goes_into_is_not_left_behind(tmp_path: Path, output: str) -> None:
    with pytest.raises(ZeroDivisionError), alone_in(tmp_path / output):
        assert (tmp_path / output).is_dir()
        1 / 0  # noqa: B018
    assert list(tmp_path.iterdir()) == []


def test_another_package_is_not_put_in_place_of_the_one_that_is_there(output: Path) -> None:
    before = snapshot(output)
    other = locked(FIRST, Origin({"specwright": "1"}, "1", {"package": "other"}))
    with pytest.raises(SpecwrightError, match="contains the package 'p'") as caught:
        write(other, output)
    assert caught.value.exit_code == 2
    assert caught.value.hint is not None and f"delete {output}" in caught.value.hint
    assert snapshot(output) == before
