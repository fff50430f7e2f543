"""The contract of this repository, held by an implementation without generated code."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from tests.conformance.shop import serving
from tests.conftest import Run

KEY = "pes_test_" + "0" * 48


def test_a_starlette_file_keeps_the_contract(
    specwright: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", KEY)
    example = runpy.run_path(str(root / "examples" / "plain-starlette" / "app.py"))
    app = example["create_app"](example["read_keys"](f"acme:{KEY}:100000:100000"))
    with serving(app) as base_url:
        url = base_url.removesuffix("/v1") + "/api/v1"
        run = specwright("test", url, "--api-key-env", "KEY", "--seed", "1")
    assert run.returncode == 0, run.stdout + run.stderr
