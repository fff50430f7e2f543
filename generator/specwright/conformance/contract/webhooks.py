"""The webhooks of a document, and the registration of endpoints for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from specwright.document.model import Document
from specwright.document.operations.sites import (
    Direction,
    OperationSite,
    Site,
    contents,
    essence,
    examples,
    follow,
    json_content,
    members,
    of_request,
    operations,
    request_body,
    schema,
)
from specwright.document.schemas.instances import Instances, SchemaMismatch
from specwright.document.schemas.polarity import in_direction
from specwright.document.schemas.unions import is_open, unknown_member
from specwright.json_values import JsonValue
from specwright.pointer import Pointer, split
from specwright.runtime.shared.signature import SignatureScheme
from specwright.samples.witnesses import Witnesses
from specwright.vocabulary.keywords.delivery import DELIVERY, Delivery
from specwright.vocabulary.keywords.signature import SIGNATURE, Signature
from specwright.vocabulary.keywords.trigger import TRIGGER, Trigger
from specwright.vocabulary.keywords.webhook_endpoint import (
    WEBHOOK_ENDPOINT,
    WebhookEndpointContract,
)


@dataclass(frozen=True, slots=True)
class SentWebhook:
    """A webhook of the document.

    Attributes:
        name: its name, which is the type of its events.
        examples: the names and bodies of its examples; "" names one that has no name.
        payload: the schema of its body; None if it declares none.
        is_open: whether its body belongs to a union that may get more members.
    """

    name: str
    pointer: Pointer
    method: str
    media_types: tuple[str, ...]
    examples: tuple[tuple[str, JsonValue], ...] = field(repr=False)
    payload: Pointer | None
    instances: Instances = field(repr=False)
    delivery: Delivery | None
    signature: Signature | None
    trigger: Trigger | None
    is_open: bool

    @property
    def has_content(self) -> bool:
        """Whether anything is declared about the values in its events."""
        declared = self.trigger
        parts = (declared.carries, declared.ahead, declared.falls) if declared is not None else ()
        return any(part is not None for part in parts)

    def problems(self, body: JsonValue) -> Iterator[SchemaMismatch]:
        """Return the reasons why a body does not fit its schema."""
        return self.instances.problems(self.payload, body) if self.payload else iter(())

    @property
    def scheme(self) -> SignatureScheme | None:
        """The scheme of its signature."""
        declared = self.signature
        if declared is None:
            return None
        return SignatureScheme(declared.header.raw, declared.template.raw, declared.payload.raw)


@dataclass(frozen=True, slots=True)
class Registration:
    """The operation that registers an endpoint, with those that remove and test it.

    Attributes:
        body: of a request to register; its URL and its events are to be replaced.
    """

    operation: OperationSite
    declared: WebhookEndpointContract
    body: JsonValue = field(repr=False)
    remove: OperationSite
    test: OperationSite | None

    def is_sent_to_one(self, webhook: SentWebhook) -> bool:
        """Return whether a webhook goes only to the endpoint that is tested."""
        return (
            self.test is not None
            and webhook.trigger is not None
            and webhook.trigger.operation.raw == self.test.id
        )


def webhooks(document: Document) -> tuple[SentWebhook, ...]:
    """Return all webhooks of an upgraded document."""
    instances = Instances(in_direction(document, of_request(Direction.WEBHOOK)))
    return tuple(
        _webhook(document, site, instances)
        for site in operations(document)
        if site.direction is Direction.WEBHOOK
    )


def with_payloads(document: Document, webhooks: Iterable[SentWebhook]) -> Iterator[SentWebhook]:
    """Yield the webhooks; one without an example gets a value for its schema, if possible."""
    witnesses = Witnesses(document)
    for webhook in webhooks:
        payloads = witnesses.of(webhook.payload) if webhook.payload and not webhook.examples else ()
        fitting = (("", value) for value in payloads if not any(webhook.problems(value)))
        yield replace(webhook, examples=webhook.examples or tuple(islice(fitting, 1)))


def registration(document: Document) -> Registration | None:
    """Return the registration of endpoints; None if the document declares none."""
    known = {site.id: site for site in operations(document) if site.id is not None}
    for site in known.values():
        declared = WEBHOOK_ENDPOINT.read(site.value)
        if declared is not None and declared.remove.raw in known:
            content = json_content(document, request_body(document, site))
            bodies = [value for _, value in examples(document, content)] if content else []
            return Registration(
                site,
                declared,
                bodies[0] if bodies else {},
                known[declared.remove.raw],
                known.get(declared.test.raw) if declared.test else None,
            )
    return None


def _webhook(document: Document, site: OperationSite, instances: Instances) -> SentWebhook:
    body = request_body(document, site)
    content = json_content(document, body)
    return SentWebhook(
        name=site.key,
        pointer=site.pointer,
        method=site.method,
        media_types=tuple(essence(name) for name, _ in contents(document, body)) if body else (),
        examples=tuple(_named_examples(document, content)) if content else (),
        payload=content / "schema" if content and "schema" in content.value else None,
        instances=instances,
        delivery=DELIVERY.read(site.value),
        signature=SIGNATURE.read(site.value),
        trigger=TRIGGER.read(site.value),
        is_open=content is not None and _is_open(document, content),
    )


def _named_examples(document: Document, content: Site) -> Iterator[tuple[str, JsonValue]]:
    """Yield the names and values of the examples of a media type; `example` has no name."""
    for pointer, value in examples(document, content):
        _, name, *_ = *split(pointer.removeprefix(content.pointer)), ""
        yield name, value


def _is_open(document: Document, content: Site) -> bool:
    own = schema(document, content).pointer
    components = follow(document, "/components", document.data.get("components"))
    return any(
        is_open(union.value)
        and unknown_member(document, union.value) is not None
        and any(member.pointer == own for _, member in members(document, union, "oneOf"))
        for _, union in members(document, components, "schemas")
    )
