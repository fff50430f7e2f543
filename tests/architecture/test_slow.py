"""The list of slow tests leaves one test of each function to CI where it is quick enough."""

from __future__ import annotations

import re
from pathlib import Path

from tests import slow

ROOT = Path(__file__).parents[2]


def test_a_quick_test_is_not_listed() -> None:
    assert not list(slow.slow({"a.py::test_one": 0.9, "a.py::test_two[1]": 1.0}))


def test_the_quickest_of_slow_cases_is_left() -> None:
    times = {"a.py::test_one[a]": 9.0, "a.py::test_one[b]": 8.0, "a.py::test_other": 3.0}
    assert list(slow.slow(times)) == ["a.py::test_one[a]"]


def test_no_slow_case_is_left_beside_a_quick_one() -> None:
    times = {"a.py::test_one[a]": 9.0, "a.py::test_one[b]": 1.0}
    assert list(slow.slow(times)) == ["a.py::test_one[a]"]


def test_what_takes_too_long_has_no_case_in_ci() -> None:
    assert list(slow.slow({"a.py::test_one": 13.0})) == ["a.py::test_one"]


def test_some_always_run() -> None:
    assert not list(slow.slow({"tests/golden/test_golden.py::test_golden[a]": 99.0}))


def test_a_report_has_the_ids_of_tests(tmp_path: Path) -> None:
    report = tmp_path / "calls.xml"
    case = '<testcase classname="tests.a.test_b" name="test_c[d e]" time="2.5" />'
    report.write_text(f"<testsuites><testsuite>{case}</testsuite></testsuites>")
    assert slow.times_of(report) == {"tests/a/test_b.py::test_c[d e]": 2.5}


def test_each_of_the_list_is_a_test() -> None:
    for test in slow.listed():
        file, _, name = test.partition("::")
        function = re.escape(name.partition("[")[0])
        assert re.search(rf"^(async )?def {function}\(", (ROOT / file).read_text("utf-8"), re.M)
