"""Declarations of webhooks: one if all of them agree, else one for each of them."""

from __future__ import annotations

from collections.abc import Sequence

from specwright.ir.model.api import Parser, Webhook, WebhookDeclaration
from specwright.ir.model.values import TypeRef
from specwright.text import Text

JSON = Text("application/json")


def declared(webhooks: Sequence[Webhook], key: str) -> tuple[WebhookDeclaration, ...]:
    """Return the declarations of a key: that of all webhooks, or those of single ones."""
    values = [webhook.contract[key] for webhook in webhooks]
    if all(value == values[0] for value in values):
        return tuple(WebhookDeclaration("", value) for value in values[:1] if value is not None)
    return tuple(
        WebhookDeclaration(f"_{webhook.operation.name}", value)
        for webhook, value in zip(webhooks, values, strict=True)
        if value is not None
    )


def parsers(
    webhooks: Sequence[Webhook],
    signatures: Sequence[WebhookDeclaration],
    deliveries: Sequence[WebhookDeclaration],
    union: TypeRef | None,
) -> tuple[Parser, ...]:
    """Return the functions that parse deliveries: one if it can tell all events apart.

    It cannot if signatures differ: unverified data must not choose its own signature.
    """
    signed, delivered = _by_suffix(signatures), _by_suffix(deliveries)
    if union is not None and signed.keys() <= {""}:
        return (Parser("", union, _media_type(webhooks), signed.get(""), delivered.get("")),)
    return tuple(
        Parser(
            suffix,
            webhook.payload,
            _media_type([webhook]),
            signed.get(suffix, signed.get("")),
            delivered.get(suffix, delivered.get("")),
        )
        for webhook in webhooks
        for suffix in [f"_{webhook.operation.name}"]
        if webhook.payload is not None
    )


def _media_type(webhooks: Sequence[Webhook]) -> Text:
    """Return the media type that the bodies of all of them have, else that of any JSON."""
    (first, *others) = {webhook.media_type for webhook in webhooks if webhook.payload is not None}
    return JSON if others or "*" in first.raw else first


def _by_suffix(values: Sequence[WebhookDeclaration]) -> dict[str, WebhookDeclaration]:
    return {value.suffix: value for value in values}
