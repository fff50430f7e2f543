"""Twelve ordinary changes of a document, each of which is seen before the first request.

A project has handlers and callers. After each change, `generate` names what is different for them,
the application says at its start which handlers do not fit, and type checkers find the rest.
"""

from __future__ import annotations

import copy
import importlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.checkers import mypy
from tests.conftest import Run
from tests.functional.documents import Json, content, document, operation, ref

ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
LIMIT = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
THING = {
    "type": "object",
    "required": ["id", "size", "colour"],
    "properties": {
        "id": {"type": "string"},
        "size": {"type": "integer"},
        "colour": {"enum": ["red", "blue"]},
        "note": {"type": "string"},
    },
}
DOCUMENT = document(
    {
        "/things": {
            "get": operation(
                {"type": "array", "items": ref("Thing")},
                operationId="listThings",
                parameters=[LIMIT],
            ),
            "post": operation(
                ref("Thing"),
                operationId="makeThing",
                requestBody={"required": True, **content(ref("Thing"))},
            ),
        },
        "/things/{id}": {
            "get": operation(ref("Thing"), operationId="getThing", parameters=[ID]),
        },
    },
    {"Thing": THING},
)
# As `scaffold` writes them, so that Python does not evaluate their annotations.
HANDLERS = """\
from __future__ import annotations

from {package} import models
from {package}.server import Context, UnimplementedThings, create_app


class Things(UnimplementedThings):
    async def list_things(self, *, limit: int | None, context: Context) -> list[models.Thing]:
        return [models.Thing(id="1", size=limit or 1, colour="blue")]

    async def make_thing(self, *, body: models.Thing, context: Context) -> models.Thing:
        return body

    async def get_thing(self, *, id: str, context: Context) -> models.Thing:
        return models.Thing(id=id, size=1, colour="red", note="new")


app = create_app(things=Things())
"""
CALLERS = """\
from {package} import Client


def call(client: Client) -> None:
    for thing in client.things.list_things(limit=3):
        print(thing.size + 1, thing.note)
    client.things.list_things()
    client.things.make_thing(id="1", size=2, colour="blue")
    print(client.things.get_thing("1").size)


call(Client())
"""


class Change(NamedTuple):
    """A change, and what is seen of it.

    Attributes:
        said: the names of which `generate` speaks, with what it says.
        start: the lines of the error at the start of the application.
        wrong: pieces of the lines of handlers and callers in which mypy finds an error.
    """

    edit: Callable[[Json], object]
    said: Sequence[str]
    start: Sequence[str] = ()
    wrong: Sequence[str] = ()


def rename_schema(data: Json) -> None:
    text = json.dumps(data).replace("/Thing", "/Node").replace('"Thing":', '"Node":')
    data.update(json.loads(text))


def rename_tag(data: Json) -> None:
    data.update(json.loads(json.dumps(data).replace('["things"]', '["nodes"]')))


def change_response(data: Json) -> None:
    data["components"]["schemas"]["Detail"] = {
        "type": "object",
        "required": ["length"],
        "properties": {"length": {"type": "integer"}},
    }
    answer = content(ref("Detail"))
    data["paths"]["/things/{id}"]["get"]["responses"]["200"].update(answer)


def add_media_type(data: Json) -> None:
    body = data["paths"]["/things"]["post"]["requestBody"]["content"]
    body["text/plain"] = {"schema": {"type": "string"}}


def secure(data: Json) -> None:
    key = {"type": "apiKey", "in": "header", "name": "X-Key"}
    data["components"]["securitySchemes"] = {"key": key}
    data["security"] = [{"key": []}]


def at(*steps: str) -> Callable[[Json], Any]:
    def find(data: Json) -> Any:
        value: Any = data
        for step in steps:
            value = value[int(step)] if isinstance(value, list) else value[step]
        return value

    return find


