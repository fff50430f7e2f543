"""Each built-in template has blocks, and an override of one changes its part of the file only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specwright.config import PackageOptions
from specwright.document.directions import split_directions
from specwright.document.normalise import normalise
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.ir.build import build, with_examples
from specwright.ir.model import api as api_model
from specwright.ir.model.api import Api
from specwright.ir.model.operations import OperationDefinition
from specwright.models.declarations import Declarations
from specwright.models.generate import generate
from specwright.models.listing import with_listing
from specwright.pipeline import package_names
from specwright.render.overrides import blocks
from specwright.render.package import ARTIFACTS, shared_values
from specwright.render.renderer import Renderer
from specwright.render.templates import Templates, builtin_directory
from tests.conftest import ROOT

BUILTIN = Templates(builtin_directory())
MACROS = "_macros/"
TEMPLATES = [name for name in BUILTIN.builtin_names() if not name.startswith(MACROS)]
BLOCKS = {name: tuple(blocks(BUILTIN.builtin_source(name) or "")) for name in TEMPLATES}
BEGIN, END = "⟦", "⟧"


@pytest.fixture(scope="module")
def api() -> Api:
    document = split_directions(normalise(upgrade(load(ROOT / "spec" / "openapi.json"))))
    models = generate(document)
    names = package_names(document, PackageOptions())
    built = with_examples(document, build(document, models.index, names, short_names=False))
    return with_listing(built, Declarations(models.source))


def contexts(template: str, api: Api) -> Iterator[Mapping[str, object]]:
    """The values of a template, for each file that it makes."""
    shared = shared_values(api)
    found = [artifact.values for artifact in ARTIFACTS if artifact.template == template]
    for values in found or [{"group": max(api.groups, key=lambda each: len(each.operations))}]:
        yield {**shared, **values}


def override(directory: Path, template: str, text: str) -> Renderer:
    file = directory / template
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    made = Renderer(Templates(BUILTIN.builtin, directory))
    made.check_names()
    return made


def operations(values: Mapping[str, Any]) -> Sequence[OperationDefinition]:
    """The operations of a file: those of its group, or all."""
    found: Sequence[OperationDefinition] = values.get("group", values["api"]).operations
    return found


def test_every_template_has_blocks() -> None:
    assert all(BLOCKS.values()), BLOCKS


@pytest.mark.parametrize(
    ("template", "block"),
    [(template, block) for template, found in BLOCKS.items() for block in found],
)
def test_an_override_of_a_block_changes_nothing_else(
    api: Api, tmp_path: Path, template: str, block: str
) -> None:
    marked = f"{{% block {block} %}}{BEGIN}{{{{ super() }}}}{END}{{% endblock %}}"
    own = override(tmp_path, template, f'{{% extends "builtin/{template}" %}}{marked}')
    for values in contexts(template, api):
        before = Renderer(BUILTIN).render(template, values)
        after = own.render(template, values)
        assert after.count(BEGIN) == (len(operations(values)) if block == "method" else 1)
        assert after.replace(BEGIN, "").replace(END, "") == before


def test_the_blocks_of_a_client_see_its_operation(api: Api, tmp_path: Path) -> None:
    template = "client/client.py.jinja"
    lines = [
        "{% block " + name + " %}<" + name + " {{ operation.method_name }}>{% endblock %}"
        for name in ("method", "follow", "wait")
    ]
    own = override(tmp_path, template, f'{{% extends "builtin/{template}" %}}{"".join(lines)}')
    made = own.render(template, next(contexts(template, api)))
    assert all(f"<method {operation.method_name}>" in made for operation in api.operations)
    assert "<follow list_events>" in made and "<wait get_order>" in made


def test_macros_are_overridden_by_a_file_of_their_name(api: Api, tmp_path: Path) -> None:
    page = ROOT / "docs" / "how-to" / "override-templates.md"
    (text,) = re.findall(r"^```jinja\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    own = override(tmp_path, f"{MACROS}server.jinja", text)
    template = "server/server.py.jinja"
    values = next(contexts(template, api))
    made = own.render(template, values)
    assert '"""Serve /orders/{order_id}."""' in made
    assert "async def get_order(" in made
    unaffected = "client/client.py.jinja"
    values = next(contexts(unaffected, api))
    assert own.render(unaffected, values) == Renderer(BUILTIN).render(unaffected, values)


def test_what_operations_share_is_collected_once(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    # Each time compares all operations with each other: 20 s of CPU for 659 of them.
    different = api_model._different
    calls: list[object] = []

    def counted(values: Iterable[tuple[object, ...]]) -> tuple[tuple[object, ...], ...]:
        calls.append(values)
        return different(values)

    monkeypatch.setattr(api_model, "_different", counted)
    Renderer(BUILTIN).render("package/_operations.py.jinja", shared_values(replace(api)))
    # Failures and securities.
    assert len(calls) == 2
