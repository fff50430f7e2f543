"""Checks that mypy and pyright narrow an event after a comparison of its type."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from lab.situations.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class Events:
    """Code with which a program gets an event of a subject, and one of its event types.

    Attributes:
        imports: the imports of the program.
        parse: an expression whose value is an event.
        type: the type of some event.
        kind: the class of that event.
        member: an expression for a member that only that event has in its `data`.
        held: the type of that member.
    """

    imports: str
    parse: str
    type: str
    kind: str
    member: str
    held: str


EVENTS = {
    "specwright": Events(
        "from partner_esim import models, webhooks",
        'webhooks.parse(b"", {}, "")',
        "order.completed",
        "models.OrderCompletedEvent",
        "event.data.iccids[0]",
        "str",
    ),
    "openai": Events(
        "from openai import OpenAI\nfrom openai.types.webhooks import LiveCallIncomingWebhookEvent",
        'OpenAI().webhooks.unwrap(b"", {})',
        "live.call.incoming",
        "LiveCallIncomingWebhookEvent",
        "event.data.sip_headers[0].name",
        "str",
    ),
    "stripe": Events(
        "from stripe import StripeClient\n"
        "from stripe.events import V1BillingMeterErrorReportTriggeredEventNotification",
        'StripeClient("").parse_event_notification(b"", "", "")',
        "v1.billing.meter.error_report_triggered",
        "V1BillingMeterErrorReportTriggeredEventNotification",
        "event.fetch_related_object().display_name",
        "str",
    ),
}

WAYS = {
    "==": """
def compared() -> None:
    event = {parse}
    if event.type == "{type}":
        held: {held} = {member}
        reveal_type({member})
        print(held)
""",
    "match on the type": """
def matched_type() -> None:
    event = {parse}
    match event.type:
        case "{type}":
            held: {held} = {member}
            reveal_type({member})
            print(held)
        case _:
            pass
""",
    "match on the class": """
def matched_class() -> None:
    event = {parse}
    match event:
        case {kind}():
            held: {held} = {member}
            reveal_type({member})
            print(held)
        case _:
            pass
""",
}


def narrowed(subject: str, python: str | Path, place: Path) -> dict[str, Outcome]:
    """Check a program for each way with both checkers; return an outcome for each checker."""
    events = EVENTS[subject]
    words = {name: getattr(events, name) for name in events.__slots__}
    files = {}
    for number, (way, text) in enumerate(WAYS.items()):
        files[way] = place / f"{subject}_{number}.py"
        head = f"{events.imports}\n\nprint({events.kind})\n"
        files[way].write_text(head + text.format(**words), "utf-8")
    clean = {"mypy": _mypy(python, files, place), "pyright": _pyright(python, files, place)}
    return {checker: _outcome(ways) for checker, ways in clean.items()}


def _outcome(clean: list[str]) -> Outcome:
    if len(clean) == len(WAYS):
        return Outcome("==, match on the type and on the class")
    return Outcome("in part", ", ".join(clean)) if clean else Outcome("not at all")


def _mypy(python: str | Path, files: dict[str, Path], place: Path) -> list[str]:
    options = (
        "--strict",
        "--python-executable",
        str(python),
        "--config-file=",
        "--no-error-summary",
    )
    command = [sys.executable, "-m", "mypy", *options, *map(str, files.values())]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout + done.stderr)
    lines = done.stdout.splitlines()
    return [
        way
        for way, path in files.items()
        if not any(path.name in line and ": error:" in line for line in lines)
        and not any(path.name in line and '"Any"' in line for line in lines)
    ]


def _pyright(python: str | Path, files: dict[str, Path], place: Path) -> list[str]:
    (place / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}', "utf-8")
    options = ("--pythonpath", str(python), "--outputjson", "--project", str(place))
    command = [str(Path(sys.executable).with_name("pyright")), *options]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout + done.stderr)
    said = json.loads(done.stdout)["generalDiagnostics"]
    return [
        way
        for way, path in files.items()
        if not any(
            Path(diagnostic["file"]).name == path.name
            and (diagnostic["severity"] == "error" or '"Any"' in diagnostic["message"])
            for diagnostic in said
        )
    ]
