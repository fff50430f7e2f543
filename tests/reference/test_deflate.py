"""What is compressed is what zlib reads, and the same on every machine."""

from __future__ import annotations

import hashlib
import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwright.reference.deflate import deflated
from tests.conftest import ROOT

DOCUMENT = ROOT / "spec" / "openapi.json"
# Repetitions of each length and distance, and all bytes.
RANDOM = random.Random(1)
FAR = bytes(RANDOM.randrange(256) for _ in range(40_000))


def inflated(data: bytes) -> bytes:
    reader = zlib.decompressobj(-15)
    content = reader.decompress(data)
    assert reader.eof
    assert reader.unused_data == b""
    return content


@given(st.binary() | st.text(alphabet="ab", max_size=2_000).map(str.encode))
def test_zlib_reads_it(data: bytes) -> None:
    assert inflated(deflated(data)) == data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"a" * 100_000,
        FAR,
        # At the end of the window, and beyond it.
        *(FAR[:300] + FAR[1_000 : 1_000 + gap] + FAR[:300] for gap in (32_467, 32_468, 32_469)),
        *(b"-".join(FAR[:length] for _ in range(3)) for length in (5, 6, 7, 130, 257, 258, 259)),
        # The counts of these symbols would make codes of more than 15 bits.
        b"".join(
            bytes([symbol]) * count
            for symbol, count in enumerate(
                [1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181]
            )
        ),
    ],
    ids=len,
)
def test_zlib_reads_data_at_the_limits(data: bytes) -> None:
    assert inflated(deflated(data)) == data


def test_a_document_is_much_smaller() -> None:
    data = DOCUMENT.read_bytes()
    assert len(deflated(data)) < len(data) / 6


def test_the_bytes_are_those_of_every_machine() -> None:
    digest = hashlib.sha256(deflated(b"".join(b"%d of many lines\n" % n for n in range(999))))
    assert digest.hexdigest() == (
        "8a30d725a13ecbe46cd1f881746ca6ff693af63c0e1c26c374a85a362f2fc8a1"
    )
