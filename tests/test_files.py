"""Files are replaced whole, with the permissions that they had."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from specwright.files import replace_files
from tests.full_disk import files_of_at_most, needs_file_limit

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="other permissions and links")


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_new_file_has_the_permissions_that_the_umask_leaves(tmp_path: Path) -> None:
    replace_files({tmp_path / "usual": b"new"})
    replace_files({tmp_path / "private": b"new"}, mode=0o600)
    assert [mode(tmp_path / name) for name in ("usual", "private")] == [0o640, 0o600]


@pytest.mark.parametrize("permissions", [0o600, 0o444, 0o666])
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path: Path, permissions: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(permissions)
    replace_files({path: b"new"})
    assert path.read_bytes() == b"new"
    assert mode(path) == permissions


def test_a_link_is_replaced_and_neither_read_nor_written_through(tmp_path: Path) -> None:
    outside, link = tmp_path / "outside", tmp_path / "link"
    outside.write_bytes(b"theirs")
    outside.chmod(0o777)
    link.symlink_to(outside)
    replace_files({link: b"new"})
    assert outside.read_bytes() == b"theirs"
    assert not link.is_symlink()
    assert mode(link) == 0o640


@needs_file_limit
def test_where_one_file_cannot_be_written_none_is_replaced(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    replace_files({first: b"old", second: b"old"})
    with files_of_at_most(10), pytest.raises(OSError, match="File too large"):
        replace_files({first: b"new", second: b"much longer"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "first": b"old",
        "second": b"old",
    }


def test_nothing_is_left_beside_a_place_that_cannot_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "directory").mkdir()
    with pytest.raises(OSError, match="directory"):
        replace_files({tmp_path / "directory": b"new"})
    assert [path.name for path in tmp_path.iterdir()] == ["directory"]
