"""stripe."""

from __future__ import annotations

import json
import logging
import time
from typing import Any

import stripe

from . import signatures
from .member import Member

KEY = "sk_test_" + "3fq8zd1x" * 6
CREDENTIAL = "Authorization"
ERRORS = (stripe.StripeError,)
RESOURCE: dict[str, Any] = {
    "id": "cus_1",
    "object": "customer",
    "balance": 5,
    "created": 1680893993,
    "livemode": False,
    "metadata": {},
    "name": "Ada",
    "phone": "1",
    "tax_exempt": "none",
}
REQUIRED = "name"
REFERENCE = b"never"
CREATED = RESOURCE
IN_PROGRESS = "idempotency_key_in_use"
PAGE = {"object": "list", "url": "/v1/customers", "has_more": True, "data": [RESOURCE]}
EVENT: dict[str, Any] = {
    "id": "evt_1",
    "object": "event",
    "api_version": "2026-01-01",
    "created": 1680893993,
    "data": {"object": RESOURCE},
    "livemode": False,
    "pending_webhooks": 0,
    "type": "customer.created",
}
KNOWN_EVENTS: set[str] = set()


class Client:
    """A client with options for each of its calls."""

    def __init__(self, stripe_client: stripe.StripeClient, options: dict[str, Any]) -> None:
        self.customers = stripe_client.v1.customers
        self.options = options
        self.client = stripe_client

    def __repr__(self) -> str:
        return repr(self.client)


def client(base: str, key: str = KEY, **options: Any) -> Client:
    options.pop("deadline", None)
    each = {"headers": options.pop("headers")} if "headers" in options else {}
    if "max_retries" in options:
        options["max_network_retries"] = options.pop("max_retries")
    if "timeout" in options:
        options["http_client"] = stripe.RequestsClient(timeout=options.pop("timeout"))
    return Client(stripe.StripeClient(key, base_addresses={"api": base}, **options), each)


def async_client(base: str, **options: Any) -> Client:
    return client(base, **options)


def get(client: Client, name: str = "cus_1") -> Any:
    return client.customers.retrieve(name, options=client.options)


def _customer(url: str) -> Any:
    return get(client(url))


OPTIONAL = Member(RESOURCE, _customer, "phone", "phone")
NULLABLE = OPTIONAL
ENUM = Member(RESOURCE, _customer, "tax_exempt", "tax_exempt")
TEXT = Member(RESOURCE, _customer, "name", "name")
NUMBER = Member(RESOURCE, _customer, "balance", "balance")
INSTANT = None


async def get_async(client: Client) -> Any:
    return await client.customers.retrieve_async("cus_1")


def named(name: str) -> dict[str, Any]:
    return {**RESOURCE, "id": name}


def name_of(model: Any) -> str:
    return str(model.id)


def create(client: Client) -> object:
    return client.customers.create({"name": "Ada"}, options=client.options)


create_safely = create


def mistake(client: Client) -> object:
    return client.customers.create({"name": object()})  # type: ignore[typeddict-item]


def iterate(client: Client) -> Any:
    return client.customers.list().auto_paging_iter()


def failure(code: str) -> dict[str, Any]:
    return {"error": {"message": "No.", "type": "invalid_request_error", "code": code}}


def is_given(model: Any, member: Member) -> bool:
    return member.name in model


def extra(model: Any, name: str) -> object:
    return model[name]


def status(error: Any) -> int:
    return int(error.http_status)


def log_all() -> None:
    stripe.log = "debug"
    logging.getLogger("stripe").setLevel(logging.DEBUG)


def sign(body: bytes, moment: float) -> dict[str, str]:
    return {"Stripe-Signature": signatures.timestamped(body, moment)}


def rotated(headers: dict[str, str]) -> dict[str, str]:
    return {name: signatures.with_old_digest(value) for name, value in headers.items()}


def in_other_case(headers: dict[str, str]) -> dict[str, str]:
    return {name: signatures.in_capitals(value) for name, value in headers.items()}


def receive(body: bytes, headers: dict[str, str]) -> object:
    header = headers.get("Stripe-Signature")
    return client("http://127.0.0.1").client.construct_event(body, header, signatures.TEXT_SECRET)


def read_event(event: dict[str, Any], server: Any) -> Any:
    body = json.dumps(event).encode()
    return receive(body, sign(body, time.time()))
