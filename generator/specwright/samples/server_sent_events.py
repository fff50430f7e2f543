"""Server-sent events as the objects that schemas describe (OpenAPI 3.2.0, 4.14.4), and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Set

from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.event_schemas import EventSchema
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.runtime.shared.media.event_stream import ServerSentEvent
from specwright.samples.witnesses import Witnesses


def event(value: JsonValue) -> ServerSentEvent:
    """Return the event that an object describes."""
    fields = mapping(value)
    data, name = fields.get("data", ""), fields.get("event", "message")
    id, retry = fields.get("id", ""), fields.get("retry")
    return ServerSentEvent(
        data if isinstance(data, str) else json.dumps(data),
        name if isinstance(name, str) else "message",
        id if isinstance(id, str) else "",
        retry if isinstance(retry, int) else None,
    )


def event_object(event: ServerSentEvent, fields: Set[str], *, is_bare: bool) -> JsonObject:
    """Return an event as an object.

    Args:
        fields: those that its schema describes; the name of other events may be left out.
        is_bare: whether the schema describes the JSON in the data, and not its text.

    Raises:
        ValueError: the data is not JSON.
    """
    value: JsonObject = {"data": json.loads(event.data) if is_bare else event.data}
    if "event" in fields or event.event != "message":
        value["event"] = event.event
    if event.id:
        value["id"] = event.id
    if event.retry is not None:
        value["retry"] = event.retry
    return value


def sample_events(
    witnesses: Witnesses, schema: Subschema, kinds: Iterable[EventSchema]
) -> Iterator[JsonValue]:
    """Yield an event of each kind, as an object that fits the schema of all."""
    events = witnesses.of(schema.pointer)
    for kind in kinds:
        sampled = (value for value in events if kind.has_name(mapping(value).get("event")))
        for value in (*_composed(witnesses, events, kind), *sampled):
            if witnesses.is_valid(schema.pointer, value):
                yield value
                break


def _composed(
    witnesses: Witnesses, events: Iterable[JsonValue], kind: EventSchema
) -> Iterator[JsonValue]:
    """Yield events with a name and data of a kind, of which some may not fit."""
    named: JsonObject = {"event": kind.names[0]} if kind.names else {}
    anything: list[JsonValue] = [{} if kind.is_json else "text"]
    is_text = kind.is_json and not kind.is_bare
    for value in anything if kind.data is None else witnesses.of(kind.data.pointer):
        for event in (*events, {}):
            data = json.dumps(value) if is_text else value
            yield {**mapping(event), **named, "data": data}
