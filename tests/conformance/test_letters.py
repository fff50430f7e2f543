"""Texts that come back without some of their letters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from tests.conformance.fastapi_apps import driver_of, messages

TEXT = "Zoë 名前 🎒"


def echo(text: Any) -> FastAPI:
    app = FastAPI()

    @app.post("/notes", status_code=201)
    def add(note: dict[str, Any]) -> dict[str, Any]:
        return {"id": 1, "note": {"title": text}}

    return app


@pytest.mark.parametrize(
    ("shown", "is_lost"),
    [
        (TEXT, False),
        ("Zo? ?? ?", True),
        ("Zo  ", True),
        ("Zoë ?? ?", True),
        (TEXT.encode().decode("latin-1"), True),
        # Changed on purpose: a slug, another text, one in capitals, nothing at all.
        ("zoe", False),
        ("another text", False),
        (TEXT.upper(), False),
        (None, False),
        (17, False),
    ],
)
def test_lost_letters_are_told_from_changed_texts(
    tmp_path: Path, shown: Any, is_lost: bool
) -> None:
    with driver_of(echo(shown), tmp_path) as driver:
        made = driver.first_success(next(iter(driver.contract.operations.values())))
        assert made is not None
        driver.send(made[0].with_member("/note", {"title": TEXT}))
        found = messages(driver, "written-is-read")
        assert found == ["POST /notes: letters of 'title' are lost"] * is_lost


def test_a_text_of_ascii_may_change(tmp_path: Path) -> None:
    with driver_of(echo("?"), tmp_path) as driver:
        made = driver.first_success(next(iter(driver.contract.operations.values())))
        assert made is not None
        driver.send(made[0].with_member("/note", {"title": "!"}))
        assert messages(driver, "written-is-read") == []
