"""`specwright test-receiver`: send deliveries to a consumer of webhooks, judge its responses."""

from __future__ import annotations

import os
from pathlib import Path

import click

from specwright.arguments.document_names import document_argument
from specwright.arguments.documents import valid_document
from specwright.arguments.output import output_format
from specwright.arguments.project import allow_refs_from
from specwright.arguments.target import allow_host, checked_url
from specwright.conformance.checks.webhooks.consumer import Consumer
from specwright.conformance.checks.webhooks.deliveries import RULES
from specwright.conformance.contract.webhooks import webhooks, with_payloads
from specwright.errors import InputError
from specwright.findings import Report, in_order
from specwright.report.formats import FORMATS
from specwright.report.terminal import show


@click.command(
    "test-receiver",
    epilog="""
\b
Examples:
  specwright test-receiver http://127.0.0.1:8080/webhooks --secret-env WEBHOOK_SECRET
  specwright test-receiver https://staging.example/hooks spec/openapi.json --format sarif \\
    --allow-host staging.example --secret-env WEBHOOK_SECRET

Exit codes: 0 if every response was correct, 1 if one was not, 2 if nothing could be sent.
""",
)
@click.argument("url")
@document_argument()
@click.option(
    "--secret-env",
    metavar="NAME",
    help="The environment variable with the secret of the endpoint, if deliveries are signed.",
)
@allow_host
@output_format
@allow_refs_from
@click.pass_context
def test_receiver(
    ctx: click.Context,
    url: str,
    secret_env: str | None,
    document: Path | str | None,
    hosts: tuple[str, ...],
    output: str,
    allowed: tuple[Path, ...],
) -> None:
    """Send genuine and forged deliveries to a consumer of webhooks, and check its responses.

    URL is the endpoint of the consumer. It receives every webhook of the document, with the values
    of its examples or else of its schema. One of them is sent again: forged in each way that a
    consumer must detect, and with an unknown event type if the document allows that.
    """
    checked_url(url, hosts)
    chosen = valid_document(document, allowed)
    sent = tuple(with_payloads(chosen, webhooks(chosen)))
    secret = _secret(secret_env, is_needed=any(webhook.scheme for webhook in sent))
    findings = Consumer(chosen, url, secret).findings(sent)
    report = Report(
        chosen.path, in_order(findings), (), RULES, chosen.line, command="test-receiver"
    )
    show(FORMATS[output](report))
    ctx.exit(1 if report.has_errors else 0)


def _secret(variable: str | None, *, is_needed: bool) -> str:
    """Return the secret of the endpoint; empty if none is needed and none is given."""
    if variable is None and not is_needed:
        return ""
    if variable is None:
        raise InputError(
            "the webhooks of the document are signed",
            hint="name the variable with the secret of the endpoint with --secret-env",
        )
    secret = os.environ.get(variable)
    if not secret:
        raise InputError(
            f"the environment variable '{variable}' is not set",
            hint="set it to the secret that was shown when the endpoint was registered",
        )
    return secret
