"""Examples of streams, and examples that are written as they are sent."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.mock.serving import MockedDocument, mocked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT for one process")

MOVED = 'event: moved\ndata: {"id":1}\n\n'
GONE = 'event: gone\ndata: {"id":2}\n\n'
EVENT = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {"event": {"type": "string"}, "data": {"type": "string"}},
}
MOVED_EVENT = {"event": "moved", "data": '{"id":1}'}
STEP = {"type": "object", "required": ["step"], "properties": {"step": {"type": "integer"}}}
SIX = [{"step": number} for number in range(6)]
LINES = "".join(f'{{"step": {number}}}\n' for number in range(6))

# Path: the media type, its object, and the body.
STREAMS: dict[str, tuple[str, dict[str, Any], str]] = {
    "/text": ("text/event-stream", {"example": MOVED}, MOVED),
    "/text/schema": (
        "text/event-stream",
        {"schema": {"type": "string"}, "examples": {"two": {"value": MOVED + GONE}}},
        MOVED + GONE,
    ),
    "/text/data": ("text/event-stream", {"schema": STEP, "example": GONE}, GONE),
    "/first": (
        "text/event-stream",
        {"itemSchema": EVENT, "examples": {"a": {"value": [MOVED_EVENT]}, "b": {"value": GONE}}},
        MOVED,
    ),
    "/serialized": (
        "text/event-stream",
        {
            "itemSchema": EVENT,
            "examples": {"both": {"dataValue": [MOVED_EVENT], "serializedValue": f": hi\n{MOVED}"}},
        },
        f": hi\n{MOVED}",
    ),
    "/events": (
        "text/event-stream",
        {"itemSchema": EVENT, "examples": {"a": {"dataValue": [MOVED_EVENT, {"event": 5}]}}},
        MOVED,
    ),
    "/data": ("text/event-stream", {"example": [{"a": 1}]}, 'data: {"a": 1}\n\n'),
    "/empty": ("text/event-stream", {"itemSchema": EVENT, "example": []}, ""),
    "/invalid": (
        "application/jsonl",
        {"itemSchema": {"const": 1}, "example": [{"event": 5}]},
        "1\n",
    ),
    "/lines": ("application/jsonl", {"itemSchema": STEP, "example": SIX}, LINES),
    "/lines/text": ("application/jsonl", {"schema": {"type": "string"}, "example": LINES}, LINES),
    "/json": (
        "application/json",
        {"examples": {"a": {"dataValue": 1, "serializedValue": "1.0"}}},
        "1.0",
    ),
}


@pytest.fixture(scope="module")
def mock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockedDocument]:
    paths = {
        path: {"get": {"responses": {"200": {"description": "It.", "content": {name: content}}}}}
        for path, (name, content, _) in STREAMS.items()
    }
    document = {"openapi": "3.2.0", "paths": paths}
    with mocked(tmp_path_factory.mktemp("streams"), document) as served:
        yield served


@pytest.mark.parametrize("path", STREAMS)
def test_an_example_is_the_whole_stream(mock: MockedDocument, path: str) -> None:
    response = mock.request(path)
    assert response.headers["Content-Type"] == STREAMS[path][0]
    assert response.text == STREAMS[path][2]


@pytest.mark.parametrize(
    ("path", "name", "body"),
    [
        ("/text/schema", "two", MOVED + GONE),
        ("/first", "a", MOVED),
        ("/first", "b", GONE),
        ("/serialized", "both", f": hi\n{MOVED}"),
        ("/json", "a", "1.0"),
        # Sent as it is, although an event of it is invalid.
        ("/events", "a", MOVED + "data: \n\n"),
    ],
)
def test_an_example_of_a_stream_is_sent_by_its_name(
    mock: MockedDocument, path: str, name: str, body: str
) -> None:
    assert mock.request(path, headers={"Prefer": f"example={name}"}).text == body
