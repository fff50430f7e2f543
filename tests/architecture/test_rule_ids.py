"""The id of each rule is spelled in one place, and each rule finds a bug."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module

from specwright.check.checks import DESCRIPTIONS
from specwright.compare.table import DESCRIPTIONS as CHANGES
from specwright.conformance.checks.limits.response_time import RESPONSE_TIME
from specwright.conformance.checks.requests.undocumented import UNDOCUMENTED_OPERATION
from specwright.conformance.checks.table import DESCRIPTIONS as BEHAVIOUR
from specwright.conformance.checks.table import RULES
from specwright.conformance.checks.webhooks import deliveries
from specwright.review import package
from tests.conformance.test_scenarios import BUGS
from tests.conformance.webhooks.faults import FAULTS

from .test_keywords import ROOT, TOOLKIT, strings

ALL = (*DESCRIPTIONS, *CHANGES, *BEHAVIOUR, *deliveries.RULES, *package.DESCRIPTIONS)


def test_an_id_is_spelled_once() -> None:
    ids = {str(rule.id) for rule in ALL}
    spelled: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(TOOLKIT.rglob("*.py")):
        for line, text in strings(path):
            # One word alone has other meanings, too: `signature` is a rule and a declaration.
            if "-" in text and text in ids:
                spelled[text].append(f"{path.relative_to(TOOLKIT)}:{line}")
    assert {id: places for id, places in spelled.items() if len(places) > 1} == {}
    assert set(spelled) == {id for id in ids if "-" in id}


def proven() -> Iterator[str]:
    """Yield the rules for which a test module has a server of its own."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        if re.search(r"^PROVEN\b", path.read_text("utf-8"), re.MULTILINE):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            yield from import_module(module).PROVEN


def test_every_rule_of_behaviour_finds_a_bug() -> None:
    judged = json.loads((ROOT / "lab" / "faults" / "verdicts.json").read_text("utf-8"))
    detected = {rule for verdict in judged.values() for rule in verdict["rules"]}
    # That of an option (test_monitors.py), and that of recorded traffic (test_traffic.py).
    detected |= {RESPONSE_TIME, UNDOCUMENTED_OPERATION}
    shown = {*BUGS.values(), *FAULTS.values(), *detected, *proven()}
    assert set(RULES) == shown & set(RULES)
