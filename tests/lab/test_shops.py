"""Each bug of the shops is there, and the shops without one are right."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from lab.shops.bugs import BUGS
from lab.shops.dialects import DIALECTS, Desk
from lab.shops.serving import SHOPS
from lab.shops.verdicts import load
from tests.serving import Server

# The same bugs in the others are for the night.
ONE_OF_SHOPS = [
    pytest.param(shop, marks=[] if shop == "fastapi" else pytest.mark.exhaustive) for shop in SHOPS
]


@contextlib.contextmanager
def desk(shop: str, bug: str) -> Iterator[Desk]:
    app, _ = SHOPS[shop](bug)
    with Server(app) as server:
        yield Desk(server.url, DIALECTS[shop])


def test_there_are_forty() -> None:
    assert len(BUGS) == 40


@pytest.mark.parametrize("shop", SHOPS)
def test_a_shop_without_a_bug_is_right(shop: str) -> None:
    with desk(shop, "none") as right:
        assert [name for name, bug in BUGS.items() if not bug.is_right(right)] == []


@pytest.mark.parametrize("shop", ONE_OF_SHOPS)
@pytest.mark.parametrize("name", BUGS)
def test_a_bug_is_there(shop: str, name: str) -> None:
    with desk(shop, name) as wrong:
        assert not BUGS[name].is_right(wrong)


@pytest.mark.parametrize("shop", SHOPS)
def test_every_bug_was_judged(shop: str) -> None:
    runs = load(shop)
    assert list(runs.first) == list(runs.last) == list(BUGS), "run: nox -s shops"
