"""A Kalman filter as a class: its state is in `self` and changes with every measurement.

python examples/kalman.py
"""

from __future__ import annotations

import numpy as np

import npcompile
from side_by_side import compare


class KalmanFilter:
    """Follows a state x with covariance P through a linear system.

    F: how the state moves on. Q: the noise of that. H: what is measured of the state. R: the noise of that.
    """

    def __init__(self, F, Q, H, R, x, P):
        self.F, self.Q, self.H, self.R = F, Q, H, R
        self.x, self.P = x, P
        self.log_likelihood = 0.0
        self.history = []

    @property
    def position(self):
        return self.x[: len(self.x) // 2]

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = np.linalg.solve(S, self.H @ self.P).T
        self.x = self.x + K @ y
        I_KH = np.eye(len(self.x)) - K @ self.H
        self.P = I_KH @ self.P @ I_KH.T + K @ self.R @ K.T  # Joseph's form stays symmetric
        _, logdet = np.linalg.slogdet(S)
        distance = y @ np.linalg.solve(S, y)
        self.log_likelihood += -0.5 * (distance + logdet + len(z) * np.log(2 * np.pi))
        return distance

    @npcompile.jit
    def step(self, z, gate=25.0):
        """Moves on by one step and takes a measurement, unless it is too far off to be believed."""
        self.predict()
        innovation = z - self.H @ self.x
        if np.sqrt(innovation @ innovation) > gate:
            self.history.append(self.position.copy())
            return np.nan
        distance = self.update(z)
        self.history.append(self.position.copy())
        return distance

    @npcompile.jit
    def run(self, measurements):
        """All measurements, one after the other; the filtered positions (n, d)."""
        track = np.empty_like(measurements)
        for i, z in enumerate(measurements):
            self.predict()
            self.update(z)
            track[i] = self.position
        return track


def constant_velocity(dimensions=2, dt=0.1, noise=0.5):
    """A body that moves straight on but for small pushes; its position is measured."""
    d = dimensions
    F = np.block([[np.eye(d), dt * np.eye(d)], [np.zeros((d, d)), np.eye(d)]])
    G = np.vstack([0.5 * dt**2 * np.eye(d), dt * np.eye(d)])
    H = np.hstack([np.eye(d), np.zeros((d, d))])
    return KalmanFilter(F, G @ G.T, H, noise**2 * np.eye(d), np.zeros(2 * d), 10.0 * np.eye(2 * d))


def flight(n, seed, dimensions=2, dt=0.1, noise=0.5):
    """The true path of such a body and its noisy measurements, both (n, dimensions)."""
    rng = np.random.default_rng(seed)
    velocity = np.cumsum(dt * rng.standard_normal((n, dimensions)), axis=0) + 1.0
    path = np.cumsum(dt * velocity, axis=0)
    return path, path + noise * rng.standard_normal(path.shape)


def example(size=100, seed=0):
    return KalmanFilter.run, (constant_velocity(), flight(size, seed)[1])


def one_step(size=2, seed=0):
    return KalmanFilter.step, (constant_velocity(size), flight(5, seed, size)[1][-1])


def outlier(size=2, seed=0):
    return KalmanFilter.step, (constant_velocity(size), flight(5, seed, size)[1][-1] + 100.0)


def main():
    path, measured = flight(200, 0)
    tracker = constant_velocity()
    for z in measured:
        tracker.step(z)
    track = np.array(tracker.history)

    def error(found):
        return np.sqrt(np.mean((found - path) ** 2))

    print(f"measured to {error(measured):.3f}, filtered to {error(track):.3f}, ", end="")
    print(f"log likelihood {tracker.log_likelihood:.2f}")
    print("\none measurement a call:", end="")
    compare(one_step)
    print("\n100 measurements a call:", end="")
    compare(example)


if __name__ == "__main__":
    main()
