"""Every rule finds its own bad example and is silent about its good one."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specwright.check.checks import check
from specwright.check.lint.rule import Category, LintRule
from specwright.check.lint.table import RULES
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.errors import InputError
from specwright.findings import Level, Report
from specwright.policy import LintProfile, Settings
from tests.functional.documents import document as with_schemas

from .documents import write


def rules_found(directory: Path, part: str, rule: LintRule) -> list[str]:
    only = Settings(levels={each.id: Level.OFF for each in RULES} | {rule.id: Level.ERROR})
    report = check(upgrade(load(write(directory, part))), only)
    return [finding.rule for finding in report.findings]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_finds_its_bad_example(rule: LintRule, tmp_path: Path) -> None:
    assert set(rules_found(tmp_path, rule.bad, rule)) == {rule.id}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_is_silent_about_its_good_example(rule: LintRule, tmp_path: Path) -> None:
    assert rules_found(tmp_path, rule.good, rule) == []


def test_rules_have_ids_and_reasons_of_their_own() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert len({rule.why for rule in RULES}) == len(RULES)
    assert {rule.category for rule in RULES} == set(Category)


def test_strict_is_never_weaker_than_recommended() -> None:
    weight = [Level.OFF, Level.INFO, Level.WARNING, Level.ERROR]
    for rule in RULES:
        recommended, strict = (Settings(profile).level(rule) for profile in LintProfile)
        assert weight.index(strict) >= weight.index(recommended), rule.id


BROKEN_SHAPES = (
    "{paths: []}",
    "{paths: {/a: 1, /b: {get: []}, /c: {get: {parameters: {}, responses: []}}}}",
    "{components: {schemas: {A: 1, B: {properties: [], required: 3, allOf: {}, enum: 1}}}}",
    "{components: {schemas: {A: {type: 7, examples: {}, pattern: 5, items: 3}}}}",
    "{paths: {/a: {get: {tags: 1, operationId: 5, security: [3], responses: {'200': 1}}}}}",
    "{servers: {url: 1}, tags: {name: 1}, security: 1, webhooks: 3}",
    "{paths: {/a: {get: {responses: {'200': {description: 1, links: {x: {operationId: []}}}}}}}}",
    "{x-contract-error: 3, x-contract-rate-limit: [], x-contract-body-limit: no}",
    "{components: {parameters: {p: {name: [], in: {}, schema: 3, example: 1}}, links: []}}",
    "{components: {schemas: {A: {discriminator: 3, $ref: 4}}, examples: {e: 1}}}",
    "{components: {schemas: {A: {oneOf: [{type: {$ref: '#/info'}}, {type: [[]]}, {type: []}]}}}}",
    "{components: {schemas: {A: {x-extensible-enum: [a], discriminator: {}, oneOf: 3}}}}",
    "{components: {schemas: {A: {x-extensible-enum: [a], discriminator: {propertyName: []}}}}}",
    "{components: {schemas: {A: {x-extensible-enum: [a], discriminator: {propertyName: a}, "
    "oneOf: [{properties: [], allOf: 3}], anyOf: {}}}}}",
    "{components: {$ref: '#/nowhere'}}",
)


def stopped(report: Report) -> list[str]:
    """Return the messages about rules that stopped."""
    return [finding.message for finding in report.findings if finding.rule == "check-incomplete"]


@pytest.mark.parametrize("part", BROKEN_SHAPES)
def test_a_document_of_the_wrong_shape_ends_in_findings(part: str, tmp_path: Path) -> None:
    report = check(load(write(tmp_path, part)), Settings(LintProfile.STRICT))
    assert stopped(report) == []
    assert report.has_errors
    assert "openapi-schema" in {finding.rule for finding in report.findings} or "x-contract" in part


JUNK = st.sampled_from(
    [None, True, 3, -1.5, "x", "", [], {}, ["a"], {"a": 1}, {"type": "object"}, [None, {}], [[1]]]
) | st.just({"$ref": "#/components/schemas/Order"})
CONTRACT = Path(__file__).parents[2] / "spec" / "openapi.json"


def containers(value: Any) -> list[tuple[Any, Any]]:
    """Every container with each of its keys."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = [(value, key) for key, _ in items]
    inner = [value[key] for _, key in found if isinstance(value[key], dict | list)]
    return found + [each for container in inner for each in containers(container)]


def test_no_type_of_another_shape_stops_a_rule(tmp_path: Path) -> None:
    schema = {"type": [["object"], {"a": 1}, "object"], "minProperties": 1}
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(with_schemas({}, {"Thing": schema})), "utf-8")
    assert stopped(check(load(path), Settings(LintProfile.STRICT))) == []


@settings(max_examples=30)
@given(changes=st.lists(st.tuples(st.integers(0, 50_000), JUNK), min_size=1, max_size=8))
def test_no_change_of_a_document_stops_a_rule(
    changes: list[tuple[int, Any]], tmp_path: Path
) -> None:
    data = json.loads(CONTRACT.read_text("utf-8"))
    for number, junk in changes:
        places = containers(data)
        container, key = places[number % len(places)]
        container[key] = copy.deepcopy(junk)
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(data), "utf-8")
    try:
        document = load(path)
    except InputError:
        return
    report = check(document, Settings(LintProfile.STRICT))
    assert stopped(report) == []
