"""`specwright fmt`: one content has one text, and formatting changes nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from specwright.cli import cli
from specwright.document.shape import OBJECTS
from specwright.document.sources.canonical import canonical
from specwright.document.sources.canonical_yaml import canonical_yaml
from specwright.document.sources.yaml_source import parse
from specwright.errors import InputError

NAMES = st.sampled_from(
    sorted({name for fields in OBJECTS.values() for name in fields} | {"x-a", "A", "b", "200"})
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
)
DOCUMENTS = st.dictionaries(NAMES, VALUES, max_size=6)
YAML = """\
# The contract of Tälle

info:
  # the version
  version: "1"   # beside it
  title: Tälle
  # the end of info

# where it is
servers:
- description: one
  # address
  url: https://one.example
- {description: two, url: "https://two.example"}
- {description: three, # a note
   url: "https://three.example"}

openapi: 3.1.1
components:
  schemas:
    # about B
    B:
      required: [a]
      description: |
        text
          # not a comment

      type: object
      x-kept: |+
        two lines


      title: B
    A: {properties: {a: {type: string, description: a}}, type: object}
paths:
  /b:
    get:
      responses: {}

      parameters:
        - # the place
          in: query
          # the name
          name: a
      tags: [a] # tags
  /a: {}
"""
ORDERED = """\
# The contract of Tälle

openapi: 3.1.1

info:
  title: Tälle
  # the version
  version: "1"   # beside it
  # the end of info

# where it is
servers:
- # address
  url: https://one.example
  description: one
- {url: "https://two.example", description: two}
- {description: three, # a note
   url: "https://three.example"}
paths:
  /b:
    get:
      tags: [a] # tags

      parameters:
        - # the place
          # the name
          name: a
          in: query
      responses: {}
  /a: {}
components:
  schemas:
    A: {type: object, properties: {a: {type: string, description: a}}}
    # about B
    B:
      title: B
      type: object

      description: |
        text
          # not a comment
      required: [a]
      x-kept: |+
        two lines


"""


def fmt(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["fmt", *arguments])


@given(DOCUMENTS)
def test_formatting_twice_is_formatting_once(data: dict[str, Any]) -> None:
    once = canonical(data)
    assert canonical(json.loads(once)) == once


@given(DOCUMENTS)
def test_formatting_keeps_the_content(data: dict[str, Any]) -> None:
    assert json.loads(canonical(data)) == data


def test_fields_follow_the_specification_and_components_the_alphabet() -> None:
    data = {
        "x-b": 1,
        "components": {"schemas": {"B": {"required": ["a"], "type": "object"}, "A": {}}},
        "x-a": {"z": 1, "a": 2},
        "paths": {"/z": {"get": {"responses": {"404": {}, "200": {}}, "tags": []}}, "/a": {}},
        "info": {"version": "1", "title": "T"},
        "openapi": "3.1.1",
    }
    ordered = json.loads(canonical(data))
    assert list(ordered) == ["openapi", "info", "paths", "components", "x-a", "x-b"]
    assert list(ordered["info"]) == ["title", "version"]
    assert list(ordered["paths"]) == ["/z", "/a"]
    assert list(ordered["paths"]["/z"]["get"]) == ["tags", "responses"]
    assert list(ordered["paths"]["/z"]["get"]["responses"]) == ["404", "200"]
    assert list(ordered["components"]["schemas"]) == ["A", "B"]
    assert list(ordered["components"]["schemas"]["B"]) == ["type", "required"]
    assert list(ordered["x-a"]) == ["z", "a"]


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "openapi.json"
    path.write_bytes(b'{"info":{"version":"1","title":"\xc3\xa4"},"openapi":"3.1.1"}\r\n')
    path.chmod(0o640)
    assert fmt(str(path)).exit_code == 0
    assert path.read_bytes() == (
        b'{\n  "openapi": "3.1.1",\n  "info": {\n    "title": "\xc3\xa4",\n    "version": "1"\n'
        b"  }\n}\n"
    )
    assert path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["openapi.json"]


def test_the_canonical_form_is_utf_8_without_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "openapi.yaml"
    canonical_text = "openapi: 3.1.1\ninfo:\n  title: Tälle\n"
    path.write_bytes(canonical_text.encode("utf-16"))
    assert CliRunner().invoke(cli, ["fmt", str(path)]).exit_code == 0
    assert path.read_bytes() == canonical_text.encode()


def test_check_changes_nothing_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "openapi.json"
    path.write_text('{"openapi":"3.1.1"}', "utf-8")
    result = fmt("--check", str(path))
    assert (result.exit_code, result.stdout) == (
        1,
        f"{path}: would change; run: specwright fmt {path}\n",
    )
    assert path.read_text("utf-8") == '{"openapi":"3.1.1"}'
    fmt(str(path))
    assert fmt("--check", str(path)).exit_code == 0


@pytest.mark.parametrize("ref", ["https://a.test/part.yaml", "part.yaml#/B", "#/paths/~1b"])
def test_references_without_a_target_stay_as_they_are(tmp_path: Path, ref: str) -> None:
    path = tmp_path / "openapi.json"
    (tmp_path / "part.yaml").write_text("A: {}\n", "utf-8")
    path.write_text(json.dumps({"openapi": "3.1.1", "paths": {"/a": {"$ref": ref}}}), "utf-8")
    assert fmt(str(path)).exit_code == 0
    assert f'"$ref": "{ref}"' in path.read_text("utf-8")


FILES = {
    "openapi.yaml": """\
