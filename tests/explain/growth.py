"""A program of the size that a scientist explains: a field that grows in noise, smoothed and looked at.

It has a dataclass, helpers, a loop, functions of SciPy's and NumPy's libraries, and a history.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage


@dataclass
class Model:
    rate: float = 0.8
    spread: float = 0.12
    dt: float = 0.1
    width: float = 1.5


def laplacian(u):
    inner = -4.0 * u[1:-1, 1:-1]
    inner += u[2:, 1:-1] + u[:-2, 1:-1]
    inner += u[1:-1, 2:] + u[1:-1, :-2]
    result = np.zeros_like(u)
    result[1:-1, 1:-1] = inner
    return result


def reaction(u, model):
    growth = model.rate * u * (1.0 - u)
    loss = 0.3 * u**2 / (1.0 + u**2)
    return growth - loss


def contrast(u):
    low, high = np.percentile(u, [5.0, 95.0])
    return (u - low) / (high - low + 1e-12)


def simulate(u, model, steps):
    history = []
    for step in range(steps):
        change = model.spread * laplacian(u) + reaction(u, model)
        u = np.clip(u + model.dt * change, 0.0, 2.0)
        if step % 5 == 0:
            smooth = ndimage.gaussian_filter(u, model.width)
            shown = contrast(smooth)
            counts, edges = np.histogram(shown, bins=20, range=(0.0, 1.0))
            middle = 0.5 * (edges[1:] + edges[:-1])
            mean = (counts * middle).sum() / counts.sum()
            history.append((step, float(u.mean()), float(mean)))
    return u, history


def start(size=256, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((size, size))
