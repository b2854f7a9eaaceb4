"""The Euler equations by finite volumes: a Kelvin-Helmholtz instability, with a time step that adapts itself.

python examples/finite_volume.py
"""

from __future__ import annotations

import numpy as np

import npcompile
from side_by_side import compare

GAMMA = 5 / 3
R, L = -1, 1  # np.roll: the neighbour to the right comes by -1


def conserved(rho, vx, vy, P, volume):
    mass = rho * volume
    energy = (P / (GAMMA - 1) + 0.5 * rho * (vx**2 + vy**2)) * volume
    return mass, mass * vx, mass * vy, energy


def primitive(mass, momx, momy, energy, volume):
    rho = mass / volume
    vx = momx / rho / volume
    vy = momy / rho / volume
    P = (energy / volume - 0.5 * rho * (vx**2 + vy**2)) * (GAMMA - 1)
    return rho, vx, vy, P


def gradient(f, dx):
    return (
        (np.roll(f, R, axis=0) - np.roll(f, L, axis=0)) / (2 * dx),
        (np.roll(f, R, axis=1) - np.roll(f, L, axis=1)) / (2 * dx),
    )


def to_faces(f, f_dx, f_dy, dx):
    """Values on the left and right of each face, by linear extrapolation."""
    fxl = np.roll(f - f_dx * dx / 2, R, axis=0)
    fxr = f + f_dx * dx / 2
    fyl = np.roll(f - f_dy * dx / 2, R, axis=1)
    fyr = f + f_dy * dx / 2
    return fxl, fxr, fyl, fyr


def flux(rho_l, rho_r, vx_l, vx_r, vy_l, vy_r, P_l, P_r):
    """The Rusanov flux of mass, momentum along the face's normal and across it, and energy."""
    en_l = P_l / (GAMMA - 1) + 0.5 * rho_l * (vx_l**2 + vy_l**2)
    en_r = P_r / (GAMMA - 1) + 0.5 * rho_r * (vx_r**2 + vy_r**2)
    rho = 0.5 * (rho_l + rho_r)
    momx = 0.5 * (rho_l * vx_l + rho_r * vx_r)
    momy = 0.5 * (rho_l * vy_l + rho_r * vy_r)
    en = 0.5 * (en_l + en_r)
    P = (GAMMA - 1) * (en - 0.5 * (momx**2 + momy**2) / rho)
    c = np.maximum(
        np.sqrt(GAMMA * P_l / rho_l) + np.abs(vx_l),
        np.sqrt(GAMMA * P_r / rho_r) + np.abs(vx_r),
    )
    return (
        momx - c * 0.5 * (rho_l - rho_r),
        momx**2 / rho + P - c * 0.5 * (rho_l * vx_l - rho_r * vx_r),
        momx * momy / rho - c * 0.5 * (rho_l * vy_l - rho_r * vy_r),
        (en + P) * momx / rho - c * 0.5 * (en_l - en_r),
    )


def apply(f, flux_x, flux_y, dx, dt):
    f += -dt * dx * flux_x
    f += dt * dx * np.roll(flux_x, L, axis=0)
    f += -dt * dx * flux_y
    f += dt * dx * np.roll(flux_y, L, axis=1)
    return f


@npcompile.jit
def simulate(rho, vx, vy, P, dx, t_end, courant=0.4):
    """From time 0 to t_end; returns the primitive variables and the time steps that were taken."""
    volume = dx**2
    mass, momx, momy, energy = conserved(rho, vx, vy, P, volume)
    t, steps = 0.0, []
    while t < t_end:
        rho, vx, vy, P = primitive(mass, momx, momy, energy, volume)
        dt = courant * np.min(dx / (np.sqrt(GAMMA * P / rho) + np.sqrt(vx**2 + vy**2)))
        if t + dt > t_end:
            dt = t_end - t
        grad = [gradient(f, dx) for f in (rho, vx, vy, P)]

        # half a step in time
        rho_h = rho - 0.5 * dt * (vx * grad[0][0] + rho * grad[1][0] + vy * grad[0][1] + rho * grad[2][1])
        vx_h = vx - 0.5 * dt * (vx * grad[1][0] + vy * grad[1][1] + grad[3][0] / rho)
        vy_h = vy - 0.5 * dt * (vx * grad[2][0] + vy * grad[2][1] + grad[3][1] / rho)
        P_h = P - 0.5 * dt * (GAMMA * P * (grad[1][0] + grad[2][1]) + vx * grad[3][0] + vy * grad[3][1])
        faces = [to_faces(f, *g, dx) for f, g in zip((rho_h, vx_h, vy_h, P_h), grad, strict=True)]
        (rxl, rxr, ryl, ryr), (uxl, uxr, uyl, uyr), (wxl, wxr, wyl, wyr), (pxl, pxr, pyl, pyr) = faces
        fx = flux(rxl, rxr, uxl, uxr, wxl, wxr, pxl, pxr)
        gy = flux(ryl, ryr, wyl, wyr, uyl, uyr, pyl, pyr)
        mass = apply(mass, fx[0], gy[0], dx, dt)
        momx = apply(momx, fx[1], gy[2], dx, dt)
        momy = apply(momy, fx[2], gy[1], dx, dt)
        energy = apply(energy, fx[3], gy[3], dx, dt)
        t += dt
        steps.append(dt)
    return rho, vx, vy, P, np.array(steps)


def shear_layer(n, seed):
    """Two streams that pass each other in a box of width 1, a little disturbed."""
    dx = 1.0 / n
    x = np.linspace(0.5 * dx, 1 - 0.5 * dx, n)
    Y, X = np.meshgrid(x, x)
    inside = np.abs(Y - 0.5) < 0.25
    rho = 1.0 + inside
    vx = -0.5 + inside
    sigma = 0.05 / np.sqrt(2)
    vy = 0.1 * np.sin(4 * np.pi * X) * sum(np.exp(-((Y - y) ** 2) / (2 * sigma**2)) for y in (0.25, 0.75))
    vx = vx + 0.001 * np.random.default_rng(seed).standard_normal(vx.shape)
    return rho, vx, vy, 2.5 * np.ones(X.shape), dx


def example(size=64, seed=0, t_end=0.05):
    return simulate, (*shear_layer(size, seed), t_end)


def main():
    rho, vx, vy, P, dx = shear_layer(64, 0)
    rho, vx, vy, P, steps = simulate(rho, vx, vy, P, dx, 0.2)
    print(f"{len(steps)} steps of {steps.min():.2e} to {steps.max():.2e}")
    energy = 0.5 * np.mean(rho * (vx**2 + vy**2))
    print(f"density {rho.min():.3f} to {rho.max():.3f}, kinetic energy {energy:.4f}")
    compare(example)


if __name__ == "__main__":
    main()
