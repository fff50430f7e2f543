"""Each row of the page about upgrades: the old name causes what the last column shows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from specwright.errors import InputError
from specwright.testing import check
from tests.conftest import ROOT, Run
from tests.functional.conftest import Generate
from tests.functional.documents import Json, document, operation, ref
from tests.repository import Repository
from tests.testing.test_plugin import RIGHT, project, pytest_in

PAGE = ROOT / "docs" / "how-to" / "upgrade.md"
ROW = re.compile(r"^\| (?!Before|---)(?P<before>.+) \| (?P<now>.+) \| `(?P<today>.+)` \|$", re.M)
ROWS = {row["before"]: row["today"] for row in ROW.finditer(PAGE.read_text("utf-8"))}
SCHEMES: Json = {
    "token": {"type": "http", "scheme": "bearer"},
    "oauth": {
        "type": "oauth2",
        "flows": {"clientCredentials": {"tokenUrl": "https://x.example/token", "scopes": {}}},
    },
    "openid": {"type": "openIdConnect", "openIdConnectUrl": "https://x.example/openid"},
    "basic": {"type": "http", "scheme": "basic"},
}
LINE: Json = {"type": "object", "properties": {"count": {"type": "integer"}}}
ORDER: Json = {"type": "object", "$defs": {"Line": LINE}, "properties": {"line": {}}}
ORDER["properties"]["line"]["$ref"] = "#/components/schemas/Order/$defs/Line"
FORM: Json = {
    "type": "object",
    "properties": {"ids[]": {"type": "array", "items": {"type": "string"}}},
}


class Place(NamedTuple):
    """What a row needs to be tried.

    Attributes:
        path: an empty directory.
    """

    path: Path
    specwright: Run
    package: Generate
    monkeypatch: pytest.MonkeyPatch

    def command(self, *arguments: str) -> str:
        done = self.specwright(*arguments, cwd=self.path)
        assert done.returncode == 2, done.stdout
        return done.stderr

    def write(self, name: str, text: str) -> str:
        return str(Repository(self.path).write(name, text))


def api(scheme: str = "") -> Json:
    """A document with orders, and with one security scheme if it is named."""
    orders = {
        "get": operation(ref("Order"), operationId="listOrders"),
        "post": operation(
            operationId="send",
            requestBody={
                "required": True,
                "content": {"application/x-www-form-urlencoded": {"schema": FORM}},
            },
        ),
    }
    schemes = {scheme: SCHEMES[scheme]} if scheme else {}
    return document(
        {"/orders": orders},
        {"Order": ORDER},
        security=[{name: []} for name in schemes],
        components={"securitySchemes": schemes},
    )


def message(use: Callable[..., object], *values: object, **named: object) -> str:
    with pytest.raises((TypeError, AttributeError, ValueError, InputError)) as raised:
        use(*values, **named)
    return str(raised.value)


def option(former: str) -> Callable[[Place], str]:
    return lambda place: place.command("test", "http://127.0.0.1:1", former, "KEY")


def of_the_plugin(place: Place) -> str:
    done = pytest_in(project(place.path, RIGHT), "--specwright-other-api-key-env", "KEY")
    return done.stdout + done.stderr


def role(name: str) -> Callable[[Place], str]:
    keys = {"main": "a", name: "b"}
    return lambda place: message(check, "http://127.0.0.1:1", document=api(), keys=keys)


def rules(*names: str) -> Callable[[Place], str]:
    def use(place: Place) -> str:
        file = place.write("openapi.json", json.dumps(api()))
        hints: set[str] = set()
        for name in names:
            place.write("lint.toml", f'[levels]\n{name} = "off"\n')
            for arguments in (("validate", file), ("explain", name)):
                hints.add(place.command(*arguments).splitlines()[-1])
        assert len(hints) == 1
        return hints.pop()

    return use


def an_old_result(place: Place) -> str:
    file = place.write("reports/result.json", json.dumps({"version": 1, "failures": []}))
    return place.command("replay", file, "F1", place.write("openapi.json", json.dumps(api())))


def a_fingerprint(place: Place) -> str:
    place.write(
        "review.toml",
        '[[accepted]]\nrule = "range-narrowed"\nchange = "0123456789abcdef"\n'
        'reason = "All partners agree."\nexpires = 2099-01-31\n',
    )
    old, new = api(), api()
    new["info"]["title"] = "Another title"
    place.write("old.json", json.dumps(old))
    place.write("openapi.json", json.dumps(new))
    return str(place.specwright("diff", "old.json", "openapi.json", cwd=place.path).stdout)


def api_key(*schemes: str) -> Callable[[Place], str]:
    def use(place: Place) -> str:
        said = {message(place.package(api(name)).Client, api_key="x") for name in schemes}
        assert len(said) == 1
        return said.pop()

    return use


def variable(place: Place) -> str:
    said = []
    for scheme, now in (("token", "MADE_TOKEN"), ("oauth", "MADE_TOKEN"), ("basic", "MADE_AUTH")):
        module = place.package(api(scheme), env_prefix="MADE")
        place.monkeypatch.setenv("MADE_API_KEY", "x:y")
        said.append(message(module.Client().things.list_orders))
        assert now in said[-1]
    return said[0]


def brackets(place: Place) -> str:
    return message(place.package(api()).Client().things.send, ids__=["a"])


def definition(place: Place) -> str:
    models: Any = place.package(api()).models
    assert models.Order_Line
    return message(getattr, models, "Components_Schemas_Order_Defs_Line")


def fake_transport(place: Place) -> str:
    return message(place.package(api()).testing.FakeTransport, answer=None)


def no_handlers(place: Place) -> str:
    server: Any = place.package(api()).server
    server.create_app(unimplemented="501")
    return message(server.create_app)


CASES: dict[str, Callable[[Place], str]] = {
    "`specwright test --other-api-key-env`": option("--other-api-key-env"),
    "`specwright test --other-mode-api-key-env`": option("--other-mode-api-key-env"),
    "`pytest --specwright-other-api-key-env`": of_the_plugin,
    '`check(keys={"other": …})`': role("other"),
    '`check(keys={"other_mode": …})`': role("other_mode"),
    "`unsigned`": lambda place: place.command("explain", "unsigned"),
    "`schema-read-write`, `unsupported-read-write`": rules(
        "schema-read-write", "unsupported-read-write"
    ),
    "`unsupported-callback`": rules("unsupported-callback"),
    "`unsupported-security`": rules("unsupported-security"),
    "`unsupported-server`": rules("unsupported-server"),
    "`result.json` of version 1": an_old_result,
    "`change` in `review.toml`": a_fingerprint,
    "`Client(api_key=token)` for a bearer token, OAuth 2.0 or OpenID Connect": api_key(
        "token", "oauth", "openid"
    ),
    "`Client(api_key=(user, password))` for Basic": api_key("basic"),
    "`SHOP_API_KEY` in the environment, for these schemes": variable,
    "`send(ids__=…)` for a property `ids[]`": brackets,
    "`models.Components_Schemas_Order_Defs_Line` for a schema in `$defs`": definition,
    "`FakeTransport(answer=…)`": fake_transport,
    "`create_app()` without a handler for each operation": no_handlers,
}


def test_each_row_is_tried() -> None:
    assert list(ROWS) == list(CASES)


@pytest.mark.parametrize("before", CASES)
def test_an_old_name_causes_what_the_page_says(
    before: str,
    tmp_path: Path,
    specwright: Run,
    package: Generate,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = Place(tmp_path, specwright, package, monkeypatch)
    assert ROWS[before] in CASES[before](place)