LIST, READ = at("paths", "/things", "get"), at("paths", "/things/{id}", "get")
PROPERTIES = at("components", "schemas", "Thing", "properties")
NOTE = "print(thing.size + 1, thing.note)"
HINT = (
    "Write a handler for each operation, for example with `specwright scaffold`; or pass "
    'unimplemented="501" to respond with 501 to those that have none.'
)
NO_SIZE = 'print(client.things.get_thing("1").size)'
SIGNATURE = "async def get_thing(self, *, id: str, context: Context) -> models.Thing:"
LISTED = (
    "async def list_things(self, *, limit: int | None, context: Context) -> list[models.Thing]:"
)
MADE = 'client.things.make_thing(id="1", size=2, colour="blue")'
LISTING = "for thing in client.things.list_things(limit=3):"
GONE = "has a type that does not exist: module 'schema_renamed.models' has no attribute 'Thing'"
CHANGES = {
    "operation renamed": Change(
        lambda data: READ(data).update(operationId="readThing"),
        [
            "client.Things.get_thing: removed, perhaps read_thing now",
            "models.GetThing_IdParameter: removed, perhaps ReadThing_IdParameter now",
            "server.Things.get_thing: removed, perhaps read_thing now",
        ],
        [
            "Things.read_thing is not implemented (GET /things/{id})",
            "Things.get_thing is not an operation; was it renamed to Things.read_thing?",
            HINT,
        ],
        [NO_SIZE],
    ),
    "tag renamed": Change(
        rename_tag,
        [
            "client.Client.things: removed, perhaps nodes now",
            "client.Things: removed, perhaps Nodes now",
            "server.Things: removed, perhaps Nodes now",
            "server.UnimplementedThings: removed, perhaps UnimplementedNodes now",
            "server.create_app: parameter 'things' was removed, perhaps 'nodes' now",
        ],
        ["cannot import name 'UnimplementedThings' from 'tag_renamed.server'"],
        [
            "from tag_renamed.server import Context, UnimplementedThings, create_app",
            "class Things(UnimplementedThings):",
            "app = create_app(things=Things())",
            LISTING,
            "client.things.list_things()",
            MADE,
            NO_SIZE,
        ],
    ),
    "schema renamed": Change(
        rename_schema,
        [
            "models.Thing: removed, perhaps Node now",
        ],
        [f"Things.{name} {GONE}" for name in ("list_things", "make_thing", "get_thing")],
        [
            LISTED,
            SIGNATURE,
            "async def make_thing(self, *, body: models.Thing, context: Context) -> models.Thing:",
            'return [models.Thing(id="1", size=limit or 1, colour="blue")]',
            'return models.Thing(id=id, size=1, colour="red", note="new")',
        ],
    ),
    "response changed": Change(
        change_response,
        [
            "client.Things.get_thing: models.Thing -> models.Detail",
            "server.Things.get_thing: models.Thing | Reply[models.Thing] -> "
            "models.Detail | Reply[models.Detail]",
        ],
        [],
        [SIGNATURE, NO_SIZE],
    ),
    "parameter renamed": Change(
        lambda data: LIST(data)["parameters"][0].update(name="max"),
        [
            "models.ListThings_LimitParameter: removed, perhaps ListThings_MaxParameter now",
            "client.Things.list_things: parameter 'limit' was removed, perhaps 'max' now",
            "server.Things.list_things: parameter 'limit' was removed, perhaps 'max' now",
            "server.Things.list_things: parameter 'max' was added as required",
        ],
        [
            "Things.list_things does not take 'max'",
            "Things.list_things requires 'limit', which the operation does not have",
        ],
        [LISTED, LISTING],
    ),
    "parameter required": Change(
        lambda data: LIST(data)["parameters"][0].update(required=True),
        [
            "client.Things.list_things: parameter 'limit' is now required",
            "client.Things.list_things: parameter 'limit' int | None -> int",
            "server.Things.list_things: parameter 'limit' int | None -> int",
        ],
        [],
        ["client.things.list_things()"],
    ),
    "field removed": Change(
        lambda data: PROPERTIES(data).pop("note"),
        [
            "client.Things.make_thing: parameter 'note' was removed",
            "models.Thing.note: removed",
        ],
        [],
        ['return models.Thing(id=id, size=1, colour="red", note="new")', NOTE],
    ),
    "field nullable": Change(
        lambda data: PROPERTIES(data)["size"].update(type=["integer", "null"]),
        [
            "client.Things.make_thing: parameter 'size' int -> int | None",
            "models.Thing.size: StrictInt -> StrictInt | None",
        ],
        [],
        [NOTE],
    ),
    "enum value removed": Change(
        lambda data: PROPERTIES(data)["colour"]["enum"].pop(),
        [
            "client.Things.make_thing: parameter 'colour' Literal['red', 'blue'] -> Literal['red']",
            "models.Thing.colour: Literal['red', 'blue'] -> Literal['red']",
        ],
        [],
        ['return [models.Thing(id="1", size=limit or 1, colour="blue")]', MADE],
    ),
    "media type added": Change(
        add_media_type,
        ["server.Things.make_thing: parameter 'body' models.Thing -> models.Thing | str"],
        [],
        ["async def make_thing(self, *, body: models.Thing, context: Context) -> models.Thing:"],
    ),
    "operation removed": Change(
        lambda data: data["paths"].pop("/things/{id}"),
        [
            "client.Things.get_thing: removed",
            "models.GetThing_IdParameter: removed",
            "server.Things.get_thing: removed",
        ],
        ["Things.get_thing is not an operation", HINT],
        [NO_SIZE],
    ),
    "security changed": Change(
        secure,
        ["server.create_app: parameter 'authenticate' was added as required"],
        ["create_app() missing 1 required keyword-only argument: 'authenticate'"],
        ["app = create_app(things=Things())"],
    ),
}


