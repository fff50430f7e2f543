"""`specwright scaffold` writes an implementation that runs, and never writes a file twice."""

from __future__ import annotations

import copy
import difflib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from specwright.project.handlers import completed

from .conftest import DOCUMENT, write_document

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


def with_more_operations(project: Path) -> None:
    """Two operations in the group that exists, one of them renamed, and another group."""
    document = copy.deepcopy(DOCUMENT)
    path = document["paths"]["/things/{id}"]
    path["get"]["operationId"] = "readThing"
    when = {"name": "since", "in": "query", "schema": {"type": "string", "format": "date"}}
    done = {"responses": {"204": {"description": "Done."}}}
    path["delete"] = {
        "operationId": "dropThing",
        "tags": ["things"],
        "parameters": [*path["get"]["parameters"], when],
        **done,
    }
    document["paths"]["/shops"] = {"get": {"operationId": "listShops", "tags": ["shops"], **done}}
    write_document(project, document)


MINE = """\
'''My things.'''
from shop import models
from shop.server import (Context,
    UnimplementedThings)
import logging

log = logging.getLogger( __name__ )


class Things( UnimplementedThings ):
  async def get_thing(self, *, id: str, context: Context) -> models.Thing:
    return models.Thing(name = id) # my own

  async def close(self):
    pass


HERE = "after the class"
"""


def test_an_update_adds_handlers_and_changes_no_line(specwright, project: Path) -> None:
    specwright("scaffold", "--into", "service", cwd=project)
    mine = project / "service" / "things.py"
    mine.write_text(MINE)
    app = (project / "service" / "app.py").read_text()
    with_more_operations(project)
    assert specwright("generate", cwd=project).returncode == 0

    named = specwright("scaffold", "--into", "service", cwd=project)
    assert named.stdout.splitlines() == [
        "service/__init__.py: skipped: already exists",
        "service/app.py: skipped: already exists; create_app lacks shops=Shops()",
        "service/shops.py: written",
        "service/things.py: skipped: already exists; lacks read_thing, drop_thing, "
        "which --update adds; not an operation: get_thing",
    ]
    assert mine.read_text() == MINE

    done = specwright("scaffold", "--into", "service", "--update", cwd=project)
    assert done.stdout.splitlines()[-1] == (
        "service/things.py: added read_thing, drop_thing; not an operation: get_thing"
    )
    changed = mine.read_text()
    lines = list(difflib.ndiff(MINE.splitlines(), changed.splitlines()))
    assert not [line for line in lines if line.startswith("-")]
    added = [line[2:] for line in lines if line.startswith("+")]
    assert [line for line in added if "import " in line] == [
        "import datetime",
        "from shop.server import Reply",
    ]
    assert "  async def drop_thing(" in added
    assert (project / "service" / "app.py").read_text() == app
    again = specwright("scaffold", "--into", "service", "--update", cwd=project)
    assert again.stdout.splitlines()[-1] == (
        "service/things.py: skipped: already exists; not an operation: get_thing"
    )
    assert mine.read_text() == changed

    # What is left to do by hand: the old handler, and the new group.
    mine.write_text(changed.replace("def get_thing(", "def _get_thing("))
    (project / "service" / "app.py").write_text(
        app.replace("things=Things()", "things=Things(), shops=Shops()").replace(
            "from .things", "from .shops import Shops\nfrom .things"
        )
    )
    answer = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.append('generated')\n{PROBE}"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.stdout == "501\n", answer.stderr


FRESH = """\
import datetime
from shop import models
from shop.server import Context, UnimplementedA


class A(UnimplementedA):
    '''The group.'''

    async def one(self, *, context: Context) -> None:
        return await super().one(context=context)

    async def two(self, *, on: datetime.date, context: Context) -> models.B:
        return await super().two(on=on, context=context)
"""
ONE = "    async def one(self, *, context): ...\n"


@pytest.mark.parametrize(
    ("existing", "added"),
    [
        (f"class A(UnimplementedA):\n{ONE}", ["two"]),
        (f"class Mine(server.UnimplementedA):\n{ONE}", ["two"]),
        (f"class Mine(Base, A):\n{ONE}", ["two"]),
        ("class A(UnimplementedA):\n    pass", ["one", "two"]),
        (f"class A(UnimplementedA):\n{ONE}    two = one\n", []),
        (f"class A(UnimplementedA):\n{ONE}    if True:\n        async def two(self): ...\n", []),
        (f"import datetime\r\n\r\nclass A(UnimplementedA):\r\n{ONE[:-1]}\r\nX = 1\r\n", ["two"]),
        (f"X = '''\x0c\u2028'''\nclass A(UnimplementedA):\n{ONE}Y = 1\n", ["two"]),
        (f"\ufeff'''Doc.'''\nclass A(UnimplementedA):\n{ONE}", ["two"]),
        (f"class A(UnimplementedA):\n{ONE}# the end", ["two"]),
    ],
)
def test_handlers_are_added_to_classes_of_any_form(existing: str, added: list[str]) -> None:
    result = completed(existing, FRESH)
    assert (result.lacking, result.obstacle) == (tuple(added), "")
    compile(result.text.removeprefix("\ufeff"), "mine.py", "exec")
    position = 0
    for line in existing.splitlines(keepends=True):
        position = result.text.index(line, position) + len(line)
    assert completed(result.text, FRESH).lacking == ()
    assert (result.text == existing) == (not added)
    if "\r\n" in existing:
        assert "\n" not in result.text.replace("\r\n", "")


@pytest.mark.parametrize(
    ("existing", "obstacle"),
    [
        ("class A(UnimplementedA): pass\n", "the body of the class A is on the line of its name"),
        ("class Other:\n    pass\n", "it has no class with the base UnimplementedA"),
        ("class A(\n", "it is not Python: "),
        ("\0", "it is not Python: "),
    ],
)
def test_what_cannot_be_added_is_explained(existing: str, obstacle: str) -> None:
    result = completed(existing, FRESH)
    assert result.obstacle.startswith(obstacle)
    assert result.text == existing


def test_a_file_that_is_not_text_stays_as_it_is(specwright, project: Path) -> None:
    specwright("scaffold", "--into", "service", cwd=project)
    mine = project / "service" / "things.py"
    mine.write_bytes(b"# \xff\n")
    done = specwright("scaffold", "--into", "service", "--update", cwd=project)
    assert done.returncode == 0
    assert "things.py: skipped: already exists; not compared: it is not UTF-8" in done.stdout
    assert mine.read_bytes() == b"# \xff\n"
    other = project / "elsewhere.py"
    other.write_text("class Things(UnimplementedThings):\n    x = 1\n")
    mine.unlink()
    mine.symlink_to(other)
    done = specwright("scaffold", "--into", "service", "--update", cwd=project)
    assert "not compared: it is a symbolic link" in done.stdout
    assert json.dumps(other.read_text()).count("def ") == 0
