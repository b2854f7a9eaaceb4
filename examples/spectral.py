"""Two-dimensional turbulence by a spectral method: the vorticity equation with complex FFTs and Runge-Kutta.

python examples/spectral.py
"""

from __future__ import annotations

import numpy as np

import npcompile
from side_by_side import compare


class Grid:
    """Wave numbers on an n by n torus of width 2 pi, and the mask that removes aliases (the 2/3 rule)."""

    def __init__(self, n):
        self.n = n
        k = np.fft.fftfreq(n, d=1.0 / n)
        self.kx, self.ky = np.meshgrid(k, k, indexing="ij")
        self.k2 = self.kx**2 + self.ky**2
        self.inverse = np.where(self.k2 > 0, 1.0 / np.where(self.k2 > 0, self.k2, 1.0), 0.0)
        self.dealias = (np.abs(self.kx) < n / 3) & (np.abs(self.ky) < n / 3)


def velocity(w_hat, grid):
    """From the vorticity, by the stream function: u = d psi/dy, v = -d psi/dx."""
    psi_hat = w_hat * grid.inverse
    u = np.fft.ifft2(1j * grid.ky * psi_hat).real
    v = np.fft.ifft2(-1j * grid.kx * psi_hat).real
    return u, v


def tendency(w_hat, grid, nu):
    """Advection, in space, and diffusion, in wave numbers."""
    u, v = velocity(w_hat, grid)
    w_x = np.fft.ifft2(1j * grid.kx * w_hat).real
    w_y = np.fft.ifft2(1j * grid.ky * w_hat).real
    advection = np.fft.fft2(u * w_x + v * w_y)
    return -advection * grid.dealias - nu * grid.k2 * w_hat


@npcompile.jit
def simulate(w, grid, nu, dt, steps):
    """The vorticity after so many steps, and energy and enstrophy on the way (steps, 2)."""
    w_hat = np.fft.fft2(w)
    diagnostics = np.empty((steps, 2))
    for i in range(steps):
        k1 = tendency(w_hat, grid, nu)
        k2 = tendency(w_hat + 0.5 * dt * k1, grid, nu)
        k3 = tendency(w_hat + 0.5 * dt * k2, grid, nu)
        k4 = tendency(w_hat + dt * k3, grid, nu)
        w_hat += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        u, v = velocity(w_hat, grid)
        diagnostics[i, 0] = 0.5 * np.mean(u**2 + v**2)
        diagnostics[i, 1] = 0.5 * np.mean(np.abs(w_hat) ** 2) / w.size
    return np.fft.ifft2(w_hat).real, diagnostics


@npcompile.jit
def spectrum(w, grid):
    """The energy in each ring of wave numbers."""
    w_hat = np.fft.fft2(w) / w.size
    density = 0.5 * np.abs(w_hat) ** 2 * grid.inverse
    ring = np.rint(np.sqrt(grid.k2)).astype(int)
    return np.bincount(ring.ravel(), weights=density.ravel(), minlength=grid.n // 2)[: grid.n // 2]


def random_vorticity(grid, seed, peak=6):
    """A random field with its energy around one wave number."""
    rng = np.random.default_rng(seed)
    k = np.sqrt(grid.k2)
    phase = np.exp(2j * np.pi * rng.random((grid.n, grid.n)))
    w = np.fft.ifft2(k * np.exp(-(((k - peak) / 2) ** 2)) * phase).real
    return w / np.abs(w).max() * 10


def example(size=64, seed=0, steps=10):
    grid = Grid(size)
    return simulate, (random_vorticity(grid, seed), grid, 1e-3, 0.005, steps)


def rings(size=64, seed=0):
    grid = Grid(size)
    return spectrum, (random_vorticity(grid, seed), grid)


def main():
    grid = Grid(64)
    w = random_vorticity(grid, 0)
    before = spectrum(w, grid)
    w, diagnostics = simulate(w, grid, 1e-3, 0.005, 100)
    after = spectrum(w, grid)
    print(f"energy {diagnostics[0, 0]:.4f} to {diagnostics[-1, 0]:.4f}, ", end="")
    print(f"enstrophy {diagnostics[0, 1]:.3f} to {diagnostics[-1, 1]:.3f}")
    print(f"the strongest wave number: {before.argmax()} at first, {after.argmax()} after 100 steps")
    compare(example)
    compare(rings)


if __name__ == "__main__":
    main()
