"""Compile the built-in templates while a wheel is built."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledTemplates(BuildHookInterface[Any]):
    """Compiles the templates; an editable installation finds their code below `build`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        source = root / "generator" / "specwright" / "render" / "compiled.py"
        compile_templates = runpy.run_path(str(source))["compile_templates"]
        directory = compile_templates(root / "templates", root / "build")
        if version != "editable":
            build_data["force_include"][str(directory)] = f"specwright/{directory.name}"
