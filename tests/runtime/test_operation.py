"""The model of the response of an operation."""

from __future__ import annotations

from typing import Any

import pytest

from specwright.runtime.shared.operation import Operation, as_json


@pytest.mark.parametrize(
    ("status", "found"),
    [
        (199, (True, "Other")),
        (200, (False, None)),
        (201, (True, "Thing")),
        (299, (False, None)),
        (300, (True, "Other")),
        (404, (True, "Missing")),
        (499, (True, "Refusal")),
        (500, (True, "Other")),
    ],
)
def test_what_is_not_declared_by_itself_is_the_default_unless_it_is_a_success(
    status: int, found: tuple[bool, str | None]
) -> None:
    operation: Operation[Any] = Operation(
        *("get", "get", "GET", "/"),
        responses={
            status: as_json(model)
            for status, model in {
                "201": "Thing",
                "404": "Missing",
                "4XX": "Refusal",
                "default": "Other",
            }.items()
        },
    )
    assert operation.model_for(status) == found
