"""What was announced to go may go on its day, and not sooner."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.validate.documents import whole

from .documents import TODAY, changes, report

TOMORROW = TODAY + timedelta(days=1)
OTHER: dict[str, Any] = {"get": {"responses": {}}}


def document(*, deprecated: bool = False, sunset: object = None) -> dict[str, Any]:
    """A document with an operation that stays, and one with these announcements."""
    operation: dict[str, Any] = {"responses": {}, "deprecated": deprecated}
    if sunset is not None:
        operation["x-sunset"] = str(sunset)
    return whole("{}") | {"paths": {"/other": OTHER, "/a": {"get": operation}}}


@pytest.mark.parametrize(
    ("deprecated", "sunset", "rule"),
    [
        (True, TODAY, "sunset-operation-removed"),
        (True, f"{TODAY}T23:59:59Z", "sunset-operation-removed"),
        (True, TODAY - timedelta(days=400), "sunset-operation-removed"),
        (True, TOMORROW, "operation-removed"),
        (True, "soon", "operation-removed"),
        (True, None, "operation-removed"),
        (False, TODAY, "operation-removed"),
    ],
)
def test_an_operation_is_removed_as_announced_from_its_day_on(
    deprecated: bool, sunset: object, rule: str, tmp_path: Path
) -> None:
    base = document(deprecated=deprecated, sunset=sunset)
    revision = whole("{}") | {"paths": {"/other": OTHER}}
    assert [each.rule for each in changes(report(tmp_path, base, revision))] == [rule]


@pytest.mark.parametrize(
    ("before", "after", "is_deprecated", "rules"),
    [
        (None, TOMORROW, True, ["deprecation"]),
        (TODAY, TOMORROW, True, ["deprecation"]),
        (TOMORROW, TODAY, True, ["sunset-sooner"]),
        # Without a day it may go at any time.
        (TOMORROW, None, True, ["sunset-sooner"]),
        (TOMORROW, "soon", True, ["sunset-sooner"]),
        # It stays.
        (TOMORROW, None, False, ["deprecation", "deprecation"]),
    ],
)
def test_a_day_that_comes_sooner_breaks_a_promise(
    before: object, after: object, is_deprecated: bool, rules: list[str], tmp_path: Path
) -> None:
    base = document(deprecated=True, sunset=before)
    revision = document(deprecated=is_deprecated, sunset=after)
    assert [each.rule for each in changes(report(tmp_path, base, revision))] == rules
