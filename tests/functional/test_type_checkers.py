"""Type checkers know the types of a generated package; one run of each judges all programs."""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from specwright.document.sources.load import load
from specwright.pipeline import PackageOptions, scaffold
from tests.checkers import mypy, pyright
from tests.functional import (
    test_client_errors,
    test_error_bodies,
    test_event_data,
    test_media,
    test_params,
    test_types_of_fields,
    test_webhooks,
)
from tests.functional.conftest import Generate
from tests.functional.documents import Json

# The lines with an error, by file and checker.
Errors = dict[str, defaultdict[str, set[int]]]


class Program(NamedTuple):
    """A program that uses the package of a document, and the lines that are wrong in it.

    Attributes:
        is_exact: whether each checker names all of them.
    """

    document: Json
    text: str
    wrong: set[int]
    is_exact: bool = False


CODES = """
from typing import assert_type

from {package} import BadRequestError, models

def show(error: BadRequestError) -> None:
    code: models.Code | str | None = error.code
    for detail in error.details:
        assert_type(detail, models.Fault)
        print(detail.at, code)
"""
BODIES = """
from {package} import ApiStatusError, models


def said(error: ApiStatusError) -> str:
    match error.body:
        case models.Missing(resource=resource):
            return resource
        case models.Invalid(detail=detail):
            return str(detail)
        case None:
            return ""
"""
EVENTS = """
from typing import assert_type

from {package} import models, testing

assert_type(testing.event("gone"), models.Gone)
assert_type(testing.event("made", count=3), models.Made)
assert_type(testing.example(models.Made), models.Made)
"""
HEADERS = """
from collections.abc import Iterator, Mapping
from email.message import Message

from starlette.requests import Request

from {package} import webhooks

class Werkzeug:
    def items(self, lower: bool = False) -> Iterator[tuple[str, str]]:
        yield "a", "b"

def all_of(request: Request, mapping: Mapping[str, str], message: Message, flask: Werkzeug) -> None:
    webhooks.parse(b"", {{"X-Signed": ""}}, "secret")
    webhooks.parse(b"", request.headers, "secret")
    webhooks.parse(b"", mapping, "secret")
    webhooks.parse(b"", message, "secret")
    webhooks.parse(b"", flask, "secret")
    webhooks.parse(b"", {{"X-Signed": 5}}, "secret")
"""
ALL = """
from {package} import async_client, client, errors, models, server, testing

print(async_client, client, errors, models, server, testing)
"""
SIGNED = test_webhooks.api(**test_webhooks.SIGNED)
PROGRAMS = {
    "codes": Program(test_client_errors.API, CODES, set()),
    "codes_wrong": Program(
        test_client_errors.API, CODES.replace("models.Fault", "models.Thing"), {9}
    ),
    "bodies": Program(test_error_bodies.API, BODIES, set()),
    "bodies_in_part": Program(
        test_error_bodies.API, BODIES.partition("        case None")[0], {5, 6}
    ),
    "handlers": Program(
        test_error_bodies.API, test_error_bodies.HANDLERS, test_error_bodies.WRONG_HANDLERS, True
    ),
    "events": Program(SIGNED, EVENTS, set()),
    "events_wrong": Program(
        SIGNED, EVENTS.replace("models.Made), models.Made", "models.Made), models.Gone"), {8}
    ),
    "headers": Program(SIGNED, HEADERS, {19}),
    "reading_events": Program(test_event_data.API, test_event_data.READING, {19}),
    "sending_events": Program(test_event_data.API, test_event_data.SENDING, {23}),
    "fields": Program(test_types_of_fields.API, ALL, set()),
    "params": Program(test_params.API, *test_params.program(test_params.CALLS), True),
    "params_values": Program(test_params.API, *test_params.program(test_params.VALUES), True),
}

SCAFFOLDED = (test_error_bodies.API, test_event_data.API, {**test_media.API, "openapi": "3.2.0"})


@pytest.fixture(scope="module")
def errors(package: Generate, tmp_path_factory: pytest.TempPathFactory) -> Errors:
    place = tmp_path_factory.mktemp("programs")
    packages = set()
    for name, program in PROGRAMS.items():
        made = package(program.document)
        packages.add(str(Path(str(made.__file__)).parents[1]))
        (place / f"{name}.py").write_text(program.text.format(package=made.__name__))
    for api in SCAFFOLDED:
        made = package(api)
        document = Path(str(made.__file__)).parents[1] / f"{made.__name__}.json"
        packages.add(str(document.parent))
        (place / f"of_{made.__name__}").mkdir()
        options = PackageOptions(package=made.__name__, client_name="Client")
        for path, content in scaffold(load(document), options).items():
            (place / f"of_{made.__name__}" / path).write_bytes(content)
    lines: Errors = {}
    with ThreadPoolExecutor() as pool:
        checks = {
            check.__name__: pool.submit(check, place, [*packages]) for check in (mypy, pyright)
        }
    for checker, check in checks.items():
        lines[checker] = defaultdict(set)
        for error in check.result():
            file, line, _ = error.split(":", 2)
            lines[checker][file].add(int(line))
    return lines


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_wrong_where_it_mistakes_a_type(
    errors: Errors, name: str, checker: str
) -> None:
    lines, wrong = errors[checker][f"{name}.py"], PROGRAMS[name].wrong
    # pyright also names the statement that leaves a case out.
    assert lines <= wrong
    assert not PROGRAMS[name].is_exact or lines == wrong
    assert bool(lines) == bool(wrong)


def test_type_checkers_find_nothing_in_packages_and_scaffolds(errors: Errors) -> None:
    for by_file in errors.values():
        assert {file for file, lines in by_file.items() if lines} <= {f"{n}.py" for n in PROGRAMS}
