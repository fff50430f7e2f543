"""Rules that validators of samples enforce: formats, encoded content, nothing from elsewhere."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from jsonschema_rs.canonical import Containment

from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.validators import UNUSABLE
from specwright.samples.compiled import Compiled
from specwright.samples.non_validating import written
from specwright.samples.scalars import FORMATS

from .schemas import side

TEXT = {"type": "string"}
JSON = {**TEXT, "contentMediaType": "application/json"}
ENCODED = {**JSON, "contentEncoding": "base64"}
HOLDING = {"contentSchema": {"type": "object", "required": ["a"]}}

# A schema, values that it accepts, and values that it refuses.
VALUES: dict[str, tuple[Any, list[Any], list[Any]]] = {
    "int32": (
        {"format": "int32"},
        [2**31 - 1, -(2**31), 0.5, None, "a"],
        [2**31, -(2**31) - 1],
    ),
    "int64": ({"format": "int64"}, [2**63 - 1, -(2**63)], [2**63, -(2**63) - 1]),
    "a format of texts": (
        {"format": "date"},
        ["2026-01-31", 7, None],
        ["2026-02-31", "today", ""],
    ),
    "bytes": ({"format": "byte"}, ["YQ==", ""], ["YQ=", "a b", "é"]),
    "an unknown format": ({"format": "colour"}, ["red", 7], []),
    "base64": ({**TEXT, "contentEncoding": "base64"}, ["YQ==", "e30="], ["YQ=", "{}", "!"]),
    "quoted-printable": (
        {**TEXT, "contentEncoding": "quoted-printable"},
        ["a=3Db", "a"],
        ["a=b", "100 =%"],
    ),
    "an unknown encoding": ({**TEXT, "contentEncoding": "base32"}, ["!"], []),
    "JSON": (JSON, ['{"a": 1}', "7"], ["", "{a}"]),
    "another media type": ({"contentMediaType": "text/html"}, ["<p>", "{"], []),
    "JSON in base64": (ENCODED, ["eyJhIjogMX0="], ['{"a": 1}', "YQ=="]),
    "content": ({**JSON, **HOLDING}, ['{"a": 1}'], ["{}", "[]", "7", "{"]),
    "content in base64": ({**ENCODED, **HOLDING}, ["eyJhIjogMX0="], ["e30=", '{"a": 1}']),
    "content of no media type": ({**TEXT, **HOLDING}, ["{}", "a"], []),
    "content that refers elsewhere": (
        {**JSON, "contentSchema": {"$ref": "#/components/schemas/A"}},
        ["{}", "7"],
        ["{"],
    ),
}


@pytest.mark.parametrize(("schema", "valid", "invalid"), VALUES.values(), ids=VALUES)
def test_notes_are_enforced(schema: Any, valid: list[Any], invalid: list[Any]) -> None:
    validator = Compiled(()).validator(schema)
    assert [value for value in (*valid, *invalid) if validator.is_valid(value)] == valid


@pytest.mark.parametrize("name", FORMATS)
def test_the_value_of_a_format_has_that_format(name: str) -> None:
    assert Compiled(()).validator({**TEXT, "format": name}).is_valid(FORMATS[name])


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (JSON, '{"a": 1}'),
        (ENCODED, "eyJhIjogMX0="),
        ({"contentEncoding": "quoted-printable"}, '{"a": 1}'),
        ({"contentEncoding": "base32"}, None),
    ],
)
def test_content_is_written_as_its_schema_says(schema: Any, text: str | None) -> None:
    assert written(schema, {"a": 1}) == text


def test_a_text_is_content_by_itself_unless_that_is_json() -> None:
    assert written({}, "a=b") == "a=b"
    assert written({"contentEncoding": "quoted-printable"}, "a=b") == "a=3Db"
    assert written(JSON, "a") == '"a"'


def test_no_schema_is_fetched() -> None:
    asked: list[str] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        Thread(target=server.serve_forever).start()
        schema = {"$ref": f"http://127.0.0.1:{server.server_port}/schema.json"}
        for use in (Compiled(()).validator, Compiled(()).canonical):
            with pytest.raises(UNUSABLE):
                use(schema)
        server.shutdown()
    assert asked == []


def test_a_proof_takes_alternatives_to_exclude_each_other() -> None:
    schemas = Compiled(())
    whole = schemas.canonical({"oneOf": [TEXT, {"type": "integer"}], "maximum": 9})
    part = schemas.canonical({"allOf": [{"oneOf": [TEXT, {"type": "integer"}], "maximum": 8}]})
    assert whole.covers(part) == Containment.YES
    assert part.covers(whole) == Containment.NO


def test_schemas_at_several_places_apply_together(tmp_path: Path) -> None:
    holder = side(tmp_path, Short={"maxLength": 2}, Small={"pattern": "^[a-z]*$"})
    schemas = holder.document.data["components"]["schemas"]
    places = (Subschema(f"/components/schemas/{name}", schemas[name]) for name in schemas)
    validator = Compiled((holder,)).validator(holder.whole(tuple(places)))
    assert [text for text in ("ab", "AB", "abc") if validator.is_valid(text)] == ["ab"]
