"""The pipeline from a document to the files of a package."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from importlib.metadata import version
from urllib.parse import urlsplit, urlunsplit

from specwright.check.checks import INCOMPLETE, LEFT_OUT, Examination, examine
from specwright.check.lint.rule import Category
from specwright.check.lint.table import RULES
from specwright.check.repair.names import TOLD_APART, rename
from specwright.check.repair.repair import repair
from specwright.check.repair.variables import DESCRIBED
from specwright.config import PackageOptions, Renames
from specwright.culprits import Culprit, is_failure, without_culprits
from specwright.document.directions import split_directions
from specwright.document.model import Document, is_remote
from specwright.document.normalise import normalise
from specwright.document.operations.files import with_texts_for_files
from specwright.document.operations.naming import package_name
from specwright.document.operations.pagination import with_pagination
from specwright.document.operations.sites import Direction, operations
from specwright.document.operations.usage import OperationUsage
from specwright.document.schemas.inheritance import compose
from specwright.document.sources.upgrade import upgrade
from specwright.document.tagging import tag_alternatives
from specwright.emit.fileset import FileSet
from specwright.emit.manifest import Origin, PackageContents, digest, locked
from specwright.errors import SpecwrightError
from specwright.findings import Finding, Level, Report, in_order
from specwright.internal_errors import INTERNAL_ERROR, bug_report
from specwright.ir.build import build, with_examples
from specwright.ir.index import ModelIndex
from specwright.ir.model.api import Api, PackageNames
from specwright.json_values import mapping
from specwright.models.declarations import Declarations
from specwright.models.generate import ModelSource
from specwright.models.generate import generate as generate_models
from specwright.models.listing import with_listing
from specwright.models.outline import outline
from specwright.models.params import with_params
from specwright.names import constant, pascal
from specwright.policy import Settings
from specwright.reference.options import ReferenceOptions
from specwright.render.package import render_package, render_runtime, templates_of_package
from specwright.render.renderer import Renderer
from specwright.render.scaffold import render_scaffold
from specwright.render.templates import Templates, builtin_directory
from specwright.text import Text

TOOLS = ("specwright", "datamodel-code-generator", "ruff")
# Only rules about errors that prevent a package and about parts that it leaves out apply. All
# others are left to `specwright validate`.
_NEEDED = {
    rule.id: Level.OFF
    for rule in RULES
    if rule.recommended is not Level.ERROR
    and rule.category is not Category.UNSUPPORTED
    and rule.id not in TOLD_APART
}
_LEFT_OUT = {rule.id for rule in RULES if rule.category is Category.UNSUPPORTED} | {
    LEFT_OUT.id,
    INTERNAL_ERROR.id,
}
# What they report is generated otherwise than the document says.
_REPAIRED = TOLD_APART | DESCRIBED
# Without a valid declaration, generated code would not follow the document.
_DECISIVE = {rule.id for rule in RULES if rule.category is Category.CONTRACT}
BeginModels = Callable[[Document], Callable[[], ModelSource]]


class InvalidDocument(SpecwrightError):  # noqa: N818
    """A document that breaks the specification; the report has the places."""

    exit_code = 1

    def __init__(self, report: Report) -> None:
        super().__init__(f"{report.document}: nothing was generated from an invalid document")
        self.report = report


def at_once(document: Document) -> Callable[[], ModelSource]:
    """Generate the models at once, in this process."""
    models = generate_models(document)
    return lambda: models


def needed(options: PackageOptions) -> Settings:
    """Return the settings of the checks that a document must pass to become a package."""
    return Settings(
        levels=_NEEDED, short_method_names=options.short_method_names, names=options.names
    )


def generate(
    document: Document,
    options: PackageOptions,
    *,
    examination: Examination | None = None,
    lint: Settings = Settings(),  # noqa: B008 (it never changes)
    progress: Callable[[str], None] = lambda step: None,
    tell: Callable[[Report], None] = lambda report: None,
    begin_models: BeginModels = at_once,
) -> FileSet:
    """Generate a package; the same arguments always give the same files.

    Parts that break the specification are left out, and the rest is generated.

    Args:
        examination: an examination of the upgraded document, so that the rules need not be applied
            again.
        lint: decides which findings the project accepts, and which prevent generation.
        progress: called with the name of each step as it begins.
        tell: called with a report of violations of the specification, if there are any.
        begin_models: takes the document and returns a function that returns its models, so that
            another process may make them.

    Raises:
        InvalidDocument: the document has findings that the project does not allow, or invalid
            `x-contract-` declarations.
        SpecwrightError: no package can be made of it, or a template fails.
    """
    progress("checking the document")
    document = with_pagination(document, options.pagination)
    renderer = _renderer(options)

    def files_of(prepared: _Prepared, begin_models: BeginModels) -> Mapping[str, bytes]:
        progress("generating models")
        models_of = begin_models(prepared.normal)
        renderer.compile(templates_of_package())
        runtime = render_runtime(prepared.names.package)
        models = models_of()
        progress("rendering templates")
        api = with_examples(prepared.normal, prepared.api(models.index, options))
        declared = Declarations(models.source)
        api = with_listing(with_params(api, declared), declared)
        rendered = render_package(api, models.source, renderer, options.deprecated)
        return {**rendered, **runtime}

    prepared = _prepared(document, options, lint, tell, examination)
    prepared, files = _made(prepared, tell, begin_models, files_of)
    return locked(files, _origin(document, prepared.contents, prepared.names, options))


def scaffold(
    document: Document,
    options: PackageOptions,
    *,
    lint: Settings = Settings(),  # noqa: B008 (it never changes)
    tell: Callable[[Report], None] = lambda report: None,
    begin_models: BeginModels = at_once,
) -> FileSet:
    """Generate a first implementation of the server stub.

    Args:
        lint: as for `generate`.
        tell: as for `generate`.
        begin_models: as for `generate`.

    Raises:
        InvalidDocument: as for `generate`.
        SpecwrightError: a template fails.
    """
    renderer = _renderer(options)

    def files_of(prepared: _Prepared, begin_models: BeginModels) -> Mapping[str, bytes]:
        models = begin_models(prepared.normal)()
        return render_scaffold(prepared.api(models.index, options), renderer)

    prepared = _prepared(with_pagination(document, options.pagination), options, lint, tell)
    return FileSet(_made(prepared, tell, begin_models, files_of)[1])


def reference(
    document: Document,
    options: PackageOptions,
    pages: ReferenceOptions = ReferenceOptions(),  # noqa: B008 (it never changes)
    *,
    lint: Settings = Settings(),  # noqa: B008 (it never changes)
    progress: Callable[[str], None] = lambda step: None,
    tell: Callable[[Report], None] = lambda report: None,
) -> FileSet:
    """Generate the reference pages of a document, and the files beside them.

    Args:
        lint: as for `generate`.
        progress: as for `generate`.
        tell: as for `generate`.

    Raises:
        InvalidDocument: as for `generate`.
        SpecwrightError: no pages can be made of it.
    """
    # Imported here: packages do not need it.
    from specwright.reference.pages import render_reference

    def files_of(prepared: _Prepared, _: BeginModels) -> Mapping[str, bytes]:
        progress("describing the operations")
        api = prepared.api(outline(prepared.normal), options)
        progress("writing the pages")
        return render_reference(prepared.document, prepared.normal, api, pages, document)

    progress("checking the document")
    prepared = _prepared(with_pagination(document, options.pagination), options, lint, tell)
    return FileSet(_made(prepared, tell, at_once, files_of)[1])


def package_contents(document: Document, options: PackageOptions) -> PackageContents:
    """Return the contents of the package that `generate` makes, without generating it.

    Raises:
        InvalidDocument: as for `generate`.
    """
    document = with_pagination(document, options.pagination)
    return _prepared(document, options, Settings(), lambda report: None).contents


# Without slots, as cached properties need a `__dict__`.
@dataclass(frozen=True)
class _Prepared:
    """A document without the parts that cannot be used.

    Attributes:
        checked: the document before the repair of its names, which `report` is about.
    """

    document: Document
    names: PackageNames
    checked: Document
    report: Report

    @cached_property
    def normal(self) -> Document:
        """The document as models and operations are generated from it."""
        composed = tag_alternatives(compose(normalise(self.document)))
        return with_texts_for_files(split_directions(composed))

    @property
    def contents(self) -> PackageContents:
        return _contents(self.checked, self.report)

    def api(self, index: ModelIndex, options: PackageOptions) -> Api:
        """Return the operations, given the names of their models."""
        api = build(
            self.normal,
            index,
            self.names,
            short_names=options.short_method_names,
            body_arguments=options.body_arguments,
            written=self.checked,
        )
        version = api.version if options.version is None else Text(options.version)
        license_ = options.license or api.metadata.license
        return replace(api, version=version, metadata=replace(api.metadata, license=license_))


def _made(
    prepared: _Prepared,
    tell: Callable[[Report], None],
    begin_models: BeginModels,
    make: Callable[[_Prepared, BeginModels], Mapping[str, bytes]],
) -> tuple[_Prepared, Mapping[str, bytes]]:
    """Return the files of a document, or of the parts on which this program does not fail."""
    try:
        return prepared, make(prepared, begin_models)
    except Exception as error:
        if not is_failure(error):
            raise
        trials = without_culprits(
            prepared.document,
            error,
            lambda document: make(replace(prepared, document=document), at_once),
        )
    files, document, culprits = trials
    findings = tuple(_internal_error(prepared.document, culprit) for culprit in culprits)
    report = prepared.report
    facts = tuple(("report this", bug_report(culprit.error)) for culprit in culprits)
    tell(replace(report, findings=findings, waived=(), facts=facts))
    report = replace(report, findings=in_order((*report.findings, *findings)))
    return replace(prepared, document=document, report=report), files


def _internal_error(document: Document, culprit: Culprit) -> Finding:
    place, written = document.locate(culprit.pointer), document.as_written(culprit.pointer)
    at = (culprit.pointer,)
    return Finding(INTERNAL_ERROR.id, Level.ERROR, place, written, culprit.message, upgraded=at)


def _prepared(
    document: Document,
    options: PackageOptions,
    lint: Settings,
    tell: Callable[[Report], None],
    examination: Examination | None = None,
) -> _Prepared:
    """Prepare a document for the generation of models and operations."""
    usable, checked, report = _usable(document, options, lint, tell, examination)
    return _Prepared(usable, package_names(usable, options), checked, report)


def _usable(
    document: Document,
    options: PackageOptions,
    lint: Settings,
    tell: Callable[[Report], None],
    examination: Examination | None = None,
) -> tuple[Document, Document, Report]:
    """Return a document without the parts that cannot be used, renamed, and as it was checked."""
    settings = needed(options)
    # An examination may have been made without this setting.
    if examination is None or options.pagination or not examination.covers(settings):
        examination = examine(upgrade(document), settings)
    report = examination.report(settings)
    _stop(report, report.findings, lint)
    checked = examination.document
    usable = rename(checked, options.names)
    named_otherwise = any(finding.rule in TOLD_APART for finding in report.findings)
    if report.has_errors or document.unresolved or named_otherwise:
        repaired = repair(usable, short_names=options.short_method_names)
        _stop(report, repaired.dropped, lint)
        _tell(tell, report, repaired.dropped, lint)
        checked = usable = repaired.document
        # It has the names already.
        settings = replace(settings, names=Renames())
        report = examine(usable, settings).report(settings)
        report = replace(report, findings=in_order((*report.findings, *repaired.dropped)))
    for finding in report.findings:
        if finding.rule == INCOMPLETE.id:
            # It is not known what would be left out.
            raise SpecwrightError(finding.message, finding.location)
    # Findings have the pointers of the document that was checked.
    return usable, checked, report


def _stop(report: Report, findings: Sequence[Finding], lint: Settings) -> None:
    """Raise an error if any finding prevents generation."""
    stopping = [
        replace(finding, level=Level.ERROR)
        for finding in findings
        if lint.forbids(finding) or (finding.level is Level.ERROR and finding.rule in _DECISIVE)
    ]
    if stopping:
        raise InvalidDocument(replace(report, findings=tuple(stopping)))


def _tell(
    tell: Callable[[Report], None], report: Report, left_out: Sequence[Finding], lint: Settings
) -> None:
    """Report the parts that were left out, and those that differ from the document."""
    repaired = [
        replace(finding, level=Level.WARNING)
        for finding in report.findings
        if finding.rule in _REPAIRED
    ]
    findings = in_order(finding for finding in (*left_out, *repaired) if not lint.accepts(finding))
    if findings:
        tell(replace(report, findings=findings))


def _contents(document: Document, report: Report) -> PackageContents:
    dropped = [finding for finding in report.findings if finding.rule in _LEFT_OUT]
    lacking = OperationUsage(document).reaching(
        place for finding in dropped for place in finding.places
    )
    count: Counter[tuple[Direction, bool]] = Counter(
        (site.direction, site.pointer not in lacking) for site in operations(document)
    )
    return PackageContents(
        operations=count[Direction.PATH, True] + count[Direction.PATH, False],
        whole_operations=count[Direction.PATH, True],
        webhooks=count[Direction.WEBHOOK, True] + count[Direction.WEBHOOK, False],
        whole_webhooks=count[Direction.WEBHOOK, True],
        left_out=dict(sorted(Counter(finding.rule for finding in dropped).items())),
    )


def _renderer(options: PackageOptions) -> Renderer:
    renderer = Renderer(_templates(options))
    renderer.check_names()
    return renderer


def _templates(options: PackageOptions) -> Templates:
    return Templates(builtin_directory(), options.templates)


def package_names(document: Document, options: PackageOptions) -> PackageNames:
    """Return all names of the package: as configured, else derived from the document's title."""
    package = options.package or package_name(str(mapping(document.data["info"])["title"]))
    return PackageNames(
        package=package,
        distribution=options.distribution or package.strip("_").replace("_", "-"),
        client=options.client_name or f"{pascal(package).removesuffix('Client')}Client",
        env_prefix=options.env_prefix or constant(package),
        arguments=options.names.parameters,
        credentials=options.names.credentials,
    )


