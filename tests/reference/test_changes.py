"""The changelog on the page: what changed in each version, with links that stay."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.conftest import Run
from tests.reference.pages import Page
from tests.reference.shop import shop, write
from tests.repository import Repository


def versions() -> list[dict[str, Any]]:
    """Three versions: a property is limited, then an operation goes and another is new."""
    first, second, third = (shop() for _ in range(3))
    for number, document in ((2, second), (3, third)):
        document["info"]["version"] = f"{number}.0.0"
        new_item = document["components"]["schemas"]["NewItem"]
        new_item["properties"]["name"]["maxLength"] = 10
    get = third["paths"].pop("/items/{id}")
    third["paths"]["/things/{id}"] = get
    get["get"]["operationId"] = "getThing"
    return [first, second, third]


def made(specwright: Run, directory: Path, *options: str) -> Page:
    done = specwright("docs", "--output", "page.html", *options, cwd=directory)
    assert (done.returncode, done.stderr) == (0, "")
    return Page((directory / "page.html").read_text("utf-8"))


def written(directory: Path) -> list[str]:
    """The names of the earlier versions; the last one is the document of the directory."""
    names = []
    for number, document in enumerate(versions()):
        (directory / f"v{number}").mkdir()
        names.append(str(write(directory / f"v{number}", document)))
    write(directory, versions()[-1])
    return names[:-1]


def text(page: Page) -> str:
    return " ".join(page.text.split())


def test_changes_of_versions_are_listed_with_their_operations(
    specwright: Run, tmp_path: Path
) -> None:
    names = written(tmp_path)
    page = made(specwright, tmp_path, *(f"--changes={name}" for name in names))
    shown = text(page)
    newest, _, older = shown.partition("Changes 3.0.0")[2].partition(" 2.0.0 Changed")
    assert "Added GET /things/{id} A new operation: Get an item ." in newest
    assert "Removed GET /items/{id} Breaking: The operation was removed." in newest
    assert older.startswith(" POST /items Breaking: NewItem.name accepts less than before")
    assert {"version-3.0.0", "version-2.0.0"} < set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    # An operation has its versions; one that is gone has no link.
    assert "Changed in 2.0.0" in shown.partition("CreateItem")[2]
    assert {"#createItem", "#getThing", "#version-2.0.0"} <= set(page.links)
    assert "#getItem" not in page.links


def test_the_anchor_of_a_change_stays(specwright: Run, tmp_path: Path) -> None:
    names = written(tmp_path)

    def anchors(*options: str) -> set[str]:
        found = made(specwright, tmp_path, *options).ids
        return {anchor for anchor in found if re.fullmatch(r"version-2\.0\.0/[0-9a-f]{8}", anchor)}

    both = anchors(*(f"--changes={name}" for name in names))
    assert both
    # It was the newest version once.
    write(tmp_path, versions()[1])
    assert anchors(f"--changes={names[0]}") == both


def test_versions_are_those_of_the_history(specwright: Run, tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    first, second, third = versions()
    for document in (first, second):
        write(tmp_path, document)
        repository.commit()
    write(tmp_path, third)
    page = made(specwright, tmp_path, "--since", "HEAD^")
    day = repository.git("log", "-1", "--format=%cs")
    assert "Changes 3.0.0 Added" in text(page)
    assert f"2.0.0 {day} Changed" in text(page)


def test_a_site_has_the_changes_on_its_first_page(specwright: Run, tmp_path: Path) -> None:
    names = written(tmp_path)
    done = specwright("docs", "--output", "site", "--changes", names[1], cwd=tmp_path)
    assert done.returncode == 0
    files = {path.name: Page(path.read_text("utf-8")) for path in tmp_path.glob("site/*.html")}
    assert "version-3.0.0" in files["index.html"].ids
    assert "items.html#getThing" in files["index.html"].links
    assert "index.html#version-3.0.0" in files["items.html"].links


def test_text_of_an_older_version_does_nothing(specwright: Run, tmp_path: Path) -> None:
    attack = "<img src=x onerror=alert(1)> [a](javascript:alert(1))"
    old = shop()
    old["paths"][f"/{attack}"] = {"get": {"responses": {"204": {"description": attack}}}}
    old["info"]["version"] = attack
    (tmp_path / "old").mkdir()
    name = write(tmp_path / "old", old)
    write(tmp_path, shop(info={"title": "Shop", "version": f"2 {attack}"}))
    page = made(specwright, tmp_path, f"--changes={name}")
    assert attack in text(page)
    assert "img" not in {tag for tag, _ in page.elements}
    assert not [link for link in page.links if link.startswith("javascript")]


def test_there_are_no_changes_without_an_older_version(specwright: Run, tmp_path: Path) -> None:
    write(tmp_path, shop())
    page = made(specwright, tmp_path)
    assert "changes" not in page.ids
    assert "Changed in" not in text(page)


def test_equal_versions_have_no_changes(specwright: Run, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    name = write(tmp_path / "old", shop())
    write(tmp_path, shop(info={"title": "Shop", "version": "1.2.1"}))
    page = made(specwright, tmp_path, f"--changes={name}")
    assert "1.2.1 No changes for users of the API." in text(page)


def test_one_kind_of_history_is_chosen(specwright: Run, tmp_path: Path) -> None:
    name = write(tmp_path, shop())
    done = specwright(
        *("docs", "--output", "d.html", "--since", "HEAD", "--changes", name), cwd=tmp_path
    )
    assert done.returncode == 2
    assert "--changes and --since exclude each other" in done.stderr
