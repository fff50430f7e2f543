"""Text from a document stays inside the literal, docstring or comment it is written to."""

from __future__ import annotations

import ast
import io
import tokenize
import tomllib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from specwright.render import quoting
from specwright.text import Text

ANY_TEXT = st.text(st.characters())  # lone surrogates included
SHARP = st.text(st.sampled_from("\"'\\\n\r\t `#{}%:=\0\x0c\x85\u2028\u202e\ud800éa1codingnqa"))
HOSTILE = ANY_TEXT | SHARP
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | HOSTILE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(HOSTILE, inner, max_size=4),
    max_leaves=12,
)


@given(HOSTILE)
@example('"""')
@example("a\\")
@example("\u2028\u202e\x00")
def test_a_literal_evaluates_to_the_text(text: str) -> None:
    written = quoting.literal(Text(text))
    assert ast.literal_eval(written) == text
    assert written.isascii() and "\n" not in written and "\r" not in written


@given(JSON)
def test_a_literal_evaluates_to_the_json_value(value: object) -> None:
    assert ast.literal_eval(quoting.literal(value)) == value


def test_a_literal_writes_tuples_and_refuses_what_is_not_json() -> None:
    assert quoting.literal(()) == "()"
    assert quoting.literal((Text("a"),)) == '("a",)'
    for value in (float("nan"), float("inf"), object(), b"x"):
        with pytest.raises(TypeError):
            quoting.literal(value)


@given(HOSTILE, HOSTILE)
@example('""', '"')
@example('ends with "', "")
@example("ends with \\", "")
@example("\\", '"""; import os')
def test_docstrings_hold_any_text_and_nothing_leaves_them(first: str, second: str) -> None:
    body = f"{quoting.docstring(Text(first))}\n\n    {quoting.docstring(Text(second))}"
    source = f'def f():\n    """{body}"""\n    return 1\n'
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    doc, rest = function.body
    assert isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant)
    assert isinstance(rest, ast.Return)
    assert isinstance(doc.value.value, str)
    assert doc.value.value == doc.value.value.translate(
        dict.fromkeys((0, 27, 133, 8232, 8233, 8238, 8294, 8207))
    )
    source.encode()


@given(HOSTILE)
@example("coding: utf-7\n+AGkAbQBwAG8AcgB0")
@example("# noqa\ntype: ignore\nnoqa")
def test_comments_hold_any_text_and_say_nothing_to_tools(text: str) -> None:
    source = f"{quoting.comment(Text(text))}\nx = 1\n"
    assert ast.dump(ast.parse(source.encode())) == ast.dump(ast.parse("x = 1\n"))
    tokens = [
        token.string
        for token in tokenize.tokenize(io.BytesIO(source.encode()).readline)
        if token.type == tokenize.COMMENT
    ]
    for comment in tokens:
        assert not comment.lstrip("# ").lower().startswith(("noqa", "type:", "mypy:", "fmt:"))
        assert "# noqa" not in comment


def test_a_comment_cannot_choose_the_encoding_of_the_file() -> None:
    source = quoting.comment(Text("-*- coding: utf-7 -*-")).encode() + b"\nx = '+AGE-'\n"
    assert tokenize.detect_encoding(io.BytesIO(source).readline)[0] == "utf-8"


@given(HOSTILE)
def test_toml_strings_hold_any_text(text: str) -> None:
    read = tomllib.loads(f"x = {quoting.toml(Text(text))}\n")["x"]
    assert read == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@given(HOSTILE)
def test_markdown_is_one_line_without_markup(text: str) -> None:
    written = quoting.markdown(Text(text))
    assert len(written.splitlines()) <= 1
    for mark in "<[`*#":
        assert written.count(mark) == written.count("\\" + mark)


def test_identifiers_pass_and_nothing_else_does() -> None:
    assert quoting.identifier("order_id") == "order_id"
    for name in ("class", "", "a b", "1a", "a;b"):
        with pytest.raises(ValueError, match="identifier"):
            quoting.identifier(name)


def test_paragraphs_are_wrapped_and_lists_and_code_keep_their_shape() -> None:
    text = "one two three four five\n\n- a list item that is long\n- two\n\n```\nkept   as is\n```"
    assert quoting.docstring(text, indent=4, width=26).split("\n") == [
        "one two three four",
        "    five",
        "",
        "    - a list item that is",
        "      long",
        "    - two",
        "",
        "    ```",
        "    kept   as is",
        "    ```",
    ]
