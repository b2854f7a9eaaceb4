"""Programs of scientists whose loops call functions of their own: integrators, root finders, noise, rays."""

from __future__ import annotations

import math

import numpy as np

from tests.loops.programs.program import loop


def runge_kutta_step(f, t, y, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return t + h, y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@loop(
    lambda n, rng: (1.5, 0.3, n),
    sizes=(0, 1, 6),
    realistic=40_000,
    integers=lambda rng: (2, 1, 4),
    numpy_rate=lambda rng: (np.float64(1.5), 0.3, 4),
)
def integrate_a_closure(rate, force, n):
    def slope(t, y):
        return force * math.cos(t) - rate * y

    t, y = 0.0, 1.0
    path = np.zeros(n)
    for i in range(n):
        t, y = runge_kutta_step(slope, t, y, 0.01)
        path[i] = y
    return t, y, path


def pendulum(state, out, damping):
    out[0] = state[1]
    out[1:] = -damping * state[1:] - state[:1]
    return out


@loop(lambda n, rng: (rng.standard_normal(2), n), sizes=(0, 1, 5), realistic=20_000)
def integrate_into_an_array(state, n):
    slope = np.zeros(2)
    energy = 0.0
    for _ in range(n):
        state = state + 0.01 * pendulum(state, slope, 0.1)
        energy += state[0] * state[0] + state[1] * state[1]
    return state, slope, energy


def bracket(f, low, high, steps):
    below = f(low)
    for i in range(steps):
        middle = 0.5 * (low + high)
        value = f(middle)
        if value == 0:
            return middle, i
        if (value < 0) == (below < 0):
            low, below = middle, value
        else:
            high = middle
    return low, steps


@loop(
    lambda n, rng: (lambda t: t * t * t - 2.0, rng.random(n) + 1.5),
    sizes=(0, 1, 4),
    realistic=6_000,
    exact_root=lambda rng: (lambda t: t - 1, np.array([2.0, 4.0])),
    raises=lambda rng: (lambda t: 1 / int(t - 1), np.array([2.0, 4.0])),
)
def roots_of_a_lambda(f, highs):
    total, steps = 0.0, 0
    for k in range(len(highs)):
        root, taken = bracket(f, 0.0, highs[k], 40)
        total += root
        steps += taken
    return total, steps


def hit_sphere(origin, direction, center, radius):
    b = c = 0.0
    for k in range(3):
        offset = origin[k] - center[k]
        b += offset * direction[k]
        c += offset * offset
    rest = b * b - c + radius * radius
    if rest < 0.0:
        return False, 0.0
    return True, -b - math.sqrt(rest)


@loop(
    lambda n, rng: (rng.standard_normal((n, 3)), rng.standard_normal((3, 3)) + 4, np.array([1.0, 2.0, 0.5])),
    sizes=(0, 1, 6),
    realistic=8_000,
)
def rays_and_spheres(directions, centers, radii):
    origin = np.zeros(3)
    depth = np.full(len(directions), -1.0)
    hits = 0
    for i in range(len(directions)):
        for k in range(len(radii)):
            hit, distance = hit_sphere(origin, directions[i], centers[k], radii[k])
            if hit and (depth[i] < 0 or distance < depth[i]):
                depth[i] = distance
                hits += 1
    return depth, hits


def split_at_pivot(x, low, high):
    pivot, place = x[high], low
    for j in range(low, high):
        if x[j] < pivot:
            x[place], x[j] = x[j], x[place]
            place += 1
    x[place], x[high] = x[high], x[place]
    return place, pivot


@loop(
    lambda n, rng: (rng.permutation(n + 1).astype(float), n // 2),
    sizes=(0, 1, 9),
    realistic=40_000,
    beyond=lambda rng: (np.arange(4.0), 7),
    int32=lambda rng: (rng.permutation(9).astype(np.int32), 4),
)
def quickselect_with_partition(x, k):
    low, high = 0, len(x) - 1
    while low <= high:
        place, pivot = split_at_pivot(x, low, max(high, k - 3 if k > len(x) else 0))
        if place == k:
            return pivot
        if place < k:
            low = place + 1
        else:
            high = place - 1
    return None


def corner(hashes, i, j, x, y):
    t = 0.5 - x * x - y * y
    if t < 0:
        return 0.0
    h = hashes[(i + hashes[j & 15]) & 15] & 7
    u, v = (x, y) if h < 4 else (y, x)
    t *= t
    return t * t * ((u if h & 1 == 0 else -u) + (2.0 * v if h & 2 == 0 else -2.0 * v))


def simplex_cell(x, y):
    skew = (x + y) * 0.5 * (math.sqrt(3.0) - 1.0)
    i, j = math.floor(x + skew), math.floor(y + skew)
    back = (i + j) * (3.0 - math.sqrt(3.0)) / 6.0
    return i, j, x - (i - back), y - (j - back)


@loop(lambda n, rng: (rng.permutation(16), n, 0.37), sizes=(0, 1, 5), realistic=120)
def simplex_noise(hashes, n, scale):
    unskew = (3.0 - math.sqrt(3.0)) / 6.0
    picture = np.zeros((n, n))
    for row in range(n):
        for column in range(n):
            i, j, x, y = simplex_cell(row * scale, column * scale)
            di, dj = (1, 0) if x > y else (0, 1)
            total = corner(hashes, i, j, x, y)
            total += corner(hashes, i + di, j + dj, x - di + unskew, y - dj + unskew)
            total += corner(hashes, i + 1, j + 1, x - 1.0 + 2.0 * unskew, y - 1.0 + 2.0 * unskew)
            picture[row, column] = 70.0 * total
    return picture


def source_term(u, dx):
    b = np.zeros_like(u)
    b[1:-1] = (u[2:] - u[:-2]) / (2 * dx)
    b[0] = b[-2]
    return b


def relax(p, b, sweeps):
    for _ in range(sweeps):
        old = p.copy()
        p[1:-1] = 0.5 * (old[2:] + old[:-2]) - b[1:-1]
        p[-1] = p[-2]


@loop(
    lambda n, rng: (rng.random(n + 3), rng.random(n + 3), 4),
    sizes=(0, 2, 5),
    realistic=60,
    other_length=lambda rng: (rng.random(6), rng.random(5), 3),
)
def projection_steps(u, p, n):
    step = 0
    while step < n:
        b = source_term(u, 0.1)
        relax(p, b, 3)
        u[1:-1] -= 0.01 * (p[2:] - p[:-2])
        step += 1
    return step


class Welford:
    """A running mean and variance, kept by a method."""

    def __init__(self):
        self.count = 0
        self.mean = 0.0
        self.spread = 0.0

    def add(self, value):
        self.count += 1
        delta = value - self.mean
        self.mean += delta / self.count
        self.spread += delta * (value - self.mean)
        return self.mean


@loop(
    lambda n, rng: (Welford(), rng.standard_normal(n)),
    sizes=(0, 1, 6),
    realistic=60_000,
    float32=lambda rng: (Welford(), rng.standard_normal(5).astype(np.float32)),
    none=lambda rng: (Welford(), np.array([1.0, None, 2.0], object)),
)
def statistics_by_a_method(running, x):
    largest = 0.0
    for value in x:
        mean = running.add(value)
        if mean > largest:
            largest = mean
    return largest, running.count
