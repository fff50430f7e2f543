"""API keys: their form, what is kept of them, and whom they stand for."""

import re

import pytest
from starlette.requests import Request

from esim_service.auth import Authenticator, digest, make_key, mode_of
from esim_service.domain.entities import Mode, Principal, Scope

REQUEST = Request({"type": "http", "headers": []})
LIVE_OWNER = Principal(Scope("prt_1", "live"), "key_1", False, None, None)
TEST_OWNER = Principal(Scope("prt_1", "test"), "key_2", False, 1000, 100)


class Ring:
    """Keys in memory; remembers what it was asked."""

    def __init__(self, **known: Principal) -> None:
        self.known = {bytes.fromhex(each): owner for each, owner in known.items()}
        self.asked: list[bytes] = []

    async def find(self, digest: bytes) -> Principal | None:
        self.asked.append(digest)
        return self.known.get(digest)


@pytest.mark.parametrize("mode", ["test", "live"])
def test_a_key_is_a_prefix_and_48_hexadecimal_characters(mode: Mode) -> None:
    key = make_key(mode)
    assert re.fullmatch(f"pes_{mode}_[0-9a-f]{{48}}", key.text)
    assert mode_of(key.text) == mode
    assert key.text != make_key(mode).text


def test_nothing_that_is_kept_or_shown_gives_the_key_away() -> None:
    key = make_key("live")
    assert key.digest == digest(key.text)
    assert len(key.digest) == 32
    assert key.text.endswith(key.hint)
    assert key.text[9:] not in repr(key)


@pytest.mark.anyio
async def test_a_key_stands_for_its_owner() -> None:
    key = make_key("test")
    authenticate = Authenticator(Ring(**{key.digest.hex(): TEST_OWNER}))
    assert await authenticate(key.text, REQUEST) == TEST_OWNER


@pytest.mark.anyio
async def test_an_unknown_key_stands_for_nobody() -> None:
    key = make_key("test")
    authenticate = Authenticator(Ring(**{key.digest.hex(): TEST_OWNER}))
    assert await authenticate(make_key("test").text, REQUEST) is None


@pytest.mark.anyio
async def test_the_key_decides_the_mode() -> None:
    key = make_key("test")
    authenticate = Authenticator(Ring(**{key.digest.hex(): LIVE_OWNER}))
    assert await authenticate(key.text, REQUEST) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pes_test_",
        "pes_test_" + "a" * 47,
        "pes_test_" + "a" * 49,
        "pes_test_" + "A" * 48,
        "pes_test_" + "g" * 48,
        "pes_demo_" + "a" * 48,
        "PES_TEST_" + "a" * 48,
        " pes_test_" + "a" * 48,
        "pes_test_" + "a" * 48 + "\n",
        "pes_test_" + "٣" * 48,
        "pes_test_" + "a" * 47 + "\udcff",
        "a" * 57,
    ],
)
@pytest.mark.anyio
async def test_what_is_no_key_is_not_even_looked_up(text: str) -> None:
    ring = Ring()
    assert await Authenticator(ring)(text, REQUEST) is None
    assert ring.asked == []
