"""`specwright rules`: what the rules are, and why."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from specwright.check import checks
from specwright.compare.verdicts import rule_table as changes
from specwright.conformance import behaviour_rules as behaviour
from specwright.conformance.webhooks import deliveries
from specwright.errors import InputError, did_you_mean
from specwright.findings import RuleDescription
from specwright.report.rule_texts import explained, overview
from specwright.report.terminal import say, show
from specwright.review import package_rules as package

RULES: tuple[RuleDescription, ...] = (
    *checks.DESCRIPTIONS,
    *changes.DESCRIPTIONS,
    *package.DESCRIPTIONS,
    *behaviour.RULES,
    *deliveries.RULES,
)


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [
        CompletionItem(rule.id, help=rule.why) for rule in RULES if rule.id.startswith(incomplete)
    ]


@click.command(
    epilog="""
\b
Examples:
  specwright rules
  specwright rules operation-tag

Exit codes: 0, or 2 if there is no such rule.
"""
)
@click.argument("rule", metavar="[ID]", required=False, shell_complete=_complete)
def rules(rule: str | None) -> None:
    """Explain the rules that findings name.

    Without ID: all rules by category, with their levels in the recommended and the strict profile.
    With ID: why there is this rule, what it finds, and what would be better.
    """
    if rule is None:
        for line in overview(RULES):
            say(line)
        return
    described = {each.id: each for each in RULES}
    if rule not in described:
        hint = did_you_mean(rule, described, "`specwright rules` lists them")
        raise InputError(f"unknown rule '{rule}'", hint=hint)
    show(f"{explained(described[rule])}\n")
