"""`specwright listen`: receive webhooks on this machine and show them, for development."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue

import click

from specwright.arguments.document_names import document_argument
from specwright.arguments.documents import valid_document
from specwright.arguments.project import allow_refs_from
from specwright.arguments.receiver import receiver_options
from specwright.arguments.target import KEY_OPTIONS, Access, allow_host, allow_live, http_url
from specwright.conformance.checks.webhooks.endpoints import (
    CannotObserve,
    Endpoints,
    ReceiverEndpoint,
    outcome,
)
from specwright.conformance.checks.webhooks.listener import Listener
from specwright.conformance.checks.webhooks.source import ReceiverOptions
from specwright.conformance.contract.webhooks import registration, webhooks
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Record
from specwright.document.operations.security import Credential
from specwright.errors import InputError
from specwright.report.redaction import Redaction
from specwright.report.terminal import say
from specwright.text import shorten
from specwright.vocabulary.keywords.webhook_endpoint import WEBHOOK_ENDPOINT

# Without a delivery in this time, the implementation probably cannot reach us.
PATIENCE_SECONDS = 10.0

# Windows has no terminals that hang up.
_STOPS = {signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}

# Lines to show; None ends the command.
Lines = SimpleQueue[str | None]


@click.command(
    epilog="""
\b
Examples:
  specwright listen http://127.0.0.1:8000/api/v1 --api-key-env KEY --receiver-authority receiver
  specwright listen https://sandbox.example.com/v1 --allow-host sandbox.example.com \\
    --api-key-env KEY --public-url https://tunnel.example --receiver-port 4000 \\
    --forward-to http://127.0.0.1:8080/webhooks

Exit codes: 0 after Ctrl-C, SIGTERM or SIGHUP, 2 if webhooks cannot be received.
"""
)
@click.argument("url")
@document_argument()
@click.option(KEY_OPTIONS[MAIN][0], "key", metavar="NAME", help=KEY_OPTIONS[MAIN][1])
@receiver_options
@click.option("--forward-to", metavar="URL", help="Pass deliveries on to this URL.")
@allow_live
@allow_host
@allow_refs_from
def listen(
    url: str,
    document: Path | str | None,
    key: str | None,
    receiver: ReceiverOptions | None,
    forward_to: str | None,
    live: bool,
    hosts: tuple[str, ...],
    allowed: tuple[Path, ...],
) -> None:
    """Receive the webhooks of the implementation at URL on this machine, and show them.

    It registers an endpoint as the document declares, and removes it at the end. Deliveries are
    verified. With --forward-to, the implementation gets the response of your application.
    """
    access = Access({MAIN: (key,)} if key is not None else {}, hosts, live)
    target_url = access.base_url(url)
    keys = access.keys(target_url)
    for address in (forward_to, receiver.public_url if receiver else None):
        if address is not None:
            http_url(address)
    if receiver is None:
        raise InputError("no endpoint to receive at: pass --receiver-authority or --public-url")
    loaded = valid_document(document, allowed)
    registered = registration(loaded)
    if registered is None:
        raise InputError(
            "the document does not declare how endpoints of webhooks are registered",
            hint=f"see {WEBHOOK_ENDPOINT.name}",
        )
    credential = Credential.of(loaded)
    if credential is not None and credential.is_required and MAIN not in keys:
        raise InputError("the document requires a credential", hint="name it with --api-key-env")
    lines: Lines = SimpleQueue()
    with (
        TargetServer(target_url, credential, Record(), keys) as target,
        Listener(webhooks(loaded), receiver, forward_to, lines.put) as listener,
        _stopping(lines),
    ):
        endpoints = Endpoints(target, registered)
        endpoint = _register(endpoints, listener)
        tell = _teller([*keys.values(), endpoint.secret or ""])
        try:
            tell(f"{endpoint.url} is the endpoint {endpoint.id} until Ctrl-C")
            needs = f"{target_url} has to reach {listener.url.rpartition('/')[0]}"
            if receiver.authority is not None:
                needs += f" and to trust {receiver.authority.file}"
            tell(needs)
            _receive(endpoints, endpoint, lines, tell, f"No delivery was received: {needs}")
        finally:
            _remove(endpoints, endpoint, tell)


def _teller(secrets: Sequence[str]) -> Callable[[str], None]:
    redaction = Redaction(secrets)
    return lambda line: say(redaction.text(line))


@contextmanager
def _stopping(lines: Lines) -> Iterator[None]:
    """End the lines at Ctrl-C, SIGTERM and the end of the terminal, at any moment."""
    # Of all that could wake up the command, only this is safe in a signal handler.
    before = {number: signal.signal(number, lambda *_: lines.put(None)) for number in _STOPS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _register(endpoints: Endpoints, listener: Listener) -> ReceiverEndpoint:
    types = [
        webhook.name
        for webhook in listener.webhooks
        if not endpoints.registration.is_sent_to_one(webhook)
    ]
    try:
        endpoint = endpoints.register(listener.url, types)
    except CannotObserve as error:
        last = endpoints.target.record.exchanges[-1:]
        raise _failed(endpoints, str(error), *last, hint=_way_to_remove(endpoints)) from None
    listener.verify_with(endpoint.secret)
    return endpoint


def _way_to_remove(endpoints: Endpoints) -> str:
    """Return the hint for an endpoint that is refused because others are in its way."""
    remove = endpoints.registration.remove
    request = f"{remove.method.upper()} {endpoints.target.base_url}{remove.key}"
    return f"a listener that is killed leaves its endpoint registered; to remove it: {request}"


def _receive(
    endpoints: Endpoints,
    endpoint: ReceiverEndpoint,
    lines: Lines,
    tell: Callable[[str], None],
    doubt: str,
) -> None:
    """Show deliveries until the lines end."""
    test, patience = endpoints.registration.test, None
    if test is not None:
        # This shows at once whether deliveries arrive.
        done = endpoints.test(test, endpoint)
        if done.response is None or not done.response.is_success:
            raise _failed(endpoints, f"{test.name} {outcome(done)}", done)
        patience = PATIENCE_SECONDS
    while True:
        try:
            line = lines.get(timeout=patience)
        except Empty:
            line = doubt
        if line is None:
            return
        tell(line)
        patience = None


def _remove(endpoints: Endpoints, endpoint: ReceiverEndpoint, tell: Callable[[str], None]) -> None:
    done = endpoints.remove(endpoint)
    if done.response is not None and done.response.is_success:
        tell(f"{endpoint.id} is removed")
    else:
        tell(f"{endpoint.id} is still registered: its removal {outcome(done)}")


def _failed(
    endpoints: Endpoints, message: str, *exchanges: Exchange, hint: str | None = None
) -> InputError:
    """Return the error for a failed request, with its response; a success may hold a secret."""
    redaction = Redaction(endpoints.target.keys.values())
    replies = [
        exchange.failure or ""
        if exchange.response is None
        else (
            ""
            if exchange.response.is_success
            else exchange.response.body.decode("utf-8", "replace")
        )
        for exchange in exchanges
    ]
    details = [shorten(redaction.text(reply)) for reply in replies if reply]
    return InputError(f"{endpoints.target.base_url}: {message}", details=details, hint=hint)
