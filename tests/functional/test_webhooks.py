"""A document's webhooks become a module that signs, verifies and parses deliveries."""

from __future__ import annotations

import copy
import email
import json
import pickle
import time
import traceback
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import pytest
from starlette.datastructures import Headers

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


def test_how_long_and_how_often_a_delivery_is_tried_is_the_documents(package: Generate) -> None:
    webhooks = package(api(**SIGNED)).webhooks
    assert webhooks.RETRY_AFTER_SECONDS == (1, 5)
    assert (webhooks.CONNECT_TIMEOUT_SECONDS, webhooks.TIMEOUT_SECONDS) == (1, 5)


@pytest.mark.parametrize(
    ("success", "statuses"), [("2XX", range(200, 300)), ("204", range(204, 205))]
)
def test_which_answers_acknowledge_a_delivery_is_the_documents(
    package: Generate, success: str, statuses: range
) -> None:
    answers = {success: {"description": "Thanks."}}
    declared = {"x-contract-delivery": {**DELIVERY, "success": success}}
    webhooks = package(api(**declared, responses=answers)).webhooks
    assert statuses == webhooks.SUCCESS_STATUSES


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


def test_members_of_a_later_type_may_have_any_name(package: Generate) -> None:
    webhooks = package(api(**SIGNED)).webhooks
    event = {"type": "changed", "cls": 1, "self": 2, "_fields_set": 3, "__class__": 4}
    body = json.dumps(event).encode()
    parsed = webhooks.parse(body, {"X-Signed": webhooks.sign(body, SECRET)}, SECRET)
    assert type(parsed).__name__ == "UnknownEvent"
    assert (parsed.type, parsed.model_dump(), parsed.model_fields_set) == (
        "changed",
        event,
        {*event},
    )


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'{"type": "made"}', b'{"type": "made", "count": "3"}']
)
def test_a_genuine_delivery_of_something_else_is_no_event(package: Generate, body: bytes) -> None:
    webhooks = package(api(**SIGNED)).webhooks
    headers = {"X-Signed": webhooks.sign(body, SECRET)}
    with pytest.raises(webhooks.InvalidEventError) as caught:
        webhooks.parse(body, headers, SECRET)
    assert not isinstance(caught.value, webhooks.SignatureError)
    assert caught.value.body == body
    for other in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):
        assert (str(other), other.body) == (str(caught.value), body)


def test_an_event_that_is_refused_is_there_and_not_in_the_message(package: Generate) -> None:
    webhooks = package(api(**SIGNED)).webhooks
    body = b'{"type": "made", "count": "private words"}'
    with pytest.raises(webhooks.InvalidEventError, match="count") as caught:
        webhooks.parse(body, {"X-Signed": webhooks.sign(body, SECRET)}, SECRET)
    assert caught.value.event == {"type": "made", "count": "private words"}
    told = "".join(traceback.format_exception(caught.value))
    assert "private" not in told + repr(caught.value)
    assert caught.value.__context__ is None


def test_a_body_that_is_not_json_has_no_event(package: Generate) -> None:
    webhooks = package(api()).webhooks
    for body in (b"{", b"[" * 100_000):
        with pytest.raises(webhooks.InvalidEventError) as caught:
            webhooks.parse(body)
        assert caught.value.event is None


