"""Callbacks: requests that the service sends to an address that a request gave it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.functional.conftest import Generate

DONE = {"responses": {"204": {"description": "Heard."}}}
BODY = {
    "content": {
        "application/cloudevents+json": {
            "schema": {
                "type": "object",
                "properties": {"job": {"type": "string"}, "part": {"type": "object"}},
                "required": ["job"],
            }
        }
    }
}
ADDRESS = "{$request.body#/url}"


def api(*callbacks: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Return a document with a single operation, which declares callbacks by their names."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Jobs", "version": "1.0.0"},
        "servers": [{"url": "http://127.0.0.1"}],
        "paths": {
            "/jobs": {
                "post": {
                    "operationId": "createJob",
                    "responses": {"202": {"description": "Begun."}},
                    "callbacks": {name: {ADDRESS: {"post": each}} for name, each in callbacks},
                }
            }
        },
    }


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ({"operationId": "jobDone"}, "job_done"),
        ({}, "create_job_finished"),
    ],
)
def test_the_event_of_a_callback_is_parsed(
    package: Generate, called: dict[str, Any], name: str
) -> None:
    webhooks = package(api(("finished", {**DONE, "requestBody": BODY, **called}))).webhooks
    event = getattr(webhooks, f"parse_{name}")(b'{"job": "j1", "part": {"n": 1}}')
    assert (event.job, event.part) == ("j1", {"n": 1})
    body, headers = getattr(webhooks, f"fake_delivery_{name}")(event)
    assert getattr(webhooks, f"parse_{name}")(body) == event
    assert headers == {"Content-Type": "application/cloudevents+json"}


def test_what_is_not_the_event_is_refused(package: Generate) -> None:
    webhooks = package(api(("finished", {**DONE, "requestBody": BODY}))).webhooks
    with pytest.raises(webhooks.InvalidEventError, match="job"):
        webhooks.parse_create_job_finished(b'{"part": {}}')


def test_a_callback_is_no_event_of_the_whole_api(package: Generate) -> None:
    document = api(("finished", {**DONE, "requestBody": BODY}))
    event = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}
    document["webhooks"] = {"thing.made": {"post": {**DONE, "requestBody": event}}}
    document["webhooks"]["thing.made"]["post"]["operationId"] = "thingMade"
    thing = {"type": "object", "properties": {"n": {"type": "integer"}}}
    document["components"] = {
        "schemas": {"Thing": thing, "Event": {"oneOf": [{"$ref": "#/components/schemas/Thing"}]}}
    }
    webhooks = package(document).webhooks
    assert webhooks.parse(b'{"n": 1}').n == 1
    assert webhooks.parse_create_job_finished(b'{"job": "j1"}').job == "j1"


def test_a_callback_without_json_has_no_function(package: Generate) -> None:
    form = {"content": {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}}}
    made = package(api(("form", {**DONE, "requestBody": form}), ("nothing", copy.deepcopy(DONE))))
    assert not hasattr(made, "webhooks")


def test_callbacks_of_one_name_have_functions_of_their_own(package: Generate) -> None:
    document = api(
        ("finished", {**DONE, "requestBody": BODY}), ("Finished", {**DONE, "requestBody": BODY})
    )
    webhooks = package(document).webhooks
    functions = [name for name in webhooks.__all__ if name.startswith("parse_")]
    assert functions[0] == "parse_create_job_finished"
    assert len(set(functions)) == 2
