"""The clients that openapi-python-client generates from the same two documents."""

from __future__ import annotations

from typing import Any

import httpx
from outcome import NotOfferedError
from peer_client import AuthenticatedClient
from peer_client.api.events import list_events
from peer_client.api.orders import create_order
from peer_client.api.plans import get_plan
from peer_client.api.webhook_endpoints import create_webhook_endpoint
from peer_client.errors import UnexpectedStatus
from peer_client.models import OrderCreate, WebhookEndpointCreate
from peer_velo import AuthenticatedClient as VeloClient
from peer_velo.api.bicycles import get_bicycle
from peer_velo.types import Unset

from . import contract
from .member import Member

KEY = "pes_test_" + "3fq8zd1x" * 6
CREDENTIAL = "Authorization"
ERRORS = (UnexpectedStatus,)
RESOURCE, CREATED, PAGE, EVENT = contract.PLAN, contract.ORDER, contract.PAGE, contract.EVENT
REQUIRED = "name"
REFERENCE = b'"reference":"trip-1"'
IN_PROGRESS = "reference_in_progress"
KNOWN_EVENTS = {"BalanceLowEvent", "EsimActivatedEvent", "OrderCompletedEvent", "WebhookTestEvent"}
CITY = contract.CITY


def _bicycle(url: str) -> Any:
    made = VeloClient(base_url=url, token="t", prefix="", auth_header_name="Velo-Token")
    return get_bicycle.sync("7", client=made)


OPTIONAL = Member(CITY, _bicycle, "name", "name")
NULLABLE = Member(CITY, _bicycle, "colour", "colour")
ENUM = Member(CITY, _bicycle, "state", "state")
TEXT = Member(CITY, _bicycle, "name", "name")
NUMBER = Member(CITY, _bicycle, "gears", "gears")
INSTANT = Member(CITY, _bicycle, "serviced_at", "serviced_at")


def client(base: str, key: str = KEY, **options: Any) -> AuthenticatedClient:
    options.pop("deadline", None)
    if options.pop("max_retries", 0) < 0:
        raise NotOfferedError("nothing is repeated")
    if "timeout" in options:
        options["timeout"] = httpx.Timeout(options["timeout"])
    if "proxy" in options:
        options["httpx_args"] = {"proxy": options.pop("proxy")}
    return AuthenticatedClient(base_url=base, token=key, **options)


def async_client(base: str, **options: Any) -> AuthenticatedClient:
    return client(base, **options)


def get(client: AuthenticatedClient, name: str = "p") -> Any:
    return get_plan.sync(name, client=client)


async def get_async(client: AuthenticatedClient) -> Any:
    return await get_plan.asyncio("p", client=client)


def named(name: str) -> dict[str, Any]:
    return {**RESOURCE, "plan_id": name}


def name_of(model: Any) -> str:
    return str(model.plan_id)


def create(client: AuthenticatedClient) -> object:
    body = WebhookEndpointCreate.from_dict({"url": "https://partner.example.com/in"})
    return create_webhook_endpoint.sync(client=client, body=body)


def create_safely(client: AuthenticatedClient) -> object:
    body = OrderCreate.from_dict({"plan_id": "p", "reference": "trip-1"})
    return create_order.sync(client=client, body=body)


def mistake(client: AuthenticatedClient) -> object:
    return create_order.sync(client=client, body=OrderCreate.from_dict({}))


def iterate(client: AuthenticatedClient) -> Any:
    raise NotOfferedError("pages are fetched by hand")


failure = contract.failure


def is_given(model: Any, member: Member) -> bool:
    return not isinstance(getattr(model, member.attribute), Unset)


def extra(model: Any, name: str) -> object:
    return model.additional_properties[name]


def status(error: Any) -> int:
    return int(error.status_code)


def log_all() -> None:
    """Do nothing, as it has no logging of its own."""


def sign(body: bytes, moment: float) -> dict[str, str]:
    raise NotOfferedError("no webhooks")


def receive(body: bytes, headers: dict[str, str]) -> object:
    raise NotOfferedError("no webhooks")


def read_event(event: dict[str, Any], server: Any) -> Any:
    from origin import reply

    server.says(reply({"data": [event], "has_more": False, "next_cursor": "c1_end"}))
    return list_events.sync(client=client(server.url)).data[0]
