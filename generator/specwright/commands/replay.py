"""`specwright replay`: send the requests of a failure again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from specwright.arguments.target import KEY_OPTIONS, Access, access_options
from specwright.conformance.bench.target import MAIN, MISNAMED, STRANGER, Target, stranger
from specwright.conformance.recording.record import Record
from specwright.conformance.result import RecordedFailure, read
from specwright.errors import InputError
from specwright.report.redaction import Redaction
from specwright.report.terminal import say

# Roles whose key is made of that of another one.
_MADE_OF = {STRANGER: MAIN, MISNAMED: MAIN}


@click.command(
    epilog="""
\b
Examples:
  specwright replay reports/result.json F1 --api-key-env KEY

Exit codes: 0 if an answer is another one now, 1 if all are as they were, 2 if the file or the
target cannot be used.
"""
)
@click.argument("result", type=click.Path(path_type=Path))
@click.argument("failure")
@access_options
@click.pass_context
def replay(ctx: click.Context, result: Path, failure: str, access: Access) -> None:
    """Send the requests of FAILURE, such as F1, as RESULT recorded them.

    RESULT is the result.json that `specwright test --report-dir` writes.
    """
    recorded = read(result, failure)
    keys = access.keys()
    if MAIN in keys:
        keys |= {STRANGER: stranger(keys[MAIN]), MISNAMED: keys[MAIN]}
    _need(recorded, keys)
    redaction = Redaction(keys.values())
    say(f"{recorded.rule}: {recorded.message}")
    same = True
    url = access.base_url(recorded.target)
    with Target(url, recorded.credential, Record(), keys) as target:
        for each in recorded.requests:
            request = target.request(
                each.method, each.path, role=each.role, headers=each.headers, body=each.body
            )
            exchange = target.send(request, "replay", None, each.role)
            status = exchange.response.status if exchange.response is not None else None
            same = same and status == each.status
            was = "as before" if status == each.status else f"before: {each.status}"
            say(redaction.text(f"{each.method} {each.path}"))
            say(f"  {status or exchange.failure} ({was})")
    ctx.exit(1 if same else 0)


def _need(recorded: RecordedFailure, keys: Mapping[str, str]) -> None:
    """Make sure that every request gets a key again: without it, the answer would be another one.

    Raises:
        InputError: a key was not given.
    """
    for each in recorded.requests if recorded.credential is not None else ():
        owner = _MADE_OF.get(each.role, each.role)
        if owner in KEY_OPTIONS.keys() - keys.keys():
            raise InputError(
                f"{recorded.id} was found with a key that was not given",
                hint=f"name it with {KEY_OPTIONS[owner][0]}",
            )
