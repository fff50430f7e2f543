"""Documents as a commit has them: all of their files, nothing of the directory, nothing run."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from specwright.document.sources import bundle
from specwright.document.sources.load import load_commit
from specwright.errors import InputError
from specwright.files import LARGEST
from tests.repository import Repository

WHOLE = {
    "openapi": "3.1.1",
    "info": {"title": "Shop", "version": "1.0.0"},
    "paths": {},
    "components": {"schemas": {"Thing": {"$ref": "parts/thing.json#/Thing"}}},
}


def document(reference: str = "parts/thing.json#/Thing") -> str:
    return json.dumps({**WHOLE, "components": {"schemas": {"Thing": {"$ref": reference}}}})


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A document with a schema in a file that refers to one in the directory above."""
    made = Repository(tmp_path / "repository")
    made.write("spec/api.json", document())
    made.write("spec/parts/thing.json", '{"Thing": {"$ref": "../../common.yaml#/Name"}}')
    made.write("common.yaml", "Name: {type: string, maxLength: 9}\n")
    made.commit()
    monkeypatch.chdir(made.top)
    return made


def refused(reference: str, repository: Repository) -> InputError:
    repository.write("spec/api.json", document(reference))
    repository.commit()
    with pytest.raises(InputError) as caught:
        load_commit("git:HEAD:spec/api.json")
    return caught.value


@pytest.mark.parametrize("ref", ["HEAD", "main", "refs/heads/main"])
def test_all_files_are_those_of_the_commit(ref: str, repository: Repository) -> None:
    for path in repository.top.glob("**/*.[jy]*"):
        path.unlink()
    loaded = load_commit(f"git:{ref}:spec/api.json")
    schema = loaded.follow(loaded.data["components"]["schemas"]["Thing"])
    assert schema == {"type": "string", "maxLength": 9}
    grafted = [graft.source.file for graft in loaded.grafts.values()]
    assert grafted == [f"git:{ref}:spec/parts/thing.json", f"git:{ref}:common.yaml"]


def test_paths_are_relative_to_the_directory(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.top / "spec" / "parts")
    assert load_commit("git:HEAD:../api.json").grafts


def test_a_link_leads_to_files_of_the_commit(repository: Repository) -> None:
    (repository.top / "spec" / "link.json").symlink_to("parts/thing.json")
    repository.write("spec/api.json", document("link.json#/Thing"))
    # From where the link lies.
    repository.write("spec/parts/thing.json", '{"Thing": {"$ref": "../common.yaml#/Name"}}')
    repository.commit()
    assert len(load_commit("git:HEAD:spec/api.json").grafts) == 2


@pytest.mark.parametrize(
    "reference",
    [
        "missing.json",
        "outside.json",
        "../../outside.json",
        "../outside/outside.json",
        "parts/../../../outside.json",
        "parts%0Aapi.json",
        "parts/thing.json%00",
    ],
)
def test_nothing_but_the_commit_is_read(reference: str, repository: Repository) -> None:
    (repository.top.parent / "outside.json").write_text('{"type": "string"}')
    (repository.top / "spec" / "outside.json").symlink_to("../../outside.json")
    (repository.top / "outside").symlink_to("..")
    error = refused(reference, repository)
    assert "does not resolve" in error.message
    assert str(error.location).startswith("git:HEAD:spec/api.json:1:")


def test_a_file_that_is_too_large_is_said_with_its_place(repository: Repository) -> None:
    repository.write("spec/large.json", " " * (LARGEST + 1))
    error = refused("large.json", repository)
    assert error.message == "'large.json' does not resolve: is larger than 32 MB"
    assert str(error.location).startswith("git:HEAD:spec/api.json:1:")


def test_files_that_are_too_large_together_are_said(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "MAX_BYTES", 60)
    with pytest.raises(InputError, match="more than 0 MB are referred to") as caught:
        load_commit("git:HEAD:spec/api.json")
    assert str(caught.value.location).startswith("git:HEAD:spec/parts/thing.json:1:")


def test_a_directory_is_no_document(repository: Repository) -> None:
    with pytest.raises(InputError, match="is a directory"):
        load_commit("git:HEAD:spec")


def test_no_program_of_the_repository_runs(repository: Repository) -> None:
    """Filters, text conversions, hooks and watchers, in the settings of the repository itself."""
    trap = f"touch {shlex.quote(str(repository.top.parent / 'ran'))}; cat"
    for name in ("filter.trap.smudge", "filter.trap.clean", "diff.trap.textconv"):
        repository.git("config", name, trap)
    for name in ("core.fsmonitor", "core.pager", "core.sshCommand", "core.alternateRefsCommand"):
        repository.git("config", name, trap)
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        hook = repository.write(f".git/hooks/{name}", f"#!/bin/sh\n{trap}\n")
        hook.chmod(0o755)
    repository.write(".gitattributes", "* filter=trap diff=trap working-tree-encoding=UTF-16\n")
    assert load_commit("git:HEAD:spec/api.json").grafts
    assert not (repository.top.parent / "ran").exists()


def test_a_directory_that_looks_like_a_repository_is_none(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.git("clone", "-q", "--bare", ".", "disguise")
    monkeypatch.chdir(repository.top / "disguise")
    with pytest.raises(InputError, match="is not in a git repository"):
        load_commit("git:HEAD:spec/api.json")


def test_a_clone_without_contents_says_so(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    place = repository.top.parent / "clone"
    clone = repository.clone(place, "--filter=blob:none", "--no-checkout")
    # Older versions of git would fetch it.
    repository.git("-C", str(clone), "remote", "set-url", "origin", str(place / "nowhere"))
    monkeypatch.chdir(clone)
    with pytest.raises(InputError, match="this clone has not fetched its content"):
        load_commit("git:HEAD:spec/api.json")
    with pytest.raises(InputError, match="'HEAD' has no file "):
        load_commit("git:HEAD:spec/other.json")


@pytest.mark.parametrize(
    ("base", "command"),
    [
        ("origin/main", "git fetch --depth=1 origin main:refs/remotes/origin/main"),
        ("main", "git fetch --depth=1 origin main:main"),
        ("v1.0", "git fetch --depth=1 origin tag v1.0"),
        ("shop-1.4.0-rc.1", "git fetch --depth=1 origin tag shop-1.4.0-rc.1"),
        ("HEAD~1", "git fetch --unshallow origin"),
        ("HASH", "git fetch --depth=1 origin HASH"),
    ],
)
def test_a_shallow_clone_says_what_fetches_the_base(
    base: str, command: str, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.git("config", "uploadpack.allowReachableSHA1InWant", "true")
    first = repository.git("rev-parse", "HEAD")
    repository.git("tag", "v1.0")
    repository.git("tag", "--annotate", "--message=A release", "shop-1.4.0-rc.1")
    repository.git("switch", "-qc", "change")
    repository.write("common.yaml", "Name: {type: string, maxLength: 8}\n")
    repository.commit()
    clone = repository.clone(repository.top.parent / "clone", "--depth=1", "--branch=change")
    monkeypatch.chdir(clone)
    name = f"git:{base.replace('HASH', first)}:spec/api.json"
    with pytest.raises(InputError) as caught:
        load_commit(name)
    assert "only a part of the history" in caught.value.message
    advised = command.replace("HASH", first)
    assert caught.value.hint == f"fetch it: `{advised}`"
    subprocess.run(shlex.split(advised), check=True, capture_output=True)
    assert load_commit(name).grafts
