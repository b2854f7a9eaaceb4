"""Recurrences and filters: each value is computed from the last ones."""

from __future__ import annotations

import math

import numpy as np

from tests.loops.programs.program import loop


def signal(n, rng, dtype=np.float64):
    return rng.standard_normal(n).astype(dtype)


@loop(
    lambda n, rng: (signal(n, rng), np.array([0.2, 0.3, 0.2]), np.array([1.0, -0.5, 0.2])),
    sizes=(0, 1, 7),
    realistic=40_000,
    float32=lambda rng: (signal(6, rng, np.float32), np.array([0.2, 0.3, 0.2]), np.array([1, -0.5, 0.2])),
    all_float32=lambda rng: (
        signal(6, rng, np.float32),
        np.array([0.2, 0.3, 0.2], np.float32),
        np.array([1, -0.5, 0.2], np.float32),
    ),
    coefficients_in_lists=lambda rng: (signal(6, rng, np.float32), [0.2, 0.3, 0.2], [1.0, -0.5, 0.2]),
    complex=lambda rng: (signal(5, rng) + 1j, np.array([0.2, 0.3, 0.2]), np.array([1.0, -0.5, 0.2])),
    too_few_coefficients=lambda rng: (signal(3, rng), np.array([0.2, 0.3]), np.array([1.0, -0.5, 0.2])),
)
def infinite_impulse_response(x, b, a):
    y = np.zeros_like(x)
    x1 = x2 = y1 = y2 = 0.0
    for n in range(len(x)):
        y[n] = b[0] * x[n] + b[1] * x1 + b[2] * x2 - a[1] * y1 - a[2] * y2
        x2, x1 = x1, x[n]
        y2, y1 = y1, y[n]
    return y, (x1, x2, y1, y2)


@loop(
    lambda n, rng: (signal(n, rng), 0.3),
    sizes=(0, 1, 6),
    realistic=100_000,
    float32=lambda rng: (signal(5, rng, np.float32), 0.3),
    float16=lambda rng: (signal(5, rng, np.float16), 0.3),
    numpy_factor=lambda rng: (signal(5, rng, np.float32), np.float64(0.3)),
    integers=lambda rng: (rng.integers(0, 9, 5), 0.5),
    integer_factor=lambda rng: (rng.integers(0, 9, 5).astype(np.int8), 2),
    complex64=lambda rng: (signal(4, rng).astype(np.complex64), 0.3),
)
def exponential_average(x, alpha):
    out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = x[i] if i == 0 else alpha * x[i] + (1 - alpha) * out[i - 1]
    return out


@loop(
    lambda n, rng: (signal(n, rng), 1e-3, 0.25),
    sizes=(0, 1, 6),
    realistic=100_000,
    float32=lambda rng: (signal(5, rng, np.float32), 1e-3, 0.25),
    no_noise=lambda rng: (signal(3, rng), 0.0, 0.0),
)
def scalar_kalman_filter(measured, process_noise, noise):
    estimate, error = 0.0, 1.0
    gains = []
    out = np.empty(len(measured))
    for i, z in enumerate(measured):
        error = error + process_noise
        gain = error / (error + noise)
        estimate = estimate + gain * (z - estimate)
        error = (1 - gain) * error
        gains.append(gain)
        out[i] = estimate
    return out, gains[-1] if gains else None, estimate


@loop(
    lambda n, rng: (0xACE1, n),
    sizes=(0, 1, 20),
    realistic=150_000,
    uint16=lambda rng: (np.uint16(0xACE1), 20),
    int16=lambda rng: (np.int16(0x2CE1), 20),
    uint64=lambda rng: (np.uint64(0xACE1), 20),
    float_state=lambda rng: (1.0, 3),
)
def shift_register(state, n):
    ones = 0
    for _ in range(n):
        bit = (state ^ (state >> 2) ^ (state >> 3) ^ (state >> 5)) & 1
        state = (state >> 1) | (bit << 15)
        ones += bit
    return state, ones


