"""The cost of parsing a page of events into typed objects."""

import json
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from lab.benchmarks import generation
from lab.benchmarks.measurement import OURS, Goal, Measurement, Samples
from lab.benchmarks.workshop import DOCUMENT, Workshop, probe, timed

ADAPTER = "a TypeAdapter of the same types, with all constraints"
NEW_FIELD = "specwright, each event with a new field"
NEW_TYPE = "specwright, each fifth event of a new type"
FLOATS = "specwright, each integer written as 1.0"
ROWS = {
    "plain": OURS,
    "adapter": ADAPTER,
    "new_field": NEW_FIELD,
    "new_type": NEW_TYPE,
    "floats": FLOATS,
}


def events_page(workshop: Workshop) -> Samples:
    """Measure parsing a page of 50 order events, as documented and with later additions."""
    place = workshop.fresh("events")
    for name, page in pages().items():
        (place / f"{name}.json").write_text(json.dumps(page), "utf-8")
    rounds = str(workshop.rounds * 4)
    answer = probe(sys.executable, "page_specwright.py", str(place), rounds)
    samples: Samples = {ROWS[name]: values for name, values in answer.items()}
    for key in workshop.invite(["openapi-python-client"]):
        output = workshop.fresh("opc")
        timed(generation.openapi_python_client(workshop, output))
        arguments = (str(place / "plain.json"), rounds, str(output))
        answer = probe(workshop.python_of(key), "page_openapi_python_client.py", *arguments)
        samples[generation.OPC] = answer["page"]
    return samples


def pages() -> dict[str, object]:
    plain = [order_completed()] * 50
    return {
        "plain": _page(plain),
        "new_field": _page([{**event, "brand_new": "value"} for event in plain]),
        "new_type": _page(
            [
                each if number % 5 else {**each, "type": "order.praised"}
                for number, each in enumerate(plain)
            ]
        ),
        "floats": _page([_with(event, float) for event in plain]),
    }


def _with(event: dict[str, Any], kind: Callable[[int], object]) -> dict[str, Any]:
    changed = deepcopy(event)
    data = changed["data"]
    for name, value in data.items():
        if type(value) is int:
            data[name] = kind(value)
    return changed


def _page(events: list[dict[str, Any]]) -> dict[str, object]:
    return {"data": events, "has_more": False, "next_cursor": "c1_end"}


def order_completed() -> dict[str, Any]:
    document = json.loads(Path(DOCUMENT).read_text("utf-8"))
    operation = document["webhooks"]["order.completed"]["post"]
    media = operation["requestBody"]["content"]["application/json"]
    event: dict[str, Any] = next(iter(media["examples"].values()))["value"]
    return event


EVENTS_PAGE = Measurement(
    "events",
    "A page of 50 events of orders into typed objects",
    "µs",
    "CPU time from the bytes of the response to typed objects, and the same where the service "
    "has grown.",
    events_page,
    (
        Goal("at most 0.75 of the TypeAdapter", lambda m: m[OURS] <= 0.75 * m[ADAPTER]),
        Goal("a new field: at most 1.3 times", lambda m: m[NEW_FIELD] <= 1.3 * m[OURS]),
        Goal("a new type: at most 1.3 times", lambda m: m[NEW_TYPE] <= 1.3 * m[OURS]),
        Goal("1.0 for 1: at most 1.3 times", lambda m: m[FLOATS] <= 1.3 * m[OURS]),
    ),
)
