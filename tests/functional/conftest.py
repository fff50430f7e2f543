"""A document in a test becomes a package that the test calls over HTTP."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from specwright.document.sources.load import load
from specwright.pipeline import PackageOptions, generate
from tests.functional.origin import Origin, running
from tests.in_process import tasks_in_this_process

__all__ = ["tasks_in_this_process"]

Generate = Callable[..., ModuleType]


@cache
def codecs(package: ModuleType) -> Any:
    """Return the codecs of a package's models, which check in full."""
    return import_module(f"{package.__name__}._runtime.shared.codec").Codecs(
        package.models.__name__
    )


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generate]:
    """Generate a package from a document and import it, once for each document and options."""
    directory = tmp_path_factory.mktemp("packages")
    made: dict[str, ModuleType] = {}

    def make(document: dict[str, Any], **options: Any) -> ModuleType:
        key = json.dumps([document, options], sort_keys=True, default=repr)
        if key not in made:
            name = f"made_{len(made)}"
            path = directory / f"{name}.json"
            path.write_text(json.dumps(document))
            files = generate(
                load(path), PackageOptions(package=name, client_name="Client", **options)
            )
            for file, content in files.items():
                target = directory / file
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
            importlib.invalidate_caches()
            made[key] = importlib.import_module(name)
        return made[key]

    sys.path.insert(0, str(directory))
    yield make
    sys.path.remove(str(directory))


@pytest.fixture
def origin() -> Iterator[Origin]:
    """A scripted HTTP server on the loopback interface."""
    with running() as started:
        yield started
