"""A medium that is added as CONTRIBUTING says serves every command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def copy_with_csv(directory: Path) -> Path:
    """Copy the toolkit, and add a module and a line of the table to it."""
    shutil.copytree(ROOT / "generator", directory / "generator")
    shutil.copytree(ROOT / "templates", directory / "templates")
    media = directory / "generator" / "specwright" / "runtime" / "shared" / "media"
    shutil.copy(Path(__file__).parent / "csv_rows.py", media)
    source = (media / "table.py").read_text("utf-8")
    source = source.replace("from .form ", "from .csv_rows import CsvRows\nfrom .form ")
    source = source.replace("    PlainText(),\n", "    CsvRows(),\n    PlainText(),\n")
    (media / "table.py").write_text(source, "utf-8")
    return directory / "generator"


# One test, as each process of it would copy and run everything again.
def test_every_command_serves_a_new_medium(tmp_path: Path) -> None:
    toolkit, work = copy_with_csv(tmp_path / "copy"), tmp_path / "work"
    work.mkdir()
    done = subprocess.run(
        (sys.executable, "-m", "tests.functional.run_added_medium"),
        cwd=work,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (toolkit, ROOT)))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert Path(found["toolkit"]).is_relative_to(toolkit)
    for command in (
        *("fmt", "init", "validate", "generate", "docs", "changelog", "test", "check-traffic"),
    ):
        code, output = found[command]
        assert code == 0, f"{command}: {output}"
    assert "1 of 1 operations in full; nothing left out" in found["generate"][1]
    code, output = found["diff"]
    assert code == 1
    assert "error property-not-sent [] in response 200: property 'code' is now optional" in output
    assert found["server"] == [200, "text/csv", "code\r\nAT\r\nBE\r\n"]
    assert found["server, invalid"] == 400
    assert found["client"] == found["async client"] == ["AT", "BE"]
    status, media_type, body = found["mock"]
    assert (status, media_type) == (200, "text/csv")
    assert body.startswith("code\r\n")
