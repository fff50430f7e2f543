"""Samples are written in all media, with their own encoders, and in one that is added."""

from __future__ import annotations

from typing import Any

import pytest

from specwright.mock.responses import MockResponse
from specwright.runtime.shared.media import table
from specwright.runtime.shared.media.medium import Converter, Medium
from specwright.runtime.shared.operation import Content
from specwright.samples.bodies import encode

ROWS = [["a", "b"]]


class Rows(Medium):
    """A medium without a schema, whose values are not text."""

    sent = received = taken = given = "list[list[str]]"
    sample = ROWS
    has_schema = False

    def matches(self, essence: str) -> bool:
        return essence == "text/csv"

    def encode(self, content: Content, value: Any, converter: Converter) -> tuple[str, bytes]:
        if not isinstance(value, list):
            raise ValueError("Input should be a list")
        return content.media_type, "\n".join(map(",".join, value)).encode()

    def decode(self, content: Content, data: bytes, media_type: str, converter: Converter) -> Any:
        return [line.split(",") for line in data.decode().splitlines()]


@pytest.mark.parametrize(
    ("media_type", "value", "body"),
    [
        ("application/json; charset=utf-8", [1, "ü"], b'[1, "\\u00fc"]'),
        ("application/*", {"a": 1}, b'{"a": 1}'),
        ("application/x-ndjson", [{"a": 1}, 2], b'{"a": 1}\n2\n'),
        ("application/JSON-seq; a=b", (1,), b"\x1e1\n"),
        ("text/event-stream", ({"a": 1}, "b"), b'data: {"a": 1}\n\ndata: "b"\n\n'),
        ("text/event-stream", (), b""),
    ],
)
def test_the_mock_encodes_each_medium(media_type: str, value: Any, body: bytes) -> None:
    assert MockResponse("200", 200, media_type, (value,)).content(0)[1] == body


@pytest.mark.parametrize(
    ("value", "body"),
    [("text", b"a,b"), ({"a": 1}, b"a,b"), (None, b"a,b"), ([["c"], ["d"]], b"c\nd")],
)
def test_a_value_that_a_new_medium_cannot_carry_becomes_its_sample(
    monkeypatch: pytest.MonkeyPatch, value: Any, body: bytes
) -> None:
    monkeypatch.setattr(table, "MEDIA", (Rows(), *table.MEDIA))
    table.medium_of.cache_clear()
    try:
        assert encode("text/csv", value) == ("text/csv", body)
    finally:
        table.medium_of.cache_clear()
