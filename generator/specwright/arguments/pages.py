"""The reference pages to write: their destination, and the run that makes them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from specwright.arguments.packages import PackageBuild
from specwright.document.sources.load import load_in_part
from specwright.emit.transaction import replace_files
from specwright.errors import InputError
from specwright.findings import Report
from specwright.reference.options import ReferenceOptions
from specwright.report.progress import PAGES
from specwright.report.terminal import progress, show

_SUFFIX = ".html"
_INDEX = "index.html"
# Suffixes of files, as opposed to the ends of other names, such as `v1.2`.
_SUFFIX_OF_FILE = re.compile(r"\.[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Pages:
    """The destination of the reference of an API: an HTML file, or the directory of a site."""

    output: Path
    options: ReferenceOptions

    @classmethod
    def at(cls, output: Path) -> Pages:
        """Return the pages at a path.

        Raises:
            InputError: nothing can be written there.
        """
        is_site = output.suffix.lower() != _SUFFIX
        hint = "choose another path"
        # `Path` passes on errors about names that the system rejects.
        if os.path.islink(output):  # noqa: PTH114
            raise InputError(
                f"{output}: is a symbolic link; pages are not written through links", hint=hint
            )
        if is_site and _SUFFIX_OF_FILE.fullmatch(output.suffix) and not output.is_dir():
            hint = "end it in .html for one page, or name a directory for a site"
            raise InputError(f"{output}: is neither a page nor a directory", hint=hint)
        if os.path.lexists(output) and output.is_dir() != is_site:
            kind = "a file, and a site needs a directory" if is_site else "a directory"
            raise InputError(f"{output}: is {kind}", hint=hint)
        return cls(output, ReferenceOptions(is_site))

    def update(self, package: PackageBuild, tell: Callable[[str], None]) -> tuple[str, bool]:
        """Write the pages; return the outcome, and whether this program failed on a part.

        Args:
            tell: called with a rendered report of the parts that are left out, if there are any.

        Raises:
            InvalidDocument: the document has findings that the project does not allow.
            SpecwrightError: the document cannot be used, or a page cannot be written.
        """
        # Imported here: only a run needs it.
        from specwright import pipeline
        from specwright.arguments.documents import lint_settings
        from specwright.report import text

        reports: list[Report] = []
        try:
            with progress(PAGES) as steps:
                document = load_in_part(
                    package.document, remote=package.remote, within=package.within
                )
                steps.characters = document.size
                files = pipeline.reference(
                    document,
                    package.options,
                    self.options,
                    lint=lint_settings(package.document, package.options),
                    progress=steps,
                    tell=reports.append,
                )
        except pipeline.InvalidDocument as error:
            show(text.render(error.report), err=True)
            raise
        tell("".join(map(text.render, reports)))
        if self.options.is_site:
            replace_files(self.output, files)
        else:
            replace_files(self.output.parent, {self.output.name: files[_INDEX]})
        size = sum(map(len, files.values())) / 1_000_000
        count = sum(name.endswith(_SUFFIX) for name in files)
        pages = "1 page" if count == 1 else f"{count} pages"
        outcome = f"wrote {self.output.as_posix()}: {pages}, {size:.1f} MB"
        return outcome, any(report.has_errors for report in reports)
