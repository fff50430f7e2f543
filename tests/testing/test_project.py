"""A run as a function follows the settings of the project around it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest
from fastapi import Body, Depends, FastAPI, HTTPException
from fastapi.security import HTTPBearer

from specwright.errors import InputError
from specwright.testing import check

SIGN_IN = """
[tool.specwright.test.sign-in.HTTPBearer]
operation = "POST /login"
body = {name = "{user}", word = "{password}"}
token = "$response.body#/token"
"""
BEARER = HTTPBearer()
LINKS = """
[[tool.specwright.test.links]]
from = "POST /things"
to = "GET /boxes/{box}"
parameters = {box = "$response.body#/words"}
"""


def app() -> FastAPI:
    app = FastAPI(responses={400: {}, 404: {}, 401: {}, 403: {}})

    def known(given: Annotated[object, Depends(BEARER)]) -> None:
        if getattr(given, "credentials", "") != "of-anna":
            raise HTTPException(401)

    @app.post("/login")
    def login(name: Annotated[str, Body()], word: Annotated[str, Body()]) -> dict[str, str]:
        return {"token": f"of-{name}" if word == "secret" else "of nobody"}

    @app.post("/things", status_code=201, dependencies=[Depends(known)])
    def make() -> dict[str, str]:
        return {"words": "of all"}

    @app.get("/boxes/{box}", dependencies=[Depends(known)])
    def box(box: str) -> dict[str, str]:
        if box != "of all":
            raise HTTPException(404)
        raise HTTPException(500)

    return app


def rules(
    place: Path, monkeypatch: pytest.MonkeyPatch, settings: str, levels: str = ""
) -> set[str]:
    """The rules that `GET /boxes/{box}` breaks in a project with these settings."""
    (place / "pyproject.toml").write_text(f"[tool.specwright]\n{settings}", "utf-8")
    (place / "lint.toml").write_text(levels, "utf-8")
    monkeypatch.chdir(place)
    outcome = check(app(), keys={"main": "anna:secret"})
    return {finding.rule for finding in outcome.operations["GET /boxes/{box}"].findings}


def test_a_run_signs_in_and_follows_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "server-error" in rules(tmp_path, monkeypatch, SIGN_IN + LINKS)


@pytest.mark.parametrize(
    ("role", "message"),
    [
        ("other", "the role 'other' is now called 'other_tenant'"),
        ("other_mode", "the role 'other_mode' is now called 'live_mode'"),
        ("suspend", "did you mean 'suspended'?"),
        ("nobody", "the roles are main, other_tenant, live_mode, limited, suspended, unscoped"),
    ],
)
def test_a_key_for_a_role_that_does_not_exist_is_an_error(role: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        check(app(), keys={"main": "anna:secret", role: "bert:secret"})
    assert message in str(error.value)


def test_without_the_links_nothing_is_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "server-error" not in rules(tmp_path, monkeypatch, SIGN_IN)


def test_levels_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    levels = '[levels]\nserver-error = "off"\n'
    assert "server-error" not in rules(tmp_path, monkeypatch, SIGN_IN + LINKS, levels)


def test_a_setting_for_another_document_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = SIGN_IN.replace("HTTPBearer", "Door")
    with pytest.raises(InputError, match="requires no credential 'Door'"):
        rules(tmp_path, monkeypatch, settings)
