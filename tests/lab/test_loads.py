"""The same verdict beside other work: what the page says of runs that differ."""

from __future__ import annotations

from lab.tickets.loads import Row, section


def test_runs_that_agree_need_no_list() -> None:
    row = Row("tickets", "none", 8, {"0": 10}, 2, 2, 0, (), 300, 9.5)
    text = section([row], 10, "today")
    assert text.splitlines()[-1] == (
        "| A ticket system in Flask | `none` | 8 | 0 (10 of 10) | 2 | 0 | 0 | 300 | 9.5 |"
    )


def test_findings_of_some_runs_are_named() -> None:
    one = Row("tickets", "none", 0, {"1": 2}, 1, 2, 0, ("error order at /a",), 300, 9.5)
    other = Row("tickets", "none", 8, {"0": 1, "1": 1}, 0, 1, 1, ("error order at /a",), 200, 20.0)
    text = section([one, other], 2, "today")
    assert "| 8 | 0 (1 of 2), 1 (1 of 2) | 0 to 1 | 1 | 1 | 200 | 20.0 |" in text
    assert text.endswith("In some runs only:\n\n- error order at /a\n")
