"""`specwright rules` lists the rules of findings, and `specwright explain` explains them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from specwright.check.checks import check
from specwright.cli import cli
from specwright.commands.rules import RULES
from specwright.conformance.checks import table as behaviour
from specwright.conformance.checks.webhooks import deliveries
from specwright.document.sources.load import load
from specwright.findings import RuleDescription
from specwright.policy import Settings

from .documents import write

COMMAND = Path(sys.executable).with_name("specwright")


def rules(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["rules", *arguments])


def explain(rule: str) -> Result:
    return CliRunner().invoke(cli, ["explain", rule])


def test_the_list_has_a_line_per_rule_with_its_levels_below_its_category() -> None:
    lines = rules().stdout.splitlines()
    assert lines[0].split() == ["Document", "recommended", "strict"]
    [tags] = [line for line in lines if line.startswith("  tags ")]
    assert tags.split(maxsplit=3) == [
        "tags",
        "warning",
        "error",
        "Tags are declared once, and a parent tag (3.2) exists and is not its own descendant",
    ]
    assert tags.index("warning") == lines[0].index("recommended")
    assert tags.index("error") == lines[0].index("strict")
    listed = [line.split()[0] for line in lines if line.startswith("  ")]
    assert sorted(listed) == sorted(rule.id for rule in RULES)
    assert {line.partition("  ")[0] for line in lines if not line.startswith("  ")} == {
        str(rule.category) for rule in RULES
    }


def test_a_category_is_listed_once() -> None:
    headings = [line for line in rules().stdout.splitlines() if not line.startswith("  ")]
    assert len(headings) == len({rule.category for rule in RULES})


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_is_explained(rule: RuleDescription) -> None:
    result = explain(rule.id)
    assert result.exit_code == 0
    title, *paragraphs = result.stdout.split("\n\n")
    assert title == f"{rule.id} ({rule.category})"
    assert paragraphs[0] == rule.why
    assert f"Recommended: {rule.recommended}. Strict: {rule.strict}." in paragraphs
    assert result.stdout.count("Its level: ") == 1
    better = f"Non-breaking alternative: {rule.instead}" if rule.instead else "Better:"
    said = [paragraph.strip() for paragraph in paragraphs]
    assert ("Found:" in said) is bool(rule.bad)
    assert (better in said) is bool(rule.good or rule.instead)


def test_examples_are_indented_and_keep_their_shape() -> None:
    assert explain("schema-unsatisfiable").stdout.endswith(
        "Found:\n\n"
        "    components:\n"
        "      schemas:\n"
        "        Label: {type: string, minLength: 10, maxLength: 5}\n"
        "\nBetter:\n\n"
        "    components:\n"
        "      schemas:\n"
        "        Label: {type: string, minLength: 5, maxLength: 10}\n"
        "\nIts level: error, warning, info or off, in `lint.toml` beside the document.\n\n"
        "    [levels]\n"
        '    schema-unsatisfiable = "warning"\n'
    )


@pytest.mark.parametrize(
    "rule", [*behaviour.DESCRIPTIONS, *deliveries.RULES], ids=lambda rule: rule.id
)
def test_a_rule_about_behaviour_has_an_example_and_advice(rule: RuleDescription) -> None:
    said = explain(rule.id).stdout
    assert f"\n\nFor example: {rule.example}.\n\nWhat to do: {rule.advice}\n\n" in said
    assert rule.example and rule.advice.endswith(".")


def test_a_rule_without_settings_says_so() -> None:
    assert "always error" in explain("refuses-unsigned").stdout.splitlines()[-1]


def test_an_unknown_rule_has_a_neighbour() -> None:
    result = explain("operation-tags")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == (
        "error: unknown rule 'operation-tags'\nhint: did you mean 'operation-tag'?\n"
    )


def test_a_rule_like_no_other_is_one_of_the_list() -> None:
    result = explain("?")
    assert result.exit_code == 2
    assert result.stderr == "error: unknown rule '?'\nhint: `specwright rules` lists them\n"


def test_a_waiver_of_an_unknown_rule_has_the_same_advice(tmp_path: Path) -> None:
    path = write(tmp_path, "{}")
    (tmp_path / "lint.toml").write_text('[levels]\ntag = "error"\n', "utf-8")
    result = CliRunner().invoke(cli, ["validate", str(path)])
    assert result.exit_code == 2
    assert result.stderr.endswith("lint.toml:2:1: unknown rule 'tag'\nhint: did you mean 'tags'?\n")


def test_every_rule_of_a_report_can_be_asked_for(tmp_path: Path) -> None:
    report = check(load(write(tmp_path, "{}")), Settings())
    assert {rule.id for rule in report.rules} <= {rule.id for rule in RULES}


def test_a_shell_completes_ids() -> None:
    completed = subprocess.run(
        [COMMAND],
        env=os.environ
        | {
            "_SPECWRIGHT_COMPLETE": "bash_complete",
            "COMP_WORDS": "specwright explain operation-id-",
            "COMP_CWORD": "2",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.stdout.split() == [
        "plain,operation-id-unique",
        "plain,operation-id-case",
        "plain,operation-id-clash",
        "plain,operation-id-changed",
    ]
