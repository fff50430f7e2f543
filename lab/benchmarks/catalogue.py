"""The cost of much data: a list that is streamed as items, and a body of many models."""

import json
import sys
from pathlib import Path
from typing import Any

from lab.benchmarks import generation
from lab.benchmarks.measurement import OURS, Goal, Measurement, Samples
from lab.benchmarks.overhead import JSON, prepared_server
from lab.benchmarks.workshop import Workshop, probe

DOCUMENT = Path(__file__).with_name("catalogue.yaml")
STREAMED = "httpx2, its lines and `json.loads`"
WHOLE = "httpx2, the whole body and `json.loads` of its lines"
ADAPTED = "httpx2, and a TypeAdapter that writes the models, with the same check"
READY = "httpx2, with bytes that were prepared"
BYTES = 10_000_000
MODELS = 100


def item(number: int) -> dict[str, Any]:
    return {
        "id": f"00000000-0000-4000-8000-{number:012}",
        "name": f"Item number {number}",
        "kind": ("book", "film", "game")[number % 3],
        "price": number / 100,
        "quantity": number % 7,
        "tags": ["new", "small", "of paper"],
        "owner": {"name": "Ada Example", "email": "ada@example.com"},
        "created_at": "2026-03-02T09:15:00Z",
    }


def lines() -> str:
    """Return a list of ten megabytes in JSON Lines."""
    size = len(json.dumps(item(1))) + 1
    return "".join(f"{json.dumps(item(number))}\n" for number in range(BYTES // size))


def streamed(workshop: Workshop) -> Samples:
    """Measure the memory of processes that read all items of a streamed list."""
    package = generation.package(workshop, DOCUMENT, "catalogue")
    samples: Samples = {}
    with prepared_server(workshop, {"/items": ("application/jsonl", lines())}) as base:
        for _ in range(workshop.rounds):
            for subject, way in ((OURS, "sdk"), (STREAMED, "lines"), (WHOLE, "whole")):
                answer = probe(sys.executable, "stream_catalogue.py", base, str(package), way)
                samples.setdefault(subject, []).extend(answer["memory"])
    return samples


def many_models(workshop: Workshop) -> Samples:
    """Measure the CPU time of a POST of many models."""
    package = generation.package(workshop, DOCUMENT, "catalogue")
    rounds = str(workshop.rounds * 4)
    items = workshop.fresh("items") / "items.json"
    items.write_text(json.dumps([item(number) for number in range(MODELS)]), "utf-8")
    with prepared_server(workshop, {"/items": (JSON, '{"created": 100}')}) as base:
        arguments = (base, str(package), str(items), rounds)
        answer = probe(sys.executable, "post_catalogue.py", *arguments)
    return {OURS: answer["sdk"], ADAPTED: answer["adapter"], READY: answer["ready"]}


ITEMS = Measurement(
    "items",
    "A list of 10 MB, streamed as items",
    "MB",
    "The most memory that a process held that read 30,000 items from JSON Lines one by one, as "
    "models or as dictionaries, and kept none.",
    streamed,
    (Goal("at most 60 MB", lambda m: m[OURS] <= 60),),
)
POST = Measurement(
    "post",
    "A POST of 100 models",
    "µs",
    "CPU time of a call with 100 models that exist already. What is sent is checked against the "
    "document first, by the same validator in both.",
    many_models,
)
