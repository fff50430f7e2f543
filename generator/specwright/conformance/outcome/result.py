"""A run as JSON: its failures, the requests that show them, and the coverage.

The format is that of docs/reference/result.schema.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from specwright.conformance.outcome.coverage import Item
from specwright.conformance.outcome.evidence import Known, operation_of
from specwright.conformance.recording.exchange import Exchange, HttpResponse
from specwright.conformance.recording.origins import Origins
from specwright.conformance.recording.record import Violation
from specwright.conformance.run import Run
from specwright.document.operations.security import Credential
from specwright.errors import InputError, Location
from specwright.files import read_regular, why_not_read
from specwright.http_messages import BODY_LIMIT, Headers, MessageContent
from specwright.json_values import JsonObject
from specwright.pointer import Pointer

# It changes if a member is removed or changes its meaning, not if one is added.
VERSION = 2
FILE = "result.json"

_Taken = TypeVar("_Taken")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request that a run sent, without its credentials, and the response.

    Attributes:
        path: below the base URL of its operation.
        operation: the pointer of an operation with a base URL of its own; empty for others.
    """

    source: str
    role: str
    method: str
    path: str
    headers: Headers
    body: bytes | None
    response: HttpResponse | None
    operation: Pointer = ""


@dataclass(frozen=True, slots=True)
class RecordedFailure:
    """A failure of an earlier run.

    Attributes:
        document: the document as the user named it.
        credential: the header whose value the run left out.
        setup: the requests that created the resources that the others use.
    """

    id: str
    rule: str
    pointer: Pointer
    message: str
    document: str
    target: str
    credential: Credential | None
    requests: tuple[Recorded, ...]
    setup: tuple[Recorded, ...]


@dataclass(frozen=True, slots=True)
class Baseline:
    """An earlier run; its failures and gaps fail no later one.

    Attributes:
        seed: with other values, old faults may be found at other places.
        idle: names of operations that never succeeded.
    """

    seed: int
    failures: frozenset[Known]
    idle: frozenset[str]


def render(run: Run, items: Sequence[Item]) -> JsonObject:
    """Return a run and its coverage as JSON, with the secrets still in it."""
    contract, credential = run.contract, run.target.credential
    literals = {
        part for operation in contract.operations.values() for part in operation.site.key.split("/")
    }
    origins = Origins(run.record.exchanges, literals)
    return {
        "version": VERSION,
        "document": contract.document.path,
        "target": run.target.base_url,
        "profile": run.profile.value,
        "seed": run.seed,
        "stopped": run.stopped,
        "credential": None
        if credential is None
        else {"header": credential.header, "prefix": credential.prefix},
        "steps": [
            {"name": name, "requests": requests, "seconds": round(seconds, 3)}
            for name, requests, seconds in run.steps
        ],
        "failures": [
            _failed(id, violation, run, origins) for id, violation in run.record.failures.items()
        ],
        "coverage": [_covered(item) for item in items],
    }


def _covered(item: Item) -> JsonObject:
    return {
        "kind": item.kind,
        "name": item.name,
        "reached": item.reached,
        **({} if item.reached else {"reason": item.reason}),
        **({"out_of_reach": True} if item.is_out_of_reach else {}),
    }


def _failed(id: str, violation: Violation, run: Run, origins: Origins) -> JsonObject:
    operation = operation_of(run.contract, violation)
    return {
        "id": id,
        "rule": violation.rule,
        **({"operation": operation} if operation else {}),
        "pointer": violation.pointer,
        "values": [*violation.values],
        "cause": violation.cause or violation.message,
        "message": violation.text,
        "setup": [_recorded(exchange, run) for exchange in origins.of(violation.exchanges)],
        "requests": [_recorded(exchange, run) for exchange in violation.exchanges],
    }


