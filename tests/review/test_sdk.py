"""The effects of changes to generated code on its callers."""

import pytest

from specwright.review.sdk import NameChange, NameChangeKind, sdk_changes
from specwright.review.surface import surface


def changes(before: str, after: str, module: str = "client") -> list[NameChange]:
    sides = (surface({f"shop/{module}.py": source.encode()}) for source in (before, after))
    return list(sdk_changes(*sides))


BROKEN = {
    "a function is gone": ("def a(): ...", "", "a: removed"),
    "a method is gone": ("class A:\n def b(self): ...", "class A: ...", "A.b: removed"),
    "a field is gone": ("class A:\n b: int", "class A: ...", "A.b: removed"),
    "a class is gone": ("class A:\n def b(self): ...", "", "A: removed"),
    "an export is gone": ("__all__ = ['a', 'b']", "__all__ = ['a']", "b: removed"),
    "a parameter is gone": ("def a(*, b): ...", "def a(): ...", "a: parameter 'b' was removed"),
    "keywords are gone": ("def a(**b): ...", "def a(): ...", "a: parameter '**b' was removed"),
    "a parameter is demanded": (
        "def a(): ...",
        "def a(*, b): ...",
        "a: parameter 'b' was added as required",
    ),
    "a parameter has no default": (
        "def a(b=1): ...",
        "def a(b): ...",
        "a: parameter 'b' is now required",
    ),
    "a position is gone": (
        "def a(b): ...",
        "def a(*, b): ...",
        "a: parameter 'b' is passed in another way",
    ),
    "a name is gone": (
        "def a(b): ...",
        "def a(b, /): ...",
        "a: parameter 'b' is passed in another way",
    ),
    "positions are swapped": (
        "def a(b, c): ...",
        "def a(c, b): ...",
        "a: parameter 'b' is passed in another way",
    ),
    "a function is a value": ("def a(): ...", "a = 1", "a: is now another kind of object"),
}
COMPATIBLE = {
    "a function is new": ("", "def a(): ...", "added", ""),
    "a parameter is new": ("def a(): ...", "def a(*, b=1): ...", "changed", "'b' was added"),
    "a parameter is optional": (
        "def a(b): ...",
        "def a(b=1): ...",
        "changed",
        "'b' is now optional",
    ),
    "a parameter may be positional": ("def a(*, b): ...", "def a(b): ...", "changed", "'b' is "),
    "a type is another": ("def a(b: int): ...", "def a(b: str): ...", "changed", "int -> str"),
    "a result is another": ("def a() -> A: ...", "def a() -> B: ...", "changed", "A -> B"),
    "a field is another": ("class A:\n b: int", "class A:\n b: str", "changed", "int -> str"),
    "a base is another": ("class A(B): ...", "class A(C): ...", "changed", "B -> C"),
    "an alias is another": ("a: TypeAlias = int", "a: TypeAlias = str", "changed", "int -> str"),
    "a constant is another": ("A = 1", "A = 2", "changed", "1 -> 2"),
}
SAME = {
    "a body": ("def a(): return 1", "def a(): return 2"),
    "a docstring": ('class A:\n "Before."', 'class A:\n "After."'),
    "a default": ("def a(b=1): ...", "def a(b=2): ..."),
    "a private name": ("def _a(): ...", ""),
    "the order": ("def a(): ...\ndef b(): ...", "def b(): ...\ndef a(): ..."),
}


@pytest.mark.parametrize(("before", "after", "words"), BROKEN.values(), ids=BROKEN)
def test_what_fails_when_it_runs_breaks(before: str, after: str, words: str) -> None:
    first = changes(before, after)[0]
    assert f"{first.name}: {first.words or first.kind}" == f"shop.client.{words}"
    assert first.breaks


@pytest.mark.parametrize(("before", "after", "kind", "words"), COMPATIBLE.values(), ids=COMPATIBLE)
def test_everything_else_is_a_change(before: str, after: str, kind: str, words: str) -> None:
    [found] = changes(before, after)
    assert (found.kind, found.breaks) == (kind, False)
    assert words in found.words


@pytest.mark.parametrize(("before", "after"), SAME.values(), ids=SAME)
def test_what_nobody_uses_is_no_change(before: str, after: str) -> None:
    assert changes(before, after) == []


@pytest.mark.parametrize("module", ["_operations", "_runtime/client/calls/core"])
def test_private_modules_are_nobodys_concern(module: str) -> None:
    assert changes("def a(): ...", "", module) == []


@pytest.mark.parametrize(
    ("after", "kind"),
    [("", NameChangeKind.REMOVED), ("def a(b): ...", NameChangeKind.CHANGED)],
    ids=["gone", "more"],
)
def test_a_server_is_implemented_and_not_called(after: str, kind: NameChangeKind) -> None:
    [found] = changes("def a(): ...", after, "server")
    assert (found.kind, found.breaks) == (kind, False)


def test_of_a_long_value_the_difference_is_shown() -> None:
    values = [f"'value-{number}'" for number in range(40)]
    before = f"A: TypeAlias = Literal[{', '.join(values)}]"
    [found] = changes(before, before.replace("value-30", "changed"))
    assert "'value-30'" in found.words
    assert "'changed'" in found.words
    assert len(found.words) < 150
