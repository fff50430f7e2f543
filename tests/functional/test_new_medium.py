"""A medium that is added to the table serves the mock, with its own encoder."""

from types import ModuleType
from typing import Any

import pytest

from specwright.mock import bodies
from specwright.runtime.shared.media import json_value, table


def _medium() -> ModuleType:
    """Return a medium of JSON behind a marker, as a module that a contributor adds."""
    medium = ModuleType("marked")
    vars(medium).update(vars(json_value))

    def matches(essence: str) -> bool:
        return essence == "application/x-marked"

    def encode(content: Any, value: Any, converter: Any) -> tuple[str, bytes]:
        return content.media_type, b"marked:" + converter.write(value)

    vars(medium).update(name="marked", matches=matches, encode=encode)
    return medium


def test_the_mock_writes_a_new_medium_with_its_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MEDIA", (_medium(), *table.MEDIA))
    table.medium_of.cache_clear()
    try:
        assert bodies.written("application/x-marked", {"a": 1}) == b'marked:{"a": 1}'
    finally:
        table.medium_of.cache_clear()


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
def test_the_mock_writes_what_it_always_wrote(media_type: str, value: Any, body: bytes) -> None:
    assert bodies.written(media_type, value) == body
