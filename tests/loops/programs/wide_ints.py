"""Python ints of unsigned 64 bits: generators of random numbers, hashes, checksums, arithmetic."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop

MASK = 0xFFFFFFFFFFFFFFFF
WORD = 1 << 64


def words(n, rng):
    return rng.integers(0, 1 << 64, n, dtype=np.uint64)


@loop(
    lambda n, rng: (n, 42),
    sizes=(0, 1, 9),
    realistic=100_000,
    large_seed=lambda rng: (5, 0xFEDCBA9876543210),
    middle_seed=lambda rng: (5, 1 << 62),
    negative_seed=lambda rng: (5, -7),
    numpy_seed=lambda rng: (5, np.uint64(7)),
)
def splitmix64(n, seed):
    out = np.empty(n, dtype=np.uint64)
    for i in range(n):
        seed = (seed + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        out[i] = z ^ (z >> 31)
    return out, seed


@loop(
    lambda n, rng: (n, 88172645463325252),
    sizes=(1, 9),
    realistic=100_000,
    small=lambda rng: (9, 1),
    stored_as_int64=lambda rng: (9, 3, np.int64),
    stored_as_float=lambda rng: (9, 3, np.float64),
)
def xorshift64_star(n, x, kind=np.uint64):
    out = np.zeros(n, dtype=kind)
    for i in range(n):
        x ^= x >> 12
        x ^= x << 25
        x &= MASK
        x ^= x >> 27
        out[i] = (x * 0x2545F4914F6CDD1D) & MASK
    return out, x


def rotated(x, k):
    return ((x << k) | (x >> (64 - k))) & MASK


@loop(
    lambda n, rng: (n, *map(int, words(4, rng))),
    sizes=(0, 1, 9),
    realistic=50_000,
    small=lambda rng: (5, 1, 2, 3, 4),
    mixed=lambda rng: (5, 1, 1 << 63, 0, 1 << 45),
)
def xoshiro256(n, s0, s1, s2, s3):
    total = 0.0
    for _ in range(n):
        result = rotated((s1 * 5) & MASK, 7) * 9 & MASK
        t = (s1 << 17) & MASK
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= t
        s3 = rotated(s3, 45)
        total += (result >> 11) * (1.0 / (1 << 53))
    return total, s0, s1, s2, s3


@loop(lambda n, rng: (n, 0x853C49E6748FEA9B, 0xDA3E39CB94B95BDB), sizes=(0, 1, 9), realistic=80_000)
def pcg32(n, state, increment):
    out = np.zeros(n, dtype=np.uint32)
    for i in range(n):
        old = state
        state = (old * 6364136223846793005 + (increment | 1)) % 2**64
        shifted = (((old >> 18) ^ old) >> 27) & 0xFFFFFFFF
        turn = old >> 59
        out[i] = ((shifted >> turn) | (shifted << (-turn & 31))) & 0xFFFFFFFF
    return out, state


class Generator:
    def __init__(self, state):
        self.state = state
        self.drawn = 0


@loop(lambda n, rng: (n, 7), sizes=(0, 1, 9), realistic=80_000, large=lambda rng: (5, 0xFFFFFFFFFFFFFFFF))
def dice(n, seed):
    generator = Generator(seed)
    out = np.zeros(n, dtype=np.int8)
    for i in range(len(out)):
        generator.state = (generator.state * 0x5851F42D4C957F2D + 0x14057B7EF767814F) & MASK
        generator.drawn += 1
        out[i] = (generator.state >> 33) % 6 + 1
    return out, generator.state, generator.drawn


@loop(lambda n, rng: (words(n, rng),), sizes=(0, 1, 9), realistic=80_000)
def murmur_finalizers(x):
    out = np.zeros(len(x), dtype=np.int64)
    for i in range(len(x)):
        h = int(x[i])
        h ^= h >> 33
        h *= 0xFF51AFD7ED558CCD
        h &= MASK
        h ^= h >> 33
        h = h * 0xC4CEB9FE1A85EC53 % WORD
        h ^= h >> 33
        out[i] = h % 1000 - h // 10**16
    return out


@loop(lambda n, rng: (words(4 * n, rng), 5), sizes=(0, 1, 5), realistic=15_000)
def xxhash64(data, seed):
    p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    v1, v2, v3, v4 = (seed + p1 + p2) & MASK, (seed + p2) & MASK, seed, (seed - p1) & MASK
    for at in range(0, len(data), 4):
        v1 = rotated((v1 + int(data[at]) * p2) & MASK, 31) * p1 & MASK
        v2 = rotated((v2 + int(data[at + 1]) * p2) & MASK, 31) * p1 & MASK
        v3 = rotated((v3 + int(data[at + 2]) * p2) & MASK, 31) * p1 & MASK
        v4 = rotated((v4 + int(data[at + 3]) * p2) & MASK, 31) * p1 & MASK
    h = (rotated(v1, 1) + rotated(v2, 7) + rotated(v3, 12) + rotated(v4, 18)) & MASK
    h ^= h >> 33
    h = h * p2 & MASK
    h ^= h >> 29
    return (h * p3 & MASK) ^ h >> 32


@loop(
    lambda n, rng: (rng.integers(0, 256, n).astype(np.uint8),),
    sizes=(0, 1, 9),
    realistic=10_000,
    python_bytes=lambda rng: (b"123456789",),
    numbers=lambda rng: ([1, 2, 255],),
)
def crc64(data):
    crc = 0
    for byte in data:
        crc ^= int(byte) << 56
        for _ in range(8):
            if crc & 0x8000000000000000:
                crc = ((crc << 1) ^ 0x42F0E1EBA9EA3693) & MASK
            else:
                crc = (crc << 1) & MASK
    return crc


@loop(lambda n, rng: (n, 1), sizes=(0, 1, 70), realistic=100_000, large=lambda rng: (70, MASK))
def shift_register_of_64_bits(n, state):
    ones = 0
    for _ in range(n):
        low = state & 1
        state >>= 1
        if low:
            state ^= 0xD800000000000000
            ones += 1
    return state, ones, state.bit_length(), state.bit_count()


@loop(
    lambda n, rng: (words((12, 64), rng), rng.integers(0, 12, n), rng.integers(0, 64, n)),
    sizes=(0, 1, 9),
    realistic=50_000,
    lists=lambda rng: (words((12, 64), rng).tolist(), [3, 5, 11, 0], [0, 63, 5, 5]),
)
def zobrist_keys(table, pieces, squares):
    seen = 0
    key = 0
    for piece, square in zip(pieces, squares):  # noqa: B905
        key ^= int(table[piece][square])
        if key > 1 << 63:
            seen += 1
    return key, seen


@loop(lambda n, rng: (words(n, rng), words(n, rng)), sizes=(0, 1, 9), realistic=2000)
def greatest_divisors(x, y):
    out = np.zeros(len(x), dtype=np.uint64)
    for i in range(len(x)):
        a, b = int(x[i]), int(y[i])
        while b:
            a, b = b, a % b
        out[i] = a
    return out


@loop(
    lambda n, rng: (words(n, rng), words(n, rng)),
    sizes=(0, 1, 9),
    realistic=20_000,
    small=lambda rng: (rng.integers(0, 9, 9).astype(np.uint64), rng.integers(0, 9, 9).astype(np.uint64)),
)
def distances(x, y):
    nearest, total = MASK, 0.0
    for i in range(len(x)):
        d = int(x[i]) - int(y[i])
        if d < 0:
            d = -d
        nearest = min(nearest, d)
        total += d / 3
    return nearest, total


@loop(lambda n, rng: (words(n, rng),), sizes=(1, 9), realistic=300)
def probable_primes(x):
    found = 0
    for i in range(len(x)):
        n = int(x[i]) | 1
        d, r = n - 1, 0
        while d % 2 == 0:
            d //= 2
            r += 1
        for a in (2, 3, 5, 7):
            v = pow(a, d, n)
            if v == 1 or v == n - 1:
                continue
            for _ in range(r - 1):
                v = pow(v, 2, n)
                if v == n - 1:
                    break
            else:
                break
        else:
            found += 1
    return found


@loop(
    lambda n, rng: (words(n, rng),),
    sizes=(1, 9),
    realistic=50_000,
    beyond_int64=lambda rng: (words(5, rng), np.zeros(5, dtype=np.int64)),
)
def stored_wide_ints(x, out=None):
    if out is None:
        out = np.zeros(len(x), dtype=np.uint64)
    for i in range(len(x)):
        h = int(x[i]) ^ 0x8000000000000001
        out[i] = h if h % 2 else h >> 1
    return out


@loop(lambda n, rng: (n,), sizes=(3, 60, 70), realistic=70)
def powers_until_big(n):
    value, last = 1, 0
    for _ in range(n):
        last = value
        value = value * 2 + (value >> 63 & 1)
    return value, last
