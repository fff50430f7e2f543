"""Input that cannot be used: one message with a place and a way out, and exit code 2."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from specwright.cli import cli
from specwright.document.sources.load import load
from specwright.json_values import mapping

from .documents import SKELETON, write


def refused(path: Path, *options: str) -> tuple[str, str]:
    """First line without the path, and the hint."""
    result = CliRunner().invoke(cli, ["validate", str(path), *options])
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    message, hint = result.stderr.splitlines()
    assert hint.startswith("hint: ")
    return message.removeprefix("error: ").removeprefix(f"{path}:"), hint


TEXTS = {
    "comma.json": ('{\n  "openapi": "3.1.1",\n}', "3:1: not valid JSON"),
    "end.json": ('{"openapi": "3.1.1"', "1:20: not valid JSON"),
    "comment.json": ('{\n  // no\n  "openapi": "3.1.1"}', "2:3: not valid JSON"),
    "duplicate.json": (
        '{"openapi": "3.1.1",\n "info": {"a": 1,\n  "a": 2}}',
        '3:3: duplicate key "a"',
    ),
    "nan.json": ('{"openapi": "3.1.1",\n "x": NaN}', "2:7: NaN"),
    "infinite.json": ('{"openapi": "3.1.1",\n "x": -1e999}', "2:7: -1e999"),
    "long.json": ('{"openapi": "3.1.1",\n "x": ' + "9" * 5000 + "}", "2:7: 99999"),
    "deep.json": ('{"openapi": "3.1.1", "x":' + "[" * 300 + "]" * 300 + "}", "1:225: nested"),
    "bomb.json": ("[" * 100_000, "1:201: nested"),
    "half.json": ('{"openapi": "3.1.1",\n "x": "\\ud800"}', "2:7: lone surrogate in a string"),
    "empty.json": ("", "1:1: the file is empty"),
    "blank.yaml": ("\n\n", "1:1: the file is empty"),
    "list.json": ("[]", "1:1: not an OpenAPI document"),
    "none.json": ("{}", "1:1: the field 'openapi' is missing"),
    "swagger.json": ('{\n "swagger": "1.2"}', "2:2: the field 'swagger' is '1.2'"),
    "version.yaml": ("info: {}\nopenapi: 3.1\n", "2:1: the field 'openapi' is 3.1"),
    "future.json": ('{"openapi": "4.0.0"}', "1:2: the field 'openapi' is '4.0.0'"),
    "conflict.yaml": (
        "openapi: 3.1.1\n<<<<<<< HEAD\ninfo: {}\n=======\ninfo: {a: 1}\n>>>>>>> other\n",
        "2:1: the file has an unresolved merge conflict",
    ),
    "conflict.json": (
        '{\n<<<<<<< HEAD\n "a": 1\n=======\n "a": 2\n>>>>>>> other\n}',
        "2:1: the file has an unresolved merge conflict",
    ),
    "indent.yaml": ("openapi: 3.1.1\n info: {}\n", "2:6: not valid YAML"),
    "tab.yaml": ("openapi: 3.1.1\ninfo:\n\ttitle: x\n", "3:1: not valid YAML"),
    "control.yaml": ("openapi: 3.1.1\nx: a\x07b\n", "2:5: not valid YAML"),
    "duplicate.yaml": ("openapi: 3.1.1\ninfo: {}\ninfo: {}\n", "3:1: duplicate key 'info'"),
    "same-text.yaml": ("openapi: 3.1.1\nx: {200: a, '200': b}\n", "2:13: duplicate key '200'"),
    "two.yaml": ("openapi: 3.1.1\n---\nopenapi: 3.1.1\n", "2:1: a second YAML document"),
    "tag.yaml": ("openapi: 3.1.1\nx: !!python/object:os.system {}\n", "2:4: tag "),
    "binary.yaml": ("openapi: 3.1.1\nx: !!binary aGk=\n", "2:4: tag "),
    "key.yaml": ("openapi: 3.1.1\nx: {[a]: b}\n", "2:5: a key that is not plain text"),
    "alias.yaml": ("openapi: 3.1.1\nx: *nowhere\n", "2:4: alias '*nowhere'"),
    "self.yaml": ("openapi: 3.1.1\nx: &x\n  y: *x\n", "3:6: alias '*x' contains itself"),
    "inf.yaml": ("openapi: 3.1.1\nx: -.inf\n", "2:4: -.inf is not a number"),
    "deep.yaml": ("openapi: 3.1.1\nx: " + "[" * 300, "2:203: nested"),
    "deep-block.yaml": ("- " * 5_000 + "x", "1:401: nested"),
    "tower.yaml": (
        "openapi: 3.1.1\na0: &a0 []\n"
        + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 300)),
        "201:",
    ),
    "laughs.yaml": (
        "openapi: 3.1.1\na0: &a0 [1,1,1,1,1,1,1,1,1,1]\n"
        + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)),
        "7:",
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_text_that_is_not_a_document(name: str, tmp_path: Path) -> None:
    text, expected = TEXTS[name]
    path = tmp_path / name
    path.write_text(text, "utf-8")
    message, _ = refused(path)
    assert message.startswith(expected)


BYTES = {
    "latin.json": (b'{"openapi": "3.1.1",\n "x": "caf\xe9"}', "2:11: not UTF-8 text"),
    "marked.json": (b'\xef\xbb\xbf{\n"caf\xe9"}', "2:5: not UTF-8 text"),
    "half.yaml": ("a: 1\nb: x".encode("utf-16-le") + b"\xd8", "2:5: not UTF-16-LE text"),
    "mark.yaml": (b"\xef\xbb\xbf", "1:1: the file is empty"),
}


@pytest.mark.parametrize("name", BYTES)
def test_bytes_that_are_not_text(name: str, tmp_path: Path) -> None:
    content, expected = BYTES[name]
    path = tmp_path / name
    path.write_bytes(content)
    assert refused(path)[0] == expected


ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_a_document_is_read_in_each_encoding_of_yaml(
    suffix: str, encoding: str, tmp_path: Path
) -> None:
    """YAML 1.2.2, 5.2, which includes JSON."""
    text = json.dumps(SKELETON | {"info": {"title": "Müsli", "version": "1"}}, ensure_ascii=False)
    path = tmp_path / f"openapi.{suffix}"
    path.write_bytes(text.encode(encoding))
    document = load(path)
    assert mapping(document.data["info"])["title"] == "Müsli"
    assert document.locate("/info").column == text.index('"info"') + 1


TABS = {
    "first": ("info:\n\ttitle: A\n", "2:1: not valid YAML: line 2 begins with a tab"),
    "after spaces": ("info:\n  \ttitle: A\n", "2:3: not valid YAML: line 2 begins with a tab"),
    "after a dash": ("tags:\n  - \tname: A\n", "2:5: not valid YAML: line 2 has a tab"),
}


@pytest.mark.parametrize(("text", "expected"), TABS.values(), ids=TABS)
def test_a_tab_is_named(text: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "openapi.yaml"
    path.write_text(text, "utf-8")
    assert refused(path) == (expected, "hint: YAML indents with spaces: replace the tab")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert refused(tmp_path / "missing.json")[0] == "1:1: no such file"


def test_a_directory_in_place_of_a_file(tmp_path: Path) -> None:
    assert refused(tmp_path)[0] == "1:1: is a directory"


KEY = '"$ref"'
REFERENCES = {
    "unresolved": ("$ref: '#/components/schemas/Oder'", "did you mean '/components/schemas/Order'"),
    "nowhere": ("$ref: '#/definitions/Order'", "there is nothing at '/definitions'"),
    "anchor": ("$ref: '#order'", "no schema has this $anchor"),
    "remote": ("$ref: 'https://example.com/a.json#/Order'", "--remote-refs fetch"),
    "file": ("$ref: 'other.json#/Order'", "looked for "),
    "absolute": ("$ref: '/etc/passwd'", "relative to the file"),
    "scheme": ("$ref: 'file:///etc/passwd'", "relative to the file"),
    "itself": ("$ref: '#/components/schemas/A'", "with the definition"),
    "circle": ("$ref: '#/components/schemas/B'", "with the definition"),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_references_that_lead_nowhere(name: str, tmp_path: Path) -> None:
    ref, hint = REFERENCES[name]
    part = f"""
    components:
      schemas:
        A: {{{ref}}}
        B: {{$ref: "#/components/schemas/A"}}
        Order: {{type: string}}
    """
    path = write(tmp_path, part)
    lines = path.read_text("utf-8").splitlines()
    place = next(
        f"{number}:{line.index(KEY) + 1}: " for number, line in enumerate(lines, 1) if KEY in line
    )
    message, advice = refused(path)
    assert message.startswith(place)
    assert hint in advice


def test_a_kept_remote_reference_is_not_fetched_and_not_followed(tmp_path: Path) -> None:
    part = "components: {schemas: {A: {$ref: 'https://example.invalid/a.json#/A'}}}"
    arguments = ["validate", str(write(tmp_path, part)), "--remote-refs", "keep"]
    assert CliRunner().invoke(cli, arguments).exit_code == 0


SETTINGS = {
    "toml": ("profile = \n", "1:"),
    "setting": ('profil = "strict"\n', "1:1: unknown setting 'profil'"),
    "profile": ('\nprofile = "harsh"\n', "2:1: unknown profile 'harsh'"),
    "rule": ('[levels]\n"no-such-rule" = "error"\n', "2:1: unknown rule 'no-such-rule'"),
    "level": ('[levels]\noperation-id = "fatal"\n', "2:1: unknown level 'fatal'"),
    "days that are a text": ('deprecation_days = "180"\n', "1:1: 'deprecation_days' must be a"),
    "days that are no number": ("deprecation_days = true\n", "1:1: 'deprecation_days' must be a"),
    "days of the past": ("\ndeprecation_days = -1\n", "2:1: 'deprecation_days' must be a number"),
    "days beyond all calendars": ("deprecation_days = 4000000\n", "1:1: 'deprecation_days' must"),
    "reason": (
        '[[waivers]]\nrule = "tags"\nwhere = "*"\nreason = "Known."\n'
        '[[waivers]]\nrule = "tags"\nwhere = "*"\nreason = " "\n',
        "5:1: a waiver needs rule, w",
    ),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_that_mean_nothing(name: str, tmp_path: Path) -> None:
    text, expected = SETTINGS[name]
    write(tmp_path, "{}")
    (tmp_path / "lint.toml").write_text(text, "utf-8")
    result = CliRunner().invoke(cli, ["validate", str(tmp_path / "openapi.json")])
    assert result.exit_code == 2
    assert f"lint.toml:{expected}" in result.stderr


def test_a_document_may_be_as_deep_as_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "openapi.json"
    deep = json.loads("[" * 198 + "]" * 198)
    path.write_text(json.dumps(SKELETON | {"x-deep": deep}), "utf-8")
    assert CliRunner().invoke(cli, ["validate", str(path)]).exit_code == 0
