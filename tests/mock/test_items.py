"""The items of streams, and operations with callbacks that are left out with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lab.agreement import loop
from lab.agreement.subject import Subject
from specwright.check.sound import without
from specwright.document.sources.load import load


def test_a_stream_begins_with_the_items_of_its_examples(tmp_path: Path) -> None:
    subject = Subject(loop.HERE / "documents" / "examples-encoded.yaml", tmp_path)
    (operation,) = (site for site in subject.mock.routes.operations if site.key == "/progress")
    (response,) = subject.mock.responses(operation)
    items: Any = response.values[0]
    assert items[0] == {"step": "pulled"}


def test_an_operation_is_removed_together_with_its_callback(tmp_path: Path) -> None:
    file = tmp_path / "callbacks.yaml"
    file.write_text(
        "{openapi: 3.1.0, info: {title: A, version: '1'}, paths: {/a: {post: {callbacks: "
        "{done: {'{$request.query.url}': {post: {}}}}}, get: {}}}}",
        "utf-8",
    )
    places = ("/paths/~1a/post", "/paths/~1a/post/callbacks/done/{$request.query.url}/post")
    data: Any = without(load(file), places).data
    assert list(data["paths"]["/a"]) == ["get"]
