"""Programs of which names have a float here and a NumPy scalar there, or no value before a loop."""

from __future__ import annotations

import math

import numpy as np

from tests.loops.programs.program import loop


def cubic_less_two(x, a):
    return x * x * x - a * x - 2.0


@loop(lambda n, rng: (1 + rng.random(n), 1e-12), sizes=(3,), realistic=400)
def brent_roots(params, tol):
    out = np.empty(params.size)
    evals = 0
    for k in range(params.size):
        p0 = params[k]
        a, b = 0.0, 4.0
        fa, fb = cubic_less_two(a, p0), cubic_less_two(b, p0)
        if fa * fb > 0:
            out[k] = np.nan
            continue
        c, fc = a, fa
        d = e = b - a
        for _ in range(100):
            if fb * fc > 0:
                c, fc = a, fa
                d = e = b - a
            if abs(fc) < abs(fb):
                a, b, c = b, c, b
                fa, fb, fc = fb, fc, fb
            t = 2 * 2.2e-16 * abs(b) + 0.5 * tol
            m = 0.5 * (c - b)
            if abs(m) <= t or fb == 0.0:
                break
            if abs(e) >= t and abs(fa) > abs(fb):
                s = fb / fa
                if a == c:
                    p = 2 * m * s
                    q = 1 - s
                else:
                    q = fa / fc
                    r = fb / fc
                    p = s * (2 * m * q * (q - r) - (b - a) * (r - 1))
                    q = (q - 1) * (r - 1) * (s - 1)
                if p > 0:
                    q = -q
                else:
                    p = -p
                if 2 * p < min(3 * m * q - abs(t * q), abs(e * q)):
                    e = d
                    d = p / q
                else:
                    d = m
                    e = m
            else:
                d = m
                e = m
            a, fa = b, fb
            if abs(d) > t:
                b += d
            else:
                b += t if m > 0 else -t
            fb = cubic_less_two(b, p0)
            evals += 1
        out[k] = b
    return out, evals


def length3(x, y, z):
    return math.sqrt(x * x + y * y + z * z)


def scene(x, y, z):
    d = length3(x, y, z) - 1.0
    e = y + 1.0
    f = max(abs(x - 2) - 0.5, abs(y) - 0.5, abs(z) - 0.5)
    return min(d, e, f)


@loop(lambda n, rng: (n,), sizes=(3,), realistic=18)
def ray_march_spheres(n):
    img = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            dx = (j - n / 2) / n * 2
            dy = (n / 2 - i) / n * 2
            dz = 1.5
            inv = 1 / length3(dx, dy, dz)
            dx *= inv
            dy *= inv
            dz *= inv
            t = 0.0
            hit = False
            for _ in range(50):
                px, py, pz = dx * t, dy * t, -4 + dz * t
                d = scene(px, py, pz)
                if d < 1e-3:
                    hit = True
                    break
                t += d
                if t > 20:
                    break
            if hit:
                e = 1e-4
                nx = scene(px + e, py, pz) - scene(px - e, py, pz)
                ny = scene(px, py + e, pz) - scene(px, py - e, pz)
                nz = scene(px, py, pz + e) - scene(px, py, pz - e)
                length = length3(nx, ny, nz)
                img[i, j] = max(0.0, (nx + ny - nz) / (length * math.sqrt(3.0)))
    return img


@loop(lambda n, rng: ((rng.random((n, n)) < 0.55).astype(np.uint8),), sizes=(5,), realistic=60)
def label_two_pass_union(mask):
    h, w = mask.shape
    labels = np.zeros((h, w), dtype=np.int32)
    parent = np.arange(h * w // 2 + 2)
    nxt = 1
    for i in range(h):
        for j in range(w):
            if not mask[i, j]:
                continue
            up = labels[i - 1, j] if i > 0 else 0
            left = labels[i, j - 1] if j > 0 else 0
            if up == 0 and left == 0:
                labels[i, j] = nxt
                nxt += 1
            elif up != 0 and left != 0:
                a = up
                while parent[a] != a:
                    a = parent[a]
                b = left
                while parent[b] != b:
                    b = parent[b]
                if a < b:
                    parent[b] = a
                    labels[i, j] = a
                else:
                    parent[a] = b
                    labels[i, j] = b
            else:
                labels[i, j] = max(up, left)
    final = np.zeros(nxt, dtype=np.int32)
    count = 0
    for k in range(1, nxt):
        r = k
        while parent[r] != r:
            r = parent[r]
        if final[r] == 0:
            count += 1
            final[r] = count
        final[k] = final[r]
    for i in range(h):
        for j in range(w):
            labels[i, j] = final[labels[i, j]]
    return labels, count


@loop(lambda n, rng: (rng.integers(0, 50, (n, n)).astype(np.float64),), sizes=(4,), realistic=30)
def hungarian(cost):
    n = cost.shape[0]
    u = np.zeros(n + 1)
    v = np.zeros(n + 1)
    p = np.zeros(n + 1, dtype=np.int64)
    way = np.zeros(n + 1, dtype=np.int64)
    for i in range(1, n + 1):
        p[0] = i
        j0 = 0
        minv = np.full(n + 1, np.inf)
        used = np.zeros(n + 1, dtype=np.bool_)
        while True:
            used[j0] = True
            i0 = p[j0]
            delta = np.inf
            j1 = 0
            for j in range(1, n + 1):
                if not used[j]:
                    cur = cost[i0 - 1, j - 1] - u[i0] - v[j]
                    if cur < minv[j]:
                        minv[j] = cur
                        way[j] = j0
                    if minv[j] < delta:
                        delta = minv[j]
                        j1 = j
            for j in range(n + 1):
                if used[j]:
                    u[p[j]] += delta
                    v[j] -= delta
                else:
                    minv[j] -= delta
            j0 = j1
            if p[j0] == 0:
                break
        while j0:
            j1 = way[j0]
            p[j0] = p[j1]
            j0 = j1
    return -v[0], p
