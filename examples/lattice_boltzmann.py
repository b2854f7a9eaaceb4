"""Flow past a cylinder by the lattice Boltzmann method, nine velocities in two dimensions.

python examples/lattice_boltzmann.py
"""

from __future__ import annotations

import numpy as np

import npcompile
from side_by_side import compare

# The nine velocities of the lattice, their weights, and for each the opposite one.
C = np.array([(x, y) for x in (0, -1, 1) for y in (0, -1, 1)])
W = np.array([1 / 36 if np.linalg.norm(c) > 1 else 1 / 9 for c in C])
W[0] = 4 / 9
OPPOSITE = [C.tolist().index((-c).tolist()) for c in C]
LEFT = np.arange(9)[C[:, 0] < 0]
MIDDLE = np.arange(9)[C[:, 0] == 0]
RIGHT = np.arange(9)[C[:, 0] > 0]


def moments(f):
    """Density and velocity from the populations f (9, nx, ny)."""
    rho = np.sum(f, axis=0)
    u = np.dot(C.T, f.transpose((1, 0, 2))) / rho
    return rho, u


def equilibrium(rho, u):
    cu = 3.0 * np.dot(C, u.transpose(1, 0, 2))
    usqr = 1.5 * (u[0] ** 2 + u[1] ** 2)
    feq = np.zeros((9, *rho.shape))
    for i in range(9):
        feq[i, :, :] = rho * W[i] * (1.0 + cu[i] + 0.5 * cu[i] ** 2 - usqr)
    return feq


@npcompile.jit
def simulate(f, obstacle, inflow, omega, steps):
    """Advances f in place by so many steps; returns the last velocity and the drag at each step."""
    drag = np.zeros(steps)
    u = np.zeros_like(inflow)
    for time in range(steps):
        f[LEFT, -1, :] = f[LEFT, -2, :]  # the right side lets everything out
        rho, u = moments(f)

        # the left side: density from what is known, populations from equilibrium (Zou and He)
        u[:, 0, :] = inflow[:, 0, :]
        rho[0, :] = (
            1.0 / (1.0 - u[0, 0, :]) * (np.sum(f[MIDDLE, 0, :], axis=0) + 2.0 * np.sum(f[LEFT, 0, :], axis=0))
        )
        feq = equilibrium(rho, u)
        back = [OPPOSITE[i] for i in RIGHT]
        f[RIGHT, 0, :] = f[back, 0, :] + feq[RIGHT, 0, :] - feq[back, 0, :]

        fout = f - omega * (f - feq)  # collision
        for i in range(9):  # the cylinder sends back the flow that meets it
            fout[i, obstacle] = f[OPPOSITE[i], obstacle]
        drag[time] = 2 * (C[:, 0] @ f[:, obstacle]).sum()
        for i in range(9):  # streaming
            f[i, :, :] = np.roll(np.roll(fout[i, :, :], C[i, 0], axis=0), C[i, 1], axis=1)
    return u, drag


def channel(nx, ny, reynolds=40.0, speed=0.04):
    """Populations at rest in the inflow, the cylinder, the inflow, and the relaxation rate."""
    cx, cy, r = nx / 4, ny / 2, ny / 9
    obstacle = np.fromfunction(lambda x, y: (x - cx) ** 2 + (y - cy) ** 2 < r**2, (nx, ny))
    omega = 1.0 / (3.0 * speed * r / reynolds + 0.5)
    wave = np.fromfunction(
        lambda d, x, y: (1 - d) * speed * (1.0 + 1e-4 * np.sin(y / (ny - 1) * 2 * np.pi)), (2, nx, ny)
    )
    return equilibrium(np.ones((nx, ny)), wave), obstacle, wave, omega


def example(size=60, seed=0, steps=20):
    f, obstacle, wave, omega = channel(3 * size, size)
    f *= 1 + 0.001 * np.random.default_rng(seed).standard_normal(f.shape)
    return simulate, (f, obstacle, wave, omega, steps)


def main():
    f, obstacle, wave, omega = channel(120, 45)
    u, drag = simulate(f, obstacle, wave, omega, 200)
    speed = np.sqrt(u[0] ** 2 + u[1] ** 2)
    print(f"after 200 steps: fastest {speed.max():.4f}, drag {drag[-1]:.5f}, mass {f.sum():.3f}")
    compare(example)


if __name__ == "__main__":
    main()
