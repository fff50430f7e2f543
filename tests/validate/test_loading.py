"""Loading keeps every value, and knows where each was written."""

import json
import re
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from specwright import pointer
from specwright.document.sources import json_source, yaml_source
from specwright.document.sources.bundle import Remote
from specwright.document.sources.load import load
from specwright.errors import InputError

from .documents import write

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4)
)
INDENTS = st.sampled_from([None, 0, 2])


@given(st.lists(TEXT))
def test_a_pointer_comes_apart_as_it_was_joined(tokens: list[str]) -> None:
    assert pointer.split(pointer.join(*tokens)) == tuple(tokens)


@pytest.mark.parametrize("token", ["01", "-", "3", "-1", "٢", ""])
def test_only_plain_indexes_lead_into_arrays(token: str) -> None:
    with pytest.raises(KeyError):
        pointer.resolve({"a": [1, 2, 3]}, f"/a/{token}")


def test_a_pointer_starts_with_a_slash() -> None:
    with pytest.raises(ValueError, match="starts with"):
        pointer.split("a/b")


def places(value: Any, tokens: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    found = [(tokens, value)]
    items: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = [(str(index), item) for index, item in enumerate(value)]
    for name, inner in items:
        found.extend(places(inner, (*tokens, name)))
    return found


@given(VALUES, INDENTS, st.booleans())
def test_json_is_read_as_the_standard_library_reads_it(
    value: Any, indent: int | None, escaped: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escaped)
    data, _ = json_source.parse("a.json", text)
    assert repr(data) == repr(json.loads(text))


@given(VALUES, INDENTS)
def test_every_place_in_json_is_the_token_that_stands_there(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    data, source = json_source.parse("a.json", text)
    lines = text.split("\n")
    for tokens, inner in places(data):
        line, column = source.position(tokens)
        rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
        found, _ = json.JSONDecoder().raw_decode(rest)
        parent = pointer.resolve(data, pointer.join(*tokens[:-1])) if tokens else None
        assert repr(found) == repr(tokens[-1] if isinstance(parent, dict) else inner)


@given(VALUES, st.booleans())
def test_yaml_that_a_library_wrote_is_read_back(value: Any, flow: bool) -> None:
    text = yaml.dump({"v": value}, default_flow_style=flow, allow_unicode=True, sort_keys=False)
    if re.search(r"(?m)\d[eE]\+?\d|!!|\x85|\u2028|\u2029", text):
        return  # written for YAML 1.1, where these mean something else
    data, _ = yaml_source.parse("a.yaml", text)
    assert data == {"v": value}


def test_yaml_values_are_those_of_the_core_schema() -> None:
    text = """
    date: 2024-02-30
    time: 12:30:45
    yes: yes
    off: Off
    upper: TRUE
    empty:
    tilde: ~
    zeros: 0123
    octal: 0o17
    hexadecimal: 0x1F
    sign: -7
    underscore: 1_000
    float: 1e3
    dot: .5
    version: 1.10.0
    quoted: "123"
    forced: !!str 5
    """
    data, _ = yaml_source.parse("a.yaml", text.replace("\n    ", "\n"))
    assert data == {
        "date": "2024-02-30",
        "time": "12:30:45",
        "yes": "yes",
        "off": "Off",
        "upper": True,
        "empty": None,
        "tilde": None,
        "zeros": 123,
        "octal": 15,
        "hexadecimal": 31,
        "sign": -7,
        "underscore": "1_000",
        "float": 1000.0,
        "dot": 0.5,
        "version": "1.10.0",
        "quoted": "123",
        "forced": "5",
    }


def test_yaml_keys_are_text_as_it_is_written() -> None:
    data, source = yaml_source.parse("a.yaml", "200: a\n1.0: b\ntrue: c\nnull: d\n")
    assert data == {"200": "a", "1.0": "b", "true": "c", "null": "d"}
    assert source.position(("true",)) == (3, 1)


def test_yaml_anchors_and_merges_repeat_what_they_name() -> None:
    text = (
        "one: &one {a: 1, b: 2}\ntwo: &two {b: 3, c: 4}\n"
        "both:\n  <<: [*one, *two]\n  a: 9\nlist: [*one]\n'<<': plain\n"
    )
    data, source = yaml_source.parse("a.yaml", text)
    assert data["both"] == {"a": 9, "b": 2, "c": 4}
    assert data["list"] == [{"a": 1, "b": 2}]
    assert data["<<"] == "plain"
    assert source.position(("both", "a")) == (5, 3)
    assert source.position(("both", "c")) == (2, 18)
    assert source.position(("list", "0")) == (6, 8)


@given(st.text(max_size=60))
def test_any_text_is_data_or_an_input_error(text: str) -> None:
    for parse in (json_source.parse, yaml_source.parse):
        try:
            parse("a", text)
        except InputError as error:
            assert error.location is not None
            assert 1 <= error.location.line <= text.count("\n") + text.count("\r") + 2


PIECES = st.lists(
    st.sampled_from(
        ["a", "- ", ": ", "\n", "  ", "&x ", "*x", "{", "}", "[", "]", ",", "<<: ", "!"]
    ),
    max_size=25,
)


@given(PIECES.map("".join))
def test_broken_yaml_is_an_input_error(text: str) -> None:
    try:
        yaml_source.parse("a.yaml", text)
    except InputError as error:
        assert error.location is not None


def test_files_that_are_referred_to_become_components(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "models.yaml").write_text(
        "Order:\n  type: object\n  properties:\n    line: {$ref: '#/Line'}\n"
        "    self: {$ref: 'models.yaml#/Order'}\n    plan: {$ref: '../plan.json'}\n"
        "Line: {type: string, default: 5}\n",
        "utf-8",
    )
    (tmp_path / "plan.json").write_text(
        '{"properties": {"order": {"$ref": "shared/models.yaml#/Order"}}}', "utf-8"
    )
    part = """
    components:
      schemas:
        Line: {type: integer}
        Mine: {$ref: "shared/models.yaml#/Order"}
        Again: {$ref: "./shared/models.yaml#/Order"}
        Root: {$ref: "openapi.json#/components/schemas/Line"}
    """
    document = load(write(tmp_path, part))
    schemas = document.data["components"]["schemas"]
    assert list(schemas) == ["Line", "Mine", "Again", "Root", "Order", "Line_2", "plan"]
    assert schemas["Mine"] == schemas["Again"] == {"$ref": "#/components/schemas/Order"}
    assert schemas["Root"] == {"$ref": "#/components/schemas/Line"}
    assert schemas["Order"]["properties"] == {
        "line": {"$ref": "#/components/schemas/Line_2"},
        "self": {"$ref": "#/components/schemas/Order"},
        "plan": {"$ref": "#/components/schemas/plan"},
    }
    place = document.locate("/components/schemas/Line_2/default")
    assert (Path(place.file).name, place.line, place.column) == ("models.yaml", 7, 22)
    assert document.line(place) == "Line: {type: string, default: 5}"


def test_errors_in_other_files_name_those_files(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text("A:\n  $ref: '#/B'\n", "utf-8")
    with pytest.raises(InputError) as caught:
        load(write(tmp_path, "components: {schemas: {A: {$ref: 'other.yaml#/A'}}}"))
    assert str(caught.value.location) == f"{tmp_path / 'other.yaml'}:2:3"


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    """The address of a server of the files in a directory."""
    directory = tmp_path / "web"
    directory.mkdir()
    handler = partial(SimpleHTTPRequestHandler, directory=str(directory))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_files_on_other_machines_are_fetched_when_that_is_allowed(web: str, tmp_path: Path) -> None:
    (tmp_path / "web" / "models.yaml").write_text("A: {$ref: 'more.json#/B'}\n", "utf-8")
    (tmp_path / "web" / "more.json").write_text('{"B": {"type": "integer"}}', "utf-8")
    path = write(tmp_path, f"components: {{schemas: {{A: {{$ref: '{web}/models.yaml#/A'}}}}}}")
    document = load(path, remote=Remote.FETCH)
    assert document.follow({"$ref": "#/components/schemas/A"}) == {"type": "integer"}
    with pytest.raises(InputError, match="cannot be fetched"):
        load(
            write(tmp_path, f"components: {{schemas: {{A: {{$ref: '{web}/gone.yaml#/A'}}}}}}"),
            remote=Remote.FETCH,
        )


def test_a_path_item_in_another_file_is_brought_in(tmp_path: Path) -> None:
    (tmp_path / "orders.yaml").write_text(
        "get: {responses: {'200': {$ref: 'orders.yaml#/x-fine'}}}\nx-fine: {description: Fine.}\n",
        "utf-8",
    )
    document = load(write(tmp_path, "paths: {/orders: {$ref: orders.yaml}}"))
    item = document.follow(document.data["paths"]["/orders"])
    assert document.follow(item["get"]["responses"]["200"]) == {"description": "Fine."}


def test_references_inside_examples_and_extensions_are_text(tmp_path: Path) -> None:
    part = """
    x-note: {$ref: nowhere.yaml}
    components:
      examples: {e: {value: {$ref: nowhere.yaml}}}
      schemas:
        A:
          const: {$ref: nowhere.yaml}
          properties: {$ref: {type: string}, example: {type: string}}
    """
    path = write(tmp_path, part)
    assert load(path).data == json.loads(path.read_text("utf-8"))


def test_anchors_and_ids_of_schemas_resolve(tmp_path: Path) -> None:
    part = """
    components:
      schemas:
        A: {$anchor: a, $id: "https://example.com/a", type: string}
        B: {$ref: "#a"}
        C: {$ref: "https://example.com/a"}
    """
    document = load(write(tmp_path, part))
    for name in ("B", "C"):
        found = document.follow(document.data["components"]["schemas"][name])
        assert found["type"] == "string"


def test_a_missing_place_is_that_of_its_nearest_parent(tmp_path: Path) -> None:
    document = load(write(tmp_path, "info: {title: T, version: '1'}"))
    parent = document.locate("/info")
    assert document.locate("/info/contact/email") == parent
    assert document.locate("/nothing") == document.locate("")
