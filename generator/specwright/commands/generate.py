"""`specwright generate`: bring a generated package in line with its document."""

from __future__ import annotations

from typing import Unpack

import click

from specwright.arguments.packages import (
    PackageArguments,
    PackageBuild,
    PackageUpdate,
    command_of,
    new_worker,
    package_options,
    packages,
)
from specwright.emit.drift import State, compare, unified_diff
from specwright.emit.ignored import about_ignored
from specwright.emit.manifest import read_lock
from specwright.report.terminal import say, show
from specwright.review.lost_names import lost_names
from specwright.review.package_changelog import lines_about


@click.command(
    epilog="""
\b
Examples:
  specwright generate
  specwright generate --check
  specwright generate --document openapi.yaml --output sdk --package shop
  specwright generate --document https://api.example.com/openapi.json

Exit codes: 0 if the output is up to date; 1 if --check or --diff found a difference, the document
has findings that lint.toml makes errors, or a part of it was left out because of a bug; 2 if a file
cannot be read or written.
"""
)
@click.option("--check", is_flag=True, help="Write nothing; name every file that differs.")
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
@package_options
@click.pass_context
def generate(
    ctx: click.Context, /, check: bool, diff: bool, **options: Unpack[PackageArguments]
) -> None:
    """Generate models, client, server stub and webhooks from an OpenAPI document.

    An element with a mistake is left out, with a message; the rest is generated. Options that you
    omit come from [tool.specwright] in the nearest pyproject.toml, or from each of several
    [[tool.specwright]]. Without those, the document is the openapi or swagger file (.json, .yaml
    or .yml) in this directory. Files in the output that were edited or added by hand are never
    overwritten. Public names that were removed or have another type are listed, as in `review`,
    and added to the changelog if there is one.
    """
    chosen = packages(options)
    for package in chosen:
        # Making a package takes time, wasted if nothing may be written to the directory.
        read_lock(package.target)
    if not check and not diff:
        updates = [_update(package) for package in chosen]
        ctx.exit(1 if any(update.has_errors for update in updates) else 0)
    # The verdict is on the document as it is now, never on the cache.
    again = command_of(options)
    outcomes = [_compare(package, again, check=check, diff=diff) for package in chosen]
    ctx.exit(0 if all(outcomes) else 1)


def _update(package: PackageBuild) -> PackageUpdate:
    update = package.update(new_worker)
    say(update.outcome)
    say(update.summary)
    if update.hint is not None:
        say(update.hint)
    for line in update.ignored:
        say(line, err=True)
    for line in lines_about(lost_names(update.differences), package.changelog, package.target):
        say(line)
    return update


def _compare(package: PackageBuild, again: str, *, check: bool, diff: bool) -> bool:
    """Report the differences; return whether the package is up to date.

    Args:
        again: the command that brings it up to date.
    """
    result = package.generate(new_worker)
    files = result.files
    show(result.messages, err=True)
    differences = compare(files, package.target)
    if diff:
        for line in unified_diff(differences):
            say(line.removesuffix("\n"))
    for difference in differences:
        if not diff or not difference.is_shown or difference.state is State.FOREIGN:
            say(f"{(package.target / difference.path).as_posix()}: {difference.state}")
    for line in about_ignored(package.target, files):
        say(line, err=True)
    if differences:
        count = len({*files, *(difference.path for difference in differences)})
        say(f"{len(differences)} of {count} files differ; run: {again}")
    elif check:
        say(f"{len(files)} files are up to date with {package.document}")
    return not differences and not result.has_errors
