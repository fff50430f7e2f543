"""A document's webhooks become a module that signs, verifies and parses deliveries."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from pydantic import ValidationError

from tests.functional.conftest import Generate
from tests.functional.documents import Json, content, document, ref

SECRET = "a secret"
SIGNATURE = {
    "header": "X-Signed",
    "template": "at={timestamp};hmac={digest}",
    "payload": "{timestamp}:{body}",
    "algorithm": "hmac-sha256",
    "encoding": "hex",
    "tolerance_seconds": 60,
    "secret": "text",
}
DELIVERY = {
    "retry_after_seconds": [1, 5],
    "success": "2XX",
    "connect_timeout_seconds": 1,
    "timeout_seconds": 5,
    "event_id_header": "X-Id",
    "event_type_header": "X-Type",
}
HEADERS = [
    {"name": name, "in": "header", "schema": {"type": "string"}}
    for name in ("X-Signed", "X-Id", "X-Type")
]


def event(name: str) -> Json:
    return {
        "type": "object",
        "required": ["type", "count"],
        "properties": {"type": {"const": name}, "count": {"type": "integer"}},
    }


def api(union: bool = True, **members: Json) -> Json:
    schemas: Json = {"Made": event("made"), "Gone": event("gone")}
    if union:
        schemas["Event"] = {
            "oneOf": [ref("Made"), ref("Gone")],
            "discriminator": {
                "propertyName": "type",
                "mapping": {"made": ref("Made")["$ref"], "gone": ref("Gone")["$ref"]},
            },
            "x-extensible-enum": ["made", "gone"],
        }
    webhooks = {
        name: {
            "post": {
                "operationId": f"thing{name.title()}",
                "parameters": HEADERS,
                "requestBody": {"required": True, **content(ref(name.title()))},
                "responses": {"2XX": {"description": "Thanks."}},
                **members,
            }
        }
        for name in ("made", "gone")
    }
    return document({}, schemas, webhooks=webhooks)


SIGNED = {"x-contract-signature": SIGNATURE, "x-contract-delivery": DELIVERY}


def test_a_signed_delivery_becomes_its_event(package: Generate) -> None:
    webhooks = package(api(**SIGNED)).webhooks
    body = b'{"type": "made", "count": 3, "new": true}'
    headers = {"x-signed": webhooks.sign(body, SECRET)}
    parsed = webhooks.parse(body, headers, SECRET)
    assert (type(parsed).__name__, parsed.count) == ("Made", 3)
    assert (webhooks.SIGNATURE_HEADER, webhooks.EVENT_ID_HEADER) == ("X-Signed", "X-Id")
    assert webhooks.RETRY_AFTER_SECONDS == (1, 5)


def test_form_and_tolerance_are_the_documents(package: Generate) -> None:
    webhooks = package(api(**SIGNED)).webhooks
    value = webhooks.sign(b"{}", SECRET, timestamp=1000)
    assert value.startswith("at=1000;hmac=")
    webhooks.verify(b"{}", value, SECRET, now=1060)
    with pytest.raises(webhooks.StaleSignatureError):
        webhooks.verify(b"{}", value, SECRET, now=1061)
    webhooks.verify(b"{}", value, [SECRET, "another"], now=2000, tolerance=1000)
    with pytest.raises(webhooks.StaleSignatureError):
        webhooks.verify(b"{}", value, SECRET)


def test_parsing_refuses_what_is_not_genuine(package: Generate) -> None:
    webhooks = package(api(**SIGNED)).webhooks
    body = b'{"type": "made", "count": 3}'
    headers = {"X-Signed": webhooks.sign(body, "another secret")}
    with pytest.raises(webhooks.SignatureError):
        webhooks.parse(body, headers, SECRET)
    with pytest.raises(webhooks.MalformedSignatureError):
        webhooks.parse(body, {}, SECRET)


def test_an_event_of_a_later_type_arrives_as_unknown(package: Generate) -> None:
    webhooks = package(api(**SIGNED)).webhooks
    body = json.dumps({"type": "changed", "anything": [1]}).encode()
    parsed = webhooks.parse(body, {"X-Signed": webhooks.sign(body, SECRET)}, SECRET)
    assert (type(parsed).__name__, parsed.type) == ("UnknownEvent", "changed")


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'{"type": "made"}', b'{"type": "made", "count": "3"}']
)
def test_a_genuine_delivery_of_something_else_is_no_event(package: Generate, body: bytes) -> None:
    webhooks = package(api(**SIGNED)).webhooks
    headers = {"X-Signed": webhooks.sign(body, SECRET)}
    with pytest.raises(ValidationError):
        webhooks.parse(body, headers, SECRET)


def test_a_whole_number_may_be_written_as_json_schema_allows(package: Generate) -> None:
    webhooks = package(api(**SIGNED)).webhooks
    body = b'{"type": "made", "count": 3.0}'
    assert webhooks.parse(body, {"X-Signed": webhooks.sign(body, SECRET)}, SECRET).count == 3


def test_webhooks_without_a_signature_are_only_parsed(package: Generate) -> None:
    webhooks = package(api()).webhooks
    assert webhooks.parse(b'{"type": "gone", "count": 1}').count == 1
    assert not hasattr(webhooks, "verify")


def test_webhooks_without_a_common_event_have_a_parser_each(package: Generate) -> None:
    webhooks = package(api(union=False, **SIGNED)).webhooks
    body = b'{"type": "gone", "count": 1}'
    headers = {"X-Signed": webhooks.sign(body, SECRET, timestamp=int(time.time()))}
    parsed: Any = webhooks.parse_thing_gone(body, headers, SECRET)
    assert parsed.count == 1
    assert not hasattr(webhooks, "parse")


def test_an_api_without_webhooks_has_no_such_module(package: Generate) -> None:
    with pytest.raises(AttributeError):
        _ = package(document()).webhooks
