"""First calls of programs with helpers, loops and libraries: each in its own process, nothing on disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import interpolate, linalg, ndimage, optimize, signal, sparse, stats
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq, minimize
from scipy.sparse import csgraph
from scipy.spatial import cKDTree, distance
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from timing import header, parser, save

WANTED = 1.2  # times the plain program's first call


def filtered_peaks(channels, fs):
    def band(low, high):
        return signal.butter(4, [low / (fs / 2), high / (fs / 2)], btype="band")

    b, a = band(5.0, 40.0)
    rates = []
    for channel in channels:
        clean = signal.filtfilt(b, a, channel - channel.mean())
        envelope = np.abs(signal.hilbert(clean))
        found, _ = signal.find_peaks(envelope, height=envelope.mean(), distance=10)
        f, power = signal.welch(clean, fs, nperseg=256)
        rates.append([len(found) / len(channel) * fs, f[np.argmax(power)], np.sqrt(np.mean(clean**2))])
    return np.array(rates)


def decay(t, a, k, c):
    return a * np.exp(-k * t) + c


def fits(curves, t):
    found = []
    for y in curves:
        p, covariance = optimize.curve_fit(decay, t, y, p0=(1.0, 1.0, 0.0))
        spline = interpolate.CubicSpline(t, y)
        smooth = interpolate.make_interp_spline(t, decay(t, *p))
        area, slope = spline.integrate(t[0], t[-1]), spline(t, 1)
        found.append([*p, *np.sqrt(np.diag(covariance)), float(area), np.abs(slope).max(), smooth(t[3])])
    return np.array(found)


def groups(samples):
    rows = []
    for k in range(len(samples)):
        for j in range(k):
            t, p = stats.ttest_ind(samples[k], samples[j], equal_var=False)
            u = stats.mannwhitneyu(samples[k], samples[j]).pvalue
            rows.append([t, p, u, stats.pearsonr(samples[k], samples[j])[0]])
    q = stats.norm.ppf(0.975) * stats.sem(samples, axis=1)
    return np.array(rows), q, stats.f_oneway(*samples).pvalue


def dynamics(A, trips):
    def normalised(v):
        return v / np.sqrt((v * v).sum())

    lu = linalg.lu_factor(A)
    x = normalised(np.ones(len(A)))
    for k in range(trips):
        step = linalg.expm(-0.01 * (k + 1) * A)
        x = normalised(linalg.lu_solve(lu, step @ x) + 0.1 * linalg.solve(A, x))
    return x, linalg.eigvalsh(A)[:3], linalg.svdvals(A)[0]


def neighbours(points, count):
    tree = cKDTree(points)
    far, places = tree.query(points, k=count)
    weights = np.exp(-(far**2) / (2 * far.mean() ** 2))
    rows = np.repeat(np.arange(len(points)), count)
    graph = sparse.csr_matrix((weights.ravel(), (rows, places.ravel())), shape=(len(points),) * 2)
    graph = (graph + graph.T) * 0.5
    value = np.ones(len(points))
    for _ in range(20):
        value = graph @ value
        value /= np.abs(value).max()
    return value, csgraph.connected_components(graph)[0], distance.cdist(points[:50], points[:50]).max()


def blobs(image, scales):
    def response(scale):
        smooth = ndimage.gaussian_filter(image, scale)
        return scale**2 * np.abs(ndimage.laplace(smooth))

    best = np.zeros_like(image)
    for scale in scales:
        best = np.maximum(best, response(scale))
    labels, count = ndimage.label(best > best.mean() + best.std())
    return count, np.array(ndimage.center_of_mass(best, labels, range(1, count + 1)))


def components(X):
    Z = StandardScaler().fit_transform(X)
    reduced = PCA(3).fit_transform(Z)
    inertia = []
    for k in range(2, 5):
        model = KMeans(k, n_init=2, random_state=0).fit(reduced)
        inertia.append(model.inertia_ / ((reduced - reduced.mean(axis=0)) ** 2).sum())
    return np.array(inertia), model.labels_


def validated(X, y):
    scores = []
    for strength in (0.1, 1.0, 10.0):
        model = make_pipeline(StandardScaler(), LogisticRegression(C=strength))
        scores.append(cross_val_score(model, X, y, cv=3).mean())
    fitted = Ridge().fit(X, y)
    error = np.sqrt(np.mean((fitted.predict(X) - y) ** 2))
    return np.array(scores), error


def minimum(start, count):
    def bowl(x):
        return np.sum((x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    def flow(t, y):
        return np.array([y[1], -y[0] - 0.1 * y[1]])

    found = minimize(bowl, start, method="BFGS").x
    roots = []
    for k in range(1, count):
        roots.append(brentq(lambda x, k=k: np.cos(x) - x / k, 0.0, 2.0))
    path = solve_ivp(flow, (0.0, 5.0), [1.0, 0.0], max_step=0.1).y
    return found, np.array(roots), quad(lambda x: np.exp(-x * x), -2, 2)[0], path[:, -1]


def random(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def curves(count: int) -> tuple[Any, ...]:
    t = np.linspace(0, 4, 50)
    return [decay(t, 2 + k, 1.1, 0.3) + 0.01 * random(k).standard_normal(50) for k in range(count)], t


def symmetric(n: int) -> tuple[Any, ...]:
    A = random(0).standard_normal((n, n))
    return A @ A.T + n * np.eye(n), 10


def labelled(n: int) -> tuple[Any, ...]:
    X = random(0).standard_normal((n, 6))
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {
    "signal": (filtered_peaks, lambda: (random(0).standard_normal((6, 4000)), 250.0)),
    "optimize, interpolate": (fits, lambda: curves(5)),
    "stats": (groups, lambda: (random(0).standard_normal((6, 80)),)),
    "linalg": (dynamics, lambda: symmetric(30)),
    "spatial, sparse": (neighbours, lambda: (random(0).standard_normal((1000, 3)), 8)),
    "ndimage": (blobs, lambda: (random(0).standard_normal((200, 200)), (1.0, 2.0, 3.0))),
    "sklearn: components": (components, lambda: (random(0).standard_normal((500, 6)),)),
    "sklearn: validated": (validated, lambda: labelled(300)),
    "callbacks": (minimum, lambda: (np.full(4, 0.5), 6)),
}
FULL = "all of them"


def child(name: str, jitted: bool) -> None:
    """Print the seconds of the first calls of one program in this process."""
    import npcompile

    warnings.simplefilter("ignore")
    function, make = PROGRAMS[name]
    called = npcompile.jit(function) if jitted else function
    times = []
    for _ in range(4):
        arguments = make()
        start = time.perf_counter()
        called(*arguments)
        times.append(time.perf_counter() - start)
    reasons = called.stats.reasons if jitted else []
    print(json.dumps({"times": times, "reasons": reasons}))


def measured(name: str, jitted: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as empty:
        caches = {"NPCOMPILE_CACHE_DIR": empty, "TORCHINDUCTOR_CACHE_DIR": os.path.join(empty, "inductor")}
        command = [sys.executable, __file__, "--child", name, *(["--jitted"] if jitted else [])]
        run = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | caches)
    answer: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return answer


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--child", metavar="PROGRAM", help="one process's times, as JSON")
    options.add_argument("--jitted", action="store_true")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--only", metavar="TEXT", default="")
    chosen = options.parse_args()
    if chosen.child:
        child(chosen.child, chosen.jitted)
        return
    header("first calls of programs with calls of libraries")
    rows = []
    print(f"{'':26}{'plain':>12}{'first call':>12}{'times':>8}{'later':>8}")
    for name in PROGRAMS:
        if chosen.only not in name:
            continue
        pairs = [(measured(name, False), measured(name, True)) for _ in range(chosen.rounds)]
        plain, first = (min(pair[side]["times"][0] for pair in pairs) for side in (0, 1))
        later = [min(min(pair[side]["times"][1:]) for pair in pairs) for side in (0, 1)]
        mark = "!" if first > WANTED * plain else " "
        print(
            f"{name:26}{plain * 1e3:>9.1f} ms{first * 1e3:>9.1f} ms{first / plain:>7.2f}{mark}"
            f"{later[1] / later[0]:>7.2f}",
            flush=True,
        )
        rows.append({"name": name, "plain": plain, "first": first, "later": later})
    save(chosen.json, "libraries", programs=rows)


if __name__ == "__main__":
    main()
