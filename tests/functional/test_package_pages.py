"""README.md and api.md of a package: calls that run, and text of a document that does nothing."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tests.checkers import mypy, pyright
from tests.conftest import Run
from tests.generate_cli.running import running

HOSTILE = 'a"); raise SystemExit(9) #\n```\n<script>`|[x](javascript:1)'
TEXT = {"type": "string"}
NOTE = {
    "type": "object",
    "required": ["text", "labels"],
    "properties": {
        "text": {**TEXT, "example": HOSTILE},
        "day": {**TEXT, "format": "date"},
        "labels": {"type": "array", "items": {"$ref": "#/components/schemas/Label"}},
    },
    "additionalProperties": TEXT,
}
LABEL = {
    "type": "object",
    "required": ["name", "made", "price"],
    "properties": {
        "name": {**TEXT, "example": HOSTILE},
        "made": {**TEXT, "format": "date-time", "example": "2026-01-02T03:04:05Z"},
        "price": {**TEXT, "format": "decimal", "example": "1.50"},
    },
}


def body(schema: Any) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


def operation(identifier: str, tag: str, schema: Any = None, **members: Any) -> dict[str, Any]:
    answer = {"description": "It.", **({} if schema is None else body(schema))}
    responses = {"204" if schema is None else "200": answer}
    return {"operationId": identifier, "tags": [tag], "responses": responses, **members}


def parameter(name: str, place: str, **schema: Any) -> dict[str, Any]:
    return {"name": name, "in": place, "required": True, "schema": {**TEXT, **schema}}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.1",
    "info": {"title": HOSTILE, "version": "1.2.0"},
    "tags": [{"name": "notes", "description": f"Notes. {HOSTILE}"}],
    "security": [{"key": []}],
    "paths": {
        "/notes/`|{id}": {
            "get": operation(
                "getNote", "notes", ref("Note"), parameters=[parameter("id", "path", format="uuid")]
            ),
            "put": operation(
                "putNote",
                "writing",
                parameters=[parameter("id", "path", format="uuid")],
                requestBody={"required": True, **body(ref("Note"))},
            ),
        },
        "/labels": {
            "post": operation(
                "addLabels",
                "labels",
                ref("Label"),
                parameters=[
                    parameter("since", "query", format="date"),
                    parameter("until", "query", format="date-time"),
                    parameter("text", "query", example=HOSTILE),
                ],
                requestBody={
                    "required": True,
                    **body(
                        {
                            "type": "object",
                            "required": ["labels", "least", "first"],
                            "properties": {
                                "labels": {"type": "array", "minItems": 1, "items": ref("Label")},
                                "least": {**TEXT, "format": "decimal", "example": "0.10"},
                                "first": ref("Label"),
                            },
                        }
                    ),
                },
            )
        },
        "/old": {
            "get": operation("getOld", "old", ref("Note"), deprecated=True),
            "post": operation("addOld", "old"),
        },
        "/files": {
            "post": operation(
                "addFile",
                "files",
                requestBody={
                    "required": True,
                    "content": {"application/octet-stream": {"schema": {}}},
                },
            )
        },
    },
    "components": {
        "schemas": {"Note": NOTE, "Label": LABEL},
        "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
    },
}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory, specwright: Run) -> Path:
    """The directory of a generated package."""
    place = tmp_path_factory.mktemp("notes")
    (place / "openapi.json").write_text(json.dumps(DOCUMENT), "utf-8")
    options = '[tool.specwright]\ndocument = "openapi.json"\npackage = "notes"\n'
    (place / "pyproject.toml").write_text(options, "utf-8")
    done = specwright("generate", cwd=place)
    assert done.returncode == 0, done.stderr
    return place / "generated"


def program(package: Path) -> str:
    """The code in a README, as a reader of Markdown finds it."""
    tokens = MarkdownIt().parse((package / "README.md").read_text("utf-8"))
    (code,) = [token.content for token in tokens if token.info == "python"]
    return str(code)


def test_a_readme_has_a_call_of_each_group_that_has_one(notes: Path) -> None:
    calls = re.findall(r"client\.(\w+)\.(\w+)\(", program(notes))
    assert calls == [
        ("notes", "get_note"),
        ("writing", "put_note"),
        ("labels", "add_labels"),
        ("old", "add_old"),
    ]


def test_the_calls_of_a_readme_run_on_the_mock(notes: Path, tmp_path: Path) -> None:
    with running(notes.parent, "mock", "openapi.json") as command:
        while " serves openapi.json until " not in (line := command.line()):
            pass
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program(notes)],
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": str(notes),
                "NOTES_BASE_URL": line.split()[0],
                "NOTES_TOKEN": "key",
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert "text=" in done.stdout and "price=Decimal" in done.stdout


def test_the_calls_of_a_readme_satisfy_type_checkers(notes: Path, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "first_calls.py").write_text(program(notes), "utf-8")
    assert mypy(programs, [str(notes)]) == []
    assert pyright(programs, [str(notes)]) == []


@pytest.mark.parametrize("name", ["README.md", "api.md"])
def test_text_of_the_document_is_no_markup(notes: Path, name: str) -> None:
    text = (notes / name).read_text("utf-8")
    html = MarkdownIt("gfm-like", {"linkify": False}).render(text.partition("-->\n")[2])
    assert "<script" not in html
    assert 'href="javascript' not in html
    # The hostile text would end a block of code, a cell or a list.
    assert html.count("<pre>") == (2 if name == "README.md" else 0)
    rows = re.findall(r"<tr>.*?</tr>", html, re.DOTALL)
    assert {len(re.findall("<t[dh]", row)) for row in rows} <= {3}


def test_a_listing_has_a_line_for_each_method(notes: Path) -> None:
    text = (notes / "api.md").read_text("utf-8")
    lines = re.findall(r"^- (?:GET|PUT|POST) .*", text, re.MULTILINE)
    assert len(lines) == 6
    assert "- GET /old: `get_old() -> models.Note`; deprecated; [Note](#models.Note)" in lines
    assert "- POST /old: `add_old() -> None`" in lines
    assert (
        r"- PUT /notes/\`\|{id}: "
        "`put_note(id: uuid.UUID, *, body: models.Note | params.Note) -> None`; "
        "[Note](#models.Note)"
    ) in lines


def test_links_of_a_listing_lead_to_models(notes: Path) -> None:
    text = (notes / "api.md").read_text("utf-8")
    anchors = re.findall(r'<a id="(.*?)">', text)
    assert set(re.findall(r"\(#(.*?)\)", text)) == set(anchors) == {"models.Label", "models.Note"}
    assert '<a id="models.Label"></a>Label: `name`, `made`, `price`' in text


def listing(specwright: Run, place: Path, document: dict[str, Any]) -> list[str]:
    (place / "openapi.json").write_text(json.dumps(document), "utf-8")
    done = specwright("generate", "--document", "openapi.json", "--package", "notes", cwd=place)
    assert done.returncode == 0, done.stderr
    return (place / "generated/api.md").read_text("utf-8").splitlines()


def test_a_new_operation_adds_lines_to_a_listing(specwright: Run, tmp_path: Path) -> None:
    before = listing(specwright, tmp_path, DOCUMENT)
    paths = {"/new": {"get": operation("getNew", "notes")}, **DOCUMENT["paths"]}
    after = listing(specwright, tmp_path, {**DOCUMENT, "paths": paths})
    assert set(after) - set(before) == {"- GET /new: `get_new() -> None`"}
    assert set(before) <= set(after) and len(after) == len(before) + 1


def properties(*names: str, **others: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {**dict.fromkeys(names, TEXT), **others}}


def event(kind: str) -> dict[str, Any]:
    own = properties(kind, type={"const": kind})
    return {"allOf": [ref("Dated"), {**own, "required": ["type"]}]}


TYPES = {
    "Dated": properties("id", "createdAt"),
    "Named": properties("name"),
    "Person": {"allOf": [ref("Dated"), properties("email", "id")]},
    "Customer": {"allOf": [ref("Person"), ref("Named"), properties("vip", "email")]},
    "Made": event("made"),
    "Gone": event("gone"),
    "Event": {
        "oneOf": [ref("Made"), ref("Gone")],
        "discriminator": {
            "propertyName": "type",
            "mapping": {"made": "#/components/schemas/Made", "gone": "#/components/schemas/Gone"},
        },
    },
    "Level": {"enum": ["low", "high"]},
    "Anything": {
        "oneOf": [
            ref("Event"),
            {"type": "array", "items": ref("Named")},
            {"const": HOSTILE},
            {"type": "string", "maxLength": 3},
        ]
    },
    "Empty": {"type": "object", "additionalProperties": False, "properties": {}},
    "Unused": properties("unused"),
}
LISTED = {
    "Anything": "one of [Event](#models.Event), `list[Named]`, ````Literal[",
    "Customer": "`id`, `created_at`, `email`, `name`, `vip`",
    "Event": "one of " + ", ".join(f"[{n}](#models.{n})" for n in ("Made", "Gone", "UnknownEvent")),
    "Gone": "`id`, `created_at`, `gone`, `type`",
    "Made": "`id`, `created_at`, `made`, `type`",
    "Named": "`name`",
    "UnknownEvent": "`type`",
}
FIELDS = """
import json
from notes import models
names = {name: getattr(type_, "model_fields", ()) for name, type_ in vars(models).items()}
print(json.dumps({name: [*fields] for name, fields in names.items()}))
"""


def test_a_listing_has_inherited_attributes_and_the_members_of_unions(
    specwright: Run, tmp_path: Path
) -> None:
    operations = {
        "/customers": {"get": operation("getCustomer", "all", ref("Customer"))},
        "/events": {"get": operation("getEvent", "all", ref("Event"))},
        "/anything": {"get": operation("getAny", "all", ref("Anything"))},
        "/level": {"get": operation("getLevel", "all", ref("Level"))},
    }
    components = {"schemas": TYPES}
    lines = listing(
        specwright, tmp_path, {**DOCUMENT, "paths": operations, "components": components}
    )
    assert "- GET /events: `get_event() -> models.Event`; [Event](#models.Event)" in lines
    entries = [re.fullmatch(r'- <a id="models.(\w+)"></a>\1: (.*)', line) for line in lines]
    listed = {entry[1]: entry[2] for entry in entries if entry}
    assert list(listed) == list(LISTED)
    any_ = listed.pop("Anything")
    assert any_.startswith(LISTED["Anything"]) and any_.endswith(", `str`")
    assert listed == {name: text for name, text in LISTED.items() if name != "Anything"}
    html = MarkdownIt("gfm-like").render("\n".join(lines))
    assert "<script" not in html
    done = subprocess.run(
        [sys.executable, "-c", FIELDS],
        cwd=tmp_path / "generated",
        capture_output=True,
        text=True,
        check=True,
    )
    fields = json.loads(done.stdout)
    for name, text in listed.items():
        if "](" not in text:
            assert {*re.findall(r"`(\w+)`", text)} == {*fields[name]}
