"""Parsing and coding of bytes: numbers, fields, run lengths and bit streams in uint8 arrays."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


def text(*parts):
    return (np.frombuffer("".join(parts).encode(), np.uint8),)


@loop(
    lambda n, rng: text(",".join(map(str, rng.integers(-999, 999, n)))),
    sizes=(0, 1, 4),
    realistic=25_000,
    empty_fields=lambda rng: text(",,12,,"),
    no_number=lambda rng: text("12,x3"),
    past_64_bits=lambda rng: text("99999999999999999999999,5"),
    writable=lambda rng: (text("12,-7")[0].copy(),),
)
def parse_integers(data):
    out = []
    value, sign, any_digit = 0, 1, False
    for at in range(len(data) + 1):
        c = int(data[at]) if at < len(data) else 44
        if 48 <= c <= 57:
            value = 10 * value + c - 48
            any_digit = True
        elif c == 45 and not any_digit:
            sign = -1
        elif c == 44:
            if any_digit:
                out.append(sign * value)
            value, sign, any_digit = 0, 1, False
        else:
            raise ValueError(f"byte {c} at {at}")
    return out


@loop(
    lambda n, rng: text(" ".join(f"{one:.4f}" for one in rng.standard_normal(n))),
    sizes=(0, 1, 4),
    realistic=5000,
    no_fraction=lambda rng: text("12 3. -.5 7"),
)
def parse_decimals(data):
    out = np.zeros(len(data) // 2 + 1)
    count = at = 0
    n = len(data)
    while at < n:
        if data[at] == 32:
            at += 1
            continue
        negative = data[at] == 45
        if negative:
            at += 1
        value = 0.0
        while at < n and 48 <= data[at] <= 57:
            value = value * 10 + (data[at] - 48)
            at += 1
        if at < n and data[at] == 46:
            at += 1
            scale = 1.0
            while at < n and data[at] >= 48:
                scale /= 10
                value += scale * (data[at] - 48)
                at += 1
        out[count] = -value if negative else value
        count += 1
    return out[:count], count


@loop(
    lambda n, rng: (np.repeat(rng.integers(0, 5, n), rng.integers(1, 6, n)).astype(np.uint8),),
    sizes=(0, 1, 6),
    realistic=20_000,
    longest_run=lambda rng: (np.zeros(600, np.uint8),),
    int16=lambda rng: (np.array([-1, -1, 5], np.int16),),
)
def run_length_encode(data):
    out = np.empty(2 * len(data), dtype=data.dtype)
    filled = at = 0
    while at < len(data):
        run = 1
        while at + run < len(data) and data[at + run] == data[at] and run < 255:
            run += 1
        out[filled], out[filled + 1] = run, data[at]
        filled += 2
        at += run
    return out[:filled]


@loop(
    lambda n, rng: (rng.integers(1, 5, 2 * n).astype(np.uint8),),
    sizes=(0, 1, 5),
    realistic=30_000,
    odd_length=lambda rng: (np.array([2, 7, 1], np.uint8),),
)
def run_length_decode(data):
    total = 0
    for at in range(0, len(data), 2):
        total += data[at]
    out = np.zeros(total, dtype=np.uint8)
    end = 0
    for at in range(0, len(data), 2):
        count, value = int(data[at]), data[at + 1]
        out[end : end + count] = value
        end += count
    return out


@loop(
    lambda n, rng: text("ab cd\ne " * n),
    sizes=(0, 1, 3),
    realistic=15_000,
    only_blanks=lambda rng: text("  \n "),
    python_bytes=lambda rng: (b"some words here",),
)
def count_words(data):
    words = lines = 0
    inside = False
    longest = length = 0
    for c in data:
        if c == 10:
            lines += 1
        if c == 32 or c == 10 or c == 9:
            inside = False
            length = 0
        else:
            if not inside:
                words += 1
            inside = True
            length += 1
            longest = length if length > longest else longest
    return words, lines, longest, inside


@loop(
    lambda n, rng: (rng.integers(0, 1 << 40, n),),
    sizes=(0, 1, 4),
    realistic=15_000,
    uint64=lambda rng: (rng.integers(0, 1 << 64, 3, dtype=np.uint64),),
    uint8=lambda rng: (np.array([255, 5], np.uint8),),
    python_numbers=lambda rng: ([300, 1, 1 << 70],),
)
def variable_length_integers(numbers):
    out = np.zeros(11 * len(numbers), dtype=np.uint8)
    n = 0
    for number in numbers:
        while number >= 128:
            out[n] = (number & 127) | 128
            number >>= 7
            n += 1
        out[n] = number
        n += 1
    return out[:n]


@loop(
    lambda n, rng: text("é€x𝄞" * n),
    sizes=(0, 1, 3),
    realistic=12_000,
    cut_off=lambda rng: (np.frombuffer("a€".encode()[:-1], np.uint8),),
    stray_byte=lambda rng: (np.array([65, 0x80], np.uint8),),
)
def decode_utf8(data):
    points = []
    at = 0
    while at < len(data):
        b = int(data[at])
        if b < 0x80:
            size, point = 1, b
        elif b >> 5 == 6:
            size, point = 2, b & 31
        elif b >> 4 == 14:
            size, point = 3, b & 15
        elif b >> 3 == 30:
            size, point = 4, b & 7
        else:
            raise ValueError(at)
        for k in range(1, size):
            point = point << 6 | int(data[at + k]) & 63
        points.append(point)
        at += size
    return np.array(points, dtype=np.uint32)


@loop(
    lambda n, rng: (rng.integers(0, 256, n).astype(np.uint8), 3),
    sizes=(0, 2, 7),
    realistic=60_000,
    eight_bits=lambda rng: (rng.integers(0, 256, 3).astype(np.uint8), 8),
    no_bits=lambda rng: (rng.integers(0, 256, 3).astype(np.uint8), 0),
)
def unpack_bits(data, width):
    count = len(data) * 8 // width if width else 0
    out = np.zeros(count, dtype=np.uint8)
    buffer = bits = place = 0
    for byte in data:
        buffer |= int(byte) << bits
        bits += 8
        while bits >= width and place < count:
            out[place] = buffer & ((1 << width) - 1)
            buffer >>= width
            bits -= width
            place += 1
    return out, bits


@loop(
    lambda n, rng: (np.frombuffer(b"<a><b></b></a>" * n, np.uint8), 60, 62),
    sizes=(0, 1, 2),
    realistic=8000,
    never_closed=lambda rng: (np.frombuffer(b"<a", np.uint8), 60, 62),
    closed_twice=lambda rng: (np.frombuffer(b"<a>>b", np.uint8), 60, 62),
)
def nesting_depths(data, opening, closing):
    depth, deepest, first_error = 0, 0, None
    for at, c in enumerate(data):
        if c == opening:
            depth += 1
        elif c == closing:
            depth -= 1
            if depth < 0:
                first_error = at
                break
        deepest = max(deepest, depth)
    else:
        if depth:
            first_error = -1
    return deepest, first_error


@loop(
    lambda n, rng: (b"12.5,-3,4,,abc,0.001;7,8.25,-1,9;;5" * n,),
    sizes=(0, 1, 3),
    realistic=300,
    of_numpy=lambda rng: text("1.5,x;", "-20,,7"),
    ends_in_a_sign=lambda rng: (b"1;-",),
)
def fields_of_numbers(data):
    found, rows, at = [], 0, 0
    while at < len(data):
        sign = 1.0
        if data[at] == 45:
            sign = -1.0
            at += 1
        value, digits, scale, decimals = 0.0, 0, 1.0, False
        while at < len(data) and data[at] in b"0123456789.":
            if data[at] == 46:
                decimals = True
            else:
                value = value * 10 + (data[at] - 48)
                digits += 1
                if decimals:
                    scale *= 0.1
            at += 1
        while at < len(data) and data[at] not in b",;":
            digits = 0
            at += 1
        found.append(sign * value * scale if digits else -1.0)
        if at < len(data) and data[at] == 59:
            rows += 1
        at += 1
    return found, rows
