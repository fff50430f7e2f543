"""Templates see text from a document only through filters, and their errors name the line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from specwright.errors import InputError
from specwright.ir.model.values import Default
from specwright.render.renderer import Renderer
from specwright.render.templates import MAX_OWN, Templates, builtin_directory
from specwright.text import Text
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY

TEXT = Text('"""\nimport os')
CONTRACT = IDEMPOTENCY.read(
    {
        IDEMPOTENCY.name: {
            "key": "/a~1b/c",
            "replay": {"status": 201, "header": "X", "value": "true"},
            "in_progress": {"status": 409, "code": "x"},
            "changed": {"status": 422, "code": "y"},
            "scope": ["partner"],
        }
    }
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


def test_an_error_in_a_template_of_ours_is_not_blamed_on_the_user() -> None:
    renderer = Renderer(Templates(builtin_directory(), None))
    with pytest.raises(UndefinedError):
        renderer.render("package/README.md.jinja", {})


def test_a_template_that_does_not_exist_is_named(render) -> None:
    with pytest.raises(
        InputError, match=r"own\.jinja:2:1: the template 'nowhere\.jinja' does not exist"
    ):
        render("\n{% include 'nowhere.jinja' %}\n")


SECRET = "kept in a file"


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ ''['__class__'] }}",
        "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
        "{{ self.__init__.__globals__ }}",
        "{{ range.__globals__ }}",
        "{{ loop.__init__ }}",
        "{{ [1] | map(attribute='__class__') | list }}",
        "{{ '{0.__class__}'.format(1) }}",
        "{{ '{0.__class__.__mro__}' | format(1) }}{{ ''.__class__ }}",
        "{{ ''.format_map.__self__.__class__ }}",
        "{% macro m() %}{% endmacro %}{{ m.__call__.__globals__ }}",
        "{{ (1).__class__.__base__.__subclasses__() }}",
        "{{ context.get_all() }}",
        "{{ api.__class__ }}",
        "{{ api.names.__init__.__globals__ }}",
    ],
)
def test_a_template_does_not_reach_the_interpreter(render, source: str) -> None:
    with pytest.raises(InputError) as caught:
        render(f"first line\n{source}\n", api=CONTRACT)
    assert caught.value.location is not None and caught.value.location.line == 2


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{{ range(10000000000) | list }}", "Range too big"),
        ("{{ range(10000000000) | length }}", "Range too big"),
        ("{{ 10 ** 10 ** 10 }}", "its result may be too large"),
        ("{{ 'a' * 10000000000 }}", "its result may be too large"),
        ("{{ 10000000000 * 'a' }}", "its result may be too large"),
        ("{{ [1] * 10000000000 }}", "its result may be too large"),
        ("{{ lipsum(n=1000000000) }}", "'lipsum' is undefined"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "recursion"),
    ],
)
def test_a_template_does_not_make_much_out_of_little(render, source: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        render(source)


def test_a_template_still_computes(render) -> None:
    assert render("{% set x = [] %}{{ x.append(1) or x | length * 3 + 2 % 2 - 1 }}") == "2"
    assert render("{% for i in range(3) %}{{ loop.index }}{% endfor %}") == "123"
    assert render("{{ '{:>3}'.format('a') }}{{ 'ab'.upper() }}") == "  aAB"


@pytest.mark.parametrize(
    "name", ["{top}/secret.jinja", "../secret.jinja", "builtin/../secret.jinja", "builtin/{top}/x",
             "a/../../secret.jinja", "//{top}/secret.jinja"],
)  # fmt: skip
@pytest.mark.parametrize("tag", ["include '{}'", "extends '{}'", "import '{}' as x"])
def test_a_template_reads_no_file_but_templates(
    render, tmp_path: Path, tag: str, name: str
) -> None:
    (tmp_path / "secret.jinja").write_text(SECRET)
    with pytest.raises(InputError, match="does not exist") as caught:
        render("{% " + tag.format(name.format(top=tmp_path)) + " %}")
    assert SECRET not in str(caught.value)


def made(own: Path, kind: str) -> str:
    """Put a file that is not a template into a directory of templates; return the error."""
    file = own / "package" / "x.jinja"
    file.parent.mkdir(parents=True)
    match kind:
        case "link":
            file.symlink_to(own.parent / "secret.jinja")
        case "linked directory":
            file.symlink_to(own.parent, target_is_directory=True)
        case "device":
            file.symlink_to("/dev/zero")
        case "pipe":
            os.mkfifo(file)
            return "x.jinja:1:1: cannot be read: is not a regular file"
        case "huge":
            file.touch()
            os.truncate(file, 10 * 1024**3)
            return "x.jinja:1:1: cannot be read: is larger than 1 MB"
        case "no text":
            file.write_bytes(b"\xff")
            return "x.jinja:1:1: not UTF-8 text"
        case "too many":
            for number in range(MAX_OWN + 1):
                (own / f"{number}.jinja").touch()
            return f"there are more than {MAX_OWN} files"
    return "x.jinja:1:1: is a symbolic link, which a template must not be"


@pytest.mark.skipif(os.name == "nt", reason="made of links, pipes and devices")
@pytest.mark.parametrize(
    "kind", ["link", "linked directory", "device", "pipe", "huge", "no text", "too many"]
)
def test_what_is_no_template_is_refused_unread(tmp_path: Path, kind: str) -> None:
    (tmp_path / "secret.jinja").write_text(SECRET)
    said = made(tmp_path / "own", kind)
    with pytest.raises(InputError) as caught:
        Renderer(Templates(builtin_directory(), tmp_path / "own"))
    assert said in str(caught.value) and SECRET not in str(caught.value)


def test_the_built_in_templates_are_found() -> None:
    assert (builtin_directory() / "package" / "__init__.py.jinja").is_file()
