"""Quoting does not rely on the checks: text that they refuse also stays text in every file."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from specwright import pipeline
from specwright.check.lint.table import RULE_IDS
from specwright.config import PackageOptions
from specwright.document.sources.load import load
from specwright.emit.fileset import FileSet
from specwright.findings import Level
from tests.functional.hostile_documents import unchecked

# Calls this name if it ever gets out of its literal, docstring or comment.
ALARM = "pwned"

PAYLOADS = {
    "quotes": f'"; {ALARM}(); "\'; {ALARM}()\n"""\n{ALARM}()\n"""',
    "line breaks": f"a{ALARM}()".join("\n\r\u2028\x85\x0b\x0c") + "\\",
    "templates": f"{{{{ {ALARM}() }}}} {{% set x = {ALARM}() %}} {{0}} %s {{{ALARM}()}}",
    "hidden": f"\x00\x07\x1b[31m\x7f\u202e{ALARM}()\u2066\u200f\ufeff",
    "other languages": f'"\n[build-system]\nrequires = ["{ALARM}"]\n```\n<b onclick={ALARM}()>',
}


@pytest.fixture(scope="module", params=PAYLOADS)
def generated(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[FileSet, FileSet]:
    # Some of this is refused before anything is generated. Quoting must not count on that.
    everything_off = dict.fromkeys(RULE_IDS, Level.OFF)
    file = tmp_path_factory.mktemp("hostile") / "api.json"
    file.write_text(json.dumps(unchecked(PAYLOADS[request.param])))
    document = load(file)
    options = PackageOptions(package="victim")
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
