"""Members that are only read, or only sent, stand where they belong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.check.checks import check
from specwright.document.sources.load import load
from specwright.policy import Settings
from tests.functional.conftest import Generate
from tests.functional.documents import Json, content, document, operation, ref
from tests.serving import Server

TEXT: Json = {"type": "string"}
USER: Json = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id", "name", "password"],
    "properties": {
        "id": {**TEXT, "readOnly": True},
        "name": TEXT,
        "password": {**TEXT, "writeOnly": True},
    },
}
TEAM: Json = {
    "type": "object",
    "required": ["members"],
    "properties": {
        "members": {"type": "array", "items": ref("User")},
        "lead": {"anyOf": [ref("User"), {"type": "null"}]},
        "size": {"$ref": "#/components/schemas/Count"},
    },
}
READER: Json = {
    "type": "object",
    "required": ["kind", "seen"],
    "properties": {"kind": {"const": "reader"}, "seen": {"type": "integer", "readOnly": True}},
}
WRITER: Json = {
    "type": "object",
    "required": ["kind"],
    "properties": {"kind": {"const": "writer"}, "pen": TEXT},
}
SCHEMAS: Json = {
    "User": USER,
    "Team": TEAM,
    "Count": {"type": "integer", "readOnly": True},
    "Plain": {"type": "object", "properties": {"name": TEXT}},
    "Reader": READER,
    "Writer": WRITER,
    "Person": {
        "oneOf": [ref("Reader"), ref("Writer")],
        "discriminator": {"propertyName": "kind"},
    },
}


def body(schema: Json) -> Json:
    return {"requestBody": {"required": True, **content(schema)}}


def api(**more: Json) -> Json:
    inline = {"type": "object", "required": ["at"], "properties": {"at": USER["properties"]["id"]}}
    return document(
        {
            "/users": {"post": operation(ref("User"), operationId="makeUser", **body(ref("User")))},
            "/teams": {"post": operation(ref("Team"), operationId="makeTeam", **body(ref("Team")))},
            "/people": {
                "post": operation(ref("Person"), operationId="makePerson", **body(ref("Person")))
            },
            "/plain": {
                "post": operation(ref("Plain"), operationId="makePlain", **body(ref("Plain")))
            },
            "/notes": {
                "post": operation(inline, operationId="makeNote", **body({**inline, "title": "N"}))
            },
        },
        SCHEMAS | more,
        webhooks={
            "joined": {"post": {"responses": {"200": {"description": "Ok."}}, **body(ref("User"))}}
        },
    )


def implementation(package: Any) -> Any:
    models = package.models

    class Things(package.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def make_user(self, *, body: Any, context: Any) -> Any:
            assert type(body) is models.UserInput
            return models.User(id="u1", name=body.name)

        async def make_team(self, *, body: Any, context: Any) -> Any:
            users = [models.User(id=member.password, name=member.name) for member in body.members]
            return models.Team(members=users, size=len(users))

        async def make_person(self, *, body: Any, context: Any) -> Any:
            return models.Reader(kind=body.kind, seen=1)

    return Things()


def test_client_and_stub_take_what_is_sent_and_give_what_is_read(package: Generate) -> None:
    made = package(api())
    models = made.models
    with (
        Server(made.server.create_app(things=implementation(made), unimplemented="501")) as server,
        made.Client(base_url=server.url) as client,
    ):
        user = client.things.make_user(name="Ann", password="p")
        assert user == models.User(id="u1", name="Ann")
        with pytest.raises(TypeError):
            client.things.make_user(id="u2", name="Ann", password="p")
        assert server.post("/users", {"id": "u2", "name": "A", "password": "p"}).status == 400
        assert server.post("/users", {"name": "Ann"}).status == 400
        team = client.things.make_team(members=[models.UserInput(name="Bob", password="b")])
        assert (team.members[0].id, team.size, team.lead) == ("b", 1, None)
        person = client.things.make_person(body=models.ReaderInput(kind="reader"))
        assert person == models.Reader(kind="reader", seen=1)


def test_there_are_two_models_only_where_there_are_two_shapes(package: Generate) -> None:
    models = package(api()).models
    assert {name for name in vars(models) if name.endswith("Input")} == {
        "UserInput",
        "TeamInput",
        "ReaderInput",
        "PersonInput",
        "UnknownPersonInput",
    }


def test_webhooks_bring_what_is_read(package: Generate) -> None:
    made = package(api())
    event = made.webhooks.parse_post_joined(b'{"id": "u1", "name": "Ann"}')
    assert event == made.models.User(id="u1", name="Ann")


def test_a_component_of_the_name_keeps_it(package: Generate, tmp_path: Path) -> None:
    written = api(UserInput={"type": "object", "properties": {"a": TEXT}})
    models = package(written).models
    assert models.UserInput.model_fields.keys() == {"a"}
    assert models.User_Input.model_fields.keys() == {"name", "password"}
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(written))
    [finding] = [f for f in check(load(path), Settings()).findings if f.rule == "input-name-clash"]
    assert finding.pointer == "/components/schemas/UserInput"
    assert "'User' (/components/schemas/User) is called 'User_Input'" in finding.message