@loop(
    lambda n, rng: (0.3, 3.9, n),
    sizes=(0, 1, 30),
    realistic=800_000,
    float32=lambda rng: (np.float32(0.3), 3.9, 10),
    float16=lambda rng: (np.float16(0.3), np.float16(3.9), 10),
    array_of_no_dimension=lambda rng: (np.array(0.3), 3.9, 4),
    overflowing=lambda rng: (3.0, 3.9, 14),
)
def logistic_map(x, r, n):
    for _ in range(n):
        x = r * x * (1 - x)
    return x


@loop(
    lambda n, rng: (rng.random(n),),
    sizes=(1, 2, 7),
    realistic=400,
    float32=lambda rng: (rng.random(5).astype(np.float32),),
)
def durbin(r):
    n = len(r)
    y = np.zeros_like(r)
    z = np.zeros_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        total = r[k] * 1
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -total / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        y[:k] = z[:k]
        y[k] = alpha
    return y


@loop(
    lambda n, rng: (signal(n, rng), 5),
    sizes=(0, 3, 9),
    realistic=100_000,
    float32=lambda rng: (signal(9, rng, np.float32), 3),
    int16_sums_wrap=lambda rng: (np.full(6, 20_000, np.int16), 3),
    window_of_zero=lambda rng: (signal(4, rng), 0),
)
def moving_average(x, width):
    out = np.zeros(max(len(x) - width + 1, 0))
    total = 0
    for i in range(len(x)):
        total += x[i]
        if i >= width:
            total -= x[i - width]
        if i >= width - 1:
            out[i - width + 1] = total / width
    return out, total


@loop(
    lambda n, rng: (rng.random((n, 6)), 0.25, 0.15),
    sizes=(1, 4),
    realistic=6000,
    float32=lambda rng: (rng.random((3, 4)).astype(np.float32), 0.25, 0.15),
    transposed=lambda rng: (rng.random((4, 3)).T, 0.25, 0.15),
)
def recursive_filter_of_rows(image, forward, backward):
    rows, columns = image.shape
    first = np.empty_like(image)
    for i in range(rows):
        last = 0.0
        for j in range(columns):
            last = forward * image[i, j] + (1 - forward) * last
            first[i, j] = last
        last = 0.0
        for j in range(columns - 1, -1, -1):
            last = backward * image[i, j] + (1 - backward) * last
            first[i, j] += last
    return first


@loop(
    lambda n, rng: (n, 0.01, 9.81),
    sizes=(0, 10),
    realistic=300_000,
    numpy_step=lambda rng: (8, np.float64(0.01), 9.81),
    float32_step=lambda rng: (8, np.float32(0.01), 9.81),
)
def pendulum(n, dt, g):
    theta, omega = 1.0, 0.0
    crossings = 0
    for _ in range(n):
        before = theta
        omega -= g * math.sin(theta) * dt
        theta += omega * dt
        if before * theta < 0:
            crossings += 1
    return theta, omega, crossings


@loop(
    lambda n, rng: (rng.random(n) - 0.5, 2.0),
    sizes=(0, 8),
    realistic=150_000,
    integers=lambda rng: (rng.integers(-3, 4, 8), 2),
    always_above=lambda rng: (np.ones(4), -1.0),
)
def hysteresis(x, width):
    out = np.zeros(len(x), dtype=np.int8)
    state = False
    position = 0.0
    for i, step in enumerate(x):
        position += step
        if state:
            state = position > -width / 4
        elif position > width / 4:
            state = True
        out[i] = 1 if state else -1
    return out, state


@loop(
    lambda n, rng: (rng.standard_normal(n), np.array([0.5, -0.25, 0.125, 0.1])),
    sizes=(0, 2, 8),
    realistic=15_000,
    float32=lambda rng: (signal(6, rng, np.float32), np.array([0.5, -0.25], np.float32)),
)
def lattice_filter(x, reflections):
    order = len(reflections)
    delayed = np.zeros(order + 1, dtype=x.dtype)
    out = x.copy()
    for n in range(len(x)):
        forward = x[n]
        for m in range(order - 1, -1, -1):
            forward = forward - reflections[m] * delayed[m]
            delayed[m + 1] = delayed[m] + reflections[m] * forward
        delayed[0] = forward
        out[n] = forward
    return out
