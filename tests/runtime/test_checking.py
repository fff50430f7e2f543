"""Types of which schemas hold one another, as they are checked in full."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field
from typing_extensions import TypeAliasType

from specwright.runtime.shared.codec import Checker
from specwright.runtime.shared.types import UniqueItems

# Named twice in one type, each is a definition that others refer to.
NAMED: dict[str, tuple[Any, object, object]] = {
    "a literal": (Literal["a", "b"], "a", "c"),
    "literals or any text": (Literal["a"] | str, "c", 1),
    "a literal of numbers": (Literal[1, 2], 1, 3),
    "an integer": (Annotated[int, Field(strict=True, le=3)], 3, 4),
    "a list of different items": (Annotated[list[int], UniqueItems()], [1, 2], [1, 1]),
}


@pytest.mark.parametrize(("kind", "taken", "refused"), NAMED.values(), ids=NAMED)
def test_a_type_that_is_named_twice(kind: Any, taken: object, refused: object) -> None:
    named = TypeAliasType("Named", kind)  # type: ignore[misc]
    checker: Checker[Any] = Checker(dict[str, tuple[named, named]])  # type: ignore[valid-type]
    assert checker.validate_json(json.dumps({"a": [taken, taken]})) == {"a": (taken, taken)}
    assert not checker.accepts(json.dumps({"a": [taken, refused]}).encode())
