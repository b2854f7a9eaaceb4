"""Random loops within loops whose trips give names other types, and sums of ints with terms of known bounds.

`test_random_versions.py` compares them with plain Python. The first trip of a loop often ends in another
version of it, so that version is entered within a loop that is in it.
"""

from __future__ import annotations

import random

VALUES = ("0", "0.0", "-1", "1 << 60", "x[0]", "a[0, 0]")
TESTS = ("a[i % 5, j % 5] > s", "j % 3 == p", "k == q", "s > t", "a[j % 5, k % 5] < 0", "t == 0")
UPDATES = (
    *("s += a[i % 5, k % 5]", "s = a[j % 5, k % 5]", "t = s", "t += x[k % n]", "s = 0", "t = 0.0", "w += 1"),
    *("v = v * 10 + int(data[(i + k) % 4]) - 48", "v = (int(data[k % 4]) - v * 3) % 1000", "v = q"),
    *("v = 5 - 7 * v - int(data[0])", "v = v * 31 + (i + 3) % 7", "v = p * 1234567890123456789"),
    *("w += (v + j) % by + v // by + v % by", "w += (k - q) % by"),
)
HEAD = ("n, v, w, by = len(x), 0, 0, 3 * p - 4", "i = j = k = 0")


def program(rng: random.Random) -> str:
    """Return the source of a function `program(a, data, x, p, q)`."""
    lines = [*HEAD, f"s, t = {rng.choice(VALUES)}, {rng.choice(VALUES)}"]
    lines += [*_loop(rng, "ijk"), "return s, t, v, w, i, j, k"]
    return "def program(a, data, x, p, q):\n" + "".join(f"    {line}\n" for line in lines)


def _loop(rng: random.Random, names: str) -> list[str]:
    """Return a loop that counts by the first of some names, around loops that do so by the others."""
    name, body = names[0], []
    is_counted = rng.random() < 0.5
    if rng.random() < 0.6:
        body.append(f"{rng.choice('st')} = {rng.choice(VALUES)}")
    if rng.random() < 0.4:
        body += [f"if {rng.choice(TESTS)}:", f"    {'break' if rng.random() < 0.3 else rng.choice(UPDATES)}"]
    if names[1:]:
        body += _loop(rng, names[1:])
    for _ in range(rng.randint(1, 2)):
        if rng.random() < 0.5:
            body += [f"if {rng.choice(TESTS)}:", f"    {rng.choice(UPDATES)}"]
            body += ["else:", f"    {rng.choice(UPDATES)}"] if rng.random() < 0.5 else []
        else:
            body.append(rng.choice(UPDATES))
    if rng.random() < 0.5:
        body.append(f"x[{name} % n] = s")
    if is_counted:
        end = rng.choice(("n", "p", "q", "len(data)"))
        head, body = [f"{name} = 0", f"while {name} < {end}:"], [*body, f"{name} += 1"]
    else:
        head = [f"for {name} in range({rng.choice(('n', 'p', 'p + 1', 'len(data)'))}):"]
    return [*head, *(f"    {line}" for line in body)]
