"""One keyword of the contract changed: changes that break partners are found, and no others."""

import copy
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from specwright.compare.comparison import compare
from specwright.compare.schemas.equality import references
from specwright.compare.verdicts.change_rule import DIFF_UNPROVEN
from specwright.document.model import Document
from specwright.document.operations.sites import operations
from specwright.document.shape import walk
from specwright.document.sources.load import load
from specwright.findings import Finding
from specwright.pointer import resolve, split

from .documents import TODAY, breaking
from .edits import EDITS, Edit, Effect

# They share a review of each edit, which takes a minute.
pytestmark = pytest.mark.exhaustive

# The rules whose findings a value can show.
PAYLOAD = ("-narrowed", "-widened", "property-required", "property-not-sent", "property-refused")
# Whose values an edit takes away or adds to, and so breaks the other side.
HARMED = {
    Effect.NARROWS: {"client"},
    Effect.WIDENS: {"api", "webhook"},
    Effect.REPLACES: {"client", "api", "webhook"},
    Effect.NEITHER: set(),
}
# In these, a schema is not what decides about a value.
ASIDE = ("not", "if", "then", "else", "oneOf", "anyOf", "allOf")


@dataclass(frozen=True)
class Mutant:
    """An edit of one schema of the contract."""

    edit: str
    pointer: str
    senders: frozenset[str]
    breaks: bool


@dataclass(frozen=True)
class Judged:
    """A mutant and the findings of the review on it."""

    mutant: Mutant
    findings: tuple[Finding, ...]

    @property
    def breaking(self) -> list[Finding]:
        return breaking(self.findings)


def senders(document: Document) -> dict[str, set[str]]:
    """Return the senders of the values below each pointer: partners, the API, or its webhooks."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for operation in operations(document):
        asks, answers = (
            ("client", "api") if operation.direction == "path" else ("webhook", "client")
        )
        places = (
            (asks, operation / "requestBody"),
            (asks, operation / "parameters"),
            (asks, operation.item / "parameters"),
            (answers, operation / "responses"),
        )
        for sender, place in places:
            for pointer in reached(document.data, place):
                found[pointer].add(sender)
    return found


def reached(data: dict[str, Any], pointer: str) -> Iterator[str]:
    """A place, and all that references from it lead to."""
    stack, seen = [pointer], set()
    while stack:
        place = stack.pop()
        if place not in seen:
            seen.add(place)
            yield place
            with suppress(KeyError):
                stack.extend(ref[1:] for ref in references(resolve(data, place)))


@pytest.fixture(scope="module")
def contract(root: Path) -> Document:
    return load(root / "spec" / "openapi.json")


@pytest.fixture(scope="module")
def schemas(contract: Document) -> dict[str, set[str]]:
    """Every schema by its pointer, with the senders of its values."""
    owners = senders(contract)
    return {
        node.pointer: {
            sender
            for owner in owners
            if is_below(node.pointer, (owner,))
            for sender in owners[owner]
        }
        for node in walk(contract.data)
        if node.kind == "schema"
        and not set(ASIDE) & set(split(node.pointer))
        and not {"readOnly", "writeOnly"} & node.value.keys()
    }


def is_below(pointer: str, owners: Iterable[str]) -> bool:
    return any(pointer == owner or pointer.startswith(f"{owner}/") for owner in owners)


@pytest.fixture(scope="module")
def judged(contract: Document, schemas: dict[str, set[str]]) -> tuple[Judged, ...]:
    """Every edit of every schema: as many as are not inside of each other in one revision."""
    return tuple(
        result
        for name, (effect, edit) in EDITS.items()
        for chosen in apart([schema for schema in schemas if edit(resolve(contract.data, schema))])
        for result in judged_at_once(contract, name, edit, effect, chosen, schemas)
    )


def apart(pointers: list[str]) -> Iterator[list[str]]:
    """The pointers in groups in which none is below another."""
    left = pointers
    while left:
        group = [each for each in left if not is_below(each, set(left) - {each})]
        yield group
        left = [each for each in left if each not in group]


def judged_at_once(
    contract: Document,
    name: str,
    edit: Edit,
    effect: Effect,
    pointers: list[str],
    schemas: dict[str, set[str]],
) -> Iterator[Judged]:
    data = copy.deepcopy(contract.data)
    for pointer in pointers:
        parent, _, key = pointer.rpartition("/")
        resolve(data, parent)[split(f"/{key}")[0]] = edit(resolve(data, pointer))
    found = compare(contract, contract.with_data(data), today=TODAY).findings
    places = tuple(pointers)
    assert all(is_below(finding.pointer or "", places) for finding in breaking(found))
    for pointer in pointers:
        findings = tuple(each for each in found if is_below(each.pointer or "", (pointer,)))
        yield Judged(
            Mutant(
                name, pointer, frozenset(schemas[pointer]), bool(HARMED[effect] & schemas[pointer])
            ),
            findings,
        )


def named(judged: list[Judged]) -> list[str]:
    return [f"{each.mutant.edit}: {each.mutant.pointer}" for each in judged]


def test_edits_that_break_are_found(judged: tuple[Judged, ...]) -> None:
    broken = [each for each in judged if each.mutant.breaks]
    missed = [each for each in broken if not each.breaking]
    assert len(broken) > 250
    assert any(each.mutant.senders == {"webhook"} for each in broken)
    assert len(missed) <= 0.05 * len(broken), named(missed)


def test_other_edits_raise_no_alarm(judged: tuple[Judged, ...]) -> None:
    safe = [each for each in judged if not each.mutant.breaks]
    alarms = [each for each in safe if each.breaking]
    assert len(safe) > 500
    assert len(alarms) <= 0.01 * len(safe), named(alarms)


def test_an_edit_has_few_findings(judged: tuple[Judged, ...]) -> None:
    changed = [each for each in judged if each.findings]
    assert sum(len(each.findings) for each in changed) <= 1.5 * len(changed)


def test_breaks_are_shown_with_a_value_and_hardly_any_is_unproven(
    judged: tuple[Judged, ...],
) -> None:
    found = [finding for each in judged for finding in each.breaking]
    payload = [each for each in found if each.rule.endswith(PAYLOAD)]
    shown = [each for each in payload if each.counterexample is not None]
    assert len(shown) >= 0.9 * len(payload)
    assert sum(finding.rule == DIFF_UNPROVEN for finding in found) <= 0.03 * len(found)
