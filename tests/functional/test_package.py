"""Introspection of a generated package: names, version and documentation."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import ROOT
from tests.functional.conftest import Generate
from tests.functional.documents import THING, content, document, operation, ref

TEXT = {"type": "string"}
API = document(
    {
        "/things/{id}": {
            "put": operation(
                ref("Thing"),
                operationId="putThing",
                description="Puts a thing.",
                parameters=[
                    {"name": "late", "in": "query", "schema": TEXT, "description": "Optional."},
                    {
                        "name": "must",
                        "in": "query",
                        "required": True,
                        "schema": TEXT,
                        "description": "Required.",
                    },
                    {
                        "name": "id",
                        "in": "path",
                        "required": True,
                        "schema": TEXT,
                        "description": "Which.",
                    },
                ],
                requestBody={"required": True, **content(ref("Change"))},
            )
        },
        "/list": {
            "post": operation(
                ref("Thing"),
                operationId="sendList",
                requestBody={
                    "required": True,
                    "description": "All of them.",
                    **content({"type": "array", "items": ref("Thing")}),
                },
            )
        },
    },
    {
        "Thing": THING,
        "Change": {
            "type": "object",
            "required": ["size"],
            "additionalProperties": False,
            "properties": {
                "note": {"type": "string", "description": "Any words."},
                "size": {"type": "integer", "description": "How large."},
            },
        },
    },
)


@pytest.fixture
def made(package: Generate) -> ModuleType:
    return package(API, distribution="the-things")


def run(made: ModuleType, program: str) -> str:
    """Return the output of a program where the extra of the server stub is not installed."""
    assert made.__file__ is not None
    program = f'import sys; sys.modules["starlette"] = None\n{program}'.replace(
        "NAME", made.__name__
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(Path(made.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("program", "printed"),
    [
        ("from NAME import *; print(Client.__name__)", "Client\n"),
        ("import NAME; print(hasattr(NAME, 'server'), hasattr(NAME, 'models'))", "False True\n"),
        ("import inspect, NAME; print(len(inspect.getmembers(NAME)) > 20)", "True\n"),
        ("import pydoc, NAME; print('ApiError' in pydoc.render_doc(NAME))", "True\n"),
        ("import NAME; print('server' in dir(NAME))", "True\n"),
    ],
    ids=["import *", "hasattr", "getmembers", "help", "dir"],
)
def test_looking_at_the_package_needs_no_extra(
    made: ModuleType, program: str, printed: str
) -> None:
    assert run(made, program) == printed


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        ("from NAME import server", "ModuleNotFoundError"),
        ("import NAME.server", "ModuleNotFoundError"),
        ("import NAME; NAME.server", "AttributeError"),
    ],
)
def test_the_server_stub_says_which_extra_it_needs(
    made: ModuleType, program: str, kind: str
) -> None:
    (*_, last) = run(made, program).strip().splitlines()
    assert last.startswith(f"{kind}: ")
    assert 'pip install "the-things[server]"' in last


def test_models_are_imported_when_they_are_used(made: ModuleType) -> None:
    imported = "'NAME.models' in sys.modules"
    program = f"import NAME; NAME.Client(base_url='http://x'); print({imported}); NAME.models; "
    assert run(made, program + f"print({imported})") == "False\nTrue\n"


def test_with_the_extra_the_server_stub_is_there(made: ModuleType) -> None:
    assert made.server.create_app is not None


def test_the_copied_runtime_has_its_licence(made: ModuleType) -> None:
    """Section 4 (a) of Apache-2.0; the README names the part that it is for."""
    place = Path(made.__file__ or "").parent
    licence = place / "_runtime" / "LICENSE"
    assert licence.read_bytes() == (ROOT / "LICENSE").read_bytes()
    readme = (place.parent / "README.md").read_text("utf-8")
    assert f"]({place.name}/_runtime/LICENSE)" in readme


def test_the_package_knows_its_version(package: Generate) -> None:
    assert package(API).__version__ == "1.0.0"


@pytest.mark.parametrize("client", ["Client", "AsyncClient"])
def test_arguments_are_documented_in_the_order_of_the_signature(
    made: ModuleType, client: str
) -> None:
    things = getattr(made, client)(base_url="http://127.0.0.1:1").things
    method = things.put_thing
    documented = re.findall(r"^    (\w+): ", inspect.getdoc(method) or "", re.MULTILINE)
    # The options of a call are described once, where their type is.
    assert documented == [*inspect.signature(method).parameters][:-1]
    assert "body: All of them." in things.send_list.__doc__


def test_a_method_without_a_summary_says_its_description_else_its_request(made: ModuleType) -> None:
    group = made.Client(base_url="http://127.0.0.1:1").things
    assert group.put_thing.__doc__.startswith("Puts a thing.\n")
    assert group.send_list.__doc__.startswith("POST /list\n")
    assert inspect.getdoc(group) == "Operations of things."
    stub = made.server.UnimplementedThings
    assert stub.put_thing.__doc__ == "Puts a thing."
    assert stub.send_list.__doc__ == "POST /list"
