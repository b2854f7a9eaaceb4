"""Differential equations: Euler and Runge-Kutta steps on numbers and on small arrays."""

from __future__ import annotations

import math

import numpy as np

from tests.loops.programs.program import loop


def decay(t, y):
    return -2.0 * y + math.sin(t)


@loop(
    lambda n, rng: (1.0, 0.01, n),
    sizes=(0, 1, 6),
    realistic=200_000,
    numpy_start=lambda rng: (np.float64(1), 0.01, 5),
    float32_start=lambda rng: (np.float32(1), 0.01, 5),
    integer_start=lambda rng: (1, 0.25, 5),
)
def euler(y, h, n):
    t = 0.0
    for _ in range(n):
        y = y + h * decay(t, y)
        t += h
    return t, y


@loop(
    lambda n, rng: (1.0, 0.01, n),
    sizes=(0, 1, 6),
    realistic=30_000,
    float32_step=lambda rng: (1.0, np.float32(0.01), 5),
)
def runge_kutta(y, h, n):
    for i in range(n):
        t = i * h
        k1 = decay(t, y)
        k2 = decay(t + h / 2, y + h / 2 * k1)
        k3 = decay(t + h / 2, y + h / 2 * k2)
        k4 = decay(t + h, y + h * k3)
        y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


@loop(
    lambda n, rng: (1.0, 1.0, 1.0, 0.01, n),
    sizes=(0, 5),
    realistic=80_000,
    numpy_numbers=lambda rng: (*map(np.float64, (1, 1, 1)), 0.01, 5),
    half_precision=lambda rng: (*map(np.float16, (1, 1, 1)), 0.01, 5),
)
def lorenz(x, y, z, h, n):
    trajectory = np.empty((n, 3))
    for i in range(n):
        dx, dy, dz = 10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z
        x, y, z = x + h * dx, y + h * dy, z + h * dz
        trajectory[i, 0], trajectory[i, 1], trajectory[i, 2] = x, y, z
    return trajectory


@loop(
    lambda n, rng: (np.array([1.0, 0.0]), 0.01, n),
    sizes=(0, 1, 5),
    realistic=6000,
    exact=False,
    float32=lambda rng: (np.array([1, 0], np.float32), 0.01, 4),
    three_rows=lambda rng: (np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]).T, 0.01, 3),
)
def oscillator_on_arrays(y, h, n):
    def slope(y):
        return np.array([y[1], -y[0]])

    for _ in range(n):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        k4 = slope(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


@loop(
    lambda n, rng: (rng.standard_normal((n, 3)), np.zeros((n, 3)), rng.random(n), 0.01, 2),
    sizes=(1, 4),
    realistic=100,
    float32=lambda rng: (
        rng.standard_normal((3, 3)).astype(np.float32),
        np.zeros((3, 3), np.float32),
        rng.random(3).astype(np.float32),
        0.01,
        2,
    ),
)
def gravity(position, velocity, mass, h, steps):
    n = len(position)
    energy = 0.0
    for _ in range(steps):
        for i in range(n):
            ax = ay = az = 0.0
            for j in range(n):
                if i == j:
                    continue
                dx = position[j, 0] - position[i, 0]
                dy = position[j, 1] - position[i, 1]
                dz = position[j, 2] - position[i, 2]
                d = (dx * dx + dy * dy + dz * dz + 1e-4) ** -1.5
                ax += mass[j] * dx * d
                ay += mass[j] * dy * d
                az += mass[j] * dz * d
            velocity[i, 0] += h * ax
            velocity[i, 1] += h * ay
            velocity[i, 2] += h * az
        for i in range(n):
            for k in range(3):
                position[i, k] += h * velocity[i, k]
                energy += 0.5 * mass[i] * velocity[i, k] ** 2
    return energy


@loop(
    lambda n, rng: (1.0, 1e-3, float(n), 1e-6),
    sizes=(0, 1, 3),
    realistic=150,
    numpy_tolerance=lambda rng: (1.0, 1e-3, 1.0, np.float64(1e-5)),
)
def adaptive_step(y, h, end, tolerance):
    t, accepted, refused = 0.0, 0, 0
    while t < end:
        h = min(h, end - t)
        k1 = decay(t, y)
        k2 = decay(t + h, y + h * k1)
        error = abs(h * (k2 - k1) / 2)
        if error <= tolerance or h < 1e-9:
            t += h
            y += h * (k1 + k2) / 2
            accepted += 1
        else:
            refused += 1
        h *= 0.9 * math.sqrt(tolerance / error) if error else 2.0
    return y, accepted, refused


@loop(
    lambda n, rng: (0.001, 1.1, 0.6, 0.4, n),
    sizes=(0, 1, 9),
    realistic=200_000,
    until_nothing_lives=lambda rng: (0.5, 0.9, 1e-3, 2.0, 40),
)
def predators_and_prey(h, alpha, prey, predators, n):
    history = []
    for step in range(n):
        change = alpha * prey - 1.3 * prey * predators
        predators += h * (0.8 * prey * predators - 1.0 * predators)
        prey += h * change
        if prey < 1e-3 or predators < 1e-3:
            break
        if step % 100 == 0:
            history.append((prey, predators))
    return history, prey, predators


@loop(
    lambda n, rng: (rng.random(n), 0.1, 30),
    sizes=(1, 2, 5),
    realistic=20_000,
    exact=False,
    float32=lambda rng: (rng.random(5).astype(np.float32), 0.1, 3),
    int_start_raises=lambda rng: (np.arange(4), 0.1, 3),
)
def heat_with_source(u, r, steps):
    for step in range(steps):
        u[1:-1] += r * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0] = u[-1] = 0.0
        u[len(u) // 2] += 0.01 * step
    return u.sum()
