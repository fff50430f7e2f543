"""What it costs to read a page of events into typed objects."""

import json
import sys

from benchmarks import generation
from benchmarks.measurement import OURS, Goal, Measurement, Samples
from benchmarks.workshop import DOCUMENT, Workshop, probe, timed


def events_page(workshop: Workshop) -> Samples:
    """Bytes of a page of 50 events to typed objects, all nine event types in turn."""
    page = workshop.fresh("events") / "page.json"
    page.write_text(json.dumps(fifty_events()), "utf-8")
    rounds = str(workshop.rounds * 4)
    samples: Samples = {
        OURS: probe(sys.executable, "page_specwright.py", str(page), rounds)["page"],
    }
    for key in workshop.invite(["openapi-python-client"]):
        output = workshop.fresh("opc")
        timed(generation.openapi_python_client(workshop, output))
        python = workshop.python_of(key)
        arguments = (str(page), rounds, str(output))
        answer = probe(python, "page_openapi_python_client.py", *arguments)
        samples[generation.OPC] = answer["page"]
    return samples


def fifty_events() -> dict[str, object]:
    known = webhook_examples()
    events = [known[number % len(known)] for number in range(50)]
    return {"data": events, "has_more": False, "next_cursor": "c1_end"}


def webhook_examples() -> list[object]:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    media = (
        item["post"]["requestBody"]["content"]["application/json"]
        for item in document["webhooks"].values()
    )
    return [next(iter(entry["examples"].values()))["value"] for entry in media]


EVENTS_PAGE = Measurement(
    "events",
    "A page of 50 events into typed objects",
    "µs",
    "CPU time from the bytes of the response to typed objects; all nine event types in turn.",
    events_page,
    (Goal("at most 200 µs", lambda m: m[OURS] <= 200),),
)
