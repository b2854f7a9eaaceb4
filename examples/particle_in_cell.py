"""A plasma in one dimension by particles in cells: the two-stream instability.

    python examples/particle_in_cell.py

Charge goes to the grid by np.bincount with weights, the field comes back by interpolation.
"""

from __future__ import annotations

import numpy as np

import npcompile
from side_by_side import compare


class Plasma:
    """Electrons in two streams of opposite velocity, over ions that rest."""

    def __init__(self, particles=20_000, cells=200, length=50.0, drift=3.0, thermal=1.0, seed=0):
        rng = np.random.default_rng(seed)
        self.cells, self.length, self.dx = cells, length, length / cells
        self.position = rng.random(particles) * length
        self.velocity = thermal * rng.standard_normal(particles) + drift
        self.velocity[particles // 2 :] *= -1
        self.velocity *= 1 + 0.1 * np.sin(2 * np.pi * self.position / length)
        self.acceleration = np.zeros(particles)
        self.time = 0.0
        self.energy = []


def deposit(position, cells, dx, length):
    """The density of electrons on the grid: each is shared between the two cells around it."""
    j = np.floor(position / dx).astype(int)
    right = np.mod(j + 1, cells)
    weight = (position - j * dx) / dx
    j = np.mod(j, cells)
    density = np.bincount(j, weights=1 - weight, minlength=cells)
    density += np.bincount(right, weights=weight, minlength=cells)
    density *= length / (len(position) * dx)
    return density, j, right, weight


def field(density, cells, length):
    """The electric field of the charges, by a Fourier transform of Poisson's equation."""
    k = 2 * np.pi * np.fft.rfftfreq(cells, d=length / cells)
    rho_hat = np.fft.rfft(density - 1.0)
    phi_hat = np.zeros_like(rho_hat)
    phi_hat[1:] = -rho_hat[1:] / k[1:] ** 2
    return np.fft.irfft(-1j * k * phi_hat, n=cells)


@npcompile.jit
def step(plasma, dt):
    """One leapfrog step: kick, drift, new field, kick. The plasma is changed in place."""
    plasma.velocity += plasma.acceleration * dt / 2.0
    plasma.position += plasma.velocity * dt
    plasma.position = np.mod(plasma.position, plasma.length)
    density, left, right, weight = deposit(plasma.position, plasma.cells, plasma.dx, plasma.length)
    E = field(density, plasma.cells, plasma.length)
    plasma.acceleration = -((1 - weight) * E[left] + weight * E[right])
    plasma.velocity += plasma.acceleration * dt / 2.0
    plasma.time += dt
    plasma.energy.append(0.5 * np.sum(E**2) * plasma.dx)


@npcompile.jit
def phase_space(plasma, bins):
    """How many particles there are at each place and velocity."""
    edges_x = np.linspace(0, plasma.length, bins + 1)
    edges_v = np.linspace(-9, 9, bins + 1)
    i = np.searchsorted(edges_x, plasma.position, side="right") - 1
    j = np.searchsorted(edges_v, plasma.velocity, side="right") - 1
    inside = (j >= 0) & (j < bins) & (i < bins)
    counts = np.zeros((bins, bins), dtype=int)
    np.add.at(counts, (i[inside], j[inside]), 1)
    return counts


def example(size=20_000, seed=0):
    return step, (Plasma(size, seed=seed), 0.5)


def histogram(size=20_000, seed=0):
    return phase_space, (Plasma(size, seed=seed), 32)


def main():
    plasma = Plasma(5000)
    for _ in range(60):
        step(plasma, 0.5)
    counts = phase_space(plasma, 20)
    print(f"time {plasma.time}: field energy {plasma.energy[0]:.3f} to {max(plasma.energy):.3f}")
    for row in counts.T[::-2]:
        print("".join(" .:-=+*#%@"[min(n // 4, 9)] for n in row for _ in range(2)))
    compare(example)
    compare(histogram)


if __name__ == "__main__":
    main()
