"""A first implementation of the server stub: files that are written once."""

from __future__ import annotations

from specwright.ir.model.api import Api
from specwright.render.formatting import format_sources, verify
from specwright.render.renderer import Renderer

_GROUP = "server/scaffold_group.py.jinja"
_APP = "server/scaffold_app.py.jinja"


def render_scaffold(api: Api, renderer: Renderer) -> dict[str, bytes]:
    """Return a module for each group of operations and one that joins them, by file name.

    Raises:
        SpecwrightError: a template fails, or its output is not Python.
    """
    sources = {
        f"{group.module}.py": renderer.render(_GROUP, {"api": api, "group": group})
        for group in api.groups
    }
    sources["app.py"] = renderer.render(_APP, {"api": api})
    files = {"__init__.py": "", **format_sources(sources)}
    for path, source in files.items():
        verify(path, source)
    return {path: source.encode() for path, source in files.items()}
