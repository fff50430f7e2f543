"""A run as JSON: what was found, the requests that show it, and what was reached.

The shape is that of docs/reference/result.schema.json.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Violation
from specwright.conformance.results.evidence import cause_of, operation_of
from specwright.conformance.run import Run
from specwright.document.security import Credential
from specwright.errors import InputError, Location
from specwright.files import read_regular

# A member that is new leaves it as it is; one that goes or changes its meaning does not.
VERSION = 1
FILE = "result.json"

_Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request that a run sent, without its credentials, and how it was answered."""

    role: str
    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes | None
    status: int | None


@dataclass(frozen=True, slots=True)
class RecordedFailure:
    """A failure of an earlier run.

    Attributes:
        credential: the header whose value the run left out.
    """

    id: str
    rule: str
    message: str
    target: str
    credential: Credential | None
    requests: tuple[Recorded, ...]


def render(run: Run) -> _Object:
    """The run as JSON, with the secrets still in it."""
    contract = run.contract
    return {
        "version": VERSION,
        "document": contract.document.path,
        "target": run.target.base_url,
        "profile": run.profile.value,
        "seed": run.seed,
        "stopped": run.stopped,
        "credential": asdict(run.target.credential) if run.target.credential else None,
        "steps": [
            {"name": name, "requests": requests, "seconds": round(seconds, 3)}
            for name, requests, seconds in run.steps
        ],
        "failures": [_failed(id, each, run) for id, each in run.record.failures.items()],
        "coverage": [
            {"kind": each.kind, "name": each.name, "reached": each.reached}
            | ({} if each.reached else {"reason": each.reason})
            | ({"out_of_reach": True} if each.is_out_of_reach else {})
            for each in run.items
        ],
    }


def _failed(id: str, violation: Violation, run: Run) -> _Object:
    operation = operation_of(run.contract, violation)
    return {
        "id": id,
        "rule": violation.rule,
        **({"operation": operation} if operation else {}),
        "pointer": violation.pointer,
        "cause": cause_of(violation, operation),
        "message": violation.message,
        "requests": [_recorded(exchange, run) for exchange in violation.exchanges],
    }


def _recorded(exchange: Exchange, run: Run) -> _Object:
    credential = run.target.credential
    hidden = credential.header.lower() if credential is not None else None
    request, response = exchange.request, exchange.response
    written: _Object = {
        "source": exchange.source,
        "role": exchange.role,
        "method": request.method,
        "path": request.url.removeprefix(run.target.base_url),
        "headers": [list(each) for each in request.headers if each[0].lower() != hidden],
        "status": response.status if response is not None else None,
    }
    if not request.url.startswith(f"{run.target.base_url}/"):
        written["received"] = True
    if request.body is not None:
        try:
            written["body"] = request.body.decode()
        except UnicodeDecodeError:
            written["body_base64"] = b64encode(request.body).decode()
    return written


def read(path: Path, failure: str) -> RecordedFailure:
    """Return a failure of a run that was written.

    Raises:
        InputError: the file is no result of a run, or has no such failure with a request.
    """
    try:
        data = json.loads(read_regular(path))
        if data["version"] != VERSION:
            raise ValueError
        found = {each["id"]: each for each in data["failures"]}
        made = {name: _failure(each, data) for name, each in found.items()}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            "not the result of a run, or of another version of specwright",
            Location(str(path), 1, 1),
        ) from None
    if failure not in made:
        known = ", ".join(made) or "none"
        raise InputError(f"{path} has no failure {failure!r}", hint=f"it has: {known}")
    if not made[failure].requests:
        raise InputError(
            f"{failure} is about a delivery, which only the target sends",
            hint="run specwright test again",
        )
    return made[failure]


def _failure(each: Mapping[str, Any], data: Mapping[str, Any]) -> RecordedFailure:
    requests = tuple(
        Recorded(
            str(request["role"]),
            str(request["method"]),
            _path(request["path"]),
            tuple((str(name), str(value)) for name, value in request["headers"]),
            b64decode(request["body_base64"])
            if "body_base64" in request
            else request["body"].encode()
            if "body" in request
            else None,
            request["status"],
        )
        for request in each["requests"]
        if not request.get("received")
    )
    credential = data["credential"] and Credential(**data["credential"])
    return RecordedFailure(
        each["id"], each["rule"], each["message"], str(data["target"]), credential, requests
    )


def _path(value: object) -> str:
    """A path that cannot become a part of the host before it, to which a key is sent.

    Raises:
        ValueError: it does not begin with a slash.
    """
    if not isinstance(value, str) or not value.startswith("/"):
        raise ValueError
    return value
