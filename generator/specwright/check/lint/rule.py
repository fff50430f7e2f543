"""What a rule is: words for people, examples for both, levels, and one function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from specwright.check.settings import Profile
from specwright.check.subject import Subject
from specwright.findings import Level
from specwright.pointer import Pointer


class Category(StrEnum):
    """Chapters of the list of rules."""

    DOCUMENT = "Document"
    OPERATIONS = "Operations"
    SCHEMAS = "Schemas"
    NAMES = "Names"
    EXAMPLES = "Examples"
    LINKS = "Links"
    CONTRACT = "Contract declarations"
    UNSUPPORTED = "Not in generated code"


class Violation(NamedTuple):
    """A place that does not follow a rule, and in which way."""

    pointer: Pointer
    message: str


Check = Callable[[Subject], Iterator[Violation]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; `bad` and `good` are parts of a document in YAML that show the difference."""

    id: str
    category: Category
    why: str
    bad: str
    good: str
    recommended: Level
    strict: Level
    check: Check

    def level(self, profile: Profile) -> Level:
        return self.strict if profile is Profile.STRICT else self.recommended
