"""A lock file is believed if it is as specwright writes it, and refused as a whole if not."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from specwright.emit.drift import State, compare, unified_diff
from specwright.emit.manifest import LOCK, digest
from specwright.emit.write import write
from specwright.errors import InputError

from .conftest import FIRST, fileset, snapshot

HASH = "0" * 64


def lock(output: Path, files: object, options: object = None) -> None:
    text = json.dumps({"files": files, "options": options or {"package": "p"}}, indent=2)
    (output / LOCK).write_text(text)


@pytest.mark.parametrize(
    "path",
    ["../victim.txt", "a/../../victim.txt", "/etc/passwd", "c:\\victim", "a\\b", "", ".", "a\0b",
     "a\nb", "nul", "\ud800", LOCK.upper(), f"{LOCK}/x"],
)  # fmt: skip
def test_a_name_that_no_generated_file_has_is_refused(output: Path, path: str) -> None:
    victim = output.parent / "victim.txt"
    victim.write_text("somebody's")
    lock(output, {"a.py": digest(FIRST["a.py"]), path: digest(b"somebody's")})
    before = snapshot(output.parent)
    with pytest.raises(InputError, match="not a lock file"):
        compare(fileset(FIRST), output)
    with pytest.raises(InputError, match="not a lock file"):
        write(fileset(FIRST), output)
    assert snapshot(output.parent) == before


@pytest.mark.parametrize(
    ("files", "options"),
    [
        ({"a": 1}, None),
        ({"a": None}, None),
        ({"a": HASH[1:]}, None),
        ({"a": HASH + "\n"}, None),
        ({"a": "A" * 64}, None),
        ({"a": HASH, "A": HASH}, None),
        ({"a": HASH, "a/b": HASH}, None),
        (["a"], None),
        ("a", None),
        ({}, {"package": 1}),
        ({}, ["package"]),
        ({}, {"name": "p"}),
    ],
)
def test_an_entry_that_specwright_never_writes_is_refused(
    output: Path, files: object, options: object
) -> None:
    lock(output, files, options)
    with pytest.raises(InputError, match="not a lock file"):
        compare(fileset(FIRST), output)


@pytest.mark.parametrize(
    "text",
    [
        f'{{"files": {{"a": "{HASH}", "a": "{HASH}"}}, "options": {{"package": "p"}}}}',
        '{"files": {}, "files": {}, "options": {"package": "p"}}',
        "[" * 100_000,
        "9" * 100_000,
        "\xff",
    ],
    ids=["a file twice", "files twice", "deep", "long number", "no UTF-8"],
)
def test_text_that_specwright_never_writes_is_refused(output: Path, text: str) -> None:
    (output / LOCK).write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match="not a lock file"):
        compare(fileset(FIRST), output)


def test_the_line_of_a_wrong_entry_is_named(output: Path) -> None:
    lock(output, {"a.py": HASH, "../victim.txt": HASH})
    with pytest.raises(InputError, match=rf"{LOCK}:4:5: .*'\.\./victim\.txt'"):
        compare(fileset(FIRST), output)
    lock(output, {"a.py": HASH, "b.py": "x"})
    with pytest.raises(InputError, match=rf"{LOCK}:4:5: .*'b\.py' has no hash"):
        compare(fileset(FIRST), output)


def test_a_lock_file_behind_a_link_is_refused(output: Path) -> None:
    (output / LOCK).rename(output.parent / LOCK)
    (output / LOCK).symlink_to(output.parent / LOCK)
    with pytest.raises(InputError, match="not a lock file: it is a symbolic link"):
        write(fileset(FIRST), output)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes in directories")
def test_what_is_no_file_is_never_opened(output: Path) -> None:
    (output / "a.py").unlink()
    os.mkfifo(output / "a.py")
    (output / "p" / "b.py").unlink()
    (output / "p" / "b.py").symlink_to("/dev/zero")
    found = compare(fileset(FIRST), output)
    assert {each.path: each.state for each in found} == {
        "a.py": State.FOREIGN,
        "p/b.py": State.FOREIGN,
    }


def test_a_file_too_large_to_be_generated_is_not_read(output: Path) -> None:
    os.truncate(output / "a.py", 10 * 1024**3)
    (found,) = compare(fileset(FIRST), output)
    assert (found.path, found.state, found.present) == ("a.py", State.FOREIGN, b"")


def test_a_diff_shows_nothing_that_was_not_generated(output: Path) -> None:
    (output / "token.txt").write_text("secret")
    (output / "a.py").write_text("secret")
    for listed in ({}, {"token.txt": HASH}):
        hashes = {path: digest(content) for path, content in FIRST.items()}
        lock(output, {**hashes, **listed})
        files = fileset({path: FIRST[path] for path in ("p/b.py", "p/q/c.py")})
        found = compare(files, output)
        assert {"a.py", "token.txt"} <= {file_difference.path for file_difference in found}
        assert "secret" not in "".join(unified_diff(found))
