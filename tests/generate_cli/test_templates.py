"""`specwright templates` starts overrides and says when the built-in ones have moved on."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from specwright.errors import InputError
from specwright.render.overrides import Basis, Override, blocks, copied, overrides
from specwright.render.renderer import Renderer
from specwright.render.templates import Templates

SOURCE = """top
{% block a %}A{% block inner %}I{% endblock %}{% endblock a %}
{%- block b %}B{% endblock -%}
"""


@pytest.fixture
def templates(tmp_path: Path) -> Templates:
    for name in ("builtin", "own"):
        (tmp_path / name).mkdir()
    (tmp_path / "builtin" / "x.jinja").write_text(SOURCE)
    return Templates(tmp_path / "builtin", tmp_path / "own")


def override(templates: Templates, *chosen: str) -> Path:
    assert templates.user is not None
    (templates.user / "x.jinja").write_text(copied(templates, "x.jinja", chosen))
    return templates.user / "x.jinja"


def next_version(templates: Templates, source: str | None) -> Templates:
    """Return the same overrides for an installation whose template has another source."""
    builtin = Path(tempfile.mkdtemp(dir=templates.builtin.parent))
    if source is not None:
        (builtin / "x.jinja").write_text(source)
    return Templates(builtin, templates.user)


def test_blocks_are_found_with_the_blocks_inside_them() -> None:
    assert blocks(SOURCE) == {
        "a": "{% block a %}A{% block inner %}I{% endblock %}{% endblock a %}",
        "inner": "{% block inner %}I{% endblock %}",
        "b": "{%- block b %}B{% endblock -%}",
    }


@pytest.mark.parametrize("chosen", [(), ("a",), ("inner", "b"), ("inner", "a"), ("b", "b")])
def test_a_fresh_copy_gives_what_the_built_in_template_gives(
    templates: Templates, chosen: tuple[str, ...]
) -> None:
    before = Renderer(Templates(templates.builtin)).render("x.jinja", {})
    override(templates, *chosen)
    assert Renderer(templates).render("x.jinja", {}) == before


def test_only_an_override_of_what_has_changed_is_reported(templates: Templates) -> None:
    override(templates, "inner", "b")
    assert list(overrides(next_version(templates, SOURCE.replace("B", "better")))) == [
        Override("x.jinja", "inner", Basis.CURRENT),
        Override("x.jinja", "b", Basis.OLDER),
    ]


def test_a_copy_of_a_whole_template_is_outdated_by_any_change(templates: Templates) -> None:
    override(templates)
    assert [each.basis for each in overrides(templates)] == [Basis.CURRENT]
    changed = next_version(templates, SOURCE + "more")
    assert [each.basis for each in overrides(changed)] == [Basis.OLDER]
    removed = next_version(templates, None)
    assert [each.basis for each in overrides(removed)] == [Basis.GONE]


def test_an_override_without_a_note_is_named(templates: Templates) -> None:
    assert templates.user is not None
    (templates.user / "x.jinja").write_text("mine")
    (templates.user / "macros.jinja").write_text("not an override")
    assert list(overrides(templates)) == [Override("x.jinja", None, Basis.UNKNOWN)]


def test_what_does_not_exist_cannot_be_copied(templates: Templates) -> None:
    with pytest.raises(InputError, match=r"the built-in template 'y\.jinja'"):
        copied(templates, "y.jinja", ())
    with pytest.raises(InputError, match="has no block 'z'") as caught:
        copied(templates, "x.jinja", ("z",))
    assert caught.value.hint == "it has a, inner, b"


def test_the_commands_work_together(specwright, tmp_path: Path) -> None:
    listed = specwright("templates", "list", cwd=tmp_path)
    names = "title, install, client, webhooks, server, license"
    assert f"package/README.md.jinja: {names}\n" in listed.stdout
    copy = ("templates", "copy", "package/README.md.jinja", "--block", "install")
    written = specwright(*copy, cwd=tmp_path)
    assert written.stdout == "templates/package/README.md.jinja: written\n"
    refused = specwright(*copy, cwd=tmp_path)
    assert refused.returncode == 2 and "exists" in refused.stderr
    status = specwright("templates", "status", "--templates", "templates", cwd=tmp_path)
    assert status.stdout == "package/README.md.jinja block install: current\n"
    assert status.returncode == 0
    file = tmp_path / "templates" / "package" / "README.md.jinja"
    note, rest = file.read_text().split("\n", 1)
    file.write_text(note[:-5] + ("0" if note[-5] != "0" else "1") + " #}\n" + rest)
    status = specwright("templates", "status", "--templates", "templates", cwd=tmp_path)
    assert "based on an older built-in template" in status.stdout
    assert status.returncode == 1
