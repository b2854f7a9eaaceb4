"""Hashes, checksums and shift generators: masks on numbers of Python, and integers of NumPy that wrap."""

from __future__ import annotations

import math

import numpy as np

from tests.loops.programs.program import loop


def data(n, rng):
    return (rng.integers(0, 256, n).astype(np.uint8),)


@loop(
    lambda n, rng: (*data(n, rng), 0x8408),
    sizes=(0, 1, 9),
    realistic=15_000,
    int64_bytes=lambda rng: (rng.integers(0, 256, 5), 0x8408),
    python_bytes=lambda rng: (b"123456789", 0x8408),
    numpy_polynomial=lambda rng: (*data(5, rng), np.uint16(0x8408)),
    int8_bytes=lambda rng: (np.array([-1, 5, 127], np.int8), 0x8408),
)
def crc16(data, poly):
    crc = 0xFFFF
    for b in data:
        cur_byte = 0xFF & b
        for _ in range(8):
            if (crc & 0x0001) ^ (cur_byte & 0x0001):
                crc = (crc >> 1) ^ poly
            else:
                crc >>= 1
            cur_byte >>= 1
    crc = ~crc & 0xFFFF
    crc = (crc << 8) | ((crc >> 8) & 0xFF)
    return crc & 0xFFFF


CRC32_TABLE = np.zeros(256, dtype=np.uint32)
for _at in range(256):
    _value = _at
    for _ in range(8):
        _value = (_value >> 1) ^ 0xEDB88320 if _value & 1 else _value >> 1
    CRC32_TABLE[_at] = _value


@loop(data, sizes=(0, 1, 9), realistic=80_000, read_only=lambda rng: (np.frombuffer(b"abc", np.uint8),))
def crc32_by_table(data):
    crc = np.uint32(0xFFFFFFFF)
    for byte in data:
        crc = CRC32_TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ np.uint32(0xFFFFFFFF)


