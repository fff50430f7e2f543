"""The code of the built-in templates, compiled when the toolkit is built.

`hatch_build.py` loads this file by its path, where nothing but Jinja is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha1
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

import jinja2
from jinja2.nodes import Impossible
from jinja2.sandbox import SandboxedEnvironment

_DIRECTORY = "compiled_templates"


class TemplateEnvironment(SandboxedEnvironment):
    """An environment with all that the code of a template depends on."""

    # These make much out of little.
    intercepted_binops = frozenset({"*", "**"})

    def __init__(
        self,
        finalize: Callable[[object], object],
        loader: jinja2.BaseLoader | None = None,
        undefined: type[jinja2.Undefined] = jinja2.Undefined,
        bytecode_cache: jinja2.BytecodeCache | None = None,
    ) -> None:
        super().__init__(
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            auto_reload=False,
            finalize=finalize,
            loader=loader,
            undefined=undefined,
            bytecode_cache=bytecode_cache,
        )


def _constant(value: object) -> object:
    """Return a text; leave other constants to the check when a template is rendered."""
    if isinstance(value, str):
        return value
    raise Impossible


def _unknown(*_: object) -> object:
    """Leave a constant to the filter that is called with it when a template is rendered."""
    raise Impossible


class _Filters(dict[str, Any]):
    """The filters of Jinja, and any other, which is known only when a template is rendered."""

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name, _unknown)


def compile_templates(templates: Path, build: Path) -> Path:
    """Compile the templates of a directory; return the directory with their code.

    The files are named by the digest of their template: the code of an edited one is not found.

    Args:
        build: where the directory is made.
    """
    environment = TemplateEnvironment(_constant)
    environment.filters = _Filters(environment.filters)
    directory = build / _DIRECTORY
    for former in directory.rglob("*.py"):
        former.unlink()
    for file in templates.rglob("*.jinja"):
        source = file.read_text("utf-8")
        target = directory / _name(sha1(source.encode()).hexdigest())
        target.parent.mkdir(parents=True, exist_ok=True)
        name = file.relative_to(templates).as_posix()
        target.write_text(environment.compile(source, name, name, raw=True), "utf-8")
    return directory


def code_of(checksum: str) -> CodeType | None:
    """Return the code of the template with a checksum of Jinja; None if it was not compiled."""
    file = _directory() / _name(checksum)
    return SourceFileLoader(checksum, str(file)).get_code(checksum) if file.is_file() else None


def _name(checksum: str) -> Path:
    # Code of another release of Jinja may not run in this one.
    return Path(f"jinja-{jinja2.__version__}", f"{checksum}.py")


@cache
def _directory() -> Path:
    """Return the directory in a wheel, or else in the source tree of an editable installation."""
    package = Path(__file__).resolve().parents[1]
    wheel = package / _DIRECTORY
    return wheel if wheel.is_dir() else package.parents[1] / "build" / _DIRECTORY
