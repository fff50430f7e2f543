"""A user's template or block that nothing uses is reported, with the nearest known name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specwright.errors import InputError
from specwright.render.renderer import Renderer
from specwright.render.templates import Templates

BUILTIN = {
    "page.jinja": "{% block head %}{% block title %}{% endblock %}{% endblock %}"
    "{% block foot %}{% endblock %}",
    "part/macros.jinja": "{% macro m() %}{% endmacro %}",
}
EXTENDS = '{% extends "builtin/page.jinja" %}'
FOOT = "{% block foot %}{% endblock %}"
HEAD_WITH_Y = "{% block head %}{% block y %}{% endblock %}{% endblock %}"
Check = Callable[..., None]


@pytest.fixture
def check(tmp_path: Path) -> Check:
    def write(directory: Path, files: dict[str, str]) -> None:
        for name, text in files.items():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            (directory / name).write_text(text)

    def check(**own: str) -> None:
        write(tmp_path / "builtin", BUILTIN)
        write(tmp_path / "own", {name.replace("__", "/"): text for name, text in own.items()})
        Renderer(Templates(tmp_path / "builtin", tmp_path / "own")).check_names()

    return check


@pytest.mark.parametrize(
    ("own", "message", "hint"),
    [
        (
            {"pages.jinja": ""},
            "pages.jinja:1:1: 'pages.jinja' is not",
            "did you mean 'page.jinja'?",
        ),
        ({"page.jinj": ""}, "page.jinj:1:1: 'page.jinj' is not", "did you mean 'page.jinja'?"),
        (
            {"part__macro.jinja": ""},
            "part/macro.jinja:1:1: 'part/macro.jinja' is not",
            "did you mean 'part/macros.jinja'",
        ),
        (
            {"README.md": ""},
            "README.md:1:1: 'README.md' is not",
            "move files that are not templates",
        ),
        ({"one": "{% include 'two' %}", "two": ""}, "one:1:1: 'one' is not", "move files"),
        (
            {"page.jinja": f"{EXTENDS}\n{{% block heat %}}{{% endblock %}}"},
            "page.jinja:2:1: the template that this one extends has no block 'heat'",
            "did you mean 'head'?",
        ),
        (
            {"page.jinja": f"{EXTENDS}{{% block x %}}{{% endblock %}}"},
            "page.jinja:1:1: the template",
            "it has foot, head, title",
        ),
        (
            {
                "page.jinja": "{% extends 'mine.jinja' %}\n{% block z %}{% endblock %}",
                "mine.jinja": EXTENDS + HEAD_WITH_Y,
            },
            "page.jinja:2:1: the template",
            "it has foot, head, title, y",
        ),
    ],
)
def test_a_slip_is_named_with_its_place_and_the_nearest(
    check: Check, own: dict[str, str], message: str, hint: str
) -> None:
    with pytest.raises(InputError) as caught:
        check(**own)
    assert message in str(caught.value)
    assert caught.value.hint is not None and hint in caught.value.hint


@pytest.mark.parametrize(
    "own",
    [
        {"page.jinja": f"{EXTENDS}{{% block title %}}{{% endblock %}}"},
        {"page.jinja": EXTENDS + HEAD_WITH_Y},
        {"page.jinja": "{% block any %}{% endblock %}"},
        {"part__macros.jinja": ""},
        {"page.jinja": "{% include 'x.txt' %}", "x.txt": "{% import 'y' as y %}", "y": ""},
        {"page.jinja": "{% from 'x' import a %}", "x": ""},
        {"page.jinja": "{% include ['gone', 'x'] ignore missing %}", "x": ""},
        {"page.jinja": "{% include 'x' ~ 1 %}", "x1": ""},
        {"page.jinja": "{% extends 'x' ~ 1 %}{% block any %}{% endblock %}", "x1": ""},
        {
            "page.jinja": "{% extends 'x' %}{% block y %}{% endblock %}" + FOOT,
            "x": EXTENDS + HEAD_WITH_Y,
        },
        {".hidden": "", "page.jinja~": "", "part__.x.swp": ""},
    ],
    ids=lambda own: " ".join(own),
)  # fmt: skip
def test_what_is_asked_for_passes(check: Check, own: dict[str, str]) -> None:
    check(**own)


def test_templates_that_extend_each_other_end(check: Check) -> None:
    check(**{"page.jinja": "{% extends 'x' %}", "x": "{% extends 'page.jinja' %}"})


def test_a_template_that_is_none_is_named(check: Check) -> None:
    with pytest.raises(InputError, match=r"page\.jinja:2:1: template error"):
        check(**{"page.jinja": "\n{% if %}"})
    with pytest.raises(InputError, match=r"page\.jinja:1:1: template error"):
        check(**{"page.jinja": "{{ " + "(" * 100_000})
