# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts that collide under hashes which programs often use for tables."""
import itertools

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
FNV_PRIME, FNV_START, MASK = 16777619, 2166136261, 0xffffffff


def _fnv(state, text):
    for letter in text:
        state = (state ^ ord(letter)) * FNV_PRIME & MASK
    return state


def _letters(number, count):
    return "".join(LETTERS[number // 52 ** i % 52] for i in range(count))


def _fnv_pair(start):
    """Returns two texts that lead FNV-1a (32 bits) from a state to one other state, and that state. Texts of fewer than six letters
    do not collide."""
    seen, tails = {}, [_letters(i * 7919, 3) for i in range(400)]
    for i in range(1, 2000):
        head = _letters(i * 1299709, 4)
        state = _fnv(start, head)
        for tail in tails:
            end = _fnv(state, tail)
            if end in seen and seen[end] != head + tail:
                return seen[end], head + tail, end
            seen[end] = head + tail
    raise AssertionError("no collision among 800,000 texts")


def _products(pairs, n):
    """Yields n texts, each made of one of every pair."""
    return ("".join(parts) for parts in itertools.islice(itertools.product(*pairs), n))


def fnv1a(n):
    """Yields n texts of one length with the same FNV-1a hash of 32 bits: each of a chain of blocks has two forms."""
    pairs, state = [], FNV_START
    while 1 << len(pairs) < n:
        one, other, state = _fnv_pair(state)
        pairs.append((one, other))
    return _products(pairs, n)


def times(factor, n):
    """Yields n texts with the same hash h = h * factor + byte: (a, b) and (a + 1, b - factor) cannot be distinguished."""
    pair = ("A" + chr(66 + factor), "BB")
    return _products([pair] * max(1, (n - 1).bit_length()), n)


def same_sum(n):
    """Yields n texts of the same bytes in other places: equal under sums and under exclusive or of bytes."""
    return _products([("ab", "ba")] * max(1, (n - 1).bit_length()), n)


def same_ends(n):
    """Yields n texts of one length that differ in the middle only."""
    return (f"volta_sgemm_128x64_{i:08d}_nn_align4_v1" for i in range(n))


def crc32(n):
    """Yields n texts with the same CRC-32. The CRC of texts of one length is linear in their bits: each text is a sum of texts
    that leave it as it is. Letters are `a` or `c`, which differ in one bit."""
    import zlib
    bits = 32 + max(1, (n - 1).bit_length())
    plain = bytearray(b"a" * bits)
    base, rows, kept = zlib.crc32(plain), {}, []
    for i in range(bits):
        changed = bytearray(plain)
        changed[i] = ord("c")
        value, places = zlib.crc32(changed) ^ base, 1 << i
        while value and value.bit_length() in rows:
            other = rows[value.bit_length()]
            value, places = value ^ other[0], places ^ other[1]
        if value:
            rows[value.bit_length()] = (value, places)
        else:
            kept.append(places)
    chosen = 0
    for i in range(n):
        yield "".join("c" if chosen >> at & 1 else "a" for at in range(bits))
        chosen ^= kept[((i + 1) & -(i + 1)).bit_length() - 1] if i + 1 < n else 0
