"""The SDK of this repository, and the golden bicycles' SDK for members that it lacks."""

from __future__ import annotations

import json
import time
from typing import Any

from velo import VeloClient

from partner_esim import ApiError, AsyncEsimClient, EsimClient, models, webhooks

from . import contract, signatures
from .member import Member

KEY = "pes_test_" + "3fq8zd1x" * 6
CREDENTIAL = "Authorization"
ERRORS = (ApiError, webhooks.SignatureError, webhooks.InvalidEventError)
RESOURCE, CREATED, PAGE, EVENT = contract.PLAN, contract.ORDER, contract.PAGE, contract.EVENT
REQUIRED = "name"
REFERENCE = b'"reference":"trip-1"'
IN_PROGRESS = "reference_in_progress"
KNOWN_EVENTS = {name for name in dir(models) if name.endswith("Event")} - {"UnknownEvent"}
CITY = contract.CITY


def _bicycle(url: str) -> Any:
    return VeloClient("token", base_url=url).bicycles.get("7")


OPTIONAL = Member(CITY, _bicycle, "name", "name")
NULLABLE = Member(CITY, _bicycle, "colour", "colour")
ENUM = Member(CITY, _bicycle, "state", "state")
TEXT = Member(CITY, _bicycle, "name", "name")
NUMBER = Member(CITY, _bicycle, "gears", "gears")
INSTANT = Member(CITY, _bicycle, "serviced_at", "serviced_at")


def client(base: str, key: str = KEY, **options: Any) -> EsimClient:
    return EsimClient(key, base_url=base, **options)


def async_client(base: str, **options: Any) -> AsyncEsimClient:
    return AsyncEsimClient(KEY, base_url=base, **options)


def get(client: EsimClient, name: str = "p") -> Any:
    return client.plans.get(name)


async def get_async(client: AsyncEsimClient) -> Any:
    return await client.plans.get("p")


def named(name: str) -> dict[str, Any]:
    return {**RESOURCE, "plan_id": name}


def name_of(model: Any) -> str:
    return str(model.plan_id)


def create(client: EsimClient) -> object:
    return client.webhook_endpoints.create(url="https://partner.example.com/in")


def create_safely(client: EsimClient) -> object:
    return client.orders.create(plan_id="p", reference="trip-1")


def mistake(client: EsimClient) -> object:
    return client.orders.create(plan_id="p", reference="", quantity=0)


def iterate(client: EsimClient) -> Any:
    return client.plans.list(country="JP")


failure = contract.failure


def is_given(model: Any, member: Member) -> bool:
    return member.attribute in model.model_fields_set


def extra(model: Any, name: str) -> object:
    return (model.model_extra or {}).get(name)


def status(error: Any) -> int:
    return int(error.status)


def log_all() -> None:
    """Do nothing, as it logs through the standard library only."""


def sign(body: bytes, moment: float) -> dict[str, str]:
    return {webhooks.SIGNATURE_HEADER: signatures.timestamped(body, moment)}


def rotated(headers: dict[str, str]) -> dict[str, str]:
    return {name: signatures.with_old_digest(value) for name, value in headers.items()}


def in_other_case(headers: dict[str, str]) -> dict[str, str]:
    return {name: signatures.in_capitals(value) for name, value in headers.items()}


def receive(body: bytes, headers: dict[str, str]) -> object:
    return webhooks.parse(body, headers, signatures.TEXT_SECRET)


def read_event(event: dict[str, Any], server: Any) -> Any:
    body = json.dumps(event).encode()
    return receive(body, sign(body, time.time()))
