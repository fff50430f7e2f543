"""DEFLATE (RFC 1951) with bytes that depend on the data alone.

Builds of zlib differ in the bytes that they write. Pages are committed and compared, so the same
document must make the same page on every machine.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import accumulate

_WINDOW = 32_768
_NOWHERE = -_WINDOW - 1
# The lengths of a repetition, and the number of places that are tried for a longer one.
_LEAST, _MOST = 5, 258
_TRIES = 16
_LONGEST_CODE = 15
# Symbols are literals, the end, lengths, and behind these the distances, which have own codes.
_END, _LENGTH, _DISTANCE = 256, 257, 286
_SYMBOLS = 316
# The order in which the lengths of the codes of lengths are written; here, these are all 4.
_ORDER = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15)


def _table(first: int, single: int, each: int, most: int) -> list[tuple[int, int]]:
    """Return the least value of each code, and the number of bits that say which one it is.

    Args:
        single: the number of codes for one value.
        each: the number of codes with the same number of bits.
        most: the largest number of bits.
    """
    numbers = [0] * single + [number for number in range(1, most + 1) for _ in range(each)]
    values = accumulate((1 << number for number in numbers), initial=first)
    return list(zip(values, numbers, strict=False))


# RFC 1951, 3.2.5. The longest repetition has a code of its own.
_LENGTHS = [*_table(3, 8, 4, 5), (_MOST, 0)]
_DISTANCES = _table(1, 4, 2, 13)
_LEAST_LENGTHS = [least for least, _ in _LENGTHS]
_LEAST_DISTANCES = [least for least, _ in _DISTANCES]


def deflated(data: bytes) -> bytes:
    """Return data as one block with codes of its own (RFC 1951, 3.2.7)."""
    symbols = [*_symbols(data)]
    counts = Counter(symbol for symbol, _, _ in symbols)
    literals = _code_lengths([counts[symbol] for symbol in range(_DISTANCE)])
    distances = _code_lengths([counts[symbol] for symbol in range(_DISTANCE, _SYMBOLS)])
    codes = {**_codes(0, literals), **_codes(_DISTANCE, distances)}
    bits = _Bits()
    # The last block, with codes of its own, and the number of lengths in each table.
    bits.add(1, 1)
    bits.add(2, 2)
    bits.add(len(literals) - 257, 5)
    bits.add(len(distances) - 1, 5)
    bits.add(len(_ORDER) - 4, 4)
    for length in _ORDER:
        # The symbols for repeated lengths are not used.
        bits.add(4 if length <= _LONGEST_CODE else 0, 3)
    for length in (*literals, *distances):
        bits.add(_reversed(length, 4), 4)
    for symbol, value, number in symbols:
        bits.add(*codes[symbol])
        bits.add(value, number)
    return bits.whole()


def _symbols(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield symbols, each with the value and the number of the bits beside its code."""
    repetitions = _Repetitions(data)
    at = 0
    while at < len(data):
        length, distance = repetitions.longest(at)
        if length < _LEAST:
            yield data[at], 0, 0
            length = 1
        else:
            for first, table, least_values, value in (
                (_LENGTH, _LENGTHS, _LEAST_LENGTHS, length),
                (_DISTANCE, _DISTANCES, _LEAST_DISTANCES, distance),
            ):
                code = bisect_right(least_values, value) - 1
                least, number = table[code]
                yield first + code, value - least, number
        for place in range(at, at + length):
            repetitions.note(place)
        at += length
    yield _END, 0, 0


class _Repetitions:
    """The places before the present one with the same bytes, the nearest first."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._latest: dict[bytes, int] = {}
        self._previous: list[int] = []

    def note(self, place: int) -> None:
        """Add the place behind all others."""
        key = self._data[place : place + _LEAST]
        self._previous.append(self._latest.get(key, _NOWHERE))
        self._latest[key] = place

    def longest(self, at: int) -> tuple[int, int]:
        """Return the length and the distance of the longest repetition at a place."""
        data, end = self._data, min(_MOST, len(self._data) - at)
        best = distance = 0
        before = self._latest.get(data[at : at + _LEAST], _NOWHERE)
        for _ in range(_TRIES):
            if at - before > _WINDOW or best == end:
                break
            # A longer one has this byte, too.
            if data[before + best] == data[at + best]:
                length = 0
                while length < end and data[before + length] == data[at + length]:
                    length += 1
                if length > best:
                    best, distance = length, at - before
            before = self._previous[before]
        return best, distance


def _code_lengths(counts: Sequence[int]) -> Sequence[int]:
    """Return the length of the code of each symbol by its count; 0 for one that does not occur."""
    lengths = [0] * len(counts)
    trees = [(count, [symbol]) for symbol, count in enumerate(counts) if count]
    if len(trees) == 1:
        lengths[trees[0][1][0]] = 1
    heapify(trees)
    while len(trees) > 1:
        (one, left), (other, right) = heappop(trees), heappop(trees)
        for symbol in (*left, *right):
            lengths[symbol] += 1
        heappush(trees, (one + other, [*left, *right]))
    if max(lengths) <= _LONGEST_CODE:
        return lengths
    # Counts that differ less make the longest code shorter.
    return _code_lengths([(count + 1) // 2 for count in counts])


def _codes(first: int, lengths: Sequence[int]) -> Mapping[int, tuple[int, int]]:
    """Return codes, as they are written, with their lengths (RFC 1951, 3.2.2).

    Args:
        first: the symbol of the first length.
    """
    codes: dict[int, tuple[int, int]] = {}
    code = 0
    for length in range(1, _LONGEST_CODE + 1):
        for symbol, own in enumerate(lengths, first):
            if own == length:
                codes[symbol] = _reversed(code, length), length
                code += 1
        code <<= 1
    return codes


def _reversed(code: int, length: int) -> int:
    """Return a code with its first bit as the lowest one, as all else begins with that."""
    return int(f"{code:0{length}b}"[::-1], 2)


class _Bits:
    """Bits as bytes, the lowest bit of each first."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._held = 0
        self._number = 0

    def add(self, value: int, number: int) -> None:
        """Add a number of bits with a value."""
        self._held |= value << self._number
        self._number += number
        while self._number >= 64:
            self._bytes += (self._held & 0xFFFF_FFFF_FFFF_FFFF).to_bytes(8, "little")
            self._held >>= 64
            self._number -= 64

    def whole(self) -> bytes:
        """Return all bits, and zeros up to a whole byte."""
        return bytes(self._bytes) + self._held.to_bytes((self._number + 7) // 8, "little")
