"""`specwright replay`: send the requests of a failure again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import click

from specwright.arguments.document_names import document_argument, path_or_url
from specwright.arguments.project import allow_refs_from, configured
from specwright.arguments.target import (
    KEY_OPTIONS,
    Access,
    access_options,
    reachable,
    target_of,
    tested_part,
)
from specwright.conformance.checks.verdicts import ReplayVerdict
from specwright.conformance.contract.added_links import with_links
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.hidden import conceal
from specwright.conformance.driver.roles import (
    CASE_SWAPPED,
    MAIN,
    SUFFIXED,
    UNKNOWN_KEY,
    WRONG_SCHEME,
)
from specwright.conformance.driver.target import TargetLost
from specwright.conformance.outcome.replay import FailureReplay
from specwright.conformance.outcome.result import Recorded, RecordedFailure, read
from specwright.conformance.recording.exchange import Exchange
from specwright.errors import InputError
from specwright.report.terminal import say

# Roles whose key is derived from that of another one.
_MADE_OF = dict.fromkeys((UNKNOWN_KEY, CASE_SWAPPED, SUFFIXED, WRONG_SCHEME), MAIN)
_OUTCOMES = {True: "fixed", False: "still broken", None: "cannot be judged"}
_EXIT_CODES = {True: 0, False: 1, None: 2}
# Bytes of a body.
_SHOWN = 4_000


@click.command(
    epilog="""
\b
Examples:
  specwright replay reports/result.json F1 --api-key-env KEY

Exit codes: 0 if the failure is fixed, 1 if it is still there, 2 if that cannot be judged, or the
file, the document or the target cannot be used.
"""
)
@click.argument("result", type=click.Path(path_type=Path))
@click.argument("failure")
@document_argument(default="the one that RESULT names")
@access_options
@allow_refs_from
@click.pass_context
def replay(
    ctx: click.Context,
    result: Path,
    failure: str,
    document: Path | str | None,
    access: Access,
    allowed: tuple[Path, ...],
) -> None:
    """Resend the requests of FAILURE, such as F1, and check whether it is fixed.

    RESULT is the result.json that `specwright test --report-dir` writes. Resources that they
    need, such as the one in a path, are created first, by the requests that created them before.
    """
    recorded = read(result, failure)
    url = access.base_url(recorded.target)
    _need(recorded, access.keys(url))
    name = document or path_or_url(recorded.document)
    part = tested_part(name, allowed, access.hosts)
    project = configured(document=name)
    here, elsewhere = reachable(with_links(part.document, project.test.links), url)
    contract = Contract(here, part.left_out, elsewhere=elsewhere)
    say(f"{recorded.rule}: {recorded.message}")
    with target_of(access, url, contract, project.test) as target:
        verdict = _repeat(FailureReplay(contract, target, recorded))
    say(f"{_OUTCOMES[verdict.is_fixed]}: {verdict.words}")
    ctx.exit(_EXIT_CODES[verdict.is_fixed])


def _repeat(replay: FailureReplay) -> ReplayVerdict:
    """Send all requests, show them, and judge."""
    try:
        steps = [*replay.prepare()]
        needed = len(steps)
        steps += replay.repeat()
    except TargetLost as lost:
        return ReplayVerdict(None, str(lost))
    verdict = replay.verdict()
    redaction = conceal(replay.contract, replay.target.record, replay.target.signer.secrets)
    sent = replay.target.record.exchanges
    for number, ((before, _), exchange) in enumerate(zip(steps, sent, strict=True)):
        shown = _prepared(exchange) if number < needed else _compared(before, exchange)
        for line in shown:
            say(redaction.text(line))
    return replace(verdict, words=redaction.text(verdict.words))


def _prepared(exchange: Exchange) -> Iterator[str]:
    """Yield one line about a request that makes a needed resource."""
    response = exchange.response
    outcome = response.status if response is not None else exchange.failure
    yield f"first {exchange.request.method} {exchange.request.url}: {outcome}"


def _compared(recorded: Recorded, exchange: Exchange) -> Iterator[str]:
    """Yield a request of the failure, with the responses of then and now."""
    request = exchange.request
    yield f"{request.method} {request.url}"
    if request.body:
        yield from _indented("sent", request.body[:_SHOWN].decode("utf-8", "replace"))
    before = recorded.response.shown if recorded.response is not None else "no response"
    now = exchange.response.shown if exchange.response is not None else str(exchange.failure)
    yield from _indented("before", before)
    yield from _indented("now", "the same" if before == now else now)


def _indented(label: str, text: str) -> Iterator[str]:
    yield f"  {label}:"
    yield from (f"    {line}" for line in text.split("\n"))


def _need(recorded: RecordedFailure, keys: Mapping[str, str]) -> None:
    """Make sure that every request gets a key again: without one, the response would differ.

    Raises:
        InputError: a key was not given.
    """
    for request in recorded.requests if recorded.credential is not None else ():
        owner = _MADE_OF.get(request.role, request.role)
        if owner in KEY_OPTIONS.keys() - keys.keys():
            raise InputError(
                f"{recorded.id} was found with a key that was not given",
                hint=f"name it with {KEY_OPTIONS[owner][0]}",
            )
