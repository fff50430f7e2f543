"""A small project, generated once, that each test gets a copy of."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.in_process import tasks_in_this_process

__all__ = ["tasks_in_this_process"]

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.1",
    "info": {"title": "Shop", "version": "1.2.0", "summary": "Sells things."},
    "servers": [{"url": "https://shop.example/api"}],
    "paths": {
        "/things/{id}": {
            "get": {
                "operationId": "getThing",
                "summary": "Get a thing",
                "tags": ["things"],
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
                ],
                "responses": {
                    "200": {
                        "description": "The thing",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}
                        },
                    }
                },
            }
        }
    },
    "webhooks": {
        "thing.sold": {
            "post": {
                "operationId": "thingSold",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}
                    },
                },
                "responses": {"200": {"description": "Understood"}},
            }
        }
    },
    "components": {
        "schemas": {
            "Thing": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string", "description": "What it is called"}},
            }
        }
    },
}
SETTINGS = '[tool.specwright]\ndocument = "api.json"\n'


def snapshot(directory: Path) -> dict[str, tuple[bytes, int]]:
    """Content and time of every file below a directory."""
    return {
        path.relative_to(directory).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def content(directory: Path) -> dict[str, bytes]:
    return {path: data for path, (data, _) in snapshot(directory).items()}


def write_document(project: Path, document: dict[str, Any] = DOCUMENT) -> None:
    (project / "api.json").write_text(json.dumps(document, indent=2))


@pytest.fixture(scope="session")
def generated_once(tmp_path_factory: pytest.TempPathFactory, specwright) -> Path:
    place = tmp_path_factory.mktemp("project")
    write_document(place)
    (place / "pyproject.toml").write_text(SETTINGS)
    made = specwright("generate", cwd=place)
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith("generated ")
    return place


@pytest.fixture
def project(generated_once: Path, tmp_path: Path) -> Path:
    """A project with output that matches its document."""
    place = tmp_path / "project"
    shutil.copytree(generated_once, place)
    return place
