"""`specwright rules` and `specwright explain`: the list of rules, and their reasons."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from specwright.check import checks
from specwright.compare import table as changes
from specwright.conformance.checks import table as behaviour
from specwright.conformance.checks.webhooks import deliveries
from specwright.findings import RuleDescription
from specwright.policy import unknown_rule
from specwright.report.error_report import UNUSABLE
from specwright.report.rule_texts import explanation, overview
from specwright.report.terminal import say, show
from specwright.review import package

RULES: tuple[RuleDescription, ...] = (
    *checks.DESCRIPTIONS,
    *changes.DESCRIPTIONS,
    *package.DESCRIPTIONS,
    *behaviour.DESCRIPTIONS,
    *deliveries.RULES,
)
# Rules that no setting is about.
_FIXED = frozenset((UNUSABLE.id, *(rule.id for rule in deliveries.RULES)))
_LEVELS = {
    False: (
        "Its level: error, warning, info or off, in `lint.toml` beside the document.\n\n"
        '    [levels]\n    {} = "warning"'
    ),
    True: "Its level: always error; it has no settings.",
}


@click.command(
    epilog="""
\b
Examples:
  specwright rules

Exit codes: 0.
"""
)
def rules() -> None:
    """List the rules that findings name.

    They are listed by category, with their levels in the recommended and the strict profile.
    """
    for line in overview(RULES):
        say(line)


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [
        CompletionItem(rule.id, help=rule.why) for rule in RULES if rule.id.startswith(incomplete)
    ]


@click.command(
    epilog="""
\b
Examples:
  specwright explain operation-tag
  specwright explain response-schema

Exit codes: 0, or 2 if the rule does not exist.
"""
)
@click.argument("rule", shell_complete=_complete)
def explain(rule: str) -> None:
    """Explain a RULE that findings name.

    It shows the reason for the rule, a violation, the remedy, and how to change its level.
    """
    described = {description.id: description for description in RULES}
    if rule not in described:
        raise unknown_rule(rule, described)
    show(f"{explanation(described[rule])}\n\n{_LEVELS[rule in _FIXED].format(rule)}\n")
