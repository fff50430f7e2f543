"""`specwright scaffold` writes an implementation that runs, and never writes a file twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROBE = """
from starlette.testclient import TestClient
from service.app import app
print(TestClient(app).get("/things/1").status_code)
"""


def test_the_first_implementation_runs_and_answers_that_nothing_is_implemented(
    specwright, project: Path
) -> None:
    done = specwright("scaffold", "--into", "service", cwd=project)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "service/__init__.py: written",
        "service/app.py: written",
        "service/things.py: written",
    ]
    answer = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.append('generated')\n{PROBE}"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.stdout == "501\n", answer.stderr


def test_a_file_that_exists_is_skipped(specwright, project: Path) -> None:
    specwright("scaffold", "--into", "service", cwd=project)
    (project / "service" / "things.py").write_text("# mine\n")
    (project / "service" / "app.py").unlink()
    done = specwright("scaffold", "--into", "service", cwd=project)
    assert "service/things.py: skipped: already exists" in done.stdout
    assert "service/app.py: written" in done.stdout
    assert (project / "service" / "things.py").read_text() == "# mine\n"
