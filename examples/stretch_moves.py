"""Markov chain Monte Carlo with an ensemble of walkers: the stretch move of Goodman and Weare.

    python examples/stretch_moves.py

The random numbers are NumPy's own, from a Generator that the caller hands in.
"""

from __future__ import annotations

import numpy as np

import npcompile
from side_by_side import compare

NAMES = ("slope", "intercept", "log f")


def straight_line(theta, x, y, error):
    """The log probability of slope, intercept and extra scatter (walkers, 3) with flat priors: (walkers,)."""
    slope, intercept, log_f = theta.T
    model = slope[:, None] * x + intercept[:, None]
    variance = error**2 + np.exp(2 * log_f)[:, None] * model**2
    likelihood = -0.5 * np.sum((y - model) ** 2 / variance + np.log(2 * np.pi * variance), axis=1)
    allowed = (-5 < slope) & (slope < 5) & (-20 < intercept) & (intercept < 20) & (-10 < log_f) & (log_f < 1)
    return np.where(allowed, likelihood, -np.inf)


def propose(movers, others, rng, a):
    """A new place for each mover, on the line through one of the others."""
    n, d = movers.shape
    z = ((a - 1.0) * rng.random(n) + 1) ** 2 / a
    partner = others[rng.integers(0, len(others), n)]
    return partner - (partner - movers) * z[:, np.newaxis], (d - 1.0) * np.log(z)


@npcompile.jit
def half_step(walkers, log_p, rng, data, half, a=2.0):
    """Moves one half of the walkers by the other half, in place; how many moved."""
    n = len(walkers) // 2
    mine = slice(0, n) if half == 0 else slice(n, None)
    theirs = slice(n, None) if half == 0 else slice(0, n)
    new, factor = propose(walkers[mine], walkers[theirs], rng, a)
    new_log_p = straight_line(new, *data)
    accepted = np.log(rng.random(len(new))) < factor + new_log_p - log_p[mine]
    walkers[mine][accepted] = new[accepted]
    log_p[mine] = np.where(accepted, new_log_p, log_p[mine])
    return np.count_nonzero(accepted)


@npcompile.jit
def sample(walkers, rng, data, steps, a=2.0):
    """A chain (steps, walkers, parameters), its log probabilities and the share of accepted moves."""
    walkers = walkers.copy()
    n = len(walkers)
    chain = np.empty((steps, *walkers.shape))
    trace = np.empty((steps, n))
    log_p = straight_line(walkers, *data)
    accepted = np.zeros(n, dtype=int)
    for i in range(steps):
        for mine, theirs in ((slice(0, n // 2), slice(n // 2, n)), (slice(n // 2, n), slice(0, n // 2))):
            new, factor = propose(walkers[mine], walkers[theirs], rng, a)
            new_log_p = straight_line(new, *data)
            move = np.log(rng.random(len(new))) < factor + new_log_p - log_p[mine]
            walkers[mine] = np.where(move[:, None], new, walkers[mine])
            log_p[mine] = np.where(move, new_log_p, log_p[mine])
            accepted[mine] += move
        chain[i] = walkers
        trace[i] = log_p
    return chain, trace, accepted / steps


def autocorrelation_time(chain, c=5.0):
    """How many steps apart samples are independent, for each parameter."""
    steps = len(chain)
    x = chain.mean(axis=1)
    x = x - x.mean(axis=0)
    spectrum = np.fft.fft(x, n=2 * steps, axis=0)
    acf = np.fft.ifft(spectrum * np.conjugate(spectrum), axis=0)[:steps].real
    taus = 2.0 * np.cumsum(acf / acf[0], axis=0) - 1.0
    window = np.argmax(np.arange(steps)[:, None] > c * taus, axis=0)
    return taus[window, np.arange(taus.shape[1])]


def measurements(n, seed):
    rng = np.random.default_rng(seed)
    x = np.sort(10 * rng.random(n))
    error = 0.1 + 0.5 * rng.random(n)
    y = -0.96 * x + 4.3
    y += np.abs(0.3 * y) * rng.standard_normal(n) + error * rng.standard_normal(n)
    return x, y, error


def start(walkers, seed):
    rng = np.random.default_rng(seed)
    return np.array([-0.9, 4.0, -1.0]) + 0.01 * rng.standard_normal((walkers, 3)), rng


def example(size=32, seed=0, steps=40):
    walkers, rng = start(size, seed)
    return sample, (walkers, rng, measurements(50, seed), steps)


def one_move(size=32, seed=0):
    walkers, rng = start(size, seed)
    data = measurements(50, seed)
    return half_step, (walkers, straight_line(walkers, *data), rng, data, 0)


def main():
    walkers, rng = start(32, 1)
    chain, _, accepted = sample(walkers, rng, measurements(50, 123), 600)
    low, middle, high = np.percentile(chain[200:].reshape(-1, 3), [16, 50, 84], axis=0)
    for name, value, up, down in zip(NAMES, middle, high - middle, middle - low, strict=True):
        print(f"{name:10} {value:7.3f} +{up:.3f} -{down:.3f}")
    print(f"accepted {accepted.mean():.2f}, autocorrelation {np.round(autocorrelation_time(chain), 1)} steps")
    compare(one_move)
    compare(example)


if __name__ == "__main__":
    main()
