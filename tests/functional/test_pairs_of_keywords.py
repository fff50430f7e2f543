"""Two keywords mean together what JSON Schema says, for arguments, models and findings alike.

A valid value goes through the signature of the method, arrives at a server and is read back. An
invalid one is refused before it is sent, or a finding names the place; there is no finding where
all are refused.
"""

from __future__ import annotations

import inspect
import json
import threading
from collections import defaultdict
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema_rs
import pytest

from specwright.check.checks import check
from specwright.check.lint.rule import Category
from specwright.check.lint.table import RULES
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.findings import Level
from specwright.policy import Settings
from tests.checkers import mypy
from tests.functional.conftest import Generate
from tests.functional.documents import Json
from tests.functional.keyword_pairs import SCHEMAS, Pair, api, pairs

OTHERS = {rule.id: Level.OFF for rule in RULES if rule.category is not Category.UNSUPPORTED}
KINDS = tuple(SCHEMAS)


class _Echo(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.send_response_only(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def echo() -> Iterator[str]:
    """A server that returns what it gets."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Echo) as server:
        server.daemon_threads, server.block_on_close = True, False
        threading.Thread(target=server.serve_forever, args=(0.05,)).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def arguments(method: Any, value: Any) -> Json:
    """The arguments of a call with this body."""
    takes_body = "body" in inspect.signature(method).parameters
    return value if isinstance(value, dict) and not takes_body else {"body": value}


def returned(method: Any, value: Any) -> Any:
    """What a method reads from a server that returns its request."""
    result = method(**arguments(method, value))
    if hasattr(result, "model_dump"):
        return result.model_dump(by_alias=True, exclude_unset=True, mode="json")
    return result


def is_sent(made: ModuleType, method_name: str, value: Any) -> bool:
    """Return whether the client sends a value as it is."""
    transport = made.testing.FakeTransport(lambda sent: made.testing.response(sent.content))
    method = getattr(made.Client(transport=transport).things, method_name)
    try:
        method(**arguments(method, value))
    except (TypeError, made.InvalidArgumentError):
        return False
    return same(json.loads(transport.requests[0].content), value)


def same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def valid_and_not(spec: Json, number: int, pair: Pair) -> tuple[list[Any], list[Any]]:
    """The values that an independent validator accepts, and the others."""
    registry = jsonschema_rs.Registry([("document:/", spec)], draft=jsonschema_rs.Draft202012)
    schema = {"$ref": f"document:/#/components/schemas/V{number}"}
    is_valid = jsonschema_rs.Draft202012Validator(schema, registry=registry).is_valid
    valid = [value for value in pair.values if is_valid(value)]
    return valid, [value for value in pair.values if value not in valid]


def found(spec: Json, path: Path) -> dict[str, set[str]]:
    """The places of findings about what models do not check, by component."""
    path.write_text(json.dumps(spec))
    places: dict[str, set[str]] = defaultdict(set)
    for finding in check(upgrade(load(path)), Settings(levels=OTHERS)).findings:
        pointer = finding.pointer or ""
        places[pointer.split("/")[3]].add(pointer)
    return places


@pytest.mark.parametrize("kind", KINDS)
def test_a_pair_of_keywords_means_what_both_say(
    package: Generate, echo: str, tmp_path: Path, kind: str
) -> None:
    several = pairs(kind)
    spec = api(several)
    made, places = package(spec), found(spec, tmp_path / "api.json")
    wrong = []
    satisfiable = 0
    with made.Client(base_url=echo) as client:
        for number, pair in enumerate(several):
            valid, invalid = valid_and_not(spec, number, pair)
            meant = [value for value in valid if pair.is_meant(value)]
            satisfiable += bool(meant)
            method = getattr(client.things, f"send{number}")
            for value in meant[:1]:
                try:
                    is_same = same(returned(method, value), value)
                except (TypeError, made.InvalidArgumentError, made.InvalidResponseError) as error:
                    is_same = False
                    wrong.append(f"{pair.name}: {error}")
                if not is_same:
                    wrong.append(f"{pair.name}: {value} is valid")
            wrong += [
                f"{pair.name}: {value} is valid, and refused"
                for value in meant[1:]
                if not is_sent(made, f"send{number}", value)
            ]
            accepted = [value for value in invalid if is_sent(made, f"send{number}", value)]
            own, base = places[f"V{number}"], places[f"Base{number}"]
            if accepted and not own | base:
                wrong.append(f"{pair.name}: {accepted} are invalid, and no finding says so")
            if own and not accepted:
                wrong.append(f"{pair.name}: {own} are checked")
    assert not wrong, "\n".join(wrong)
    assert satisfiable > len(several) / 2


def test_type_checkers_accept_the_packages(
    package: Generate, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("programs") / "programs"
    place.mkdir()
    made = [package(api(pairs(kind))) for kind in KINDS]
    lines = [f"import {one.__name__}.client, {one.__name__}.models" for one in made]
    (place / "all.py").write_text("\n".join(lines))
    assert mypy(place, sorted({str(Path(str(one.__file__)).parents[1]) for one in made})) == []
