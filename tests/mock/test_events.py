"""`specwright mock` sends an event of each kind, with data that fits its schema."""

from __future__ import annotations

from pathlib import Path

from tests.functional.test_event_data import API
from tests.mock.serving import mocked


def test_an_event_of_each_kind_is_sent(tmp_path: Path) -> None:
    with mocked(tmp_path, API) as mock:
        bodies = {path: mock.request(path).text for path in API["paths"]}
    assert bodies == {
        "/lines": 'event: a\nid: a\nretry: 0\ndata: {"n": 4}\n\n',
        "/changes": (
            'event: line\ndata: {"n": 4}\n\nevent: any\ndata: {}\n\nevent: note\ndata: a\n\n'
        ),
        "/todos": 'event: todo.added\ndata: {"title": "a"}\n\nevent: done\ndata: [DONE]\n\n',
        "/mixed": 'event: a\ndata: {"n": 4}\n\nevent: a\ndata: a\n\n',
        "/coded": "event: a\ndata: eyJuIjogNH0=\n\n",
    }
