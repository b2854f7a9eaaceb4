"""What is no array and no number, and comes of a step: bytes (`x.tobytes()`), classes and functions that a
call gave. It is what it is at each call, wherever it goes."""

from __future__ import annotations

import base64
import hashlib
import random
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


class Kept:
    def __init__(self) -> None:
        self.raw: Any = b""
        self.log: list[Any] = []


def gone_over(x, kept):
    total = 0
    for byte in (x * 2).tobytes()[:9]:
        total = (total << 1 ^ byte) & 0xFFFF
    return total, x + 1


def compared(x, kept):
    raw = x.tobytes()
    changed = raw != kept.raw
    kept.raw = raw
    return changed, x * 2


def decided(x, kept):
    raw = (x > 2).tobytes()
    if raw == b"\x00\x00\x01\x01":
        return x + 1
    return x - 1 if raw else x


def stored(x, kept):
    kept.raw = (x * 2).tobytes()
    kept.log.append(kept.raw)
    return x * 3, kept.raw


def as_key(x, kept):
    table = {(x > 2).tobytes(): 1, b"": 2}
    return [*table], table.get(b"\x00\x00\x01\x01", 0), x * 2


def read_back(x, kept):
    return np.frombuffer((x + 1).tobytes(), dtype=x.dtype) * 2


PROGRAMS: dict[str, Callable[..., Any]] = {
    "answered": lambda x, kept: (x * 2).tobytes(),
    "in a tuple": lambda x, kept: ((x * 2).tobytes("F"), x + 1, {"raw": x.tobytes()}),
    "its length": lambda x, kept: (len((x * 2).tobytes()), len(x.tobytes()) * x),
    "an item": lambda x, kept: (x.astype("u1").tobytes()[1], x.tobytes()[:3], x * 2),
    "joined": lambda x, kept: (b"head" + x.tobytes(), x.tobytes() * 2, x + 1),
    "asked": lambda x, kept: (x.tobytes().hex(), x.tobytes().count(0), x + 1),
    "contained": lambda x, kept: (b"\x40" in x.tobytes(), 64 in x.tobytes(), x + 1),
    "compressed": lambda x, kept: (zlib.crc32(x.tobytes()), zlib.compress(x.tobytes()), x + 1),
    "hashed": lambda x, kept: (hashlib.sha256(x.tobytes()).hexdigest(), x + 1),
    "encoded": lambda x, kept: (base64.b64encode(x.tobytes()), x * 2),
    "packed": lambda x, kept: (struct.pack("<d", x.sum()), x * 2),
    "as others": lambda x, kept: (
        bytes(x.tobytes()),
        bytearray(x.tobytes()),
        list(x.astype("u1").tobytes()),
        x * 2,
    ),
    "as text": lambda x, kept: (str(x.tobytes()), f"{x.astype('u1').tobytes()!r}", x * 2),
    "a number": lambda x, kept: (int.from_bytes(x[:1].tobytes(), "little"), x * 2),
    "of a scalar": lambda x, kept: (x.sum().tobytes(), x[1].tobytes(), x * 2),
    "dumped": lambda x, kept: (len(x.dumps()) > 0, x * 2),
    "sorted": lambda x, kept: (sorted([x.tobytes(), (x * 2).tobytes(), b"a"]), max(x.tobytes(), b"@"), x * 2),
    **{fn.__name__: fn for fn in (gone_over, compared, decided, stored, as_key, read_back)},
}


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_right_at_each_call(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    program = PROGRAMS[name]
    jitted, ours, plain = npcompile.jit(program), Kept(), Kept()
    for call, length in enumerate((4, 4, 4, 4, 5, 6, 7, 4, 4)):
        x = np.arange(length) * (1.0 + call // 2)
        want = program(x, plain)
        same(jitted(x, ours), want, where=f"call {call}")
        same(vars(ours), vars(plain), where=f"what is kept after call {call}")


CHOICES: dict[str, tuple[list[Any], Callable[..., Any]]] = {
    "classes": ([np.float32, np.float64, int], lambda t, x: (x.astype(t), t)),
    "ufuncs": ([np.sin, np.cos, np.sqrt], lambda t, x: (t(x), t)),
    "dtypes": ([np.dtype("f4"), np.dtype("f8")], lambda t, x: (x.astype(t), t)),
    "ranges": ([range(3), range(4)], lambda t, x: (t, x[list(t)] + 1)),
    "functions": ([np.sort, np.mean], lambda t, x: (t, t(x))),
    "bytes": ([b"a", b"b"], lambda t, x: (t, x + 1)),
    "axes": ([..., None], lambda t, x: (x[t], t)),
    "slices": ([slice(2), slice(1, 3)], lambda t, x: (x[t], t)),
    "tuples": ([(1, 2), (2, 1)], lambda t, x: (x * t[0], t)),
    "tuples of classes": ([(np.float32, "a"), (int, "b")], lambda t, x: (x.astype(t[0]), t)),
    "sets": ([{1}, {2}], lambda t, x: (x * 2, t)),
    "bools": ([True, False], lambda t, x: (x * t, t)),
    "names": (["mean", "sum"], lambda t, x: (getattr(np, t)(x), t)),
    "modules": ([np, random], lambda t, x: (x * 2, t)),
    "methods": ([str.upper, str.lower], lambda t, x: (t("aB"), x * 2)),
}


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("name", CHOICES)
def test_what_a_call_gave(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    items, use = CHOICES[name]

    def program(x, stream):
        return use(stream.choice(items), x)

    jitted, ours, plain = npcompile.jit(program), random.Random(1), random.Random(1)
    for call in range(12):
        x = np.arange(4.0) + call
        same(jitted(x, ours), program(x, plain), 4, where=f"call {call}")
