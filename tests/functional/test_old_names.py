"""Old names of a package work until their date; they warn, and are typed."""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Callable
from datetime import date
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from specwright.config import OldName, PackageOptions
from specwright.document.sources.load import load
from specwright.errors import InputError
from specwright.pipeline import generate
from specwright.review.sdk import NameChangeKind, sdk_changes
from specwright.review.surface import Surface, surface
from tests.checkers import mypy, pyright
from tests.functional.conftest import Generate
from tests.functional.documents import Json, content, document, operation, ref
from tests.functional.origin import Answer, Origin

DAY = date(2027, 3, 1)
ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
NODE = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}
OLD = {
    "models.Thing": OldName("Node", DAY),
    "models.Colour": OldName("Tint", DAY),
    "models.GetThing_IdParameter": OldName("GetNode_IdParameter", DAY),
    "client.Client.things": OldName("nodes", DAY),
    "client.Things": OldName("Nodes", DAY),
    "client.Nodes.get_thing": OldName("get_node", DAY),
    "client.Nodes.export": OldName("dump", DAY),
    "server.UnimplementedThings": OldName("UnimplementedNodes", DAY),
}


def api(
    schema: str = "Node",
    tag: str = "nodes",
    read: str = "getNode",
    export: str = "dump",
    colour: str = "Tint",
) -> Json:
    text = {"text/plain": {"schema": {"type": "string"}}}
    both = {"content": {**content(ref(schema))["content"], **text}}
    return document(
        {
            "/nodes/{id}": {
                "get": operation(ref(schema), operationId=read, parameters=[ID]) | {"tags": [tag]}
            },
            "/export": {
                "get": {
                    "operationId": export,
                    "tags": [tag],
                    "summary": "Export everything.",
                    "responses": {"200": {"description": "All.", **both}},
                }
            },
        },
        {
            schema: {**NODE, "properties": {**NODE["properties"], "colour": ref(colour)}},
            colour: {"type": "string", "maxLength": 9},
        },
    )


BEFORE = api("Thing", "things", "getThing", "export", "Colour")


@pytest.fixture
def made(package: Generate) -> ModuleType:
    return package(api(), deprecated=OLD)


def files_of(tmp_path: Path, data: Json, **old: OldName) -> dict[str, bytes]:
    (tmp_path / "openapi.json").write_text(json.dumps(data))
    options = PackageOptions(package="shop", client_name="Client", deprecated=old)
    return dict(generate(load(tmp_path / "openapi.json"), options))


def messages(call: Callable[[], object]) -> list[str]:
    """The warnings of a call, all of which are about its own line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert {Path(warning.filename).name for warning in caught} <= {Path(__file__).name}
    assert all(warning.category is DeprecationWarning for warning in caught)
    return [str(warning.message) for warning in caught]


def test_an_old_class_is_the_new_one(made: ModuleType) -> None:
    seen: list[object] = []
    assert messages(lambda: seen.append(made.models.Thing)) == [
        "Use Node: Thing will be removed on 2027-03-01."
    ]
    assert seen == [made.models.Node]
    assert messages(lambda: made.models.Node) == []
    with pytest.raises(AttributeError, match="no attribute 'Thong'"):
        _ = made.models.Thong


def test_old_names_of_the_client_call_what_the_new_ones_call(
    made: ModuleType, origin: Origin
) -> None:
    origin.answer(Answer(body=b'{"id": "1"}'))
    with made.Client(base_url=origin.url) as client:
        assert messages(lambda: client.nodes.get_thing("1")) == [
            "Use get_node: get_thing will be removed on 2027-03-01."
        ]
        assert messages(lambda: client.things) == [
            "Use nodes: things will be removed on 2027-03-01."
        ]
        assert client.nodes is client.things
        assert client.nodes.get_node("1") == made.models.Node(id="1")
        raw = client.with_raw_response(client.nodes.get_thing, "1")
        assert raw.value == made.models.Node(id="1")
        assert messages(lambda: client.nodes.export(accept="text/plain")) != []
    assert [asked.target for asked in origin.asked] == ["/nodes/1"] * 3 + ["/export"]
    assert origin.asked[-1].headers["accept"] == "text/plain"


def test_old_names_are_those_of_the_asynchronous_client_too(
    made: ModuleType, origin: Origin
) -> None:
    origin.answer(Answer(body=b'{"id": "1"}'))

    async def call() -> object:
        async with made.AsyncClient(base_url=origin.url) as client:
            return await client.things.get_thing("1")

    seen: list[object] = []
    assert messages(lambda: seen.append(asyncio.run(call()))) == [
        "Use nodes: things will be removed on 2027-03-01.",
        "Use get_node: get_thing will be removed on 2027-03-01.",
    ]
    assert seen == [made.models.Node(id="1")]
    module = import_module(f"{made.__name__}.async_client")
    assert messages(lambda: module.AsyncThings) == [
        "Use AsyncNodes: AsyncThings will be removed on 2027-03-01."
    ]


def test_the_review_of_a_package_with_the_old_names_breaks_nothing(tmp_path: Path) -> None:
    def names(data: Json, **old: OldName) -> Surface:
        return surface(files_of(tmp_path, data, **old))

    before = names(BEFORE)
    broken = [change for change in sdk_changes(before, names(api())) if change.breaks]
    assert {change.name for change in broken} >= {
        "shop.models.Thing",
        "shop.client.Things",
        "shop.async_client.AsyncClient.things",
    }
    # A method and an argument of the server stub are implemented, not called.
    kept = [
        change.name
        for change in sdk_changes(before, names(api(), **OLD))
        if change.kind is NameChangeKind.REMOVED
    ]
    assert kept == ["shop.server.Things"]


PROGRAM = """
from typing import assert_type

