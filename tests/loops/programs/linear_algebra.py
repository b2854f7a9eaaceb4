"""Linear algebra by element: factorisations, products and solutions as textbooks write them."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


def definite(n, rng, dtype=np.float64):
    """Return a symmetric positive definite matrix."""
    a = rng.random((n, n))
    return (a @ a.T + n * np.eye(n)).astype(dtype)


def matrix(rows, columns, rng, dtype=np.float64):
    return rng.standard_normal((rows, columns)).astype(dtype)


@loop(
    lambda n, rng: (definite(n, rng),),
    sizes=(0, 1, 5),
    realistic=80,
    float32=lambda rng: (definite(4, rng, np.float32),),
    fortran=lambda rng: (np.asfortranarray(definite(4, rng)),),
    not_definite=lambda rng: (np.array([[1.0, 2.0], [2.0, 1.0]]),),
    singular=lambda rng: (np.zeros((2, 2)),),
    integers=lambda rng: (np.array([[4, 2], [2, 5]]),),
)
def cholesky(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = np.sqrt(a[i, i])
    return a


@loop(
    lambda n, rng: (definite(n, rng),),
    sizes=(1, 6),
    realistic=150,
    exact=False,
    float32=lambda rng: (definite(5, rng, np.float32),),
)
def cholesky_by_slices(a):
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, a.shape[0]):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])


@loop(
    lambda n, rng: (definite(n, rng),),
    sizes=(1, 5),
    realistic=60,
    complex=lambda rng: (definite(3, rng) + 1j * rng.random((3, 3)),),
    zero_pivot=lambda rng: (np.array([[0.0, 1.0], [1.0, 0.0]]),),
    integers_truncate=lambda rng: (np.array([[4, 3], [6, 3]]).astype(np.float64).T,),
)
def lu_by_element(a):
    n = len(a)
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[k, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            for k in range(i):
                a[i, j] -= a[i, k] * a[k, j]


@loop(
    lambda n, rng: (definite(n, rng), rng.random(n)),
    sizes=(1, 5),
    realistic=120,
    exact=False,
    float32=lambda rng: (definite(4, rng, np.float32), rng.random(4).astype(np.float32)),
)
def ludcmp(a, b):
    n = len(b)
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    for i in range(n):
        y[i] = b[i] - a[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x, y


@loop(
    lambda n, rng: (1.5, matrix(n, n, rng), matrix(n, n + 2, rng)),
    sizes=(0, 1, 5),
    realistic=200,
    exact=False,
    float32=lambda rng: (1.5, matrix(4, 4, rng, np.float32), matrix(4, 3, rng, np.float32)),
    numpy_factor=lambda rng: (np.float64(1.5), matrix(4, 4, rng, np.float32), matrix(4, 3, rng, np.float32)),
)
def trmm(alpha, a, b):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i], b[i + 1 :, j])
    b *= alpha


@loop(
    lambda n, rng: (1.5, 1.2, matrix(n, n, rng), matrix(n, n + 1, rng)),
    sizes=(1, 5),
    realistic=120,
    float32=lambda rng: (1.5, 1.2, matrix(3, 3, rng, np.float32), matrix(3, 4, rng, np.float32)),
)
def syrk(alpha, beta, c, a):
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]


@loop(
    lambda n, rng: (1.5, 1.2, matrix(n, n, rng), matrix(n, n + 1, rng), matrix(n, n + 1, rng)),
    sizes=(1, 5),
    realistic=100,
    short_second=lambda rng: (1.5, 1.2, matrix(3, 3, rng), matrix(3, 4, rng), matrix(2, 4, rng)),
)
def syr2k(alpha, beta, c, a, b):
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += a[: i + 1, k] * alpha * b[i, k] + b[: i + 1, k] * alpha * a[i, k]


@loop(
    lambda n, rng: (1.5, 1.2, matrix(n, n + 2, rng), matrix(n, n, rng), matrix(n, n + 2, rng)),
    sizes=(1, 5),
    realistic=100,
    exact=False,
)
def symm(alpha, beta, c, a, b):
    temporary = np.empty((c.shape[1],), dtype=c.dtype)
    c *= beta
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[:i, j] += alpha * b[i, j] * a[i, :i]
            temporary[j] = b[:i, j] @ a[i, :i]
        c[i, :] += alpha * b[i, :] * a[i, i] + alpha * temporary


@loop(
    lambda n, rng: (matrix(n + 2, n, rng),),
    sizes=(1, 5),
    realistic=150,
    exact=False,
    rank_of_one=lambda rng: (np.ones((3, 2)),),
)
def gram_schmidt(a):
    q = np.zeros_like(a)
    r = np.zeros((a.shape[1], a.shape[1]), dtype=a.dtype)
    for k in range(a.shape[1]):
        norm = np.dot(a[:, k], a[:, k])
        r[k, k] = np.sqrt(norm)
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return q, r


@loop(
    lambda n, rng: (np.tril(definite(n, rng)), rng.random(n)),
    sizes=(0, 1, 5),
    realistic=400,
    float32=lambda rng: (np.tril(definite(4, rng, np.float32)), rng.random(4)),
    diagonal_of_zeros=lambda rng: (np.zeros((2, 2)), np.ones(2)),
    longer_right_side=lambda rng: (np.tril(definite(2, rng)), np.ones(3)),
    upside_down=lambda rng: (np.tril(definite(4, rng))[::-1, ::-1].T, rng.random(8)[::2]),
)
def triangular_solve(lower, b):
    x = np.zeros_like(b)
    for i in range(b.shape[0]):
        total = b[i]
        for j in range(i):
            total -= lower[i, j] * x[j]
        x[i] = total / lower[i, i]
    return x


@loop(
    lambda n, rng: (matrix(n, n, rng), rng.random(n)),
    sizes=(1, 2, 5),
    realistic=150,
    pivots_needed=lambda rng: (np.array([[0.0, 1, 2], [1, 0, 3], [4, -3, 8]]), np.ones(3)),
    singular=lambda rng: (np.ones((3, 3)), np.ones(3)),
    float32=lambda rng: (matrix(4, 4, rng, np.float32), rng.random(4).astype(np.float32)),
    integers=lambda rng: (rng.integers(1, 9, (3, 3)), np.array([1, 2, 3])),
)
def gauss_elimination(a, b):
    n = len(b)
    swaps = 0
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        if a[pivot, k] == 0:
            raise np.linalg.LinAlgError("singular matrix")
        if pivot != k:
            swaps += 1
            for j in range(n):
                a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
            b[k], b[pivot] = b[pivot], b[k]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i, k:] -= factor * a[k, k:]
            b[i] -= factor * b[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= a[i, j] * b[j]
        b[i] /= a[i, i]
    return b, swaps


@loop(
    lambda n, rng: (definite(n, rng), 3),
    sizes=(1, 2, 4),
    realistic=30,
    diagonal=lambda rng: (np.diag([3.0, 1.0, 2.0]), 4),
    float32=lambda rng: (definite(3, rng, np.float32), 2),
)
def jacobi_eigenvalues(a, sweeps):
    n = len(a)
    for _ in range(sweeps):
        off = 0.0
        for p in range(n - 1):
            for q in range(p + 1, n):
                off += a[p, q] ** 2
                if abs(a[p, q]) < 1e-12:
                    continue
                theta = (a[q, q] - a[p, p]) / (2 * a[p, q])
                t = 1 / (abs(theta) + np.sqrt(theta * theta + 1))
                if theta < 0:
                    t = -t
                c = 1 / np.sqrt(t * t + 1)
                s = t * c
                for k in range(n):
                    akp, akq = a[k, p], a[k, q]
                    a[k, p], a[k, q] = c * akp - s * akq, s * akp + c * akq
                for k in range(n):
                    apk, aqk = a[p, k], a[q, k]
                    a[p, k], a[q, k] = c * apk - s * aqk, s * apk + c * aqk
        if off < 1e-9:
            break
    return [a[i, i] for i in range(n)], off


@loop(
    lambda n, rng: (matrix(n, n + 1, rng), matrix(n + 1, n, rng)),
    sizes=(0, 1, 4),
    realistic=55,
    float32=lambda rng: (matrix(3, 4, rng, np.float32), matrix(4, 2, rng, np.float32)),
    mixed=lambda rng: (matrix(3, 2, rng, np.float32), rng.integers(0, 9, (2, 3)).astype(np.int16)),
    int8_wraps_around=lambda rng: (np.full((2, 3), 100, np.int8), np.full((3, 2), 3, np.int8)),
    bools=lambda rng: (rng.random((3, 3)) > 0.5, rng.random((3, 3)) > 0.5),
    complex64=lambda rng: (matrix(2, 2, rng).astype(np.complex64) * 1j, matrix(2, 2, rng, np.float32)),
    float16=lambda rng: (matrix(3, 3, rng, np.float16), matrix(3, 3, rng, np.float16)),
    transposed=lambda rng: (matrix(3, 4, rng).T, matrix(2, 3, rng).T),
    inner_sizes_differ=lambda rng: (matrix(2, 3, rng), matrix(2, 2, rng)),
    swapped_bytes=lambda rng: (matrix(2, 2, rng).astype(">f8"), matrix(2, 2, rng).astype(">f4")),
)
def matrix_product(a, b):
    c = np.zeros((a.shape[0], b.shape[1]), dtype=np.result_type(a, b))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


@loop(
    lambda n, rng: (np.zeros((n, n)), matrix(n, n, rng), matrix(n, n, rng)),
    sizes=(0, 4),
    realistic=55,
    views_of_one=lambda rng: (lambda m: (m, m.T, m))(matrix(3, 3, rng)),
    read_only_target=lambda rng: (np.broadcast_to(0.0, (2, 2)), np.eye(2), np.eye(2)),
)
def product_of_transposes(out, a, b):
    n = out.shape[0]
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += a[k, i] * b[j, k]
            out[i, j] = total
    return out


@loop(
    lambda n, rng: (matrix(n + 3, n, rng),),
    sizes=(1, 4),
    realistic=110,
    exact=False,
    float32=lambda rng: (matrix(4, 3, rng, np.float32),),
)
def householder(a):
    n = a.shape[1]
    betas = []
    for k in range(n):
        v = a[k:, k].copy()
        norm = np.linalg.norm(v)
        v[0] += norm if v[0] >= 0 else -norm
        beta = 2 / (v @ v)
        for j in range(k, n):
            a[k:, j] -= beta * (v @ a[k:, j]) * v
        betas.append(beta)
    return betas


@loop(
    lambda n, rng: (definite(n, rng), rng.random(n), 30),
    sizes=(1, 4),
    realistic=800,
    exact=False,
    at_once=lambda rng: (np.eye(3), np.zeros(3), 5),
)
def conjugate_gradients(a, b, most):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rr = r @ r
    for iteration in range(most):  # noqa: B007
        if rr < 1e-20:
            break
        ap = a @ p
        alpha = rr / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        following = r @ r
        p = r + (following / rr) * p
        rr = following
    else:
        iteration = most
    return np.round(x, 8), iteration < most


@loop(
    lambda n, rng: (rng.integers(-4, 5, (n, n)).tolist(),),
    sizes=(0, 1, 4),
    realistic=60,
    past_64_bits=lambda rng: (rng.integers(-(1 << 40), 1 << 40, (3, 3)).tolist(),),
    singular=lambda rng: ([[1, 2], [2, 4]],),
    array=lambda rng: (rng.integers(-4, 5, (3, 3)),),
)
def bareiss_determinant(m):
    n = len(m)
    sign, previous = 1, 1
    for k in range(n - 1):
        if m[k][k] == 0:
            for i in range(k + 1, n):
                if m[i][k] != 0:
                    for j in range(n):
                        m[k][j], m[i][j] = m[i][j], m[k][j]
                    sign = -sign
                    break
            else:
                return 0
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                m[i][j] = (m[i][j] * m[k][k] - m[i][k] * m[k][j]) // previous
        previous = m[k][k]
    return sign * m[n - 1][n - 1] if n else 1
