"""Several documents of a repository share the levels of their rules (`extends` in `lint.toml`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.errors import InputError
from specwright.findings import Level
from specwright.policy import LARGEST, LintProfile, PlaceLevels, Settings, load, sources
from tests.conftest import Run
from tests.generate_cli.running import running
from tests.repository import Repository

RULES = {"operation-id", "operation-tag", "tag-declared", "openapi-schema", "range-narrowed"}
SHARED = """\
profile = "strict"
deprecation_days = 90
[levels]
operation-id = "off"
operation-tag = "warning"
[levels."GET /internal/*"]
openapi-schema = "warning"
"""


def document(most: int = 100) -> str:
    limit = {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": most}}
    operation = {"parameters": [limit], "responses": {"204": {"description": "Nothing."}}}
    info = {"title": "Orders", "version": "1.0.0"}
    return json.dumps({"openapi": "3.1.1", "info": info, "paths": {"/a": {"get": operation}}})


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "repository")
    repository.write("lint.toml", SHARED)
    repository.write("apis/orders/lint.toml", 'extends = "../../lint.toml"\n')
    repository.write("apis/orders/openapi.json", document())
    repository.commit()
    return repository


def settings(repository: Repository, own: str = "") -> Settings:
    text = f'extends = "../../lint.toml"\n{own}'
    return load(str(repository.write("apis/orders/lint.toml", text)), RULES)


def test_settings_are_those_of_the_shared_file(repository: Repository) -> None:
    shared = settings(repository)
    assert (shared.profile, shared.notice and shared.notice.days) == (LintProfile.STRICT, 90)
    assert shared.levels == {"operation-id": Level.OFF, "operation-tag": Level.WARNING}
    assert shared.places == (PlaceLevels("GET /internal/*", {"openapi-schema": Level.WARNING}),)


def test_those_of_the_document_take_precedence(repository: Repository) -> None:
    own = """
        profile = "recommended"
        deprecation_days = 30
        [levels]
        operation-id = "error"
        [levels."GET *"]
        openapi-schema = "error"
        [[waivers]]
        rule = "tag-declared"
        where = "*"
        reason = "Tags are declared by the portal."
    """
    both = settings(repository, own)
    assert (both.profile, both.notice and both.notice.days) == (LintProfile.RECOMMENDED, 30)
    assert both.levels == {"operation-id": Level.ERROR, "operation-tag": Level.WARNING}
    assert [place.where for place in both.places] == ["GET /internal/*", "GET *"]
    assert [waiver.rule for waiver in both.waivers] == ["tag-declared"]


def test_a_shared_file_may_extend_another_one(repository: Repository) -> None:
    repository.write("company.toml", '[levels]\noperation-id = "info"\ntag-declared = "off"\n')
    repository.write("lint.toml", 'extends = "company.toml"\n[levels]\noperation-id = "off"\n')
    assert settings(repository).levels == {"operation-id": Level.OFF, "tag-declared": Level.OFF}
    place = repository.top / "apis/orders"
    assert sources(str(place / "openapi.json")) == [
        str(repository.top / "company.toml"),
        str(repository.top / "lint.toml"),
        str(place / "lint.toml"),
    ]


def test_without_a_policy_there_are_no_files(repository: Repository) -> None:
    assert sources(str(repository.write("other/openapi.json", document()))) == []


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ('"../../../outside.toml"', "'../../../outside.toml' is not in the repository"),
        ('"link.toml"', "'link.toml' is not in the repository"),
        ('"../../missing.toml"', "missing.toml cannot be read: no such file"),
        ('"../lint"', "'extends' must be the path of a TOML file"),
        ('"/etc/lint.toml"', "'extends' must be the path of a TOML file"),
        ('"a\\u0000.toml"', "'extends' must be the path of a TOML file"),
        ("3", "'extends' must be the path of a TOML file"),
        ('"lint.toml"', "lint.toml extends itself"),
        ('"circle.toml"', "lint.toml extends itself"),
        ('"waived.toml"', "a file that others extend has no [[waivers]]"),
        ('"wrong.toml"', "not TOML: "),
        ('"unknown.toml"', "unknown rule 'no-rule'"),
        ('"huge.toml"', "huge.toml is larger than 1 MB"),
        ('"pipe.toml"', "pipe.toml cannot be read: "),
    ],
)
def test_what_cannot_be_shared_is_an_error(
    repository: Repository, path: str, message: str, tmp_path: Path
) -> None:
    place = repository.top / "apis/orders"
    (tmp_path / "outside.toml").write_text('[levels]\noperation-id = "off"\n', "utf-8")
    (place / "link.toml").symlink_to(tmp_path / "outside.toml")
    (place / "circle.toml").write_text('extends = "lint.toml"\n', "utf-8")
    waiver = '[[waivers]]\nrule = "operation-id"\nwhere = "*"\nreason = "All."\n'
    (place / "waived.toml").write_text(waiver, "utf-8")
    (place / "wrong.toml").write_text("[levels\n", "utf-8")
    (place / "unknown.toml").write_text('[levels]\nno-rule = "off"\n', "utf-8")
    (place / "huge.toml").write_text("#" * (LARGEST + 1), "utf-8")
    (place / "pipe.toml").mkdir()
    file = repository.write("apis/orders/lint.toml", f"# ours\nextends = {path}\n")
    with pytest.raises(InputError) as raised:
        load(str(file), RULES)
    assert message in raised.value.message
    assert raised.value.location is not None
    is_shared = any(name in path for name in ("circle", "waived", "wrong", "unknown"))
    assert (raised.value.location.file == str(file)) is not is_shared


def test_without_a_repository_only_files_beside_it_are_shared(tmp_path: Path) -> None:
    place = tmp_path / "api"
    place.mkdir()
    for directory in (tmp_path, place):
        (directory / "shared.toml").write_text(SHARED, "utf-8")
    (place / "lint.toml").write_text('extends = "shared.toml"\n', "utf-8")
    assert load(str(place / "lint.toml"), RULES).profile is LintProfile.STRICT
    (place / "lint.toml").write_text('extends = "../shared.toml"\n', "utf-8")
    with pytest.raises(InputError, match="is not in the repository of this file"):
        load(str(place / "lint.toml"), RULES)


def reviewed(specwright: Run, repository: Repository, *options: str) -> tuple[int, set[str]]:
    document = ("apis/orders/openapi.json", "--format", "json", *options)
    done = specwright("review", "--base", "HEAD", *document, cwd=repository.top)
    assert done.stderr == ""
    report: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, {finding["rule"] for finding in report["findings"]}


def test_a_branch_cannot_turn_a_rule_off_in_the_shared_file(
    specwright: Run, repository: Repository
) -> None:
    repository.write("lint.toml", "[levels]\n")
    repository.commit()
    repository.write("apis/orders/openapi.json", document(most=50))
    repository.write("lint.toml", '[levels]\nrange-narrowed = "off"\n')
    code, rules = reviewed(specwright, repository)
    assert "range-narrowed" not in rules
    code, rules = reviewed(specwright, repository, "--accepted-in-base")
    assert (code, {"range-narrowed", "levels-pending"} - rules) == (1, set())
    repository.git("add", "lint.toml")
    repository.git("commit", "-qm", "It is off")
    code, rules = reviewed(specwright, repository, "--accepted-in-base")
    assert rules.isdisjoint({"range-narrowed", "levels-pending"})


def test_a_shared_file_of_the_base_is_read_there(specwright: Run, repository: Repository) -> None:
    (repository.top / "lint.toml").unlink()
    repository.write("apis/orders/lint.toml", "")
    _, rules = reviewed(specwright, repository, "--accepted-in-base")
    assert "levels-pending" in rules
    assert "operation-id" not in rules


def test_generate_knows_when_the_shared_file_has_changed(
    specwright: Run, repository: Repository
) -> None:
    place = repository.top / "apis/orders"
    repository.write("lint.toml", "")
    repository.write("apis/orders/openapi.json", document().replace("description", "x-text"))
    assert specwright("generate", "openapi.json", cwd=place).returncode == 0
    repository.write("lint.toml", '[levels]\nopenapi-schema = "error"\n')
    done = specwright("generate", "openapi.json", cwd=place)
    assert done.returncode == 1
    assert "error openapi-schema" in done.stderr


def test_watch_sees_a_change_of_the_shared_file(specwright: Run, repository: Repository) -> None:
    place = repository.top / "apis/orders"
    with running(place, "watch", "openapi.json") as watch:
        lines = iter(watch.line, None)
        next(line for line in lines if line.startswith("watching"))
        repository.write("lint.toml", SHARED + "# Another line.\n")
        assert next(line for line in lines if line.startswith("changed: ")).endswith("lint.toml")
