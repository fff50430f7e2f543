"""The same verdict beside other work: what the page says of runs that differ."""

from __future__ import annotations

from lab.tickets.loads import Run, busy, section

RIGHT = Run(0, (), "", 9.5)
ORDER = Run(1, ("error order at /a",), "", 20.5)


def test_runs_that_agree_need_no_list() -> None:
    text = section({"8": [RIGHT, RIGHT]}, "today")
    assert text.splitlines()[-1] == "| 8 | 0 (2 of 2) | 0 | 0 | 0 | 9.5 |"
    assert "tested 2 times" in text


def test_findings_of_some_runs_are_named() -> None:
    cut = Run(1, (), "fuzzing", 20.5)
    text = section({"0": [ORDER, ORDER], "8": [ORDER, cut]}, "today")
    assert "| 0 | 1 (2 of 2) | 1 | 1 | 0 | 20.5 |" in text
    assert "| 8 | 1 (2 of 2) | 0 to 1 | 1 | 1 | 20.5 |" in text
    assert text.endswith("\nIn some runs only:\n\n- error order at /a\n")


def test_exit_codes_are_counted() -> None:
    text = section({"2": [ORDER, RIGHT, ORDER]}, "today")
    assert "| 2 | 0 (1 of 3), 1 (2 of 3) | 0 to 1 | 1 | 0 | 20.5 |" in text


def test_the_machine_is_busy_only_for_the_time_of_the_context() -> None:
    with busy(2) as processes:
        assert [process.poll() for process in processes] == [None, None]
    assert all(process.returncode for process in processes)
