"""The recipe for Playwright starts a mock, and waits for a URL that responds."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import httpx2
import pytest

from tests.generate_cli.running import running

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT for one process")

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "serve-a-mock.md"
DOCUMENT = """
openapi: 3.1.0
info: {title: Board, version: "1"}
servers: [{url: https://api.example/v1}]
paths: {/tasks: {get: {responses: {"200": {description: Tasks.}}}}}
"""


def test_the_recipe_waits_for_a_url_that_responds(tmp_path: Path) -> None:
    (recipe,) = re.findall(r"webServer: {(.*?)}", PAGE.read_text("utf-8"), re.DOTALL)
    (command,) = re.findall(r'command: "specwright ([^"]*)"', recipe)
    (url,) = re.findall(r'url: "([^"]*)"', recipe)
    (tmp_path / "openapi.yaml").write_text(DOCUMENT, "utf-8")
    # A port that others may use stands for a free one.
    with running(tmp_path, *shlex.split(command.replace("4010", "0"))) as mock:
        printed = mock.line().split()[0]
        assert re.sub(r":\d+/", ":4010/", printed) == url
        # Playwright takes 2xx, 3xx and 400 to 403 for a server that is ready.
        assert httpx2.get(printed).status_code == 204
