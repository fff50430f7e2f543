"""The tree of exceptions in the documentation of the client runtime."""

from __future__ import annotations

import re

from specwright.runtime.client import errors

_LINE = re.compile(r"(?P<indent>[ │├└─]*)(?P<name>\w+)(?: \(also (?P<also>\w+)\))?")


def test_the_documented_tree_is_the_tree_of_classes() -> None:
    written: dict[str, tuple[str, ...]] = {}
    parents: list[str] = []
    assert errors.__doc__ is not None
    for line in errors.__doc__.split("\n\n")[1].splitlines():
        match = _LINE.fullmatch(line)
        assert match is not None, line
        depth = len(match["indent"]) // 4 - 1
        base = () if depth == 0 else (parents[depth - 1],)
        also = () if match["also"] is None else (match["also"],)
        written[match["name"]] = (*base, *also)
        parents[depth:] = [match["name"]]

    classes = {
        name: tuple(base.__name__ for base in kind.__bases__ if base.__name__ != "PicklableError")
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.ApiError)
    }
    assert written == classes
