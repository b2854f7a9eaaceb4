"""Number theory: gcds, powers by squaring, primes and Collatz sequences, with numbers of Python and NumPy."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


@loop(
    lambda n, rng: (rng.integers(1, 1 << 30, n), rng.integers(1, 1 << 30, n)),
    sizes=(0, 5),
    realistic=40_000,
    int32=lambda rng: (rng.integers(1, 999, 4).astype(np.int32), rng.integers(1, 999, 4).astype(np.int32)),
    unsigned_and_signed=lambda rng: (np.array([12, 18], np.uint64), np.array([18, 12])),
    zeros=lambda rng: (np.array([0, 4, 0]), np.array([0, 0, 6])),
    negative=lambda rng: (np.array([-12, 12, -7]), np.array([18, -18, -3])),
    shorter_second=lambda rng: (np.array([4, 6, 8]), np.array([2])),
)
def gcds(a, b):
    out = np.empty(len(a), dtype=np.int64)
    for i in range(len(a)):
        x, y = a[i], b[i]
        while y:
            x, y = y, x % y
        out[i] = x
    return out


def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@loop(lambda n, rng: (n,), sizes=(0, 1, 9), realistic=500, numpy_integer=lambda rng: (np.int16(9),))
def coprime_pairs(n):
    count = 0
    for i in range(1, n + 1):
        for j in range(i + 1, n + 1):
            if gcd(i, j) == 1:
                count += 1
    return count


@loop(
    lambda n, rng: (n,),
    sizes=(1, 2, 20),
    realistic=6000,
    numpy_integer=lambda rng: (np.int64(12),),
)
def longest_collatz(n):
    best, at = 0, 0
    for start in range(1, n):
        value, steps = start, 0
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            steps += 1
        if steps > best:
            best, at = steps, start
    return at, best


@loop(
    lambda n, rng: (n, 12_345, 1_000_000_007),
    sizes=(0, 6),
    realistic=25_000,
    modulus_past_32_bits=lambda rng: (5, 3, (1 << 61) - 1),
    modulus_of_zero=lambda rng: (3, 3, 0),
    numpy_modulus_of_zero=lambda rng: (3, 3, np.int64(0)),
    negative_modulus=lambda rng: (5, 3, -7),
    numpy_numbers=lambda rng: (5, np.int64(3), np.int64(1_000_003)),
)
def modular_powers(n, base, modulus):
    total = 0
    for exponent in range(n):
        result, b, e = 1, base % modulus, exponent
        while e > 0:
            if e & 1:
                result = result * b % modulus
            b = b * b % modulus
            e >>= 1
        total ^= result
    return total


@loop(lambda n, rng: (n,), sizes=(2, 3, 40), realistic=250_000)
def sieve_of_eratosthenes(n):
    composite = np.zeros(n, dtype=bool)
    primes = []
    for i in range(2, n):
        if not composite[i]:
            primes.append(i)
            for j in range(i * i, n, i):
                composite[j] = True
    return np.array(primes, dtype=np.int64), composite


@loop(lambda n, rng: (n,), sizes=(0, 3, 30), realistic=1_500_000)
def sieve_by_slices(n):
    is_prime = np.ones(n + 1, dtype=bool)
    is_prime[:2] = False
    i = 2
    while i * i <= n:
        if is_prime[i]:
            is_prime[i * i :: i] = False
        i += 1
    count = 0
    for flag in is_prime:
        if flag:
            count += 1
    return count


@loop(lambda n, rng: (n,), sizes=(0, 30), realistic=80_000)
def linear_sieve(n):
    smallest = np.zeros(n + 1, dtype=np.int32)
    primes = []
    for i in range(2, n + 1):
        if smallest[i] == 0:
            smallest[i] = i
            primes.append(i)
        for p in primes:
            if p > smallest[i] or i * p > n:
                break
            smallest[i * p] = p
    return smallest


@loop(lambda n, rng: (n,), sizes=(0, 2, 25), realistic=15_000)
def primes_by_trial(n):
    found = []
    for candidate in range(2, n):
        for p in found:
            if candidate % p == 0:
                break
        else:
            found.append(candidate)
    return found


@loop(
    lambda n, rng: (n,),
    sizes=(0, 1, 10, 100),
    realistic=250_000,
    numpy_integer=lambda rng: (np.int64(95),),
)
def fibonacci_until_big(n):
    a, b = 0, 1
    for _ in range(n % 1000):
        a, b = b, a + b
    checks = 0
    for i in range(n):
        checks += (a >> (i % 8)) & 1
    return a, checks


@loop(
    lambda n, rng: (n,),
    sizes=(0, 1, 5, 21, 25),
    realistic=15_000,
    numpy_wraps_around=lambda rng: (np.int64(25),),
    small_integer=lambda rng: (np.int8(7),),
)
def factorial(n):
    product = n - n + 1
    while n > 1:
        product = product * n
        n = n - 1
    return product


@loop(
    lambda n, rng: (rng.integers(2, 1 << 24, n),),
    sizes=(0, 4),
    realistic=600,
    python_numbers=lambda rng: ([12, 97, 1 << 20, 3 * 5 * 7 * 11],),
    with_one_and_zero=lambda rng: (np.array([1, 2, 8]),),
)
def prime_factors(numbers):
    out = []
    for number in numbers:
        p = 2
        while p * p <= number:
            while number % p == 0:
                out.append(p)
                number //= p
            p += 1 if p == 2 else 2
        if number > 1:
            out.append(int(number))
        out.append(0)
    return np.array(out)


@loop(lambda n, rng: (n, 10), sizes=(0, 50), realistic=60_000, other_base=lambda rng: (20, 3))
def digit_sums(n, base):
    counts = np.zeros(64, dtype=np.uint16)
    for value in range(n):
        total = 0
        while value:
            value, digit = divmod(value, base)
            total += digit
        counts[total % 64] += 1
    return counts


@loop(
    lambda n, rng: (rng.integers(0, 1 << 62, n),),
    sizes=(0, 4),
    realistic=40_000,
    negative=lambda rng: (np.array([-1, -5, 7]),),
    uint8=lambda rng: (np.array([255, 0, 7], np.uint8),),
)
def isqrt_newton(x):
    out = np.zeros(len(x), dtype=np.int64)
    for i in range(len(x)):
        n = int(x[i])
        if n < 0:
            out[i] = -1
            continue
        if n == 0:
            continue
        guess = 1 << ((n.bit_length() + 1) // 2)
        while True:
            better = (guess + n // guess) // 2
            if better >= guess:
                break
            guess = better
        out[i] = guess
    return out