@cache
def _versions() -> Mapping[str, str]:
    """Return the versions of the tools; each is read from a file of many lines."""
    return {tool: version(tool) for tool in TOOLS}


def _public(address: str) -> str:
    """Return an address without its possible secrets: user, password and query."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _old_names(options: PackageOptions) -> Mapping[str, Mapping[str, str]]:
    return {
        name: {"use": old.use, "removal": old.removal.isoformat()}
        for name, old in options.deprecated.items()
    }


def _origin(
    document: Document, contents: PackageContents, names: PackageNames, options: PackageOptions
) -> Origin:
    bodies = options.body_arguments
    return Origin(
        tools=_versions(),
        document=digest(json.dumps(document.data).encode()),
        fetched={
            _public(address): digest(source.text.encode())
            for address, source in document.sources.items()
            if is_remote(address)
        },
        contents=contents,
        options={
            "package": names.package,
            "distribution": names.distribution,
            "client-name": names.client,
            "env-prefix": names.env_prefix,
            "short-method-names": options.short_method_names,
            **({"body-arguments": bodies} if bodies != "required" else {}),
            **({"version": options.version} if options.version is not None else {}),
            **({"license": options.license} if options.license is not None else {}),
            **({"names": asdict(options.names)} if options.names != Renames() else {}),
            **({"deprecated": _old_names(options)} if options.deprecated else {}),
        },
        templates={
            name: digest(source.encode()) for name, source in _templates(options).own().items()
        },
    )
