"""Loops as people write them: of each, how many trips it takes is in `n`, or in the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class Simulation:
    def __init__(self, x: Any) -> None:
        self.x = x
        self.v = np.zeros_like(x)
        self.t = 0.0
        self.n = 0

    def step(self, dt: float) -> None:
        self.v += dt * (np.roll(self.x, 1) - 2 * self.x + np.roll(self.x, -1))
        self.x = self.x + dt * self.v
        self.t += dt
        self.n += 1


def time_steps(x, n):
    for _ in range(n):
        x[1:-1] += 0.25 * (x[2:] - 2 * x[1:-1] + x[:-2])
    return x


def time_steps_by_number(x, n):
    dt = 0.125
    for i in range(n):
        x = x * 0.5 + np.sin(i * dt)
    return x, i


def counting_down(x, n):
    for i in range(n, 0, -1):
        x = (x + i) * 0.5
    return x, i


def while_counter(x, n):
    i = 0
    while i < n:
        x = x * 0.75 + 1
        i += 1
    return x, i


def convergence(x, n):
    error, trips = 1.0, 0
    y = np.ones_like(x)
    while error > 0.5**n and trips < 100:
        new = 0.5 * (y + (x + 1) / y)
        error = np.abs(new - y).max()
        y, trips = new, trips + 1
    return y, trips


def break_by_data(x, n):
    for trip in range(1000):  # noqa: B007
        x = x * 0.5
        if x.max() < 0.5**n:
            break
    return x, trip


def break_by_number(x, n):
    for trip in range(1000):
        if trip == n:
            break
        x = x * 0.5 + 1
    return x, trip


def continue_by_number(x, n):
    for trip in range(n):
        if trip % 3 == 1:
            continue
        x = x * 0.5 + 1
    return x


def for_else(x, n):
    for _ in range(n):
        x = x * 0.75
        if x.max() < 0.5:
            break
    else:
        x = x + 1
    return x


def while_else(x, n):
    left = n
    while left:
        x = x * 0.75
        left -= 1
        if x.max() < 0.125:
            break
    else:
        x = -x
    return x, left


def returned_from_within(x, n):
    for trip in range(1000):
        x = x * 0.75 + 0.125
        if trip >= n:
            return x, trip
    return None


def nested(x, n):
    for i in range(n):
        for j in range(3):
            x = x * 0.5 + j
        x = x - i
    return x, i, j


def nested_break(x, n):
    for i in range(n):  # noqa: B007
        for j in range(5):
            x = x * 0.5 + j
            if j == 2:
                break
        else:
            x = x * 100
    return x, i, j


def over_a_list(x, n):
    for part in [x] * n:
        x = x * 0.5 + part
    return x, part


def over_enumerate(x, n):
    for place, part in enumerate([x, x * 2] * n):
        x = x * 0.5 + part * place
    return x, place


def over_zip(x, n):
    for one, other in zip([x] * n, [x + 1] * n, strict=True):
        x = x * 0.5 + one * other
    return x


def over_reversed(x, n):
    for part in reversed([x + i for i in range(n)]):
        x = x * 0.5 + part
    return x


def over_rows(x, n):
    found = np.zeros(4)
    for row in np.tile(x[:4], (n, 1)):
        found = found * 0.5 + row
        row *= 2
    return found, row


def over_rows_enumerated(x, n):
    found = np.zeros(4)
    for place, row in enumerate(np.tile(x[:4], (n, 1))):
        found = found * 0.5 + row * place
    return found


def over_items(x, n):
    table = {f"k{i}": x + i for i in range(n)}
    for key, part in table.items():
        table[key] = part * 0.5 + 1
    return table


def over_a_generator(x, n):
    for part in (x + i for i in range(n)):
        x = x * 0.5 + part
    return x


def deleted_in_each_trip(x, n):
    for i in range(n):
        tmp = x * 0.5
        x = tmp + i
        del tmp
    return x


def swapped(x, n):
    old, new = x, np.empty_like(x)
    for _ in range(n):
        new[:] = old * 0.5 + 1
        old, new = new, old
    return old, new


def gathered(x, n):
    kept = []
    for i in range(n):
        x = x * 0.5 + i
        kept.append(x.sum())
    return np.array(kept), x


def written_rows(x, n):
    out = np.zeros((200, len(x)))
    for i in range(n):
        x = x * 0.5 + i
        out[i] = x
    return out[:n]


def a_method_in_a_loop(x, n):
    simulation = Simulation(x)
    for _ in range(n):
        simulation.step(0.125)
    return simulation.x, simulation.t, simulation.n


def caught_in_a_loop(x, n):
    missed = 0
    for i in range(n):
        try:
            x = x * 0.5 + x[i]
        except IndexError:
            missed += 1
            x = x + 1
    return x, missed


LOOPS: list[Callable[..., Any]] = [
    time_steps,
    time_steps_by_number,
    counting_down,
    while_counter,
    convergence,
    break_by_data,
    break_by_number,
    continue_by_number,
    for_else,
    while_else,
    returned_from_within,
    nested,
    nested_break,
    over_a_list,
    over_enumerate,
    over_zip,
    over_reversed,
    over_rows,
    over_rows_enumerated,
    over_items,
    over_a_generator,
    deleted_in_each_trip,
    swapped,
    gathered,
    written_rows,
    a_method_in_a_loop,
    caught_in_a_loop,
]
