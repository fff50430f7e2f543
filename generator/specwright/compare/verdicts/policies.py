"""Changes of declared values, judged by the policies that the keywords declare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from specwright.compare.verdicts.change_rules import ChangeRule
from specwright.vocabulary.keyword import Keyword, Place, Reader
from specwright.vocabulary.policy import ANY, UNJUDGED, ChangePolicy, Subject
from specwright.vocabulary.shape import Path
from specwright.vocabulary.table import KEYWORDS

COMPATIBLE = ChangeRule.DECLARATION_COMPATIBLE
BROKEN = {
    Subject.BEHAVIOUR: ChangeRule.BEHAVIOUR_CHANGED,
    Subject.LIMIT: ChangeRule.LIMIT_LOWERED,
    Subject.DELIVERY: ChangeRule.DELIVERY_WEAKENED,
    Subject.SIGNATURE: ChangeRule.SIGNATURE_CHANGED,
    Subject.ERROR_CODE: ChangeRule.ERROR_CODE_CHANGED,
}


@dataclass(frozen=True, slots=True)
class PartChange:
    """A part of a declaration with two values, of which one may be missing (None)."""

    path: Path
    before: Any
    after: Any
    rule: ChangeRule


def judged_keywords(place: Place) -> Iterator[Keyword[Any]]:
    """Yield the keywords of a place that the review of changes reads."""
    for keyword in KEYWORDS:
        if place in keyword.places and Reader.REVIEW in keyword.readers:
            yield keyword


def part_changes(keyword: Keyword[Any], before: Any, after: Any) -> Iterator[PartChange]:
    """Yield the differences between two values of a keyword, each with the rule that it breaks."""
    for member, policy in keyword.policies():
        if policy is UNJUDGED:
            continue
        base, revision = (dict(_parts(value, member, ())) for value in (before, after))
        for path in base | revision:
            was, becomes = base.get(path), revision.get(path)
            if was != becomes:
                yield PartChange(path, was, becomes, _rule(policy, was, becomes))


def worst(changes: Iterable[PartChange]) -> ChangeRule:
    """Return the first rule that is broken, as all changes together are one."""
    return next((change.rule for change in changes if change.rule is not COMPATIBLE), COMPATIBLE)


def _rule(policy: ChangePolicy, before: Any, after: Any) -> ChangeRule:
    try:
        is_broken = policy.breaks(before, after)
    except (TypeError, AttributeError):
        # A value of the wrong type cannot keep a promise.
        is_broken = True
    return BROKEN[policy.subject] if is_broken else COMPATIBLE


def _parts(value: Any, member: Path, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the parts of a declaration at a path, each with its own path, without wildcards."""
    if not member:
        if value is not None:
            yield path, value
        return
    if not isinstance(value, dict):
        return
    first, rest = member[0], member[1:]
    for name in value if first == ANY else (first,):
        yield from _parts(value.get(name), rest, (*path, name))