info: {version: "1", title: A}
openapi: 3.1.1
components:
  schemas:
    A: {$ref: "shared.json#/A"}
    B: {$ref: "shared.json#/deep/b~1b"}
    C: {$ref: "common.yaml#/components/schemas/C"}
    D: {$ref: "text.yaml#/x/0"}
    E: {$ref: "shared.json#/A/properties/z"}
paths:
  /a:
    $ref: paths/a.yaml
""",
    "paths/a.yaml": """\
# The path.

get:
  # What is returned.
  responses:
    "200":
      content: {application/json: {schema: {$ref: ../schemas/Thing.yaml}}}
      description: Fine.
  operationId: a   # the name
""",
    "schemas/Thing.yaml": "properties: {c: {description: C, type: string}}\ntype: object\n",
    "shared.json": json.dumps(
        {
            "deep": {"b/b": {"maximum": 3, "type": "integer"}, "a": {"maximum": 3, "type": "x"}},
            "x-a": 1,
            "A": {"required": ["a"], "properties": {"z": {}, "a": {}}, "type": "object"},
            "other": {"required": ["a"], "type": "object"},
        }
    ),
    "common.yaml": """\
components:
  schemas: {C: {maxLength: 1, type: string}, B: {}}
info: {version: "1", title: Common}
openapi: 3.1.1
""",
    "text.yaml": "y: 1\nx: [{maxLength: 1, type: string}]\n",
}
FORMATTED = {
    "openapi.yaml": """\
openapi: 3.1.1
info: {title: A, version: "1"}
paths:
  /a:
    $ref: paths/a.yaml
components:
  schemas:
    A: {$ref: "shared.json#/A"}
    B: {$ref: "shared.json#/deep/b~1b"}
    C: {$ref: "common.yaml#/components/schemas/C"}
    D: {$ref: "text.yaml#/x/0"}
    E: {$ref: "shared.json#/A/properties/z"}
""",
    "paths/a.yaml": """\
# The path.

get:
  operationId: a   # the name
  # What is returned.
  responses:
    "200":
      description: Fine.
      content: {application/json: {schema: {$ref: ../schemas/Thing.yaml}}}
""",
    "schemas/Thing.yaml": "type: object\nproperties: {c: {type: string, description: C}}\n",
    "shared.json": json.dumps(
        {
            "deep": {"b/b": {"type": "integer", "maximum": 3}, "a": {"maximum": 3, "type": "x"}},
            "x-a": 1,
            "A": {"type": "object", "properties": {"z": {}, "a": {}}, "required": ["a"]},
            "other": {"required": ["a"], "type": "object"},
        },
        indent=2,
    )
    + "\n",
    "common.yaml": """\
openapi: 3.1.1
info: {title: Common, version: "1"}
components:
  schemas: {B: {}, C: {type: string, maxLength: 1}}
""",
    "text.yaml": FILES["text.yaml"],
}
NOT_DOCUMENTS = "a part of a document is formatted with it: name the document"
PARTS = "A: {maxLength: 1, type: string}\n"
CHANGED = [name for name in FILES if name != "text.yaml"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: a project with a document of several files."""
    place = tmp_path / "project"
    for name, text in FILES.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, "utf-8")
    (place / "pyproject.toml").write_text("[tool.specwright]\n", "utf-8")
    monkeypatch.chdir(place)
    return place


def texts(place: Path) -> dict[str, str]:
    return {name: (place / name).read_text("utf-8") for name in FILES}


