"""Programs of several fields, of the size of a user's module function."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


def codes(n, rng, k=4):
    return rng.integers(0, k, n).astype(np.uint8)


@loop(lambda n, rng: (codes(n, rng), codes(n, rng), 3.0, -3.0, 2.0, 0.5), sizes=(4,), realistic=110)
def smith_waterman_affine(a, b, match, mismatch, gap_open, gap_extend):
    n = a.shape[0]
    m = b.shape[0]
    H = np.zeros((n + 1, m + 1))
    E = np.full((n + 1, m + 1), -np.inf)
    F = np.full((n + 1, m + 1), -np.inf)
    best = 0.0
    bi = 0
    bj = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            E[i, j] = max(E[i, j - 1] - gap_extend, H[i, j - 1] - gap_open)
            F[i, j] = max(F[i - 1, j] - gap_extend, H[i - 1, j] - gap_open)
            if a[i - 1] == b[j - 1]:
                d = H[i - 1, j - 1] + match
            else:
                d = H[i - 1, j - 1] + mismatch
            h = max(0.0, d, E[i, j], F[i, j])
            H[i, j] = h
            if h > best:
                best = h
                bi, bj = i, j
    return best, bi, bj


@loop(
    lambda n, rng: (np.minimum(rng.geometric(0.05, n) - 1, 255).astype(np.uint8),),
    sizes=(30,),
    realistic=12000,
)
def huffman_code_lengths(data):
    freq = np.zeros(256, dtype=np.int64)
    for b in data:
        freq[b] += 1
    weight = np.zeros(511, dtype=np.int64)
    parent = np.full(511, -1, dtype=np.int64)
    alive = np.zeros(511, dtype=np.bool_)
    for i in range(256):
        weight[i] = freq[i]
        alive[i] = freq[i] > 0
    top = 256
    while True:
        a = -1
        b = -1
        for i in range(top):
            if not alive[i]:
                continue
            if a == -1 or weight[i] < weight[a]:
                b = a
                a = i
            elif b == -1 or weight[i] < weight[b]:
                b = i
        if b == -1:
            break
        weight[top] = weight[a] + weight[b]
        alive[top] = True
        alive[a] = alive[b] = False
        parent[a] = top
        parent[b] = top
        top += 1
    bits = 0
    lengths = np.zeros(256, dtype=np.uint8)
    for i in range(256):
        if freq[i] > 0:
            d = 0
            j = i
            while parent[j] != -1:
                j = parent[j]
                d += 1
            lengths[i] = d
            bits += d * freq[i]
    return lengths, bits


@loop(lambda n, rng: (rng.random((n, 2)), rng.random((n // 4, 2))), sizes=(8,), realistic=400)
def kd_tree_nearest(points, queries):
    n = points.shape[0]
    idx = np.arange(n)
    axis = np.zeros(n, dtype=np.int8)
    stack = np.empty((64, 3), dtype=np.int64)
    sp = 1
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, 0
    while sp > 0:
        sp -= 1
        lo, hi, ax = stack[sp, 0], stack[sp, 1], stack[sp, 2]
        if hi - lo < 1:
            continue
        mid = (lo + hi) // 2
        left, right = lo, hi - 1
        while left < right:
            p = points[idx[(left + right) // 2], ax]
            i, j = left, right
            while i <= j:
                while points[idx[i], ax] < p:
                    i += 1
                while points[idx[j], ax] > p:
                    j -= 1
                if i <= j:
                    idx[i], idx[j] = idx[j], idx[i]
                    i += 1
                    j -= 1
            if mid <= j:
                right = j
            elif mid >= i:
                left = i
            else:
                break
        axis[mid] = ax
        if hi - lo > 1:
            stack[sp, 0], stack[sp, 1], stack[sp, 2] = lo, mid, 1 - ax
            sp += 1
            stack[sp, 0], stack[sp, 1], stack[sp, 2] = mid + 1, hi, 1 - ax
            sp += 1
    out = np.empty(len(queries), dtype=np.int64)
    visited = 0
    work = np.empty((128, 2), dtype=np.int64)
    bound = np.empty(128)
    for q in range(len(queries)):
        best = np.inf
        arg = -1
        work[0, 0] = 0
        work[0, 1] = n
        bound[0] = 0.0
        sp = 1
        while sp > 0:
            sp -= 1
            lo = work[sp, 0]
            hi = work[sp, 1]
            if hi <= lo or bound[sp] >= best:
                continue
            mid = (lo + hi) // 2
            p = idx[mid]
            visited += 1
            d = 0.0
            for a in range(2):
                d += (points[p, a] - queries[q, a]) ** 2
            if d < best:
                best = d
                arg = p
            ax = axis[mid]
            diff = queries[q, ax] - points[p, ax]
            if diff < 0:
                near_lo, near_hi, far_lo, far_hi = lo, mid, mid + 1, hi
            else:
                near_lo, near_hi, far_lo, far_hi = mid + 1, hi, lo, mid
            work[sp, 0] = far_lo
            work[sp, 1] = far_hi
            bound[sp] = diff * diff
            sp += 1
            work[sp, 0] = near_lo
            work[sp, 1] = near_hi
            bound[sp] = 0.0
            sp += 1
        out[q] = arg
    return out, visited


@loop(
    lambda n, rng: (rng.integers(0, 2, n).astype(np.int8), rng.integers(90, 110, n), rng.integers(1, 50, n)),
    sizes=(5,),
    realistic=4000,
)
def order_book_matching(side, price, qty):
    lo, hi = 80, 120
    bids = np.zeros(hi - lo, dtype=np.int64)
    asks = np.zeros(hi - lo, dtype=np.int64)
    traded = 0
    notional = 0
    trades = np.empty((len(side) * 4, 2), dtype=np.int64)
    nt = 0
    for k in range(len(side)):
        p = price[k] - lo
        q = qty[k]
        if side[k] == 0:
            level = 0
            while q > 0 and level <= p:
                if asks[level] > 0:
                    fill = min(q, asks[level])
                    asks[level] -= fill
                    q -= fill
                    traded += fill
                    notional += fill * (level + lo)
                    if nt < trades.shape[0]:
                        trades[nt, 0] = level + lo
                        trades[nt, 1] = fill
                        nt += 1
                else:
                    level += 1
            if q > 0:
                bids[p] += q
        else:
            level = hi - lo - 1
            while q > 0 and level >= p:
                if bids[level] > 0:
                    fill = min(q, bids[level])
                    bids[level] -= fill
                    q -= fill
                    traded += fill
                    notional += fill * (level + lo)
                    if nt < trades.shape[0]:
                        trades[nt, 0] = level + lo
                        trades[nt, 1] = fill
                        nt += 1
                else:
                    level -= 1
            if q > 0:
                asks[p] += q
    return traded, notional, bids, asks, trades[:nt]


@loop(lambda n, rng: (rng.normal(size=n) + 1j * rng.normal(size=n),), sizes=(4, 8), realistic=2048)
def fft_radix2_complex(x):
    n = x.shape[0]
    a = x.copy()
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            a[i], a[j] = a[j], a[i]
    length = 2
    while length <= n:
        ang = -2 * np.pi / length
        wl = complex(np.cos(ang), np.sin(ang))
        for i in range(0, n, length):
            w = 1 + 0j
            for k in range(length // 2):
                u = a[i + k]
                v = a[i + k + length // 2] * w
                a[i + k] = u + v
                a[i + k + length // 2] = u - v
                w *= wl
        length <<= 1
    return a


@loop(lambda n, rng: (rng.integers(-32768, 32767, n).astype(np.int16),), sizes=(20,), realistic=5000)
def adpcm_encode(samples):
    steps = np.empty(89, dtype=np.int32)
    s = 7.0
    for i in range(89):
        steps[i] = int(s)
        s *= 1.1
    adjust = np.array([-1, -1, -1, -1, 2, 4, 6, 8], dtype=np.int8)
    out = np.empty(len(samples), dtype=np.uint8)
    pred = 0
    index = 0
    for i in range(len(samples)):
        step = steps[index]
        diff = samples[i] - pred
        code = 0
        if diff < 0:
            code = 8
            diff = -diff
        delta = step >> 3
        if diff >= step:
            code |= 4
            diff -= step
            delta += step
        step >>= 1
        if diff >= step:
            code |= 2
            diff -= step
            delta += step
        step >>= 1
        if diff >= step:
            code |= 1
            delta += step
        if code & 8:
            pred -= delta
        else:
            pred += delta
        pred = min(max(pred, -32768), 32767)
        index += adjust[code & 7]
        if index < 0:
            index = 0
        elif index > 88:
            index = 88
        out[i] = code
    return out
