"""Generated modules import the names they use, and no others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.config import PackageOptions
from specwright.document.sources.load import load
from specwright.pipeline import generate, scaffold
from tests.conftest import ROOT
from tests.functional.documents import Json, content, document, operation, ref
from tests.names.kinds import SCHEMAS
from tests.names.used import wrong_names

GOLDEN = sorted(ROOT.glob("tests/golden/*/expected"))


def every_kind() -> Json:
    """For each schema an operation and a webhook with it wherever there may be one."""
    paths, webhooks = {}, {}
    for name in SCHEMAS:
        schema = ref(name)
        body = {"required": True, **content(schema)}
        asked = {"name": "q", "in": "query", "schema": schema}
        use = operation(schema, operationId=f"use{name}", parameters=[asked], tags=[name])
        use |= {"requestBody": body, "deprecated": True}
        event = {"responses": {"200": {"description": "Fine."}}, "requestBody": body}
        paths[f"/{name}"], webhooks[name] = {"put": use}, {"post": event}
    lines = {"description": "Them.", "content": {"application/jsonl": {"schema": schema}}}
    paths["/lines"] = {"get": {"operationId": "lines", "responses": {"200": lines}}}
    return document(paths, SCHEMAS, webhooks=webhooks)


def written(tmp_path: Path, data: dict[str, Any]) -> Path:
    """A package and the scaffold of its stub, as files."""
    path = tmp_path / "api.json"
    path.write_text(json.dumps(data))
    loaded, options, top = load(path), PackageOptions(package="made"), tmp_path / "made"
    made = {top: generate(loaded, options), top / "own": scaffold(loaded, options)}
    for directory, files in made.items():
        for name, text in files.items():
            target = directory / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
    return top


def test_every_kind_of_annotation_is_imported(tmp_path: Path) -> None:
    assert not wrong_names(written(tmp_path, every_kind()))


@pytest.mark.parametrize("tree", GOLDEN, ids=lambda tree: tree.parent.name)
def test_a_golden_tree_imports_what_it_uses(tree: Path) -> None:
    assert not wrong_names(tree)


def test_the_package_of_this_repository_imports_what_it_uses() -> None:
    assert not wrong_names(ROOT / "generated")
