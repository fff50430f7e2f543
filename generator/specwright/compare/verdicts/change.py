"""Changes, as the comparison finds them."""

from __future__ import annotations

import json
from dataclasses import dataclass

from specwright.compare.verdicts.change_rule import ChangeRule
from specwright.pointer import Pointer

_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Change:
    """A rule that applies at a place in both documents.

    Attributes:
        base: the place in the older document; None if missing there.
        revision: the place in the newer one, or the former place of a removed part.
        values: what changed, apart from the words of the message, as JSON texts.
        counterexample: a value that one side accepts and the other does not, as JSON text.
    """

    rule: ChangeRule
    base: Pointer | None
    revision: Pointer
    message: str
    values: tuple[str, ...]
    counterexample: str | None = None


def display(value: object) -> str:
    """Return a value of a document for a message; `…` replaces the rest of a long one."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def became(before: object, after: object) -> str:
    """Return the words for a value that changed, or was added or removed (None: missing)."""
    if before is None:
        return f"is now {display(after)}"
    if after is None:
        return f"is no longer {display(before)}"
    return f"{display(before)} -> {display(after)}"
