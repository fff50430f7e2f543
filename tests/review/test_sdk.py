"""The effects of changes to generated code on its callers."""

import pytest

from specwright.emit.drift import FileDifference, State
from specwright.review.lost_names import lost_names
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
    "a type that is defined later": ("class A:\n b: list[A]", "class A:\n b: 'list[A]'"),
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


RENAMED = {
    "a class with the same members": (
        "class A:\n b: int\n c: int\nclass X:\n b: int",
        "class D:\n b: int\n c: int\nclass X:\n b: int",
        ["A: removed, perhaps D now"],
    ),
    "the most similar of several": (
        "class Order:\n b: int",
        "class Orders:\n b: int\nclass Text:\n b: int",
        ["Order: removed, perhaps Orders now"],
    ),
    "none of several": (
        "class Order:\n b: int",
        "class X:\n b: int\nclass Text:\n b: int",
        ["Order: removed"],
    ),
    "a class with other members": ("class A:\n b: int", "class D:\n c: int", ["A: removed"]),
    "a method with the parameters and the result": (
        "class A:\n def get(self, *, b: int) -> C: ...\n def x(self): ...",
        "class A:\n def read(self, *, b: int) -> C: ...\n def x(self): ...",
        ["A.get: removed, perhaps read now"],
    ),
    "a method with other parameters": (
        "class A:\n def get(self, *, b: int) -> C: ...\n def x(self): ...",
        "class A:\n def gets(self, *, c: int) -> C: ...\n def x(self): ...",
        ["A.get: removed"],
    ),
    "a method with another result and name": (
        "class A:\n def get(self) -> C: ...\n def x(self): ...",
        "class A:\n def read(self) -> D: ...\n def x(self): ...",
        ["A.get: removed"],
    ),
    "a method whose result has another name, too": (
        "class C:\n c: int\nclass A:\n def get(self) -> list[C]: ...\n def x(self): ...",
        "class E:\n c: int\nclass A:\n def read(self) -> list[E]: ...\n def x(self): ...",
        ["C: removed, perhaps E now", "A.get: removed, perhaps read now"],
    ),
    "a method of another class": (
        "class A:\n def get(self) -> C: ...\n def x(self): ...\nclass B:\n def y(self): ...",
        "class A:\n def x(self): ...\nclass B:\n def y(self): ...\n def get(self) -> C: ...",
        ["A.get: removed, perhaps client.B.get now"],
    ),
    "a field of the same type": (
        "class A:\n b: int\n c: str",
        "class A:\n d: int\n c: str\n e: str",
        ["A.b: removed, perhaps d now"],
    ),
    "a parameter of the same type": (
        "def a(*, b: int, c: str): ...",
        "def a(*, d: int, c: str): ...",
        ["a: parameter 'b' was removed, perhaps 'd' now"],
    ),
    "the parameter with the most similar name": (
        "def a(*, size: int, c: str): ...",
        "def a(*, sizes: int, c: str, e: int): ...",
        ["a: parameter 'size' was removed, perhaps 'sizes' now"],
    ),
    "none of several parameters": (
        "def a(*, b: int): ...",
        "def a(*, d: int, e: str): ...",
        ["a: parameter 'b' was removed"],
    ),
}


@pytest.mark.parametrize(("before", "after", "expected"), RENAMED.values(), ids=RENAMED)
def test_what_has_the_shape_of_a_removed_name_is_proposed(
    before: str, after: str, expected: list[str]
) -> None:
    removed = [f"{each.name}: {each.message}" for each in changes(before, after) if each.breaks]
    assert [line for line in removed if "removed" in line] == [
        f"shop.client.{line}" for line in expected
    ]


def test_of_many_names_of_one_shape_none_is_proposed() -> None:
    many = "\n".join(f"class A{number}:\n b: int" for number in range(30))
    [removed] = [change for change in changes("class A:\n b: int", many) if change.breaks]
    assert removed.message == "removed"


def files(before: str, after: str) -> list[FileDifference]:
    texts = [text.encode() if text else None for text in (before, after)]
    return [FileDifference("shop/models.py", State.CHANGED, *texts)]


def test_a_class_with_another_name_is_one_line() -> None:
    lines = list(
        lost_names(
            files(
                "class A:\n b: int\nclass C:\n a: list[A]\n kind: Literal['A']",
                "class D:\n b: int\nclass C:\n a: list[D]\n kind: Literal['A']",
            )
        ).lines
    )
    assert lines == [
        "changed names of the package:",
        "  shop.models.A: removed, perhaps D now",
        "old names can stay for a while: see [tool.specwright.deprecated]",
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [("", "class A: ..."), ("class A: ...", "class A: ...\nclass B: ...")],
    ids=["a new package", "an addition"],
)
def test_nothing_is_lost_by_an_addition(before: str, after: str) -> None:
    assert list(lost_names(files(before, after)).lines) == []


def test_of_many_lost_names_the_first_are_shown() -> None:
    many = "\n".join(f"A{number} = {number}" for number in range(40))
    lines = list(lost_names(files(many, "B = 1")).lines)
    assert len(lines) == 33
    assert lines[-2] == "  and 10 more; `specwright review --base HEAD` lists them"


def module(name: str, before: str, after: str) -> FileDifference:
    return FileDifference(
        f"shop/{name}.py", State.CHANGED, before.encode() or None, after.encode() or None
    )


MODELS = "class A:\n b: int\nclass B:\n b: str"
PARAMS_A, PARAMS_B = "class A(TypedDict):\n b: int", "class B(TypedDict):\n b: str"
PARAMS = f"{PARAMS_A}\n{PARAMS_B}"
CALL = "def f(*, c: Sequence[models.A] | None=None): ..."
BESIDE = CALL.replace("models.A", "models.A | params.A")
DICTIONARIES = {
    "that are new": ([("client", CALL, BESIDE), ("params", "", PARAMS)], []),
    "with another key": (
        [
            ("models", MODELS, MODELS.replace("b: int", "c: int")),
            ("params", PARAMS, PARAMS.replace("b: int", "c: int")),
        ],
        ["shop.models.A.b: removed, perhaps c now"],
    ),
    "with a key that is no attribute": (
        [
            ("models", MODELS.replace("b: int", "b_: int"), MODELS.replace("b: int", "c: int")),
            ("params", PARAMS, PARAMS.replace("b: int", "c: int")),
        ],
        ["shop.models.A.b_: removed, perhaps c now"],
    ),
    "of models with another name": (
        [
            ("client", BESIDE, BESIDE.replace(".A", ".D")),
            ("models", MODELS, MODELS.replace("A:", "D:")),
            ("params", PARAMS, PARAMS.replace("A(", "D(")),
        ],
        ["shop.models.A: removed, perhaps D now"],
    ),
    "that no request reaches": (
        [("params", PARAMS, PARAMS_A)],
        ["shop.params.B: removed"],
    ),
    "of other models": (
        [
            ("client", BESIDE, BESIDE.replace(".A", ".B")),
            ("params", PARAMS_A, PARAMS_B),
        ],
        [
            "shop.params.A: removed",
            "shop.client.f: parameter 'c' Sequence[models.A] | None -> Sequence[models.B] | None",
        ],
    ),
}


@pytest.mark.parametrize(("modules", "expected"), DICTIONARIES.values(), ids=DICTIONARIES)
def test_typed_dictionaries_follow_their_models(
    modules: list[tuple[str, str, str]], expected: list[str]
) -> None:
    lost = lost_names(module(*each) for each in modules)
    assert [f"{change.name}: {change.message}" for change in lost.changes] == expected