def _recorded(exchange: Exchange, run: Run) -> JsonObject:
    request, response = run.target.signer.unsigned(exchange.request), exchange.response
    content = MessageContent.of(request.headers, request.body)
    target, operation = run.target, exchange.operation or ""
    base_url = target.base_urls.get(operation, target.base_url)
    written: JsonObject = {
        "source": exchange.source,
        "role": exchange.role,
        "method": request.method,
        "path": request.url.removeprefix(base_url),
        "headers": [list(header) for header in content.headers],
        "status": response.status if response is not None else None,
    }
    if operation in target.base_urls:
        written["operation"] = operation
    if not request.url.startswith(f"{base_url}/"):
        written["received"] = True
    if response is not None:
        received = MessageContent.of(response.headers, response.body, BODY_LIMIT)
        written["answer"] = received.as_json()
    return written | content.body_as_json()


def read(path: Path, failure: str) -> RecordedFailure:
    """Return a failure from the result file of a run.

    Raises:
        InputError: the file is not the result of a run, or has no such failure with a request.
    """

    def failures(data: Any) -> dict[str, RecordedFailure]:
        by_id = {failure["id"]: failure for failure in data["failures"]}
        return {name: _failure(failure, data) for name, failure in by_id.items()}

    recorded = _read(path, failures)
    if failure not in recorded:
        known = ", ".join(recorded) or "none"
        raise InputError(f"{path} has no failure {failure!r}", hint=f"it has: {known}")
    if not recorded[failure].requests:
        raise InputError(
            f"{failure} is about a delivery, which only the target sends",
            hint="run specwright test again",
        )
    return recorded[failure]


def read_baseline(path: Path) -> Baseline:
    """Read the result file of a run as the baseline of another.

    Raises:
        InputError: the file is not the result of a run.
    """

    def baseline(data: Any) -> Baseline:
        entries = [{"operation": "", "values": [], **failure} for failure in data["failures"]]
        failures = frozenset(
            Known(
                str(failure["rule"]),
                str(failure["operation"]),
                str(failure["pointer"]),
                tuple(map(str, failure["values"])),
            )
            for failure in entries
        )
        seed = data["seed"]
        # True is an int, too.
        if type(seed) is not int or seed < 0:
            raise ValueError
        operations = (item for item in data["coverage"] if item["kind"] == "operation")
        idle = frozenset(str(item["name"]) for item in operations if not item["reached"])
        return Baseline(seed, failures, idle)

    return _read(path, baseline)


def _read(path: Path, take: Callable[[Any], _Taken]) -> _Taken:
    try:
        data = json.loads(read_regular(path))
        if data["version"] != VERSION:
            raise ValueError
        return take(data)
    except OSError as error:
        place = Location(str(path), 1, 1)
        hint = "`specwright test --report-dir` writes it"
        raise InputError(f"cannot be read: {why_not_read(error)}", place, hint) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(
            "not the result of a run of this version of specwright",
            Location(str(path), 1, 1),
            "record it again: `specwright test --report-dir`",
        ) from None


def _failure(failure: Mapping[str, Any], data: Mapping[str, Any]) -> RecordedFailure:
    credential = data["credential"] and Credential(**data["credential"])
    return RecordedFailure(
        failure["id"],
        failure["rule"],
        str(failure["pointer"]),
        failure["message"],
        str(data["document"]),
        str(data["target"]),
        credential,
        tuple(map(_request, (one for one in failure["requests"] if not one.get("received")))),
        tuple(map(_request, failure.get("setup", ()))),
    )


def _request(written: Mapping[str, Any]) -> Recorded:
    request, status = MessageContent.from_json(written), written["status"]
    response = MessageContent.from_json(written.get("answer", {"headers": []}))
    return Recorded(
        str(written.get("source", "")),
        str(written["role"]),
        str(written["method"]),
        _path(written["path"]),
        request.headers,
        request.data,
        None if status is None else HttpResponse(status, response.headers, response.data or b""),
        str(written.get("operation", "")),
    )


def _path(value: object) -> str:
    """Return a path that cannot become a part of the host before it, to which a key is sent.

    Raises:
        ValueError: it does not begin with a slash.
    """
    if not isinstance(value, str) or not value.startswith("/"):
        raise ValueError
    return value
