"""Loops over str, bytes and bytearray: distances, checksums, numbers and brackets in them."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


def letters(n, rng, most=4):
    return "".join(chr(97 + one) for one in rng.integers(0, most, n))


@loop(
    lambda n, rng: (letters(n, rng), letters(n // 2 + 1, rng)),
    sizes=(0, 1, 9),
    realistic=400,
    other_scripts=lambda rng: ("naïve Δ \U0001f600", "naive \U0001f600"),
    an_array=lambda rng: (np.array([1, 2, 3]), "123"),
)
def edit_distance_of_strings(s, t):
    rows, columns = len(s) + 1, len(t) + 1
    d = np.zeros((rows, columns), dtype=int)
    for i in range(rows):
        d[i, 0] = i
    for j in range(columns):
        d[0, j] = j
    for i in range(1, rows):
        for j in range(1, columns):
            cost = 0 if s[i - 1] == t[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[-1, -1]


@loop(
    lambda n, rng: (rng.bytes(n),),
    sizes=(0, 1, 30),
    realistic=100_000,
    a_bytearray=lambda rng: (bytearray(rng.bytes(7)),),
    a_string=lambda rng: ("text",),
)
def checksums_of_bytes(data):
    fnv, crc, a, b = 0x811C9DC5, 0xFFFFFFFF, 1, 0
    for byte in data:
        fnv = ((fnv ^ byte) * 0x01000193) & 0xFFFFFFFF
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xEDB88320 if crc & 1 else 0)
        a = (a + byte) % 65521
        b = (b + a) % 65521
    return fnv, crc ^ 0xFFFFFFFF, b << 16 | a


@loop(
    lambda n, rng: (",".join(map(str, rng.integers(-999, 999, n))), n),
    sizes=(0, 1, 5),
    realistic=20_000,
    spaces=lambda rng: ("12, -7 ,\n3", 3),
    no_number=lambda rng: ("1,2,x", 3),
    too_many=lambda rng: ("1,2,3", 2),
    other_digits=lambda rng: ("1,٣", 2),
)
def parse_string(text, n):
    out = np.zeros(n, dtype=np.int64)
    count, value, sign, last = 0, 0, 1, ""
    for at, ch in enumerate(text):
        last = ch
        if ch.isdigit():
            value = value * 10 + int(ch)
        elif ch == "-":
            sign = -1
        elif ch == ",":
            out[count] = sign * value
            count, value, sign = count + 1, 0, 1
        elif not ch.isspace():
            raise ValueError(f"{ch!r} at {at}")
    if n:
        out[count] = sign * value
    return out, last


@loop(
    lambda n, rng: (letters(n, rng, 26), 3, "encode"),
    sizes=(0, 8),
    realistic=50_000,
    back=lambda rng: ("Khoor, zruog!", 3, "decode"),
    other=lambda rng: ("abc", 3, "neither"),
)
def shift_letters(text, by, mode):
    out = np.zeros(len(text), dtype=np.uint32)
    if mode == "decode":
        by = -by
    for i in range(len(text)):
        code = ord(text[i])
        if mode != "neither" and "a" <= text[i] <= "z":
            code = (code - 97 + by) % 26 + 97
        elif text[i].isupper():
            code = (code - ord("A") + by) % 26 + ord("A")
        out[i] = code
    return out
