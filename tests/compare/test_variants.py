"""Other ways to write the same document do not count as changes."""

from pathlib import Path

import pytest

from specwright.compare.comparison import compare
from specwright.document.sources.bundle import Remote
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.findings import Report

from .documents import TODAY, changes
from .variants import FILES, VARIANTS

SMALL = 60_000


ALL = [*VARIANTS, *FILES]


def compared(path: Path, variant: str, directory: Path) -> Report:
    base = upgrade(load(path, remote=Remote.KEEP))
    if variant in VARIANTS:
        revision = base.with_data(VARIANTS[variant](base.data))
    else:
        revision = load(FILES[variant](base.data, directory), remote=Remote.KEEP)
    return compare(base, revision, today=TODAY)


@pytest.mark.parametrize("variant", ALL)
def test_the_contract_written_in_another_way_has_not_changed(
    variant: str, root: Path, tmp_path: Path
) -> None:
    assert changes(compared(root / "spec" / "openapi.json", variant, tmp_path)) == []


@pytest.mark.parametrize("variant", ALL)
def test_small_published_documents_have_not_changed(
    variant: str, corpus: Path, tmp_path: Path
) -> None:
    documents = [p for p in sorted((corpus / "specs").iterdir()) if p.stat().st_size < SMALL]
    changed = {
        path.name: found
        for path in documents
        if path.name != "index.json" and (found := told(compared(path, variant, tmp_path)))
    }
    assert len(documents) > 8
    assert changed == {}


@pytest.mark.exhaustive
@pytest.mark.parametrize("variant", ALL)
def test_published_documents_have_not_changed(variant: str, corpus: Path, tmp_path: Path) -> None:
    documents = [p for p in sorted((corpus / "specs").iterdir()) if p.stat().st_size >= SMALL]
    changed = {
        path.name: found for path in documents if (found := told(compared(path, variant, tmp_path)))
    }
    assert changed == {}


def told(found: Report) -> list[str]:
    return [f"{change.rule} {change.pointer} {change.message}" for change in changes(found)]