# Twenty-four packages are made, and all are checked for types.
pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory, specwright: Run) -> Iterator[Path]:
    """A project for each change, in which the package was generated before and after it."""
    top = tmp_path_factory.mktemp("changes")
    for name, change in CHANGES.items():
        package = name.replace(" ", "_")
        place = top / package
        place.mkdir()
        settings = f'[tool.specwright]\npackage = "{package}"\nclient-name = "Client"\n'
        (place / "pyproject.toml").write_text(settings)
        data = copy.deepcopy(DOCUMENT)
        for step in ("before", "after"):
            if step == "after":
                change.edit(data)
            (place / "openapi.json").write_text(json.dumps(data))
            done = specwright("generate", cwd=place)
            assert done.returncode == 0, done.stderr
            (place / f"{step}.txt").write_text(done.stdout)
        for module, text in (("handlers", HANDLERS), ("callers", CALLERS)):
            (place / f"{package}_{module}.py").write_text(text.format(package=package))
        sys.path[:0] = [str(place), str(place / "generated")]
    yield top
    sys.path[:] = [path for path in sys.path if not path.startswith(str(top))]


@pytest.fixture(scope="module")
def errors(projects: Path) -> list[str]:
    """The errors of mypy in handlers and callers of all projects."""
    place = projects / "all"
    place.mkdir()
    for file in projects.glob("*/*.py"):
        (place / file.name).write_text(file.read_text())
    return mypy(place, [str(path) for path in projects.glob("*/generated")])


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_seen_before_the_first_request(
    projects: Path, errors: list[str], name: str
) -> None:
    change, package = CHANGES[name], name.replace(" ", "_")
    place = projects / package
    assert "changed names" not in (place / "before.txt").read_text()
    lines = (place / "after.txt").read_text().splitlines()
    said = [line.strip().removeprefix(f"{package}.") for line in lines if line[:2] == "  "]
    assert sorted(said) == sorted(change.said)

    start: list[str] = []
    try:
        importlib.import_module(f"{package}_handlers")
    except (TypeError, ImportError) as error:
        text = str(error).removeprefix("the implementation does not match:\n")
        start = text.partition(" (/")[0].splitlines()
    assert start == [*change.start]

    wrong: set[str] = set()
    for error in errors:
        file, line, _ = error.split(":", 2)
        if file.startswith(package):
            wrong.add((place / file).read_text().splitlines()[int(line) - 1].strip())
    assert wrong == set(change.wrong)
