"""From a document to the files of a package."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from importlib.metadata import version

from specwright.check.findings import Level, Report
from specwright.check.lint.table import RULES
from specwright.check.run import check
from specwright.check.settings import Settings
from specwright.config import Options
from specwright.document.model import Document
from specwright.document.normalise import normalise
from specwright.document.upgrade import upgrade
from specwright.emit.fileset import FileSet
from specwright.emit.lock import Origin, digest, locked
from specwright.errors import SpecwrightError
from specwright.ir.build import build
from specwright.ir.model import Api, Names
from specwright.models.generate import ModelSource
from specwright.models.generate import generate as generate_models
from specwright.names import constant, pascal, snake
from specwright.render.renderer import Renderer
from specwright.render.templates import Templates, builtin_directory, template_names
from specwright.targets.package import render_package
from specwright.targets.scaffold import render_scaffold

TOOLS = ("specwright", "datamodel-code-generator", "ruff")
# What no package can be generated from. Everything else is for `specwright validate` to say.
_NEEDED = Settings(
    levels={rule.id: Level.OFF for rule in RULES if rule.recommended is not Level.ERROR}
)


class InvalidDocument(SpecwrightError):  # noqa: N818
    """The document breaks the specification; the report says where."""

    exit_code = 1

    def __init__(self, report: Report) -> None:
        super().__init__(f"{report.document}: nothing was generated from an invalid document")
        self.report = report


def generate(
    document: Document, options: Options, progress: Callable[[str], None] = lambda step: None
) -> FileSet:
    """Generate a package: the same files for the same arguments, whenever and wherever.

    Args:
        progress: is told the name of each step as it begins.

    Raises:
        InvalidDocument: the document is not what the OpenAPI Specification says.
        SpecwrightError: a package cannot be made of it, or a template fails.
    """
    api, models = _read(document, options, progress)
    progress("rendering templates")
    files = render_package(api, models.source, _renderer(options))
    return locked(files, _origin(document, api.names, options))


def scaffold(document: Document, options: Options) -> FileSet:
    """Make a first implementation of the server stub.

    Raises:
        InvalidDocument: the document is not what the OpenAPI Specification says.
        SpecwrightError: a template fails.
    """
    api, _ = _read(document, options, lambda step: None)
    return FileSet(render_scaffold(api, _renderer(options)))


def _read(
    document: Document, options: Options, progress: Callable[[str], None]
) -> tuple[Api, ModelSource]:
    progress("checking the document")
    report = check(document, _NEEDED)
    if report.has_errors:
        raise InvalidDocument(report)
    names = package_names(document, options)
    normal = normalise(upgrade(document))
    progress("generating models")
    models = generate_models(normal)
    return build(normal, models.index, names, short_names=options.short_method_names), models


def _renderer(options: Options) -> Renderer:
    return Renderer(Templates(builtin_directory(), options.templates))


def package_names(document: Document, options: Options) -> Names:
    """Return what everything is called: as configured, else after the title of the document."""
    package = options.package or _package(str(document.data["info"]["title"]))
    return Names(
        package=package,
        distribution=options.distribution or package.strip("_").replace("_", "-"),
        client=options.client_name or f"{pascal(package)}Client",
        env_prefix=options.env_prefix or constant(package),
    )


def _package(title: str) -> str:
    name = snake(title.encode("ascii", "ignore").decode())
    # A module of the standard library would be found in place of the package.
    return f"{name}_api" if name in sys.stdlib_module_names else name


def _origin(document: Document, names: Names, options: Options) -> Origin:
    own = options.templates
    return Origin(
        tools={tool: version(tool) for tool in TOOLS},
        document=_document_digest(document),
        options={
            "package": names.package,
            "distribution": names.distribution,
            "client-name": names.client,
            "env-prefix": names.env_prefix,
            "short-method-names": options.short_method_names,
        },
        templates={name: digest((own / name).read_bytes()) for name in template_names(own)}
        if own
        else {},
    )


def _document_digest(document: Document) -> str:
    """Hash the text of the document, and of the files that it refers to by their pointers."""
    hashed = hashlib.sha256(document.text.encode())
    for pointer, graft in sorted(document.grafts.items()):
        if graft.source is not document.source:
            hashed.update(f"\0{pointer}\0{graft.pointer}\0{graft.source.text}".encode())
    return hashed.hexdigest()
