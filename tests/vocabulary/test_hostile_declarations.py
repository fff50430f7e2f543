"""No text of a declaration gets into a template other than as `Text`."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest

from specwright.errors import InputError
from specwright.render.renderer import Renderer
from specwright.render.templates import Templates
from specwright.text import Text
from specwright.vocabulary.keyword import Keyword
from specwright.vocabulary.shape import shape
from specwright.vocabulary.table import KEYWORDS
from specwright.vocabulary.types import Choice

EVIL = '"""+evil()+"""\n#{{ evil }}'


def filled(schema: Any, plain: Any = 1) -> Any:
    """A value with every member that the schema knows, and the text wherever any text may be.

    `plain` stands in place of numbers and truth values.
    """
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
    match kind:
        case "string":
            return EVIL
        case "integer" | "boolean":
            return plain
        case "array":
            return [filled(schema["items"], plain)]
        case _ if "properties" in schema:
            return {name: filled(each, plain) for name, each in schema["properties"].items()}
    return {EVIL: filled(schema["additionalProperties"], plain)}


def leaves(value: Any, path: str = "it") -> Iterator[tuple[str, Any]]:
    """Everything that a template can reach in a declaration, and how it does that."""
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from leaves(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from leaves(item, f"{path}[{index}]")
    elif isinstance(value, dict):
        for index, (name, member) in enumerate(value.items()):
            yield f"({path}.keys() | list)[{index}]", name
            yield from leaves(member, f"({path}.values() | list)[{index}]")
    else:
        yield path, value


@pytest.fixture(params=KEYWORDS, ids=lambda each: f"{each.attribute} of {each.places[0]}")
def keyword(request: pytest.FixtureRequest) -> Keyword[Any]:
    found: Keyword[Any] = request.param
    return found


def test_text_is_written_by_filters_only(keyword: Keyword[Any], tmp_path: Path) -> None:
    def render(source: str) -> str:
        (tmp_path / "own.jinja").write_text(source)
        return Renderer(Templates(tmp_path, tmp_path)).render("own.jinja", {"it": declared})

    declared = keyword.read({keyword.name: filled(keyword.schema())})
    for path, leaf in leaves(declared):
        assert isinstance(leaf, Text | Choice | int), path
        if isinstance(leaf, Text):
            with pytest.raises(InputError):
                render(f"{{{{ {path} }}}}")
            assert ast.literal_eval(render(f"{{{{ {path} | literal }}}}")) == EVIL


def test_text_is_neither_a_number_nor_true_or_false(keyword: Keyword[Any]) -> None:
    try:
        declared = keyword.read({keyword.name: filled(keyword.schema(), plain=EVIL)})
    except ValueError:
        return
    assert all(isinstance(leaf, Text | Choice | int) for _, leaf in leaves(declared))


@pytest.mark.parametrize("hint", [str, Annotated[str, "A name."], tuple[str, ...], object])
def test_a_member_that_would_let_text_through_has_no_shape(hint: object) -> None:
    with pytest.raises(TypeError):
        shape(hint)
