"""Values are compared only where they have an order."""

from typing import TypeAlias

import pytest

from specwright.conformance.checks.lists.item_order import is_sorted
from specwright.json_values import JsonValue
from specwright.vocabulary.keywords.order import SortDirection

Values: TypeAlias = "list[JsonValue]"


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([1, 2, 2, 10], id="numbers"),
        pytest.param(["a", "b"], id="texts"),
        pytest.param(["2026-01-01T12:00:00+02:00", "2026-01-01T11:00:00Z"], id="points in time"),
        pytest.param([None, 1, None, 2], id="null, wherever the server puts it"),
        pytest.param(["1", 2, "0"], id="numbers and texts, which have no common order"),
        pytest.param([{"b": 1}, {"b": 2}], id="objects"),
        pytest.param([], id="no items"),
    ],
)
def test_values_in_order(values: Values) -> None:
    assert is_sorted(values, SortDirection.ASCENDING)
    assert is_sorted(values[::-1], SortDirection.DESCENDING)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([10, 9], id="numbers"),
        pytest.param(["b", "a"], id="texts"),
        pytest.param(["2026-01-01T11:00:00Z", "2026-01-01T12:00:00+02:00"], id="points in time"),
        pytest.param([2, None, 1], id="around null"),
    ],
)
def test_values_out_of_order(values: Values) -> None:
    assert not is_sorted(values, SortDirection.ASCENDING)
    assert not is_sorted(values[::-1], SortDirection.DESCENDING)


def test_a_year_that_no_clock_has_is_a_text() -> None:
    assert is_sorted(["0001-01-01", "0001-01-02"], SortDirection.ASCENDING)
