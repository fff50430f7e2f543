"""What schemas say that no validator enforces, and that still means something to people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from specwright.compare.schemas.pairs import Pair
from specwright.compare.schemas.polarity import Polarity
from specwright.compare.schemas.steps import Plain
from specwright.compare.verdicts.change import became
from specwright.compare.verdicts.change_rules import ChangeRule
from specwright.vocabulary.keyword import Place
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM
from specwright.vocabulary.table import KEYWORDS

# Takes what the base and the revision say, and who sends; None stands for nothing.
Judgement = Callable[[Any, Any, Polarity], ChangeRule]


@dataclass(frozen=True, slots=True)
class Annotation:
    """A keyword, and the rule that a change of it breaks.

    Attributes:
        meaning: what counts of its value.
    """

    keyword: str
    judge: Judgement
    meaning: Callable[[Any], Any] = lambda value: value


def _default(before: Any, after: Any, polarity: Polarity) -> ChangeRule:
    return (
        ChangeRule.DEFAULT_CHANGED
        if polarity is Polarity.TO_SERVER
        else ChangeRule.SCHEMA_COMPATIBLE
    )


def _known_values(before: Any, after: Any, polarity: Polarity) -> ChangeRule:
    lost = isinstance(before, list) and not set(map(str, before)) <= set(map(str, after or ()))
    breaks = lost and polarity is Polarity.TO_SERVER
    return ChangeRule.KNOWN_VALUE_REMOVED if breaks else ChangeRule.SCHEMA_COMPATIBLE


def _tag(before: Any, after: Any, polarity: Polarity) -> ChangeRule:
    tags = [each.get("propertyName") for each in (before, after) if isinstance(each, Mapping)]
    return ChangeRule.DISCRIMINATOR_CHANGED if len(set(tags)) > 1 else ChangeRule.SCHEMA_COMPATIBLE


def _tags(value: Any) -> Any:
    """The property and its values; what the schemas for them are called is nobody's concern."""
    if not isinstance(value, dict):
        return value
    mapping = value.get("mapping")
    tags = {"mapping": sorted(mapping)} if isinstance(mapping, dict) else {}
    return {name: each for name, each in value.items() if name != "mapping"} | tags


def _deprecation(before: Any, after: Any, polarity: Polarity) -> ChangeRule:
    return (
        ChangeRule.DEPRECATION if before is True or after is True else ChangeRule.SCHEMA_COMPATIBLE
    )


def _declared(before: Any, after: Any, polarity: Polarity) -> ChangeRule:
    return ChangeRule.BEHAVIOUR_CHANGED


ANNOTATIONS = (
    Annotation("default", _default),
    Annotation("deprecated", _deprecation),
    Annotation("discriminator", _tag, _tags),
    Annotation(EXTENSIBLE_ENUM.name, _known_values),
    *(
        Annotation(each.name, _declared)
        for each in KEYWORDS
        if Place.PROPERTY in each.places and each is not EXTENSIBLE_ENUM
    ),
)


def annotation_changes(pair: Pair) -> Iterator[Plain]:
    """The changes of a pair of schemas that need no proof and have none."""
    for each in ANNOTATIONS:
        before, after = (
            each.meaning(flat.keywords.get(each.keyword)) for flat in (pair.base, pair.revision)
        )
        if before != after:
            base = pair.base.place(each.keyword, pair.revision)
            revision = pair.revision.place(each.keyword, pair.base)
            message = f"{each.keyword} {became(before, after)}"
            yield Plain(each.judge(before, after, pair.way.polarity), base, revision, message)
