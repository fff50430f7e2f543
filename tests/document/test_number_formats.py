"""Formats of numbers are limits, beside those that a schema has."""

from __future__ import annotations

from pathlib import Path

import pytest

from specwright.document.schemas.instances import Instances
from specwright.document.schemas.number_formats import with_ranges
from tests.document.documents import of_schemas

PLACE = "/components/schemas/V"


@pytest.mark.parametrize(
    "format_, least, greatest",
    [
        ("int8", -128, 127),
        ("uint8", 0, 255),
        ("uint16", 0, 65_535),
        ("int32", -2_147_483_648, 2_147_483_647),
    ],
)
def test_a_format_is_a_range(tmp_path: Path, format_: str, least: int, greatest: int) -> None:
    schema = {
        "type": "integer",
        "format": format_,
        "allOf": [{"multipleOf": 1}, {"not": {"const": 7}}],
    }
    instances = Instances(with_ranges(of_schemas(tmp_path, V=schema)))

    for value in (least, greatest):
        assert not [*instances.problems(PLACE, value)]
    for value in (least - 1, greatest + 1, 7):
        assert [*instances.problems(PLACE, value)]
