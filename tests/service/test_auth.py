"""API keys: their form, their stored digests, and their owners."""

import secrets

import pytest
from starlette.requests import Request

from esim_service.keys.auth import Authenticator, digest, mode_of
from esim_service.values.entities import Mode, Principal, Scope

REQUEST = Request({"type": "http", "headers": []})
LIVE_OWNER = Principal(Scope("prt_1", "live"), "key_1", False, None, None)
TEST_OWNER = Principal(Scope("prt_1", "test"), "key_2", False, 1000, 100)


def key(mode: Mode) -> str:
    """The text of a new key."""
    return f"pes_{mode}_{secrets.token_hex(24)}"


class Ring:
    """A keyring in memory that records its lookups."""

    def __init__(self, **known: Principal) -> None:
        self.known = {bytes.fromhex(each): owner for each, owner in known.items()}
        self.asked: list[bytes] = []

    async def find(self, digest: bytes) -> Principal | None:
        self.asked.append(digest)
        return self.known.get(digest)


@pytest.mark.parametrize("mode", ["test", "live"])
def test_a_key_is_a_prefix_and_48_hexadecimal_characters(mode: Mode) -> None:
    assert mode_of(key(mode)) == mode


def test_what_is_kept_is_the_sha_256_of_the_key() -> None:
    wanted = "a0d47edf231b81f25fd71b16d64dd79e67622c06adb58b8e833b600da45953ce"
    assert digest("pes_test_" + "0" * 48).hex() == wanted


@pytest.mark.anyio
async def test_a_key_stands_for_its_owner() -> None:
    text = key("test")
    authenticate = Authenticator(Ring(**{digest(text).hex(): TEST_OWNER}))
    assert await authenticate(text, REQUEST) == TEST_OWNER


@pytest.mark.anyio
async def test_an_unknown_key_stands_for_nobody() -> None:
    authenticate = Authenticator(Ring(**{digest(key("test")).hex(): TEST_OWNER}))
    assert await authenticate(key("test"), REQUEST) is None


@pytest.mark.anyio
async def test_the_key_decides_the_mode() -> None:
    text = key("test")
    authenticate = Authenticator(Ring(**{digest(text).hex(): LIVE_OWNER}))
    assert await authenticate(text, REQUEST) is None


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
