"""Templates see text from a document only through filters, and their errors name the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from specwright.document.contract import Answer, Idempotency, Replay
from specwright.errors import InputError
from specwright.ir.model import Default
from specwright.render.renderer import Renderer
from specwright.render.templates import Templates, builtin_directory
from specwright.text import Text

TEXT = Text('"""\nimport os')
CONTRACT = Idempotency(
    "/a~1b/c", Replay(201, "X", "true"), Answer(409, "x"), Answer(422, "y"), ("partner",)
)


@pytest.fixture
def render(tmp_path: Path):
    builtin, user = tmp_path / "builtin", tmp_path / "user"

    def render(source: str, **context: object) -> str:
        for directory in (builtin, user):
            directory.mkdir(exist_ok=True)
        (builtin / "base.jinja").write_text(
            "{% block a %}1{% endblock %}{% block b %}2{% endblock %}"
        )
        (user / "own.jinja").write_text(source)
        return Renderer(Templates(builtin, user)).render("own.jinja", context)

    return render


@pytest.mark.parametrize(
    "source",
    [
        "{{ text }}",
        "{{ text ~ 'x' }}",
        "{{ 'x' ~ text }}",
        "{{ text.raw }}",
        "{{ text['raw'] }}",
        "{{ [text] | join }}",
        "{{ [text] | map(attribute='raw') | join }}",
        "{{ text | upper }}",
        "{{ text | string }}",
        "{{ '%s' | format(text) }}",
        "{{ text | replace('a', 'b') }}",
        "{{ default.value }}",
        "{{ default.value ~ '' }}",
        "{{ default['value'] }}",
        "{{ [default] | map(attribute='value') | join }}",
        "{{ contract.key }}",
        "{{ contract.replay.header }}",
        "{{ contract.scope | join }}",
        "{{ text | attr('raw') }}",
        "{{ none }}",
        "{{ true }}",
        "{{ [1] }}",
        "{{ missing }}",
        "{{ contract.missing }}",
    ],
)
def test_what_is_not_quoted_is_refused_with_the_line_of_the_template(render, source: str) -> None:
    with pytest.raises(InputError) as caught:
        render(f"first line\n{source}\n", text=TEXT, contract=CONTRACT, default=Default("x"))
    assert caught.value.location is not None
    assert caught.value.location.file.endswith("own.jinja")
    assert caught.value.location.line == 2


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{ text | literal }}", r'"\"\"\"\nimport os"'),
        ("{{ default.value | literal }}", '{"k": ["v"]}'),
        ("{{ contract.key | tokens | literal }}", '("a/b", "c")'),
        ("{{ contract.replay.header | literal }}{{ contract.replay.status }}", '"X"201'),
        ("{{ contract.scope | literal }}", '("partner",)'),
        ("{% if text == same %}same{% endif %}", "same"),
        ("{{ 'name' }}{{ 5 }}", "name5"),
    ],
)
def test_quoted_values_are_written(render, source: str, expected: str) -> None:
    context = {"text": TEXT, "same": Text(TEXT.raw), "contract": CONTRACT}
    assert render(source, default=Default({"k": ["v"]}), **context) == expected


def test_a_template_of_the_user_overrides_one_block(render) -> None:
    source = '{% extends "builtin/base.jinja" %}{% block b %}mine{% endblock %}'
    assert render(source) == "1mine"


def test_a_syntax_error_names_file_and_line(render) -> None:
    with pytest.raises(InputError, match=r"own\.jinja:3:1: template error"):
        render("\n\n{% if %}\n")


def test_a_template_that_does_not_exist_is_named(render) -> None:
    with pytest.raises(InputError, match=r"own\.jinja:2:1: there is no template 'nowhere\.jinja'"):
        render("\n{% include 'nowhere.jinja' %}\n")


def test_names_do_not_lead_out_of_the_directories(tmp_path: Path) -> None:
    (tmp_path / "secret.jinja").write_text("x")
    (tmp_path / "t").mkdir()
    assert Templates(tmp_path / "t").builtin_source("../secret.jinja") is None


def test_the_built_in_templates_are_found() -> None:
    assert (builtin_directory() / "package" / "__init__.py.jinja").is_file()
