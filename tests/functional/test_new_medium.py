"""The mock writes the bodies of all media with their own encoders."""

from __future__ import annotations

from typing import Any

import pytest

from specwright.mock.answers import Answer


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
    assert Answer("200", 200, media_type, (value,)).content(0)[1] == body
