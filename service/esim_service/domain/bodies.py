"""Resources in the contract's format, and the frozen bytes of events."""

from __future__ import annotations

import json
from datetime import datetime

from pydantic import BaseModel, ValidationError

from partner_esim import models
from partner_esim.server import Checker

from ..values.clock import moment
from ..values.entities import Account, Esim, Order, Scope, Topup, WebhookEndpoint
from ..values.money import to_decimal

_ESIMS = Checker(models.Esim)


def encoded(model: BaseModel) -> bytes:
    """Return a resource as bytes of JSON."""
    return model.model_dump_json(by_alias=True).encode()


def order(value: Order) -> models.Order:
    """Return an order in the contract's format."""
    failed = value.failure
    return models.Order(
        order_id=value.order_id,
        reference=value.reference,
        status=value.status,
        plan_id=value.plan_id,
        quantity=value.quantity,
        days=value.days,
        unit_price_usd=to_decimal(value.unit_price),
        total_usd=to_decimal(value.total),
        iccids=list(value.iccids),
        end_user=models.EndUser(label=value.end_user_label) if value.has_end_user else None,
        metadata=dict(value.metadata),
        failure=models.OrderFailure(code=failed.code, message=failed.message) if failed else None,
        created_at=moment(value.created_at),
        completed_at=_moment(value.completed_at),
    )


def esim(value: Esim) -> models.Esim:
    """Return an eSIM in the contract's format."""
    profile, total = value.profile, value.total_bytes
    return models.Esim(
        esim_id=value.esim_id,
        iccid=profile.iccid,
        order_id=value.order_id,
        plan_id=value.plan_id,
        status=value.status,
        profile_status=value.profile_status,
        activation=models.Activation(
            smdp_address=profile.smdp_address,
            matching_id=profile.matching_id,
            activation_code=f"LPA:1${profile.smdp_address}${profile.matching_id}",
            confirmation_code_required=profile.confirmation_required,
            ios_install_url=profile.ios_install_url,
        ),
        data=models.DataUsage(
            total_bytes=total,
            used_bytes=value.used_bytes,
            remaining_bytes=None if total is None else max(0, total - value.used_bytes),
            observed_at=_moment(value.observed_at),
        ),
        activated_at=_moment(value.activated_at),
        expires_at=moment(value.expires_at),
        topup_supported=value.topup_supported,
        created_at=moment(value.created_at),
        updated_at=moment(value.updated_at),
    )


def checked_esim(value: Esim) -> models.Esim:
    """Return an eSIM in the contract's format, after a check of the carrier's data.

    Raises:
        ValueError: the contract does not allow such an eSIM, which would break lists if stored.
    """
    shown, link = esim(value), value.profile.ios_install_url
    if link is not None and not link.startswith("https://"):
        raise ValueError("the carrier returned an install link that is not an https URL")
    try:
        _ESIMS.validate_json(encoded(shown))
    except ValidationError as error:
        # Data from the carrier may be secret.
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        places = (f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults)
        raise ValueError(
            f"the carrier returned data that the contract forbids: {'; '.join(places)}"
        ) from None
    return shown


def topup(value: Topup) -> models.Topup:
    """Return a top-up in the contract's format."""
    return models.Topup(
        topup_id=value.topup_id,
        iccid=value.iccid,
        esim_id=value.esim_id,
        topup_plan_id=value.topup_plan_id,
        reference=value.reference,
        status=value.status,
        days=value.days,
        price_usd=to_decimal(value.price),
        total_usd=to_decimal(value.total),
        data_bytes=value.data_bytes,
        balance_after_usd=to_decimal(value.balance_after),
        created_at=moment(value.created_at),
        completed_at=_moment(value.completed_at),
    )


def balance(value: Account) -> models.Balance:
    """Return the balance of an account in the contract's format."""
    return models.Balance(
        balance_usd=to_decimal(value.balance),
        low_balance_threshold_usd=to_decimal(value.low_threshold),
        currency="USD",
        updated_at=moment(value.updated_at),
    )


def endpoint(value: WebhookEndpoint) -> models.WebhookEndpoint:
    """Return a webhook endpoint in the contract's format, without its secret."""
    return models.WebhookEndpoint(
        id=value.endpoint_id,
        url=value.url,
        event_types=list(value.event_types),
        mode=value.scope.mode,
        status=value.status,
        disabled_reason=value.disabled_reason,
        created_at=moment(value.created_at),
        last_success_at=_moment(value.last_success_at),
        last_failure_at=_moment(value.last_failure_at),
    )


def created_endpoint(value: WebhookEndpoint, secret: str) -> models.WebhookEndpointCreated:
    """Return a new webhook endpoint with its secret, of which `value` has the stored form."""
    shown = endpoint(value).model_dump()
    return models.WebhookEndpointCreated(**shown, signing_secret=secret)


def event(
    event_id: str, type_: str, now: int, scope: Scope, data: BaseModel, threshold: int | None
) -> bytes:
    """Return an event about a resource, which is in it byte for byte as in a GET."""
    head = {
        "id": event_id,
        "type": type_,
        "created_at": moment(now).isoformat().replace("+00:00", "Z"),
        "mode": scope.mode,
    } | ({} if threshold is None else {"threshold_percent": threshold})
    return (
        json.dumps(head, separators=(",", ":")).encode()[:-1] + b',"data":' + encoded(data) + b"}"
    )


def _moment(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else moment(milliseconds)
