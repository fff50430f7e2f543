"""Models from a second process are the same, and so are the errors."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from specwright.document.model import Document
from specwright.document.normalise import normalise
from specwright.document.sources.load import load
from specwright.errors import SpecwrightError
from specwright.models.background import ModelWorker
from specwright.models.generate import generate


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


def test_what_ends_the_process_is_not_tried_in_this_one(tmp_path: Path) -> None:
    read = document(tmp_path, Thing=THING)
    with ModelWorker() as worker:
        worker._process.kill()
        with pytest.raises(SpecwrightError, match="models cannot be generated: it needs too much"):
            worker.begin(read)()


def test_what_takes_too_long_ends_with_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("specwright.models.background.SECONDS", 0.5)
    parts = {
        f"S{n}": {"allOf": [{"$ref": f"#/components/schemas/S{n - 1}"}] * 2} for n in range(1, 31)
    }
    read = document(tmp_path, S0={"type": "integer"}, **parts)
    with (
        ModelWorker() as worker,
        pytest.raises(SpecwrightError, match="models cannot be generated: it takes too long"),
    ):
        worker.begin(read)()


def test_the_time_grows_with_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("specwright.models.background.SECONDS", 0)
    monkeypatch.setattr("specwright.models.background.SECONDS_PER_OBJECT", 10)
    read = document(tmp_path, Thing=THING)
    with ModelWorker() as worker:
        assert worker.begin(read)() == generate(read)


def test_what_needs_too_much_memory_ends_with_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("specwright.models.background.MEMORY", 2**20)
    # A copy of this text is more than what the process may have left from earlier tests.
    read = document(tmp_path, Thing=THING | {"description": "x" * 2**24})
    with (
        ModelWorker() as worker,
        pytest.raises(
            SpecwrightError, match="models cannot be generated: it needs too much memory"
        ),
    ):
        worker.begin(read)()


def test_more_alternatives_than_can_be_written_are_an_error(tmp_path: Path) -> None:
    many = {f"S{n}": {"type": "object", "properties": {f"p{n}": {}}} for n in range(600)}
    union = {"oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in many]}
    read = document(tmp_path, **many, All=union)
    with ModelWorker() as worker, pytest.raises(SpecwrightError, match="too many alternatives"):
        worker.begin(read)()


def test_what_goes_wrong_there_goes_wrong_here(tmp_path: Path) -> None:
    read = document(tmp_path, Thing=THING)
    read.data["components"]["schemas"]["Thing"] = {"$ref": "#/components/schemas/Nothing"}
    with ModelWorker() as worker, pytest.raises(SpecwrightError, match="Nothing"):
        worker.begin(read)()


def test_the_process_ends_with_the_block() -> None:
    with ModelWorker() as worker:
        process = worker._process
    with pytest.raises(ChildProcessError):
        os.waitpid(process._pid, 0)
