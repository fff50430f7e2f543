"""Generic schemas, and those that extend recursive ones, from clients to stubs and the mock."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.conftest import Run
from tests.document.test_dynamic_references import NAMED, PAGE, TEXT, TREE, page_of
from tests.functional.conftest import Generate
from tests.functional.documents import content, document, operation, ref
from tests.mock.serving import mocked
from tests.serving import Server

USER = {"type": "object", "required": ["name"], "properties": {"name": TEXT}}
PAGE = {**PAGE, "required": ["items"]}
NAMED = {**NAMED, "properties": {"name": TEXT}}
API = document(
    {
        "/users": {"get": operation(ref("UserPage"), operationId="users")},
        "/words": {"get": operation({"$id": "words", **page_of(TEXT)}, operationId="words")},
        "/trees": {
            "post": operation(
                ref("Named"),
                operationId="plant",
                requestBody={"required": True, **content(ref("Tree"))},
            )
        },
    },
    {
        "Page": PAGE,
        "UserPage": {"$id": "users", "description": "Users.", **page_of(ref("User"))},
        "Tree": TREE,
        "Named": NAMED,
        "User": USER,
    },
)


@pytest.fixture(scope="module")
def made(package: Generate) -> ModuleType:
    return package(API)


class Implementation:
    def __init__(self, models: Any) -> None:
        self.models = models
        self.page: Any = None
        self.tree: Any = None

    async def users(self, *, context: Any) -> Any:
        return self.page

    async def words(self, *, context: Any) -> Any:
        return self.page

    async def plant(self, *, body: Any, context: Any) -> Any:
        self.tree = body
        named = self.models.Named
        return named(name="oak", children=[named(name="leaf")])


@pytest.fixture(scope="module")
def implementation(made: ModuleType) -> Implementation:
    return Implementation(made.models)


@pytest.fixture(scope="module")
def client(made: ModuleType, implementation: Implementation) -> Iterator[Any]:
    with (
        Server(made.server.create_app(things=implementation)) as server,
        made.Client(base_url=server.url, max_retries=0) as opened,
    ):
        yield opened


def test_a_page_has_models_of_its_items(
    client: Any, made: ModuleType, implementation: Implementation
) -> None:
    models = made.models
    implementation.page = models.UserPage(items=[models.User(name="a")])
    page = client.things.users()
    assert (page, type(page.items[0])) == (implementation.page, models.User)
    implementation.page = models.Words_Response(items=["a", "b"], next="c")
    assert client.things.words() == implementation.page
    assert models.UserPage.__doc__ == "Users."
    with pytest.raises(ValueError, match="items"):
        models.UserPage(items=["a"])


def test_an_extension_of_a_recursive_schema_is_recursive(
    client: Any, made: ModuleType, implementation: Implementation
) -> None:
    models = made.models
    tree = client.things.plant(children=[models.Tree(children=[models.Tree()])])
    assert [type(each) for each in (tree, *tree.children)] == [models.Named] * 2
    assert type(implementation.tree.children[0].children[0]) is models.Tree
    with pytest.raises(ValueError, match="instance of Named"):
        models.Named(name="a", children=[models.Tree()])


def test_every_command_reads_one_meaning(specwright: Run, tmp_path: Path) -> None:
    with mocked(tmp_path, API) as mock:
        for path, item in (("/users", {"name": "a"}), ("/words", "a")):
            assert mock.request(path).json()["items"] == [item]
        options = ("--include", "GET", "--max-time", "4")
        tested = specwright("test", mock.url, "openapi.json", *options, cwd=tmp_path)
    assert "no findings" in tested.stdout
    shown = specwright("docs", "openapi.json", "--output", "page.html", cwd=tmp_path)
    assert shown.returncode == 0
    assert "array of" in (tmp_path / "page.html").read_text("utf-8")
    validated = specwright("validate", "openapi.json", cwd=tmp_path)
    assert "unsupported" not in validated.stdout
    changed = json.dumps(API).replace(
        '"$dynamicAnchor": "item", "type": "string"',
        ('"$dynamicAnchor": "item", "type": "integer"'),
    )
    assert changed != json.dumps(API)
    (tmp_path / "later.json").write_text(changed, "utf-8")
    (tmp_path / "base.json").write_text(json.dumps(API), "utf-8")
    diff = specwright("diff", "base.json", "later.json", cwd=tmp_path)
    assert "type-widened items[] in response 200: type string -> integer" in diff.stdout
