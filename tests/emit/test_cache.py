"""The cache is a memory of this user's own runs, and never more than that."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from specwright.config import PackageOptions
from specwright.emit.cache import GeneratedPackage, cache_directory, cache_key, load, store
from specwright.emit.manifest import LOCK
from specwright.render.templates import Templates, builtin_directory

from .conftest import FIRST, fileset

FILES = fileset(FIRST)
MADE = GeneratedPackage(FILES, "api.json: 1 warning\n", plain_names={"a_a_get": "a"})
KEY = "0" * 64
DOCUMENT = Path("api.json")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache with one entry."""
    place = tmp_path / "caches" / "packages"
    store(place, KEY, MADE, DOCUMENT)
    assert load(place, KEY, DOCUMENT, [DOCUMENT.parent]) == MADE
    return place


def test_it_lies_among_the_caches_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "specwright" / "packages"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "platform", "linux")
    for without in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", without)
        assert cache_directory() == tmp_path / "home" / ".cache" / "specwright" / "packages"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_directory() == tmp_path / "home" / "Library/Caches" / "specwright" / "packages"


def test_who_has_no_home_has_no_cache(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path that begins with `~` would otherwise be one below the working directory."""
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.chdir(tmp_path)
    place = cache_directory()
    store(place, KEY, MADE, DOCUMENT)
    assert not (tmp_path / "~").exists()
    place.parent.mkdir(parents=True)
    cache.rename(place)
    assert load(place, KEY, DOCUMENT, [DOCUMENT.parent]) is None


def test_nobody_else_can_look_into_it(cache: Path) -> None:
    assert cache.stat().st_mode & 0o777 == 0o700
    assert (cache / KEY).stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o755])
def test_one_that_others_can_reach_is_neither_read_nor_written(cache: Path, mode: int) -> None:
    cache.chmod(mode)
    assert load(cache, KEY, DOCUMENT, [DOCUMENT.parent]) is None
    store(cache, "1" * 64, MADE, DOCUMENT)
    assert [path.name for path in cache.iterdir()] == [KEY]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other owners")
def test_one_of_another_user_is_neither_read_nor_written(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: cache.stat().st_uid + 1)
    assert load(cache, KEY, DOCUMENT, [DOCUMENT.parent]) is None
    store(cache, "1" * 64, MADE, DOCUMENT)
    assert [path.name for path in cache.iterdir()] == [KEY]


def test_one_behind_a_link_is_neither_read_nor_written(cache: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(cache)
    assert load(link, KEY, DOCUMENT, [DOCUMENT.parent]) is None
    store(link, "1" * 64, MADE, DOCUMENT)
    assert [path.name for path in cache.iterdir()] == [KEY]


WHOLE = {path: content.decode() for path, content in FILES.items()}
ENTRY = {"files": WHOLE, "parts": {}, "messages": "", "plain_names": {}}


@pytest.mark.parametrize(
    "entry",
    [
        [],
        {},
        1,
        {**ENTRY, "messages": 1},
        {**ENTRY, "files": []},
        {**ENTRY, "files": {**WHOLE, "a.py": 1}},
        {**ENTRY, "files": {**WHOLE, "a.py": "\ud800"}},
        {**ENTRY, "files": {**WHOLE, "../a.py": ""}},
        {**ENTRY, "parts": []},
        {**ENTRY, "parts": {"a": 1}},
        {**ENTRY, "parts": {"a\0": "1"}},
        {**ENTRY, "parts": {"nowhere": "1"}},
        {**ENTRY, "plain_names": []},
        {**ENTRY, "plain_names": {"a": 1}},
        *({name: ENTRY[name] for name in ENTRY if name != left_out} for left_out in ENTRY),
    ],
    ids=lambda entry: repr(entry)[-40:],
)
def test_an_entry_with_odd_contents_is_none(cache: Path, entry: object) -> None:
    (cache / KEY).write_text(json.dumps(entry))
    assert load(cache, KEY, DOCUMENT, [DOCUMENT.parent]) is None


@pytest.mark.parametrize("path", ["a.py", LOCK])
@pytest.mark.parametrize("change", ["other", None])
def test_an_entry_that_is_not_a_whole_output_is_none(
    cache: Path, path: str, change: str | None
) -> None:
    files = dict(WHOLE)
    files[path] = change or ""
    if change is None:
        del files[path]
    (cache / KEY).write_text(json.dumps({"files": files, "parts": {}, "messages": ""}))
    assert load(cache, KEY, DOCUMENT, [DOCUMENT.parent]) is None


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff", b"0\n{}", b"[" * 100_000])
def test_a_damaged_entry_is_none(cache: Path, content: bytes) -> None:
    (cache / KEY).write_bytes(content)
    assert load(cache, KEY, DOCUMENT, [DOCUMENT.parent]) is None


def test_an_entry_that_is_a_directory_is_none(cache: Path) -> None:
    (cache / KEY).unlink()
    (cache / KEY).mkdir()
    assert load(cache, KEY, DOCUMENT, [DOCUMENT.parent]) is None
    store(cache, KEY, MADE, DOCUMENT)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes in directories")
def test_a_part_of_the_document_that_has_changed_makes_it_none(tmp_path: Path) -> None:
    document, part, cache = tmp_path / "api.json", tmp_path / "part.json", tmp_path / "cache"
    part.write_text("{}")
    made = replace(MADE, parts=frozenset([str(part)]))
    store(cache, KEY, made, document)
    assert load(cache, KEY, document, [document.parent]) == made
    part.write_text("[]")
    assert load(cache, KEY, document, [document.parent]) is None
    part.unlink()
    os.mkfifo(part)
    assert load(cache, KEY, document, [document.parent]) is None


def test_the_oldest_entries_go_and_nothing_else_does(cache: Path) -> None:
    (cache / ("x" * 64)).write_text("somebody's")
    for number in range(1, 50):
        os.utime(cache / f"{number - 1:064}", (number, number))
        store(cache, f"{number:064}", MADE, DOCUMENT)
    left = {path.name for path in cache.iterdir()}
    assert "x" * 64 in left and KEY not in left and f"{49:064}" in left
    assert len(left) == 33


def key(own: Path, document: bytes = b"{}", **options: str) -> str:
    chosen = PackageOptions(templates=own, **options)
    return cache_key([document], chosen, Templates(builtin_directory(), own))


def test_whatever_a_package_is_made_of_changes_the_key(tmp_path: Path) -> None:
    own = tmp_path / "own"
    (own / "deep").mkdir(parents=True)
    keys = [key(own), key(own, b"[]"), key(own, package="p"), key(own, distribution="p")]
    for name, text in (("a.jinja", "1"), ("a.jinja", "2"), ("notes.txt", "1"), ("deep/b", "1")):
        (own / name).write_text(text)
        keys.append(key(own))
    (own / "deep" / "b").rename(own / "b")
    keys.append(key(own))
    keys.append(cache_key([b"{}"], PackageOptions(), Templates(builtin_directory())))
    for builtin in ("one", "two"):
        (tmp_path / builtin).mkdir()
        (tmp_path / builtin / "x.jinja").write_text(builtin)
        keys.append(cache_key([b"{}"], PackageOptions(), Templates(tmp_path / builtin)))
    assert len(set(keys)) == len(keys)