@loop(
    data,
    sizes=(0, 1, 9),
    realistic=150_000,
    uint16=lambda rng: (rng.integers(0, 1 << 16, 5).astype(np.uint16),),
    python_numbers=lambda rng: (data(5, rng)[0].tolist(),),
)
def fnv1a_with_mask(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value ^= int(byte)
        value = (value * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


@loop(data, sizes=(0, 1, 9), realistic=40_000)
def fnv1a_of_numpy(data):
    value = np.uint64(0xCBF29CE484222325)
    prime = np.uint64(0x100000001B3)
    for byte in data:
        value = (value ^ byte) * prime
    return value


@loop(data, sizes=(0, 9), realistic=25_000, int32=lambda rng: (rng.integers(-9, 9, 5).astype(np.int32),))
def fnv1a_32_bits(data):
    value = np.uint32(2166136261)
    for byte in data:
        value ^= np.uint32(byte)
        value *= np.uint32(16777619)
    return value


@loop(
    lambda n, rng: (rng.integers(0, 256, n),),
    sizes=(0, 1, 9),
    realistic=200_000,
    modulus_past_uint8=lambda rng: data(9, rng),
    numpy_sums=lambda rng: (np.full(4, 200, np.uint8), np.uint16(1), np.uint32(0)),
    uint32=lambda rng: (rng.integers(0, 256, 5).astype(np.uint32),),
)
def adler32(data, a=1, b=0):
    for byte in data:
        a = (a + byte) % 65521
        b = (b + a) % 65521
    return (b << 16) | a


@loop(data, sizes=(0, 1, 9), realistic=150_000)
def adler32_of_python_numbers(data):
    a, b = 1, 0
    for byte in data:
        a = (a + int(byte)) % 65521
        b = (b + a) % 65521
    return b * 65536 + a


@loop(lambda n, rng: (np.uint32(2463534242), n), sizes=(0, 1, 9), realistic=60_000)
def xorshift32(state, n):
    out = np.empty(n, dtype=np.uint32)
    for i in range(n):
        state ^= state << 13
        state ^= state >> 17
        state ^= state << 5
        out[i] = state
    return out


@loop(
    lambda n, rng: (88172645463325252, n),
    sizes=(0, 1, 9),
    realistic=120_000,
    zero=lambda rng: (0, 3),
)
def xorshift64_with_mask(state, n):
    out = np.empty(n, dtype=np.uint64)
    for i in range(n):
        state ^= (state << 13) & 0xFFFFFFFFFFFFFFFF
        state ^= state >> 7
        state ^= (state << 17) & 0xFFFFFFFFFFFFFFFF
        out[i] = state
    return out, state


@loop(
    lambda n, rng: (np.uint64(88172645463325252), n),
    sizes=(0, 9),
    realistic=40_000,
    int64=lambda rng: (np.int64(88172645463325252), 9),
    uint8=lambda rng: (np.uint8(77), 9),
    int8=lambda rng: (np.int8(-77), 9),
    uint16=lambda rng: (np.uint16(777), 9),
    int16=lambda rng: (np.int16(-777), 9),
    int32=lambda rng: (np.int32(-77777), 9),
    python=lambda rng: (77, 9),
)
def xorshift_of_any_width(state, n):
    total = state - state
    for _ in range(n):
        state ^= state << 3
        state ^= state >> 5
        state ^= state << 1
        total += state
    return state, total


@loop(
    lambda n, rng: (rng.integers(0, 256, n).tolist(),),
    sizes=(0, 9),
    realistic=300_000,
    int64=lambda rng: (rng.integers(0, 256, 20),),
    product_past_int16=lambda rng: (rng.integers(-99, 99, 5).astype(np.int16),),
    text=lambda rng: ([ord(c) for c in "a text"],),
)
def djb2_until_big(data):
    value = 5381
    for i, byte in enumerate(data):
        value = value * 33 + byte
        if i % 16 == 15:
            value %= 1 << 61
    return value


@loop(data, sizes=(0, 5, 9), realistic=120_000)
def murmur3(data):
    c1, c2, mask = 0xCC9E2D51, 0x1B873593, 0xFFFFFFFF
    h, n = 42, len(data)
    for at in range(0, n - n % 4, 4):
        k = int(data[at]) | int(data[at + 1]) << 8 | int(data[at + 2]) << 16 | int(data[at + 3]) << 24
        k = k * c1 & mask
        k = (k << 15 | k >> 17) & mask
        h ^= k * c2 & mask
        h = (h << 13 | h >> 19) & mask
        h = (h * 5 + 0xE6546B64) & mask
    k = 0
    for at in range(n - 1, n - n % 4 - 1, -1):
        k = k << 8 | int(data[at])
    h ^= k * c1 & mask
    h ^= n
    h ^= h >> 16
    h = h * 0x85EBCA6B & mask
    return h ^ h >> 13


@loop(
    lambda n, rng: (rng.integers(0, 1 << 64, n, dtype=np.uint64),),
    sizes=(0, 6),
    realistic=4000,
    uint8=lambda rng: (np.array([255, 0, 170], np.uint8),),
    int8=lambda rng: (np.array([1, 0, 127], np.int8),),
    uint32=lambda rng: (rng.integers(0, 1 << 32, 3, dtype=np.uint32),),
)
def population_counts(x):
    out = np.zeros(len(x), dtype=np.uint8)
    for i in range(len(x)):
        v = x[i]
        while v:
            v &= v - 1
            out[i] += 1
    return out


@loop(lambda n, rng: data(n, rng), sizes=(0, 3, 8), realistic=50_000)
def reversed_bits(data):
    out = bytearray(len(data))
    for i, byte in enumerate(data):
        value, reverse = int(byte), 0
        for _ in range(8):
            reverse = reverse << 1 | value & 1
            value >>= 1
        out[i] = reverse
    return bytes(out)


@loop(
    lambda n, rng: (np.array([1, 2, 3, 4], np.uint32), rng.integers(0, 1 << 32, (n, 2), dtype=np.uint32)),
    sizes=(0, 1, 3),
    realistic=400,
    int64_key=lambda rng: (np.array([1, 2, 3, 4]), rng.integers(0, 1 << 32, (2, 2), dtype=np.uint32)),
)
def tiny_encryption(key, blocks):
    delta = np.uint32(0x9E3779B9)
    for block in blocks:
        v0, v1, total = block[0], block[1], np.uint32(0)
        for _ in range(32):
            total += delta
            v0 += ((v1 << 4) + key[0]) ^ (v1 + total) ^ ((v1 >> 5) + key[1])
            v1 += ((v0 << 4) + key[2]) ^ (v0 + total) ^ ((v0 >> 5) + key[3])
        block[0], block[1] = v0, v1
    return blocks


SINES = tuple(int(abs(math.sin(at + 1)) * 2**32) for at in range(64))
TURNS = (7, 12, 17, 22) * 4 + (5, 9, 14, 20) * 4 + (4, 11, 16, 23) * 4 + (6, 10, 15, 21) * 4


@loop(
    lambda n, rng: (rng.integers(0, 1 << 32, (n, 16), dtype=np.uint32),),
    sizes=(0, 2),
    realistic=60,
    rows_too_short=lambda rng: (rng.integers(0, 9, (2, 15)),),
)
def md5_of_blocks(blocks):
    digest = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476]
    for block in blocks:
        a, b, c, d = digest
        for i in range(64):
            if i < 16:
                mixed, at = (b & c) | (~b & d), i
            elif i < 32:
                mixed, at = (d & b) | (~d & c), (5 * i + 1) % 16
            elif i < 48:
                mixed, at = b ^ c ^ d, (3 * i + 5) % 16
            else:
                mixed, at = c ^ (b | (~d & 0xFFFFFFFF)), (7 * i) % 16
            mixed = (mixed + a + SINES[i] + int(block[at])) & 0xFFFFFFFF
            a, d, c = d, c, b
            b = (b + (mixed << TURNS[i] | mixed >> (32 - TURNS[i]))) & 0xFFFFFFFF
        for place, part in enumerate((a, b, c, d)):
            digest[place] = (digest[place] + part) & 0xFFFFFFFF
    return digest