def test_all_files_of_a_document_are_formatted(project: Path) -> None:
    checked = fmt("--check")
    assert checked.exit_code == 1
    assert sorted(checked.stdout.splitlines()) == sorted(
        f"{name}: would change; run: specwright fmt openapi.yaml" for name in CHANGED
    )
    assert texts(project) == FILES
    done = fmt()
    assert (done.exit_code, done.stderr) == (0, "")
    assert sorted(done.stdout.splitlines()) == sorted(f"{name}: changed" for name in CHANGED)
    assert texts(project) == FORMATTED
    again = fmt("--check")
    assert (again.exit_code, again.stdout) == (0, "")


@pytest.mark.parametrize("name", ["paths/a.yaml", "shared.json", "schemas/Thing.yaml"])
@pytest.mark.parametrize("settings", ["", 'document = "openapi.yaml"'])
def test_a_part_that_is_named_is_formatted_alone(project: Path, name: str, settings: str) -> None:
    (project / "pyproject.toml").write_text(f"[tool.specwright]\n{settings}\n", "utf-8")
    checked = fmt("--check", name)
    assert checked.stdout == f"{name}: would change; run: specwright fmt openapi.yaml\n"
    done = fmt(name)
    assert (done.exit_code, done.stdout) == (0, f"{name}: changed\n")
    assert texts(project) == FILES | {name: FORMATTED[name]}


def test_a_document_and_its_part_are_formatted_once(project: Path) -> None:
    done = fmt("paths/a.yaml", "openapi.yaml", "common.yaml")
    assert sorted(done.stdout.splitlines()) == sorted(f"{name}: changed" for name in CHANGED)
    assert texts(project) == FORMATTED


def test_parts_are_those_of_the_documents_in_the_settings(project: Path) -> None:
    (project / "shared.yaml").write_text(PARTS, "utf-8")
    (project / "api").mkdir()
    document = {"components": {"schemas": {"A": {"$ref": "../shared.yaml#/A"}}}, "openapi": "3.1.1"}
    (project / "api/main.json").write_text(json.dumps(document), "utf-8")
    settings = '[tool.specwright]\ndocument = "api/main.json"\n'
    (project / "pyproject.toml").write_text(settings, "utf-8")
    assert fmt("--check", "paths/a.yaml").exit_code == 2
    assert fmt("shared.yaml").stdout == "shared.yaml: changed\n"
    assert (project / "shared.yaml").read_text("utf-8") == "A: {type: string, maxLength: 1}\n"


def test_a_file_of_two_documents_has_the_parts_of_both(project: Path) -> None:
    for name, part in (("a", "A"), ("b", "deep/b~1b")):
        schemas = {"X": {"$ref": f"shared.json#/{part}"}}
        document = {"openapi": "3.1.1", "components": {"schemas": schemas}}
        (project / f"{name}.json").write_text(json.dumps(document), "utf-8")
    fmt("a.json", "b.json")
    assert (project / "shared.json").read_text("utf-8") == FORMATTED["shared.json"]


def test_a_file_that_is_no_part_of_a_document_is_refused(project: Path) -> None:
    (project / "other.yaml").write_text("b: 1\na: 2\n", "utf-8")
    done = fmt("other.yaml")
    assert done.exit_code == 2
    assert "other.yaml:1:1: the field 'openapi' is missing" in done.stderr
    assert NOT_DOCUMENTS in done.stderr
    assert (project / "other.yaml").read_text("utf-8") == "b: 1\na: 2\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("paths/a.yaml", "get: [", "paths/a.yaml:2:1"),
        ("paths/a.yaml", "x-c: &b 1\nx-a: &b 2\nx-d: *b\nget: {responses: {}}\n", "in order"),
        ("schemas/Thing.yaml", None, "looked for schemas/Thing.yaml"),
    ],
)
def test_a_file_that_cannot_be_formatted_leaves_all_unchanged(
    project: Path, name: str, text: str | None, message: str
) -> None:
    if text is None:
        (project / name).unlink()
    else:
        (project / name).write_text(text, "utf-8")
    done = fmt()
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr
    for other in FILES.keys() - {name}:
        assert (project / other).read_text("utf-8") == FILES[other]


def test_a_document_that_cannot_be_read_is_no_part(project: Path) -> None:
    refs = {"A": {"$ref": "missing.yaml"}}
    document = {"openapi": "3.1.1", "components": {"schemas": refs}}
    (project / "a.json").write_text(json.dumps(document), "utf-8")
    done = fmt("a.json")
    assert done.exit_code == 2
    assert "looked for missing.yaml" in done.stderr and NOT_DOCUMENTS not in done.stderr