from {package} import AsyncClient, Client, models
from {package}.client import Things


def show(thing: models.Thing, colour: models.Colour) -> models.Node:
    assert_type(thing.id, str)
    return thing


def call(client: Client) -> models.Thing:
    assert_type(client.nodes, Things)
    assert_type(client.nodes.get_thing("1"), models.Node)
    assert_type(client.nodes.export(accept="text/plain"), str)
    assert_type(client.nodes.export(), models.Node)
    return client.things.get_thing("1")


async def call_async(client: AsyncClient) -> models.Thing:
    return await client.things.get_thing("1")


client = Client()
client.nodes.get_thing(1)
models.Typo
"""


@pytest.mark.parametrize("check", [mypy, pyright], ids=["mypy", "pyright"])
def test_old_names_are_typed(
    made: ModuleType, tmp_path: Path, check: Callable[..., list[str]]
) -> None:
    place = tmp_path / "program"
    place.mkdir()
    (place / "program.py").write_text(PROGRAM.format(package=made.__name__))
    top = Path(str(made.__file__)).parents[1]
    errors = [error for error in check(place, [str(top)]) if "deprecated" not in error]
    lines = PROGRAM.splitlines()
    wrong = {lines[int(error.split(":")[1]) - 1] for error in errors if "program.py" in error}
    assert wrong == {"client.nodes.get_thing(1)", "models.Typo"}, errors
    assert all("program.py" in error for error in errors), errors


@pytest.mark.parametrize(
    ("old", "use", "message", "hint"),
    [
        ("models.Thing", "Nod", "models has no 'Nod'", "did you mean 'Node'?"),
        ("models.Node", "Tint", "the document still has it", "correct it in"),
        ("model.Thing", "Node", "no module 'model'", "did you mean 'models'?"),
        ("client.Node.get_thing", "get_node", "no class 'Node'", "did you mean 'Nodes'?"),
        ("client.Nodes.get", "getnode", "has no 'getnode'", "did you mean 'get_node'?"),
        ("models.Node.name", "id", "is not a method or a group", "correct it in"),
    ],
)
def test_a_name_that_cannot_be_kept_is_an_error(
    tmp_path: Path, old: str, use: str, message: str, hint: str
) -> None:
    with pytest.raises(InputError) as raised:
        files_of(tmp_path, api(), **{old: OldName(use, DAY)})
    text: Any = "\n".join(raised.value.lines)
    assert message in text
    assert hint in text
    assert f"{old!r}" in text


def test_the_options_lose_an_old_name_on_the_day_of_its_removal() -> None:
    options = PackageOptions(deprecated=OLD)
    assert options.on(date(2027, 2, 28)).deprecated == OLD
    assert options.on(DAY).deprecated == {}
