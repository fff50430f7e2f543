"""`specwright replay`: send the requests of a failure again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from specwright.arguments.target import allow_host, allow_live, base_url, key_of
from specwright.conformance.bench.target import (
    LIMITED,
    MAIN,
    MISNAMED,
    OTHER,
    STRANGER,
    SUSPENDED,
    Target,
    stranger,
)
from specwright.conformance.recording.record import Record
from specwright.conformance.result import Failure, read
from specwright.errors import InputError
from specwright.report.redaction import Redaction
from specwright.report.terminal import say

# The option that names the key of a role.
_OPTIONS = {
    MAIN: "--api-key-env",
    STRANGER: "--api-key-env",
    MISNAMED: "--api-key-env",
    OTHER: "--other-api-key-env",
    LIMITED: "--limited-api-key-env",
    SUSPENDED: "--suspended-api-key-env",
}


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
@click.option(
    "--api-key-env", metavar="NAME", help="The environment variable that holds the API key."
)
@click.option("--other-api-key-env", metavar="NAME", help="That of the other partner's key.")
@click.option("--limited-api-key-env", metavar="NAME", help="That of the key with limits.")
@click.option("--suspended-api-key-env", metavar="NAME", help="That of the suspended key.")
@allow_host
@allow_live
@click.pass_context
def replay(
    ctx: click.Context,
    result: Path,
    failure: str,
    api_key_env: str | None,
    other_api_key_env: str | None,
    limited_api_key_env: str | None,
    suspended_api_key_env: str | None,
    hosts: tuple[str, ...],
    live: bool,
) -> None:
    """Send the requests of FAILURE, such as F1, as RESULT recorded them.

    RESULT is the result.json that `specwright test --report-dir` writes.
    """
    recorded = read(result, failure)
    variables = {
        MAIN: api_key_env,
        OTHER: other_api_key_env,
        LIMITED: limited_api_key_env,
        SUSPENDED: suspended_api_key_env,
    }
    keys = {role: key_of(name, live=live) for role, name in variables.items() if name is not None}
    if MAIN in keys:
        keys |= {STRANGER: stranger(keys[MAIN]), MISNAMED: keys[MAIN]}
    _need(recorded, keys)
    redaction = Redaction(keys.values())
    say(f"{recorded.rule}: {recorded.message}")
    same = True
    url = base_url(recorded.target, hosts)
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


def _need(recorded: Failure, keys: Mapping[str, str]) -> None:
    """Make sure that every request gets a key again: without it, the answer would be another one.

    Raises:
        InputError: a key was not given.
    """
    for each in recorded.requests if recorded.credential is not None else ():
        if each.role in _OPTIONS.keys() - keys.keys():
            raise InputError(
                f"{recorded.id} was found with a key that was not given",
                hint=f"name it with {_OPTIONS[each.role]}",
            )
