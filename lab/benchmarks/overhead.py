"""The cost of an SDK call, next to the same GET by the underlying HTTP library."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from lab.benchmarks import generation
from lab.benchmarks.measurement import OURS, Goal, Measurement, Samples
from lab.benchmarks.peers import PEERS
from lab.benchmarks.workshop import DOCUMENT, Workshop, probe, timed

SERVER = Path(__file__).with_name("raw_server.py")
JSON = "application/json"
OPENAI_MODEL = {"id": "m", "created": 1700000000, "object": "model", "owned_by": "o"}
SVIX_APP = {
    "id": "app_1",
    "name": "a",
    "metadata": {},
    "createdAt": "2026-01-01T00:00:00Z",
    "updatedAt": "2026-01-01T00:00:00Z",
}
STRIPE_BALANCE = {
    "object": "balance",
    "livemode": False,
    "available": [{"amount": 100, "currency": "usd", "source_types": {"card": 100}}],
    "pending": [{"amount": 0, "currency": "usd", "source_types": {"card": 0}}],
}
PROBES = {
    "openai": "call_openai.py",
    "stripe": "call_stripe.py",
    "svix": "call_svix.py",
}


def example(response: str, operation: str) -> Any:
    """Return the first example of a response in our document."""
    document = json.loads(DOCUMENT.read_text("utf-8"))
    for item in document["paths"].values():
        for candidate in item.values():
            if isinstance(candidate, dict) and candidate.get("operationId") == operation:
                media = candidate["responses"][response]["content"]["application/json"]
                return next(iter(media["examples"].values()))["value"]
    raise KeyError(operation)


def raw_server(workshop: Workshop, bodies: dict[str, object]) -> AbstractContextManager[str]:
    """Serve JSON by path."""
    texts = {path: (JSON, json.dumps(body)) for path, body in bodies.items()}
    return prepared_server(workshop, texts)


@contextmanager
def prepared_server(workshop: Workshop, bodies: dict[str, tuple[str, str]]) -> Iterator[str]:
    """Serve texts by path, each after its media type."""
    table = workshop.fresh("raw-server") / "bodies.json"
    table.write_text(json.dumps(bodies), "utf-8")
    process = subprocess.Popen([sys.executable, SERVER, table], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.terminate()
        process.wait()


FLOOR = "httpx2, the same GET and `json.loads`"
BULK_FLOOR = "httpx2, the same GETs and `json.loads`"
BELOW = {"openai": "httpx2", "stripe": "requests", "svix": "httpx"}


def calls(workshop: Workshop) -> Samples:
    bodies = {
        "/plans/p": example("200", "getPlan"),
        "/models/m": OPENAI_MODEL,
        "/v1/balance": STRIPE_BALANCE,
        "/api/v1/app/a": SVIX_APP,
    }
    rounds = str(workshop.rounds * 4)
    samples: Samples = {}
    with raw_server(workshop, bodies) as base:
        answer = probe(sys.executable, "call_specwright.py", base, rounds)
        samples |= {OURS: answer["sdk"], FLOOR: answer["raw"]}
        for key in workshop.invite(PROBES):
            answer = probe(workshop.python_of(key), PROBES[key], base, rounds)
            samples |= {PEERS[key].label: answer["sdk"], below(key, BELOW[key]): answer["raw"]}
        for key in workshop.invite(["openapi-python-client"]):
            output = workshop.fresh("opc")
            timed(generation.openapi_python_client(workshop, output))
            python = workshop.python_of(key)
            answer = probe(python, "call_openapi_python_client.py", base, rounds, str(output))
            samples |= {generation.OPC: answer["sdk"], below(key, "httpx"): answer["raw"]}
    return samples


def below(key: str, library: str) -> str:
    return f"{library} below {key}, its GET and `json.loads`"


def bulk(workshop: Workshop) -> Samples:
    bodies = {"/plans/p": example("200", "getPlan")}
    with raw_server(workshop, bodies) as base:
        answer = probe(sys.executable, "bulk_specwright.py", base, str(workshop.rounds))
    milliseconds = {name: [value / 1000 for value in values] for name, values in answer.items()}
    return {OURS: milliseconds["sdk"], BULK_FLOOR: milliseconds["raw"]}


CALLS = Measurement(
    "calls",
    "CPU per call",
    "µs",
    "One GET of a small object from a local server that sends prepared bytes, read into a model. "
    "Beside each SDK stands the same GET and `json.loads` by the HTTP library that it uses, in the "
    "same process and in turns with it.",
    calls,
    (
        Goal("at most 25 µs over httpx2", lambda m: m[OURS] - m[FLOOR] <= 25),
        Goal(
            "less than svix, openai and stripe",
            lambda m: m[OURS] < min(m[PEERS[key].label] for key in PROBES),
        ),
    ),
)
BULK = Measurement(
    "bulk",
    "1,000 asynchronous calls, 50 at once",
    "ms",
    "CPU time of 1,000 GETs that are read into models, and of the same GETs by httpx2.",
    bulk,
    (Goal("at most 1.1 times httpx2", lambda m: m[OURS] <= 1.1 * m[BULK_FLOOR]),),
)
