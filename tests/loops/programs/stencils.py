"""Stencils whose points depend on points of the same sweep, and time steps by element and by slices."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


def grid(n, rng, dtype=np.float64):
    return rng.random((n, n)).astype(dtype)


@loop(
    lambda n, rng: (2, grid(n, rng)),
    sizes=(1, 3, 5),
    realistic=100,
    float32=lambda rng: (2, grid(5, rng, np.float32)),
    fortran=lambda rng: (1, np.asfortranarray(grid(5, rng))),
    every_second=lambda rng: (1, grid(9, rng)[::2, ::-2]),
    float16=lambda rng: (1, grid(4, rng, np.float16)),
    integers=lambda rng: (1, rng.integers(0, 100, (4, 4))),
    no_step=lambda rng: (0, grid(4, rng)),
    read_only=lambda rng: (1, np.broadcast_to(np.float64(2), (4, 4))),
)
def seidel_2d(steps, a):
    n = a.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = (
                    a[i - 1, j - 1]
                    + a[i - 1, j]
                    + a[i - 1, j + 1]
                    + a[i, j - 1]
                    + a[i, j]
                    + a[i, j + 1]
                    + a[i + 1, j - 1]
                    + a[i + 1, j]
                    + a[i + 1, j + 1]
                ) / 9.0


@loop(lambda n, rng: (2, grid(n, rng)), sizes=(3, 5), realistic=200)
def seidel_2d_by_slices(steps, a):
    n = len(a)
    for _ in range(steps):
        for i in range(1, n - 1):
            a[i, 1:-1] += (
                a[i - 1, :-2]
                + a[i - 1, 1:-1]
                + a[i - 1, 2:]
                + a[i, 2:]
                + a[i + 1, :-2]
                + a[i + 1, 1:-1]
                + a[i + 1, 2:]
            )
            for j in range(1, n - 1):
                a[i, j] += a[i, j - 1]
                a[i, j] /= 9.0


@loop(
    lambda n, rng: (rng.random(n) * 0.1, rng.random(n) + 2, rng.random(n) * 0.1, rng.random(n)),
    sizes=(1, 2, 6),
    realistic=40_000,
    float32=lambda rng: tuple(rng.random(5).astype(np.float32) + k for k in (0, 3, 0, 1)),
    zero_pivot=lambda rng: (np.zeros(2), np.zeros(2), np.zeros(2), np.array([1.0, 0.0])),
    empty=lambda rng: (np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0)),
    one_array_for_all=lambda rng: (rng.random(4) + 1,) * 4,
)
def thomas(lower, diagonal, upper, right):
    n = len(diagonal)
    c = np.zeros(n)
    c[0] = upper[0] / diagonal[0]
    right[0] = right[0] / diagonal[0]
    for i in range(1, n):
        m = 1.0 / (diagonal[i] - lower[i] * c[i - 1])
        c[i] = upper[i] * m
        right[i] = (right[i] - lower[i] * right[i - 1]) * m
    for i in range(n - 2, -1, -1):
        right[i] -= c[i] * right[i + 1]
    return right


@loop(lambda n, rng: (2, grid(n, rng)), sizes=(3, 5), realistic=150)
def alternating_directions(steps, u):
    n = u.shape[0]
    v, p, q = np.zeros_like(u), np.zeros_like(u), np.zeros_like(u)
    a, b, c = -0.25, 1.5, -0.25
    for _ in range(1, steps + 1):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            p[1:-1, j] = -c / (a * p[1:-1, j - 1] + b)
            q[1:-1, j] = (-0.5 * u[j, :-2] + 2.0 * u[j, 1:-1] - 0.5 * u[j, 2:] - a * q[1:-1, j - 1]) / (
                a * p[1:-1, j - 1] + b
            )
        v[n - 1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] = v[i, j] + 0.5 * u[i - 1, j]
    return v


@loop(
    lambda n, rng: (3, rng.random(n), rng.random(n)),
    sizes=(2, 3, 6),
    realistic=20_000,
    float32=lambda rng: (2, rng.random(5).astype(np.float32), rng.random(5).astype(np.float32)),
    one_array=lambda rng: (lambda x: (2, x, x))(rng.random(5)),
    shifted_views=lambda rng: (lambda x: (2, x[1:], x[:-1]))(rng.random(7)),
)
def jacobi_1d_by_element(steps, a, b):
    for _ in range(steps):
        for i in range(1, len(a) - 1):
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1])
        for i in range(1, len(a) - 1):
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1])


@loop(
    lambda n, rng: (n, rng.random(24), rng.random(24)),
    sizes=(0, 1, 3),
    realistic=5000,
    short_views=lambda rng: (2, rng.random(3), rng.random(3)),
)
def jacobi_1d_small(steps, a, b):
    for _ in range(1, steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])


@loop(
    lambda n, rng: (grid(n, rng), 1.7, 1e-3, 4),
    sizes=(3, 6),
    realistic=70,
    converged=lambda rng: (np.ones((4, 4)), 1.0, 1e-3, 9),
    with_nan=lambda rng: (np.full((4, 4), np.nan), 1.0, 1e-3, 2),
)
def successive_overrelaxation(u, omega, tolerance, most):
    rows, columns = u.shape
    sweep, error = 0, np.inf
    while error > tolerance and sweep < most:
        error = 0.0
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                old = u[i, j]
                mean = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
                u[i, j] = old + omega * (mean - old)
                change = abs(u[i, j] - old)
                if change > error:
                    error = change
        sweep += 1
    return sweep, error


@loop(
    lambda n, rng: (rng.random((n, n, n)),),
    sizes=(2, 3, 4),
    realistic=26,
    middle_axis_first=lambda rng: (rng.random((3, 4, 5)).transpose(1, 0, 2),),
)
def running_sums_in_three_directions(a):
    nx, ny, nz = a.shape
    for i in range(nx):
        for j in range(ny):
            for k in range(nz):
                if i > 0:
                    a[i, j, k] += 0.5 * a[i - 1, j, k]
                if j > 0:
                    a[i, j, k] += 0.25 * a[i, j - 1, k]
                if k > 0:
                    a[i, j, k] += 0.125 * a[i, j, k - 1]
    return a[-1, -1, -1]


@loop(
    lambda n, rng: (rng.random(n), 0.4, 5),
    sizes=(1, 6),
    realistic=12_000,
    against_the_flow=lambda rng: (rng.random(5), -0.4, 3),
)
def upwind_periodic(u, courant, steps):
    n = len(u)
    for _ in range(steps):
        if courant >= 0:
            last = u[-1]
            for i in range(n):
                here = u[i]
                u[i] = here - courant * (here - last)
                last = here
        else:
            first = u[0]
            for i in range(n):
                following = u[i + 1] if i + 1 < n else first
                u[i] -= courant * (following - u[i])
    return u


@loop(
    lambda n, rng: (rng.random((n, n + 1, 4)), 3),
    sizes=(1, 5),
    realistic=24,
    no_items=lambda rng: (rng.random((3, 0, 2)), 2),
    axes_in_another_order=lambda rng: (rng.random((3, 4, 5)).transpose(1, 0, 2), 2),
    fortran_order=lambda rng: (np.asfortranarray(rng.random((3, 4, 5))), 2),
)
def advection_3d(q, steps):
    for _ in range(steps):
        new = np.empty_like(q)
        for i in range(q.shape[0]):
            for j in range(q.shape[1]):
                for k in range(q.shape[2]):
                    upwind = 0.2 * (q[i, j, k] - q[i - 1, j, k]) + 0.1 * (q[i, j, k] - q[i, j - 1, k])
                    new[i, j, k] = q[i, j, k] - upwind
        q = new
    return q
