"""The schema of settings accepts the settings of every project here, and no mistyped key."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from specwright.config import LINK, NAMES, SETTINGS, SIGN_IN, SettingMember, configs_as_of
from specwright.editors.settings import pyproject_schema, settings_schema
from specwright.errors import InputError
from tests.conftest import ROOT
from tests.docs.blocks import blocks
from tests.docs.test_docs import PAGES, page_name
from tests.docs.test_prose import tracked

SETTINGS_PAGE = ROOT / "docs" / "reference" / "settings.md"
WHOLE = jsonschema_rs.Draft7Validator(settings_schema(), validate_formats=True)
FILE = jsonschema_rs.Draft7Validator(pyproject_schema(), validate_formats=True)
FULL = """
document = "api.yaml"
output = "sdk"
package = "shop"
distribution = "my.shop-1"
version = "1.2rc1"
license = "MIT OR Apache-2.0"
client-name = "ShopClient"
env-prefix = "SHOP_2"
changelog = "CHANGES.md"
short-method-names = true
body-arguments = "all"
templates = "own"
names.schemas = {"user_v2" = "User"}
names.operations = {"GET /users" = "list_users"}
names.tags = {"user-controller" = "users"}
names.parameters = {"X-Request-ID" = "request_id"}
names.credentials = {HTTPBearer = "token"}
pagination.listThings = {offset = "skip", items = "", link = true, first_page = 0}
deprecated."client.Orders.list" = {use = "list_orders", removal = 2027-12-31}
test.sign-in.session = {operation = "POST /login", body = {name = "{user}"}, token = "$x"}
test.sign-in.oauth = {token-url = "https://login.example/token", scopes = ["read"]}
test.links = [{from = "POST /a", to = "GET /b", parameters = {id = 1}, body = {on = "$x"}}]
"""
WRONG = """
packge = "shop"
package = "a-b"
package = ""
distribution = "-x"
client-name = "shop"
env-prefix = "shop"
document = ""
document = 3
short-method-names = "yes"
body-arguments = "some"
names.schema = {a = "A"}
names.schemas = {a = "a-b"}
names.operations = {a = "A"}
names.operations = "a"
pagination.listThings = {ofset = "skip"}
pagination.listThings = {offset = 1}
deprecated.Things = {use = "A", removal = 2027-12-31}
deprecated."models.A" = {use = "B"}
deprecated."models.A" = {use = "models.B", removal = 2027-12-31}
deprecated."models.A" = {use = "B", removal = "tomorrow"}
deprecated."models.A" = {use = "B", removal = 2027-12-31, why = 1}
test.signin = {}
test.sign-in.session = {tokn = "$x"}
test.sign-in.session = {scopes = "read"}
test.links = [{from = "a"}]
test.links = [{from = "a", to = "b", params = {}}]
"""


def as_json(data: object) -> Any:
    """The data of a TOML file as editors check them: dates are texts."""
    return json.loads(json.dumps(data, default=date.isoformat))


def table(text: str) -> Any:
    return as_json(tomllib.loads(text))


def from_pages() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for block in blocks(page, page_name(page)):
            if block.language == "toml" and "tool.specwright" in block.text:
                yield block.place, block.text


def from_files() -> Iterator[tuple[str, str]]:
    for file in tracked(".", suffix=".toml"):
        text = file.read_text("utf-8")
        if "tool.specwright" in text:
            yield str(file.relative_to(ROOT)), text


def from_tests() -> Iterator[tuple[str, str]]:
    for file in tracked("tests", suffix=".py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and "[tool.specwright" in str(node.value):
                yield f"{file.relative_to(ROOT)}:{node.lineno}", str(node.value)


def is_usable(text: str) -> bool:
    """Whether the command takes a text as a pyproject.toml with settings."""
    try:
        return bool(configs_as_of(Path("pyproject.toml").absolute(), text.encode()))
    except InputError:
        return False


def test_every_setting_is_accepted() -> None:
    assert table(FULL).keys() == SETTINGS.keys()
    assert [error.message for error in WHOLE.iter_errors(table(FULL))] == []


@pytest.mark.parametrize("line", WRONG.strip().splitlines())
def test_a_mistake_is_found(line: str) -> None:
    assert not WHOLE.is_valid(table(line))


@pytest.mark.parametrize("line", WRONG.strip().splitlines())
def test_what_is_a_mistake_is_one_for_the_command(line: str) -> None:
    """Only the members of pages, which the rule `contract-shape` checks, have another reader."""
    assert is_usable(f"[tool.specwright]\n{line}\n") is line.startswith("pagination")


def test_a_mistake_has_one_message() -> None:
    for settings in (table('packge = "x"'), [{"document": "a", "output": "b", "packge": "x"}]):
        (error,) = WHOLE.iter_errors(settings)
        assert error.message == ("Additional properties are not allowed ('packge' was unexpected)")


def test_several_documents_have_a_table_each() -> None:
    tables = table('[[a]]\ndocument = "a"\noutput = "b"\n[[a]]\ndocument = "c"\noutput = "d"\n')
    assert WHOLE.is_valid(tables["a"])
    assert not WHOLE.is_valid([*tables["a"], {"document": "e"}])
    assert not WHOLE.is_valid([{**tables["a"][0], "packge": "x"}])


@pytest.mark.parametrize("source", [from_pages, from_files, from_tests], ids=lambda f: f.__name__)
def test_the_settings_of_every_project_here_are_accepted(source: Any) -> None:
    usable = [(place, text) for place, text in source() if is_usable(text)]
    refused = [
        f"{place}: {error.message}"
        for place, text in usable
        for error in FILE.iter_errors(table(text))
    ]
    assert len(usable) > 1
    assert refused == []


def test_the_rest_of_a_file_is_left_to_other_schemas() -> None:
    assert FILE.is_valid({"project": {"name": 1}, "tool": {"other": [], "specwright": {}}})
    assert not FILE.is_valid({"tool": {"specwright": {"documen": "x"}}})


def rows(members: dict[str, SettingMember]) -> str:
    lines = (f"| `{name}` | {each.default} | {each.meaning} |\n" for name, each in members.items())
    return "| Setting | Default | Meaning |\n|---|---|---|\n" + "".join(lines) + "\n"


@pytest.mark.parametrize("members", [SETTINGS, SIGN_IN, LINK], ids=["settings", "sign-in", "links"])
def test_the_page_has_the_words_of_the_settings(members: dict[str, SettingMember]) -> None:
    assert rows(members) in SETTINGS_PAGE.read_text("utf-8")


def test_descriptions_have_no_links_of_the_page() -> None:
    members = settings_schema()["definitions"]["table"]["properties"]  # type: ignore[index, call-overload]
    assert members["version"]["description"] == (
        "Version of the package, by PEP 440 (https://peps.python.org/pep-0440/)\n"
        "Default: `info.version` of the document"
    )
    assert members["templates"]["description"] == "Directory of templates of your own"
    assert members["test"]["description"] == ("How contract tests sign in, and where ids come from")
    assert members["names"]["properties"].keys() == NAMES.keys()
    assert "](" not in "".join(member["description"] for member in members.values())
