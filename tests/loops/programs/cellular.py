"""Fractals and cellular automata: a number of steps for each pixel, and neighbours on a grid that closes."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


@loop(
    lambda n, rng: (n, n, 20),
    sizes=(0, 1, 4),
    realistic=150,
)
def mandelbrot_of_complex_numbers(rows, columns, most):
    out = np.zeros((rows, columns), dtype=np.int32)
    for i in range(rows):
        for j in range(columns):
            c = complex(-2 + 3 * j / columns, -1.5 + 3 * i / rows)
            z = 0j
            for step in range(most):  # noqa: B007
                if abs(z) > 2:
                    break
                z = z * z + c
            else:
                step = most
            out[i, j] = step
    return out


@loop(
    lambda n, rng: (np.linspace(-2, 1, n), np.linspace(-1.5, 1.5, n), 20),
    sizes=(0, 1, 4),
    realistic=100,
    float32=lambda rng: (np.linspace(-2, 1, 4, dtype=np.float32), np.linspace(-1, 1, 4, dtype=np.float32), 9),
    float16=lambda rng: (
        np.linspace(-2, 1, 3).astype(np.float16),
        np.linspace(-1, 1, 3).astype(np.float16),
        9,
    ),
    no_step=lambda rng: (np.linspace(-2, 1, 2), np.linspace(-1, 1, 2), 0),
)
def mandelbrot_of_floats(xs, ys, most):
    out = np.empty((len(ys), len(xs)), dtype=np.uint8)
    for i, cy in enumerate(ys):
        for j, cx in enumerate(xs):
            x = y = 0.0
            step = 0
            while x * x + y * y <= 4.0 and step < most:
                x, y = x * x - y * y + cx, 2.0 * x * y + cy
                step += 1
            out[i, j] = step
    return out


@loop(
    lambda n, rng: (rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n)), -0.4 + 0.6j, 15),
    sizes=(0, 3),
    realistic=80,
    complex64=lambda rng: ((rng.standard_normal((3, 3)) + 1j).astype(np.complex64), -0.4 + 0.6j, 8),
    numpy_constant=lambda rng: (rng.standard_normal((2, 2)) + 0j, np.complex64(-0.4 + 0.6j), 8),
    overflowing=lambda rng: (np.array([[1e200 + 1e200j, np.nan]]), 1j, 3),
)
def julia(z, c, most):
    out = np.zeros(z.shape, dtype=int)
    rows, columns = z.shape
    for i in range(rows):
        for j in range(columns):
            value = z[i, j]
            count = 0
            while count < most and value.real**2 + value.imag**2 < 4:
                value = value * value + c
                count += 1
            out[i, j] = count
            z[i, j] = value
    return out


@loop(
    lambda n, rng: (rng.random(n) * 4, 20),
    sizes=(0, 3),
    realistic=4000,
    float32=lambda rng: ((rng.random(3) * 4).astype(np.float32), 9),
)
def newton_fractal(starts, most):
    roots = [1 + 0j, complex(-0.5, 3**0.5 / 2), complex(-0.5, -(3**0.5) / 2)]
    out = np.full(len(starts), -1, dtype=np.int8)
    for i, start in enumerate(starts):
        z = complex(start, 1)
        for _ in range(most):
            if z == 0:
                break
            z -= (z * z * z - 1) / (3 * z * z)
        for k, root in enumerate(roots):
            if abs(z - root) < 1e-6:
                out[i] = k
    return out


@loop(
    lambda n, rng: ((rng.random((n, n)) < 0.4).astype(np.uint8), 2),
    sizes=(1, 2, 5),
    realistic=80,
    bools=lambda rng: (rng.random((4, 4)) < 0.4, 2),
    int64=lambda rng: (rng.integers(0, 2, (3, 5)), 3),
    no_step=lambda rng: (np.ones((2, 2), np.uint8), 0),
)
def game_of_life(cells, steps):
    rows, columns = cells.shape
    for _ in range(steps):
        following = np.zeros_like(cells)
        for i in range(rows):
            for j in range(columns):
                alive = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if (di or dj) and cells[(i + di) % rows, (j + dj) % columns]:
                            alive += 1
                following[i, j] = alive == 3 or (alive == 2 and cells[i, j])
        cells = following
    return cells


@loop(
    lambda n, rng: (30, n, n // 2),
    sizes=(1, 2, 7),
    realistic=300,
    rule_110=lambda rng: (110, 9, 4),
    numpy_rule=lambda rng: (np.uint8(90), 9, 4),
)
def elementary_automaton(rule, width, steps):
    rows = np.zeros((steps + 1, width), dtype=np.uint8)
    rows[0, width // 2] = 1
    for t in range(steps):
        for i in range(width):
            pattern = 4 * rows[t, i - 1] + 2 * rows[t, i] + rows[t, (i + 1) % width]
            rows[t + 1, i] = rule >> pattern & 1
    return rows


@loop(
    lambda n, rng: (np.zeros((16, 16), np.int8), n),
    sizes=(0, 1, 20),
    realistic=40_000,
    int64=lambda rng: (np.zeros((3, 3), np.int64), 30),
)
def langtons_ant(grid, steps):
    i = j = 8 % len(grid)
    di, dj = -1, 0
    for _ in range(steps):
        if grid[i, j]:
            di, dj = -dj, di
        else:
            di, dj = dj, -di
        grid[i, j] = 1 - grid[i, j]
        i, j = (i + di) % grid.shape[0], (j + dj) % grid.shape[1]
    return i, j, di, dj


@loop(
    lambda n, rng: (rng.integers(0, 9, (n, n)),),
    sizes=(1, 5),
    realistic=24,
    int8=lambda rng: (rng.integers(0, 9, (4, 4)).astype(np.int8),),
)
def sandpile(grid):
    rows, columns = grid.shape
    topplings = 0
    unstable = True
    while unstable:
        unstable = False
        for i in range(rows):
            for j in range(columns):
                if grid[i, j] >= 4:
                    grid[i, j] -= 4
                    topplings += 1
                    unstable = True
                    for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
                        if 0 <= a < rows and 0 <= b < columns:
                            grid[a, b] += 1
    return topplings


@loop(
    lambda n, rng: (rng.integers(0, 3, (n, n)).astype(np.int8), 3),
    sizes=(1, 6),
    realistic=40,
    bools=lambda rng: (rng.random((3, 4)) < 0.5, 2),
)
def excitable_medium(grid, steps):
    rows, columns = grid.shape
    for _ in range(steps):
        following = np.zeros_like(grid)
        for i in range(rows):
            for j in range(columns):
                state = grid[i, j]
                if state == 1:
                    following[i, j] = 2
                elif state == 0:
                    for di, dj in [(0, 1), (1, 0), (0, -1), (-1, 0)]:
                        if grid[(i + di) % rows, (j + dj) % columns] == 1:
                            following[i, j] = 1
                            break
        grid = following
    return grid
