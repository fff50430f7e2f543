"""The trial of a document: its package is made, imported, checked for types and called."""

from __future__ import annotations

import json
import re
import shutil
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from functools import cache
from importlib import import_module, invalidate_caches
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from lab.compositions.values import contradictions
from lab.wire.proof import PartError, made
from specwright.document.model import Document
from specwright.document.sources.load import load_in_part
from specwright.errors import SpecwrightError
from specwright.findings import Report
from specwright.ir.model.api import Api
from tests.checkers import mypy

Json = dict[str, Any]
_PACKAGE = "composed"
_MODULES = ("models", "client", "async_client", "server")


def fault(document: Json, *, with_types: bool = False, with_values: bool = True) -> str:
    """Return the kind of the fault that a document causes; empty if it causes none.

    Schemas that contradict themselves may be refused by the generator of models, which costs them
    alone, and is no fault.

    Args:
        with_types: whether mypy checks the package, which takes more time than the rest.
        with_values: whether values go through client, stub and back, which takes half of the time.
    """
    place = _place()
    with TemporaryDirectory() as directory:
        path, reports = Path(directory, "openapi.json"), list[Report]()
        path.write_text(json.dumps(document), "utf-8")
        package = None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with suppress(PartError):
                    package = made(load_in_part(path), place, package=_PACKAGE, tell=reports.append)
                for module in _MODULES:
                    import_module(f"{_PACKAGE}.{module}")
        except SpecwrightError as error:
            return f"SpecwrightError: {error.message.replace(str(path), '')}"
        except Exception as error:
            return _origin(error)
        bugs = [fact for report in reports for name, fact in report.facts]
        if bug := next((fact for fact in bugs if not fact.startswith("ModelsError")), ""):
            return bug.partition(" (")[0]
        if with_types and (error := _of_types(place)):
            return error
        return _of_values(path, package) if with_values and package else ""


@cache
def _kept() -> TemporaryDirectory[str]:
    """Return a directory for the package of each trial, which lasts as long as the process."""
    return TemporaryDirectory()


def _place() -> Path:
    """Return a directory without a package, whose modules are forgotten.

    Those of the runtime are not, as they are the same in all packages.
    """
    place = Path(_kept().name, "out")
    shutil.rmtree(place / _PACKAGE, ignore_errors=True)
    for name in list(sys.modules):
        if name.partition(".")[0] == _PACKAGE and not name.startswith(f"{_PACKAGE}._runtime"):
            del sys.modules[name]
    sys.path[:] = [entry for entry in sys.path if entry != str(place)]
    invalidate_caches()
    return place


def _of_types(place: Path) -> str:
    """Return the first error of mypy."""
    said = next(iter(mypy(place)), "")
    return said and f"mypy: {_kind(said.split(': ', 1)[1])}"


def _of_values(path: Path, package: tuple[Document, Api, ModuleType]) -> str:
    try:
        return _kind(next(contradictions(path, package), ""))
    except Exception as error:
        return f"values: {_origin(error)}"


def _kind(complaint: str) -> str:
    """Return a complaint without what is the document's own."""
    return re.sub(r"/v\d\S*|['\"].*?['\"]|\d+", "…", complaint)


def _origin(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}, {last.name}"


def shrunk(document: Json, fails: Callable[[Json], bool]) -> Json:
    """Return the document with as little as still fails: members and items are removed in turn."""
    smallest = document
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for way in sorted(_ways(smallest), key=len):
            candidate = deepcopy(smallest)
            holder: Any = candidate
            try:
                for step in way[:-1]:
                    holder = holder[step]
                del holder[way[-1]]
            except (KeyError, IndexError, TypeError):
                # What was removed before held it.
                continue
            if fails(candidate):
                smallest, is_smaller = candidate, True
    return smallest


def _ways(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the ways to all members and items of a value."""
    inner = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value) if isinstance(value, list) else inner
    for step, part in inner:
        yield (*way, step)
        yield from _ways(part, (*way, step))
