"""The event handler inside schemathesis, which writes one line per event to a pipe.

That process loads it from its file; it imports nothing of specwright. Standard output is reserved
for the pipe; messages of schemathesis for people go to standard error.
"""

from __future__ import annotations

import base64
import copy
import functools
import itertools
import json
import os
import signal
import time
import unittest
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from requests.auth import HTTPDigestAuth
from schemathesis import AuthContext, Case, HookContext, Response, auth, cli, hook

if TYPE_CHECKING:
    from schemathesis.cli import EventHandler, ExecutionContext
else:
    EventHandler = cli.EventHandler

# This process is ended by SIGINT, which it may have inherited as ignored from a shell.
signal.signal(signal.SIGINT, signal.default_int_handler)
_PIPE = os.fdopen(os.dup(1), "w", encoding="ascii")
os.dup2(2, 1)

_MEMORY = 1024**3
# A longer body is not kept.
_MOST_BYTES = 16 * 1024**2


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        # This platform has no such limits.
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = _MEMORY if most == resource.RLIM_INFINITY else min(_MEMORY, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))


def _write(kind: str, **members: object) -> None:
    _PIPE.write(json.dumps({"kind": kind, **members}) + "\n")
    _PIPE.flush()


def _text(body: bytes | None) -> str | None:
    if body is None or len(body) > _MOST_BYTES:
        return None
    return base64.b64encode(body).decode()


def _string(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _flat(headers: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(name, _string(value)) for name, values in headers.items() for value in values]


def _write_exchange(
    case: Case[Any], request: Any, response: Response | None, received_at: float
) -> None:
    """Write a request and its response, if there was one."""
    seconds = 0.0 if response is None else response.elapsed
    body = request.body.encode() if isinstance(request.body, str) else request.body
    _write(
        "exchange",
        id=case.id,
        path=case.operation.path,
        method=request.method,
        url=request.url,
        headers=[(name, _string(value)) for name, value in request.headers.items()],
        body=_text(body),
        sent_at=received_at - seconds,
        seconds=seconds,
        response=None
        if response is None
        else {
            "status": response.status_code,
            "headers": _flat(response.headers),
            "body": _text(response.content or b""),
        },
    )


@auth(refresh_interval=None, retry_on=[])
class FuzzingCredentials:
    """The credentials that the operations of requests require."""

    def __init__(self) -> None:
        # Each keeps the latest challenge.
        self._users: dict[tuple[str, str], HTTPDigestAuth] = {}

    def get(self, case: Case[Any], context: AuthContext) -> list[list[str]] | None:
        """Return the parts that hold the credentials: place, name and text."""
        operation = case.operation
        return _CREDENTIALS.get(f"{operation.method.upper()} {operation.path}")

    def set(self, case: Case[Any], data: list[list[str]], context: AuthContext) -> None:
        """Add the credentials to a request."""
        places = {"header": case.headers, "query": case.query, "cookie": case.cookies}
        for place, name, text in data:
            if place == "digest":
                user = self._users.setdefault((name, text), HTTPDigestAuth(name, text))
                # As for credentials of requests that the library sets itself.
                case._auth, case._has_explicit_auth = user, True
            else:
                places[place][name] = text


class Turns:
    """The time of each operation in a phase, if time is scarce.

    Args:
        seconds: for one operation in all phases.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds / len(_PHASES)
        self._began: dict[tuple[str, str], float] = {}

    def take(self, case: Case[Any]) -> None:
        """Allow a request, or end the turn of its operation.

        Raises:
            SkipTest: the operation has had its time.
        """
        phase = case.meta.phase.name.value if case.meta is not None else ""
        if phase in _PHASES:
            now = time.monotonic()
            if now - self._began.setdefault((phase, case.operation.label), now) > self._seconds:
                raise unittest.SkipTest("the operation has had its time")


@hook
def before_call(context: HookContext, case: Case[Any], kwargs: dict[str, Any]) -> None:
    """Replace an idempotency key that was used before, as the server would judge only the key."""
    if _turns is not None:
        _turns.take(case)
    described = _KEYS.get(f"{case.method} {case.path}")
    if described is None:
        return
    body: object = copy.deepcopy(case.body)
    *way, name = described["way"]
    holder = functools.reduce(_member, way, body)
    used = _member(holder, name)
    if isinstance(holder, dict) and isinstance(used, str):
        if used in _used:
            holder[name] = described["form"].format(next(_numbers))
            case.body = cast("Any", body)
        _used.add(used)


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


@hook
def after_call(context: HookContext, case: Case[Any], response: Response) -> None:
    """Write an exchange at once, as the process may be ended before the scenario is over."""
    _written.add(case.id)
    _write_exchange(case, response.request, response, time.time())


_written: set[str] = set()
_used: set[str] = set()
# By operation, the path of the idempotency key in the body, and a valid format for keys.
_KEYS: dict[str, dict[str, Any]] = json.loads(os.environ["SPECWRIGHT_FUZZING_KEYS"])
_CREDENTIALS: dict[str, list[list[str]]] = json.loads(os.environ["SPECWRIGHT_FUZZING_CREDENTIALS"])
_PHASES = ("coverage", "fuzzing")
_seconds = os.environ["SPECWRIGHT_FUZZING_SECONDS"]
_turns = Turns(float(_seconds)) if _seconds else None
_numbers = itertools.count(int(os.environ["SPECWRIGHT_FUZZING_FIRST_KEY"]))


@cli.handler()
class ReportWriter(EventHandler):  # type: ignore[type-arg]
    """A writer of events, above all further exchanges and failed checks of each scenario."""

    def handle_event(self, ctx: ExecutionContext, event: Any) -> None:
        """Write an event, if it is relevant."""
        match type(event).__name__:
            case "ScenarioFinished":
                self._write_scenario(event.recorder)
            case "NonFatalError":
                _write("error", label=event.label, text=f"{event.info.title}: {event.info.message}")
            case "FatalError":
                _write("fatal", text=str(event.exception))

    def _write_scenario(self, recorder: Any) -> None:
        # Requests that checks send, and those without a response.
        for case_id, interaction in recorder.interactions.items():
            if case_id not in _written:
                case, request = recorder.cases[case_id].value, interaction.request
                sent = SimpleNamespace(
                    method=request.method,
                    url=request.uri,
                    headers=dict(_flat(request.headers)),
                    body=request.body,
                )
                _write_exchange(case, sent, interaction.response, interaction.timestamp)
        _written.clear()
        for case_id, checks in recorder.checks.items():
            for check in checks:
                if check.failure_info is not None:
                    related = check.failure_info.failure.related_case_ids()
                    before = next(iter(related), recorder.cases[case_id].parent_id)
                    _write("failure", check=check.name, id=case_id, before=before)


_limit_memory()
_write("started")
