"""Quoting does not count on the checks: text that they refuse stays text in every file, too."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from specwright import pipeline
from specwright.check.lint.table import RULE_IDS
from specwright.config import Options
from specwright.document.sources.load import load
from specwright.emit.fileset import FileSet
from specwright.findings import Level

# Calls this name if it ever gets out of its literal, docstring or comment.
ALARM = "pwned"

PAYLOADS = {
    "quotes": f'"; {ALARM}(); "\'; {ALARM}()\n"""\n{ALARM}()\n"""',
    "line breaks": f"a{ALARM}()".join("\n\r\u2028\x85\x0b\x0c") + "\\",
    "templates": f"{{{{ {ALARM}() }}}} {{% set x = {ALARM}() %}} {{0}} %s {{{ALARM}()}}",
    "hidden": f"\x00\x07\x1b[31m\x7f\u202e{ALARM}()\u2066\u200f\ufeff",
    "other languages": f'"\n[build-system]\nrequires = ["{ALARM}"]\n```\n<b onclick={ALARM}()>',
}


def hostile(text: str) -> dict[str, Any]:
    """A document with the text in every place that the specification leaves to authors."""
    thing = {"$ref": "#/components/schemas/Thing"}
    body = {"content": {"application/json": {"schema": thing}}}
    parameters = [
        {"name": "id", "in": "path", "required": True, "description": text,
         "schema": {"type": "string", "default": text}},
        {"name": f"q{text}", "in": "query", "description": text, "deprecated": True,
         "schema": {"type": "string", "enum": [text, "a"], "default": text, "title": text}},
        {"name": f"h{text}", "in": "header",
         "schema": {"type": "array", "items": {"type": "string"}}},
        {"name": f"c{text}", "in": "cookie", "schema": {"const": text}},
    ]  # fmt: skip
    operation = {
        "operationId": f"do{text}",
        "summary": text,
        "description": text,
        "tags": [f"t{text}"],
        "parameters": parameters,
        "requestBody": {"description": text, "required": True, **body},
        "responses": {
            "200": {"description": text, **body, "headers": {f"H{text}": {"schema": {}}}},
            "default": {"description": text, "content": {f"text/{text}": {}}},
        },
        "x-contract-idempotency": {
            "key": f"/k{text}".replace("~", "~0"),
            "replay": {"status": 200, "header": text, "value": text},
            "in_progress": {"status": 409, "code": text},
            "changed": {"status": 422, "code": text},
            "scope": [text],
        },
        "x-contract-rate-limit": {"class": text},
        "x-contract-capacity": {
            "limit": 1,
            "scope": text,
            "status": 409,
            "code": text,
            "release": text,
        },
        "x-contract-order": {"by": f"/k{text}".replace("~", "~0"), "direction": "ascending"},
        "x-contract-requires-one-of": {"parameters": [f"q{text}"], "code": text},
        f"x-{text}": text,
    }
    event: dict[str, Any] = {
        "operationId": f"on{text}",
        "summary": text,
        "requestBody": {"required": True, **body},
        "responses": {"200": {"description": text}},
        "x-contract-signature": {
            "header": text, "template": f"t={{timestamp}},v1={{digest}}{text}",
            "payload": f"{{timestamp}}.{{body}}{text}", "algorithm": "hmac-sha256",
            "encoding": "hex", "tolerance_seconds": 300, "secret": "text",
        },
        "x-contract-delivery": {
            "retry_after_seconds": [1], "success": "2XX", "connect_timeout_seconds": 1,
            "timeout_seconds": 1, "event_id_header": text, "event_type_header": text,
        },
        "x-contract-trigger": {"operation": text, "scenario": text, "within_seconds": 1},
    }  # fmt: skip
    # Signed and delivered in another way, so that each has names of its own.
    another: dict[str, Any] = {**event, "operationId": f"another{text}"}
    for key in ("x-contract-signature", "x-contract-delivery"):
        another[key] = {
            name: f"{value}b" if value == text else value for name, value in event[key].items()
        }
    return {
        "openapi": "3.1.1",
        "info": {
            "title": text, "summary": text, "description": text, "version": text,
            "contact": {"name": text}, "license": {"name": text},
        },
        "servers": [{"url": "https://x.example", "description": text}],
        "tags": [{"name": f"t{text}", "description": text}],
        "security": [{"key": []}],
        "x-contract-error": {
            "schema": "#/components/schemas/Thing", "code": "/kind", "message": "/kind",
            "type": "/kind", "request_id_header": text,
            "codes": {text: {"status": 400, "type": text}},
        },
        "x-contract-rate-limit": {
            "classes": {text: {"limit": 1, "window_seconds": 1, "scope": text}},
            "headers": {"policy": text, "state": text, "retry": text},
        },
        "paths": {f"/things/{{id}}/{text.replace('{', '').replace('}', '')}": {"post": operation}},
        "webhooks": {f"w{text}": {"post": event}, f"v{text}": {"post": another}},
        "components": {
            "securitySchemes": {
                "key": {"type": "apiKey", "in": "header", "name": text, "description": text}
            },
            "schemas": {
                "Thing": {
                    "title": text,
                    "description": text,
                    "type": "object",
                    "required": ["kind"],
                    "properties": {
                        "kind": {"const": text, "description": text},
                        f"p{text}": {"type": "string", "default": text, "examples": [text]},
                        "choice": {"enum": [text, "other"], "title": text},
                        "open": {"type": "string", "x-extensible-enum": [text]},
                        "nested": {"type": "object", "properties": {f"n{text}": {"title": text}}},
                    },
                    "examples": [{"kind": text}],
                    "default": {"kind": text},
                },
            },
        },
    }  # fmt: skip


@pytest.fixture(scope="module", params=PAYLOADS)
def generated(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[FileSet, FileSet]:
    # Some of this is refused before anything is generated. Quoting must not count on that.
    everything_off = dict.fromkeys(RULE_IDS, Level.OFF)
    file = tmp_path_factory.mktemp("hostile") / "api.json"
    file.write_text(json.dumps(hostile(PAYLOADS[request.param])))
    document = load(file)
    options = Options(package="victim")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "_NEEDED", everything_off)
        return pipeline.generate(document, options), pipeline.scaffold(document, options)


def test_nothing_of_it_runs_and_everything_can_be_imported(
    generated: tuple[FileSet, FileSet], tmp_path: Path
) -> None:
    package, implementation = generated
    for name, source in (*package.items(), *implementation.items()):
        if name.endswith(".py"):
            calls = [
                ast.unparse(node)
                for node in ast.walk(ast.parse(source))
                if isinstance(node, ast.Call | ast.Import | ast.ImportFrom)
            ]
            assert not [call for call in calls if call.startswith((ALARM, f"import {ALARM}"))]
    for name, source in package.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(source)
    modules = ("client", "async_client", "server", "webhooks", "models", "errors", "testing")
    probe = "; ".join(
        [
            f"import builtins, sys; builtins.{ALARM} = lambda: sys.exit('it ran')",
            *(f"import victim.{name}" for name in modules),
            "victim.models.Thing.model_rebuild()",
        ]
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_files_hold_no_invisible_characters(generated: tuple[FileSet, FileSet]) -> None:
    for files in generated:
        for name, source in files.items():
            text = source.decode()
            assert not [c for c in text if not c.isprintable() and c != "\n"], name
