"""A flock of birds after Reynolds: every bird keeps apart, flies as its neighbours do, and keeps together.

    python examples/boids.py

All pairs at once: np.subtract.outer for the distances, out= and where= where a division could be by zero.
"""

from __future__ import annotations

import numpy as np

import npcompile
from side_by_side import compare


class Flock:
    """n birds in a box of so much width and height, whose sides meet."""

    def __init__(self, count=500, width=640, height=360, seed=0):
        rng = np.random.default_rng(seed)
        angle = rng.uniform(0, 2 * np.pi, count)
        self.width, self.height = width, height
        self.velocity = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        self.position = rng.uniform(0, 1, (count, 2)) * (width, height)
        self.max_velocity = 2.0
        self.max_acceleration = 0.03
        self.steps = 0


def limit(vectors, most):
    """Vectors longer than `most` are cut to that length, in place."""
    length = np.sqrt((vectors * vectors).sum(axis=1))
    too_long = length > most
    vectors[too_long] *= (most / length[too_long])[:, np.newaxis]
    return vectors


def steering(target, velocity, max_velocity, max_acceleration):
    """The acceleration that turns `velocity` towards `target`; none where there is no target."""
    norm = np.sqrt((target * target).sum(axis=1)).reshape(-1, 1)
    np.multiply(target, max_velocity, out=target)
    np.divide(target, norm, out=target, where=norm != 0)
    steer = target - velocity
    steer[norm[:, 0] == 0] = 0
    return limit(steer, max_acceleration)


@npcompile.jit
def fly(flock):
    """One step of time: three rules, then everybody moves."""
    position, velocity = flock.position, flock.velocity
    n = len(position)
    dx = np.subtract.outer(position[:, 0], position[:, 0])
    dy = np.subtract.outer(position[:, 1], position[:, 1])
    distance = np.hypot(dx, dy)
    near = (distance > 0) * (distance < 25)
    visible = (distance > 0) * (distance < 50)
    near_count = np.maximum(near.sum(axis=1), 1).reshape(n, 1)
    visible_count = np.maximum(visible.sum(axis=1), 1).reshape(n, 1)
    how = (velocity, flock.max_velocity, flock.max_acceleration)

    # separation: away from birds that are too close, the more the closer
    away = np.dstack((dx, dy))
    squared = distance.reshape(n, n, 1) ** 2
    away = np.divide(away, squared, out=away, where=squared != 0)
    separation = steering((away * near[:, :, np.newaxis]).sum(axis=1) / near_count, *how)

    # alignment: as the neighbours fly
    alignment = steering(np.dot(visible, velocity) / visible_count, *how)

    # cohesion: towards the middle of the neighbours
    middle = np.dot(visible, position) / visible_count
    alone = visible.sum(axis=1) == 0
    middle[alone] = position[alone]
    cohesion = steering(middle - position, *how)

    acceleration = 1.5 * separation + alignment + cohesion
    flock.velocity += acceleration
    limit(flock.velocity, flock.max_velocity)
    flock.position += flock.velocity
    flock.position %= (flock.width, flock.height)
    flock.steps += 1


def example(size=300, seed=0):
    return fly, (Flock(size, seed=seed),)


def order(flock):
    """1 where all fly the same way, 0 where nobody agrees."""
    speed = np.linalg.norm(flock.velocity, axis=1)
    return np.linalg.norm(flock.velocity.sum(axis=0)) / speed.sum()


def main():
    flock = Flock(200)
    before = order(flock)
    for _ in range(100):
        fly(flock)
    print(f"how much 200 birds agree: {before:.2f} at first, {order(flock):.2f} after {flock.steps} steps")
    compare(example)


if __name__ == "__main__":
    main()
