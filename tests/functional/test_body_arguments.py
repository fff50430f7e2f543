"""The properties of a body are arguments of a method, or the body is one: the rule."""

from __future__ import annotations

import asyncio
import inspect
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from specwright.config import PackageOptions
from specwright.document.sources.load import load
from specwright.pipeline import generate
from tests.functional.conftest import Generate
from tests.functional.documents import THING, Json, document, operation, ref
from tests.functional.origin import Answer, Origin

TEXT: Json = {"type": "string"}
JSON = "application/json"
PLAIN: Json = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": TEXT, "note": {"type": ["string", "null"]}, "size": {"type": "integer"}},
}
COMPOSED: Json = {"allOf": [ref("Base"), {"type": "object", "properties": {"name": TEXT}}]}


def body(schema: Json, *others: str, required: bool = True, media_type: str = JSON) -> Json:
    """A body with this schema, and in other media types a text or an object of one property."""
    other: Json = {"type": "object", "properties": {"other": TEXT}}
    content: Json = {media_type: {"schema": schema}}
    for name in others:
        content[name] = {"schema": TEXT if name.startswith("text") else other}
    return {"required": required, "content": content}


# By what the setting `required` makes of it: the arguments, or `body`.
BODIES: dict[str, tuple[Json, list[str]]] = {
    "an object": (body(PLAIN), ["name", "note", "size"]),
    "an object of a component": (body(ref("Plain")), ["name", "note", "size"]),
    "an object of several parts": (body(COMPOSED), ["id", "name"]),
    "a closed object": (
        body({**PLAIN, "additionalProperties": False}),
        ["name", "note", "size"],
    ),
    "an open object": (body({**PLAIN, "additionalProperties": True}), ["name", "note", "size"]),
    "a form": (
        body(PLAIN, media_type="application/x-www-form-urlencoded"),
        ["name", "note", "size"],
    ),
    "JSON beside a text": (body(PLAIN, "text/plain"), ["name", "note", "size"]),
    "JSON beside another object": (
        body(PLAIN, "multipart/form-data"),
        ["name", "note", "size"],
    ),
    "JSON beside a form before it": (
        {
            "required": True,
            "content": {
                "multipart/form-data": {"schema": {"type": "object", "properties": {"a": TEXT}}},
                JSON: {"schema": PLAIN},
            },
        },
        ["name", "note", "size"],
    ),
    "an optional object": (body(PLAIN, required=False), ["body"]),
    "an optional object of several parts": (body(COMPOSED, required=False), ["body"]),
    "an object without properties": (body({"type": "object"}), ["body"]),
    "a map": (body({"type": "object", "additionalProperties": TEXT}), ["body"]),
    "an object that is a map, too": (body({**PLAIN, "additionalProperties": TEXT}), ["body"]),
    "an object with names of a pattern": (
        body({**PLAIN, "patternProperties": {"^x-": TEXT}}),
        ["body"],
    ),
    "a list": (body({"type": "array", "items": ref("Plain")}), ["body"]),
    "a union": (body({"anyOf": [ref("Plain"), ref("Base")]}), ["body"]),
    "anything": (body({}), ["body"]),
    "a text": (body(TEXT, media_type="text/plain"), ["body"]),
}
OPTIONAL = {
    "an optional object": ["name", "note", "size"],
    "an optional object of several parts": ["id", "name"],
}


def api() -> Json:
    paths = {
        f"/{number}": {"post": operation(ref("Thing"), operationId=f"op{number}", requestBody=sent)}
        for number, (sent, _) in enumerate(BODIES.values())
    }
    schemas = {"Plain": PLAIN, "Thing": THING}
    schemas["Base"] = {"type": "object", "properties": {"id": TEXT}}
    return document(paths, schemas)


def method(made: ModuleType, client: Any, name: str) -> Any:
    return getattr(client.things, f"op{list(BODIES).index(name)}")


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("setting", ["required", "all", "none"])
def test_properties_are_arguments_by_one_rule(package: Generate, setting: str, name: str) -> None:
    made = package(api(), body_arguments=setting)
    for client in (made.Client(), made.AsyncClient()):
        taken = inspect.signature(method(made, client, name)).parameters
        arguments = [argument for argument in taken if argument != "request_options"]
        expected = {
            "required": BODIES[name][1],
            "all": OPTIONAL.get(name, BODIES[name][1]),
            "none": ["body"],
        }[setting]
        assert [each for each in arguments if each not in ("content_type",)] == expected


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ({}, None),
        ({"name": None}, None),
        ({"name": "a"}, {"name": "a"}),
        ({"name": "a", "note": None}, {"name": "a", "note": None}),
        ({"name": "a", "size": 0}, {"name": "a", "size": 0}),
        ({"name": "", "size": None}, {"name": ""}),
    ],
)
@pytest.mark.parametrize("is_async", [False, True])
def test_a_body_of_which_nothing_is_given_is_left_out(
    package: Generate, origin: Origin, arguments: Json, sent: object, is_async: bool
) -> None:
    made = package(api(), body_arguments="all")
    origin.answer(Answer(body=b'{"id": "a"}'))

    async def call() -> None:
        async with made.AsyncClient(base_url=origin.url) as client:
            await method(made, client, "an optional object")(**arguments)

    if is_async:
        asyncio.run(call())
    else:
        with made.Client(base_url=origin.url) as client:
            method(made, client, "an optional object")(**arguments)
    (asked,) = origin.asked
    assert (json.loads(asked.body) if asked.body else None) == sent
    assert ("content-type" in asked.headers) is (sent is not None)


def test_a_body_of_which_something_is_given_is_checked_in_full(
    package: Generate, origin: Origin
) -> None:
    made = package(api(), body_arguments="all")
    with made.Client(base_url=origin.url) as client:
        for arguments in ({"size": 1}, {"note": None}):
            with pytest.raises(made.InvalidArgumentError, match=r"body\.name: Field required"):
                method(made, client, "an optional object")(**arguments)
    assert not origin.asked


def test_whole_bodies_are_models_or_dictionaries(package: Generate, origin: Origin) -> None:
    made = package(api(), body_arguments="none")
    origin.answer(Answer(body=b'{"id": "a"}'))
    with made.Client(base_url=origin.url) as client:
        send = method(made, client, "an object of a component")
        send(body={"name": "a"})
        send(body=made.models.Plain(name="a"))
    assert [json.loads(asked.body) for asked in origin.asked] == [{"name": "a"}] * 2


@pytest.mark.parametrize("setting", ["required", "all"])
def test_the_lock_file_has_the_setting_unless_it_is_the_default(
    tmp_path: Path, setting: str
) -> None:
    path = tmp_path / "api.json"
    path.write_text(json.dumps(api()))
    files = generate(load(path), PackageOptions(package="made", body_arguments=setting))
    options = json.loads(dict(files.items())["specwright.lock.json"])["options"]
    assert options.get("body-arguments", "required") == setting
    assert ("body-arguments" in options) is (setting != "required")