@pytest.mark.parametrize("ref", ["../outside/part.yaml#/A", "link.yaml#/A"])
def test_files_outside_the_project_stay_as_they_are(project: Path, ref: str) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    (outside / "part.yaml").write_text(PARTS, "utf-8")
    (project / "link.yaml").symlink_to(outside / "part.yaml")
    document = {"components": {"schemas": {"A": {"$ref": ref}}}, "openapi": "3.1.1"}
    (project / "a.json").write_text(json.dumps(document), "utf-8")
    refused = fmt("a.json")
    assert refused.exit_code == 2
    assert "refers to a file outside the project" in refused.stderr
    done = fmt("a.json", "--allow-refs-from", str(outside))
    assert (done.exit_code, done.stdout) == (0, "a.json: changed\n")
    assert (outside / "part.yaml").read_text("utf-8") == PARTS
    assert (project / "link.yaml").is_symlink()


def test_a_link_in_the_project_is_followed(project: Path) -> None:
    (project / "part.yaml").write_text(PARTS, "utf-8")
    (project / "link.yaml").symlink_to("part.yaml")
    refs = {"A": {"$ref": "link.yaml#/A"}, "B": {"$ref": "part.yaml#/A"}}
    document = {"openapi": "3.1.1", "components": {"schemas": refs}}
    (project / "a.json").write_text(json.dumps(document, indent=2) + "\n", "utf-8")
    assert fmt("a.json").stdout == "link.yaml: changed\n"
    assert (project / "link.yaml").is_symlink()
    assert (project / "part.yaml").read_text("utf-8") == "A: {type: string, maxLength: 1}\n"


def test_parts_of_swagger_have_its_order(project: Path) -> None:
    parameter = {"type": "string", "in": "query", "name": "q"}
    (project / "part.json").write_text(json.dumps({"P": parameter}), "utf-8")
    document = {"parameters": {"Q": {"$ref": "part.json#/P"}}, "swagger": "2.0"}
    (project / "a.json").write_text(json.dumps(document), "utf-8")
    fmt("a.json")
    ordered = json.loads((project / "part.json").read_text("utf-8"))
    assert list(ordered["P"]) == ["name", "in", "type"]
    assert list(json.loads((project / "a.json").read_text("utf-8"))) == ["swagger", "parameters"]


@pytest.mark.parametrize("flow", [False, True, None])
@given(data=DOCUMENTS)
def test_yaml_has_the_order_of_json(flow: bool | None, data: dict[str, Any]) -> None:
    text = yaml.safe_dump(data, sort_keys=False, default_flow_style=flow)
    ordered = canonical_yaml("openapi.yaml", text)
    assert json.dumps(parse("", ordered)[0]) == json.dumps(json.loads(canonical(data)))
    assert canonical_yaml("openapi.yaml", ordered) == ordered


def test_comments_of_yaml_move_with_their_fields(tmp_path: Path) -> None:
    path = tmp_path / "openapi.yaml"
    path.write_bytes(YAML.replace("\n", "\r\n").rstrip().encode())
    assert fmt(str(path)).stdout == f"{path}: changed\n"
    assert path.read_bytes().decode() == ORDERED
    assert fmt("--check", str(path)).exit_code == 0


ALIASES = """\
openapi: 3.1.1
# Shared.
x-common:
  # Of all operations.
  error: &error
    description: Bad
  limit: &limit {name: limit, in: query}
x-b: 1
paths:
  /x:
    get:
      responses:
        "400": *error
        "200": &ok {description: ok}
      parameters: [*limit]
    post:
      responses: {"200": *ok}
info: {version: "1", title: A}
components:
  schemas:
    Z: &z {type: string}
    B: {allOf: [&b {type: object}]}
    A: *z
    Y: {maxLength: 1, type: string, x-a: *b}
"""
IN_ORDER = """\
openapi: 3.1.1
info: {title: A, version: "1"}
# Shared.
x-common:
  # Of all operations.
  error: &error
    description: Bad
  limit: &limit {name: limit, in: query}
paths:
  /x:
    get:
      parameters: [*limit]
      responses:
        "400": *error
        "200": &ok {description: ok}
    post:
      responses: {"200": *ok}
components:
  schemas:
    Z: &z {type: string}
    A: *z
    B: {allOf: [&b {type: object}]}
    Y: {type: string, maxLength: 1, x-a: *b}
x-b: 1
"""


