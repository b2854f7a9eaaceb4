"""`in range(...)`, and complex numbers made of two real ones, are native and Python's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs

program = Programs()
PLACES = np.arange(-12, 40)


@program(PLACES, 12)
@program(PLACES.astype(np.int8), -3)
@program(PLACES[:1], 0)
@program(PLACES[:0], 3)
def in_ranges(x: Any, n: Any) -> Any:
    found = []
    for i in range(len(x)):
        k = x[i]
        j = int(k)
        found.append(k in range(n))
        found.append(j in range(-n, n))
        found.append(j not in range(2, 20, 3))
        found.append(j in range(20, n, -4))
        found.append(j in range(n, 2, -1) and not (i in range(5) or j * j in range(100)))
    return found


@program(PLACES, 1 << 62)
def in_large_ranges(x: Any, n: Any) -> Any:
    count = 0
    for i in range(len(x)):
        if int(x[i]) in range(-n, n, 3) or int(x[i]) * 5 in range(-n * 2, n, 7):
            count += 1
    return count


@program(PLACES / 4, 5, native=None)
def floats_in_ranges(x: Any, n: Any) -> Any:
    count = 0
    for i in range(len(x)):
        if x[i] in range(n) or float(x[i]) in range(n):
            count += 1
    return count


@program(PLACES / 4, -PLACES / 8)
@program(PLACES.astype("f4"), PLACES.astype("f2"))
@program(PLACES, PLACES.astype("u8"))
@program(PLACES > 3, np.where(PLACES % 3, -0.0, np.nan))
def complex_of_parts(x: Any, y: Any) -> Any:
    found = []
    for i in range(len(x)):
        z = complex(x[i], y[i])
        found.append(z.real)
        found.append(z.imag)
        found.append((z * complex(1, y[i])).real)
    return str(found), type(z)


@pytest.mark.parametrize("name", program.cases)
def test_jitted_as_plain(name: str, jitted: dict[str, tuple[Any, list[Any]]]) -> None:
    program.check(name, *jitted[name])
