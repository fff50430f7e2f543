"""Models from a second process are the same, and so are the errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specwright.document.model import Document
from specwright.document.normalise import normalise
from specwright.document.sources.load import load
from specwright.models.generate import generate
from specwright.models.worker import ModelWorker


def document(place: Path, **schemas: object) -> Document:
    file = place / "api.json"
    text = {"openapi": "3.1.1", "info": {"title": "x", "version": "1"}, "paths": {}}
    file.write_text(json.dumps({**text, "components": {"schemas": schemas}}, indent=1))
    return normalise(load(file))


THING = {"type": "object", "properties": {"size": {"type": "integer"}}}


def test_the_models_are_the_same(tmp_path: Path) -> None:
    read = document(tmp_path, Thing=THING)
    with ModelWorker() as worker:
        assert worker.begin(read)() == generate(read)


def test_modules_of_the_working_directory_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pickle.py").write_text("open('imported', 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    with ModelWorker() as worker:
        worker.begin(document(tmp_path, Thing=THING))()
    assert not (tmp_path / "imported").exists()


def test_a_process_that_dies_is_replaced_by_this_one(tmp_path: Path) -> None:
    read = document(tmp_path, Thing=THING)
    with ModelWorker() as worker:
        worker._process.kill()
        worker._process.wait()
        assert worker.begin(read)() == generate(read)


def test_what_goes_wrong_there_goes_wrong_here(tmp_path: Path) -> None:
    read = document(tmp_path, Thing=THING)
    read.data["components"]["schemas"]["Thing"] = {"$ref": "#/components/schemas/Nothing"}
    with ModelWorker() as worker, pytest.raises(KeyError, match="Nothing"):
        worker.begin(read)()


def test_the_process_ends_with_the_block() -> None:
    with ModelWorker() as worker:
        process = worker._process
    assert process.returncode is not None