def test_a_field_with_an_anchor_stays_before_those_that_use_it() -> None:
    ordered = canonical_yaml("openapi.yaml", ALIASES)
    assert ordered == IN_ORDER
    assert canonical_yaml("openapi.yaml", ordered) == ordered
    assert parse("", ordered)[0] == parse("", ALIASES)[0]


def test_a_chain_of_anchors_stays_in_its_order() -> None:
    text = "x-a: {b: &b {c: 1}}\nx-d: {e: &e [*b]}\ninfo: {title: *e}\nopenapi: 3.1.1\n"
    first, second, third, fourth = text.splitlines()
    expected = "\n".join([fourth, first, second, third, ""])
    assert canonical_yaml("openapi.yaml", text) == expected


def test_an_anchor_that_is_defined_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "openapi.yaml"
    text = "openapi: 3.1.1\nx-c: &b 1\nx-a: &b 2\nx-d: *b\n"
    path.write_text(text, "utf-8")
    result = fmt(str(path))
    assert result.exit_code == 2
    assert f"error: {path}:1:1: cannot be put in order: its content would change" in result.stderr
    assert path.read_text("utf-8") == text


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_each_kind_of_line_end_becomes_a_line_feed(tmp_path: Path, end: str) -> None:
    path = tmp_path / "openapi.yaml"
    text = 'openapi: 3.1.1\ninfo:\n  version: "1"\n  title: |\n    A\n    b\npaths: {}\n'
    path.write_bytes(text.replace("\n", end).encode())
    assert fmt(str(path)).exit_code == 0
    expected = 'openapi: 3.1.1\ninfo:\n  title: |\n    A\n    b\n  version: "1"\npaths: {}\n'
    assert path.read_bytes() == expected.encode()


KEPT = "openapi: 3.1.1\nx-b: 1\n\nx-a: |+\n  text\n\n"


def test_empty_lines_do_not_become_content() -> None:
    expected = "openapi: 3.1.1\nx-a: |+\n  text\n\nx-b: 1\n"
    assert canonical_yaml("openapi.yaml", KEPT) == expected


def test_a_change_of_the_content_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "specwright.document.sources.canonical_yaml._after", lambda text, rest: rest
    )
    with pytest.raises(InputError, match="cannot be put in order: its content would change"):
        canonical_yaml("openapi.yaml", KEPT)


def test_keys_with_a_question_mark_stay(tmp_path: Path) -> None:
    path = tmp_path / "openapi.yaml"
    path.write_text("? openapi\n: 3.1.1\n? info\n: ? version\n  : a\n  ? title\n  : b\n", "utf-8")
    before = path.read_bytes()
    result = fmt(str(path))
    assert (result.exit_code, path.read_bytes()) == (2, before)
    assert "cannot be put in order" in result.stderr


def test_several_documents_are_formatted(tmp_path: Path) -> None:
    paths = [tmp_path / "a.json", tmp_path / "b.yaml", tmp_path / "c.json"]
    paths[0].write_text('{"openapi":"3.1.1"}', "utf-8")
    paths[1].write_text("info: {}\nopenapi: 3.1.1\n", "utf-8")
    paths[2].write_text('{\n  "openapi": "3.1.1"\n}\n', "utf-8")
    names = [str(path) for path in paths]
    assert fmt("--check", *names).exit_code == 1
    assert fmt(*names).stdout == f"{paths[0]}: changed\n{paths[1]}: changed\n"
    assert fmt("--check", *names).exit_code == 0


def test_a_broken_document_leaves_the_others_unchanged(tmp_path: Path) -> None:
    good, broken = tmp_path / "a.json", tmp_path / "b.yaml"
    good.write_text('{"openapi":"3.1.1"}', "utf-8")
    broken.write_text("openapi: [", "utf-8")
    result = fmt(str(good), str(broken))
    assert result.exit_code == 2
    assert f"{broken}:2:1: not valid YAML" in result.stderr
    assert good.read_text("utf-8") == '{"openapi":"3.1.1"}'


def test_a_broken_document_is_refused_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "openapi.json"
    path.write_text('{"openapi": "3.1.1", "openapi": "3.1.0"}', "utf-8")
    result = fmt(str(path))
    assert result.exit_code == 2
    assert f"{path}:1:22: duplicate key" in result.stderr
    assert path.read_text("utf-8") == '{"openapi": "3.1.1", "openapi": "3.1.0"}'
