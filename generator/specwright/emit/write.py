"""Updates of an output directory that never lose manual work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from specwright.emit.drift import FileDifference, State, compare, refuse_a_file
from specwright.emit.fileset import FileSet
from specwright.emit.manifest import LOCK, parse_lock, read_lock
from specwright.emit.transaction import replace_files
from specwright.emit.write_lock import alone_in
from specwright.errors import SpecwrightError


def write(files: FileSet, directory: Path) -> Sequence[FileDifference]:
    """Write the files and delete those that are not generated any more; return the differences.

    Raises:
        SpecwrightError: the directory holds another package, or files written or edited by hand, or
            another run writes there, or the operating system refuses. In that case nothing has
            changed.
    """
    refuse_a_file(directory)
    with alone_in(directory):
        _refuse_other_package(files, directory)
        differences = compare(files, directory)
        _refuse_losses(differences, directory)
        if differences:
            replace_files(
                directory,
                {
                    difference.path: difference.wanted
                    for difference in differences
                    if difference.wanted is not None
                },
                [difference.path for difference in differences if difference.wanted is None],
            )
    return differences


def _refuse_other_package(files: FileSet, directory: Path) -> None:
    present = read_lock(directory).package
    wanted = parse_lock(files[LOCK], LOCK).package
    if present is not None and present != wanted:
        raise SpecwrightError(
            f"{directory}: contains the package {present!r}; nothing was written, since {wanted!r} "
            "would replace it",
            hint="choose another output for another document; if the package has a new name, "
            f"delete {directory} first; it is generated again",
        )


def _refuse_losses(differences: Iterable[FileDifference], directory: Path) -> None:
    edited = [difference.path for difference in differences if difference.state is State.EDITED]
    foreign = [difference.path for difference in differences if difference.state is State.FOREIGN]
    if not edited and not foreign:
        return
    lines = [f"{directory}: nothing was written, to keep edited and foreign files"]
    lines += [f"  edited by hand: {path}" for path in edited]
    lines += [f"  not generated:  {path}" for path in foreign]
    advice = []
    if edited:
        advice.append(
            "move edits into the document or into a template (`specwright templates copy`), "
            "then delete the edited file; it is generated again"
        )
    if foreign:
        advice.append("move files that were not generated out of the output directory")
    raise SpecwrightError(lines[0], hint="; ".join(advice), details=lines[1:])