class WerkzeugHeaders:
    """Headers with the methods of those of Flask, which are not a mapping."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self._pairs = pairs

    def items(self, lower: bool = False) -> Iterator[tuple[str, str]]:
        return iter(self._pairs)


@pytest.mark.parametrize(
    "headers",
    [
        dict,
        WerkzeugHeaders,
        lambda pairs: Headers(dict(pairs)),
        lambda pairs: email.message_from_string("\n".join(": ".join(pair) for pair in pairs)),
        MappingProxyType,
    ],
    ids=["dict", "werkzeug", "starlette", "http.server", "mapping"],
)
def test_headers_are_those_of_any_framework(package: Generate, headers: Any) -> None:
    webhooks = package(api(**SIGNED)).webhooks
    body = b'{"type": "made", "count": 3}'
    pairs = [("Host", "here.example"), ("X-SIGNED", webhooks.sign(body, SECRET))]
    given = headers(dict(pairs) if headers is MappingProxyType else pairs)
    assert webhooks.parse(body, given, SECRET).count == 3


def test_a_fake_delivery_is_genuine(package: Generate) -> None:
    made = package(api(**SIGNED))
    webhooks, event = made.webhooks, made.models.Made(type="made", count=3)
    body, headers = webhooks.fake_delivery(event, SECRET)
    assert webhooks.parse(body, headers, SECRET) == event
    with pytest.raises(webhooks.SignatureError):
        webhooks.parse(body, headers, "another secret")
    body, headers = webhooks.fake_delivery(event, SECRET, timestamp=1000)
    with pytest.raises(webhooks.StaleSignatureError):
        webhooks.parse(body, headers, SECRET)


def test_a_fake_delivery_says_what_its_body_says(package: Generate) -> None:
    declared = {**DELIVERY, "event_id": "/count", "event_type": "/type"}
    made = package(api(**{**SIGNED, "x-contract-delivery": declared}))
    webhooks, event = made.webhooks, made.models.Gone(type="gone", count=3)
    _, headers = webhooks.fake_delivery(event, SECRET)
    assert headers["X-Type"] == "gone"
    assert len(headers["X-Id"]) == 32, "what the body does not say as text is made up"
    plain = package(api(**SIGNED))
    _, headers = plain.webhooks.fake_delivery(plain.models.Gone(type="gone", count=3), SECRET)
    assert "X-Type" not in headers


def test_webhooks_of_their_own_have_deliveries_of_their_own(package: Generate) -> None:
    made = package(differing(**{"x-contract-signature": OTHER}))
    webhooks, event = made.webhooks, made.models.Gone(type="gone", count=3)
    body, headers = webhooks.fake_delivery_thing_gone(event, SECRET)
    assert "X-Other" in headers
    assert webhooks.parse_thing_gone(body, headers, SECRET) == event


def test_without_a_signature_a_fake_delivery_needs_no_secret(package: Generate) -> None:
    made = package(api())
    event = made.models.Gone(type="gone", count=3)
    body, headers = made.webhooks.fake_delivery(event)
    assert headers == {"Content-Type": "application/json"}
    assert made.webhooks.parse(body) == event


def test_several_secrets_bridge_a_rotation_and_two_digests_do_not(package: Generate) -> None:
    webhooks = package(api(**SIGNED)).webhooks
    body = b'{"type": "made", "count": 3}'
    old, new = (webhooks.sign(body, secret) for secret in ("old", "new"))
    for value in (old, new):
        assert webhooks.parse(body, {"X-Signed": value}, ["new", "old"]).count == 3
    both = f"{new};hmac={old.rpartition('=')[2]}"
    with pytest.raises(webhooks.MalformedSignatureError):
        webhooks.parse(body, {"X-Signed": both}, ["new", "old"])


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


OTHER = {**SIGNATURE, "header": "X-Other", "template": "{digest}@{timestamp}", "payload": "{body}"}
BODY = b'{"type": "gone", "count": 1}'


def differing(union: bool = True, **gone: Json | None) -> Json:
    """Two webhooks, of which the second declares something else, or nothing in place of None."""
    made = api(union=union, **SIGNED)
    operation = made["webhooks"]["gone"]["post"]
    operation.update(gone)
    operation["parameters"] = [*HEADERS, {**HEADERS[0], "name": "X-Other"}]
    for name in [name for name, value in operation.items() if value is None]:
        del operation[name]
    return made


@pytest.mark.parametrize("union", [True, False])
def test_webhooks_with_different_signatures_are_each_verified_by_their_own(
    package: Generate, union: bool
) -> None:
    webhooks = package(differing(union, **{"x-contract-signature": OTHER})).webhooks
    assert webhooks.SIGNATURE_HEADER_THING_MADE == "X-Signed"
    assert webhooks.SIGNATURE_HEADER_THING_GONE == "X-Other"
    of_made, of_gone = (
        sign(BODY, SECRET, timestamp=1000)
        for sign in (webhooks.sign_thing_made, webhooks.sign_thing_gone)
    )
    assert of_made.startswith("at=1000;hmac=")
    assert of_gone.endswith("@1000")
    webhooks.verify_thing_made(BODY, of_made, SECRET, now=1000)
    webhooks.verify_thing_gone(BODY, of_gone, SECRET, now=1000)
    with pytest.raises(webhooks.MalformedSignatureError):
        webhooks.verify_thing_made(BODY, of_gone, SECRET, now=1000)
    parsed = webhooks.parse_thing_gone(BODY, {"x-other": of_gone}, SECRET, now=1000)
    assert (type(parsed).__name__, parsed.count) == ("Gone", 1)
    with pytest.raises(webhooks.SignatureError):
        webhooks.parse_thing_gone(BODY, {"X-Signed": of_made}, SECRET, now=1000)
    for name in ("parse", "sign", "verify", "SIGNATURE_HEADER"):
        assert not hasattr(webhooks, name)


def test_a_tolerance_of_its_own_is_a_difference_too(package: Generate) -> None:
    strict = {**SIGNATURE, "tolerance_seconds": 1}
    webhooks = package(differing(**{"x-contract-signature": strict})).webhooks
    value = webhooks.sign_thing_made(BODY, SECRET, timestamp=1000)
    webhooks.verify_thing_made(BODY, value, SECRET, now=1060)
    with pytest.raises(webhooks.StaleSignatureError):
        webhooks.verify_thing_gone(BODY, value, SECRET, now=1060)
    with pytest.raises(webhooks.StaleSignatureError):
        webhooks.parse_thing_gone(BODY, {"X-Signed": value}, SECRET, now=1060)


def test_a_webhook_without_a_signature_is_not_verified_by_that_of_another(
    package: Generate,
) -> None:
    webhooks = package(differing(**{"x-contract-signature": None})).webhooks
    assert webhooks.parse_thing_gone(BODY).count == 1
    with pytest.raises(webhooks.MalformedSignatureError):
        webhooks.parse_thing_made(b'{"type": "made", "count": 1}', {}, SECRET)
    assert not hasattr(webhooks, "verify_thing_gone")


def test_webhooks_that_are_delivered_differently_have_constants_of_their_own(
    package: Generate,
) -> None:
    patient = {**DELIVERY, "retry_after_seconds": [60], "event_id_header": "X-Other"}
    webhooks = package(differing(**{"x-contract-delivery": patient})).webhooks
    assert webhooks.RETRY_AFTER_SECONDS_THING_MADE == (1, 5)
    assert webhooks.RETRY_AFTER_SECONDS_THING_GONE == (60,)
    assert webhooks.EVENT_ID_HEADER_THING_GONE == "X-Other"
    assert not hasattr(webhooks, "RETRY_AFTER_SECONDS")
    # What they have in common stays common.
    body = b'{"type": "made", "count": 3}'
    assert webhooks.parse(body, {"X-Signed": webhooks.sign(body, SECRET)}, SECRET).count == 3


@pytest.mark.parametrize(
    "gone",
    [
        {},
        {"x-contract-signature": OTHER},
        {"x-contract-signature": None},
        {"x-contract-delivery": {**DELIVERY, "timeout_seconds": 7}},
        {"requestBody": None},
        {"requestBody": {"content": {"application/json": {}}}},
    ],
    ids=["all alike", "other signature", "no signature", "other delivery", "no body", "any body"],
)
def test_the_module_lists_what_it_has(package: Generate, gone: Json) -> None:
    webhooks = package(differing(union=False, **gone)).webhooks
    assert [name for name in webhooks.__all__ if not hasattr(webhooks, name)] == []


def test_a_body_without_a_schema_is_any_json(package: Generate) -> None:
    anything = {"requestBody": {"content": {"application/json": {}}}}
    webhooks = package(differing(union=False, **anything)).webhooks
    headers = {"X-Signed": webhooks.sign(b"[1]", SECRET)}
    assert webhooks.parse_thing_gone(b"[1]", headers, SECRET) == [1]


def test_a_body_that_is_not_json_is_verified_and_not_parsed(package: Generate) -> None:
    text = {"requestBody": {"content": {"text/plain": {}}}}
    webhooks = package(differing(union=False, **text)).webhooks
    assert hasattr(webhooks, "parse_thing_made")
    assert not hasattr(webhooks, "parse_thing_gone")


def test_two_webhooks_that_would_share_a_function_have_one_each(package: Generate) -> None:
    clash = {"x-contract-signature": OTHER, "operationId": "thing_made"}
    webhooks = package(differing(**clash)).webhooks
    assert hasattr(webhooks, "parse_thing_made")
    assert [name for name in dir(webhooks) if name.startswith("parse_")] == [
        "parse_post_gone",
        "parse_thing_made",
    ]


def test_an_api_without_webhooks_has_no_such_module(package: Generate) -> None:
    with pytest.raises(AttributeError):
        _ = package(document()).webhooks
