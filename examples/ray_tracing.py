"""A ray tracer: spheres over a checkerboard, with shadows and reflections, all rays of the picture at once.

    python examples/ray_tracing.py

A vector is a class of three arrays with overloaded operators; each sphere works on the rays that hit it alone
(np.extract) and puts its colours back into the picture (np.place).
"""

from __future__ import annotations

from functools import reduce

import numpy as np

import npcompile
from side_by_side import compare

FARAWAY = 1.0e39


def extract(condition, x):
    return x if np.isscalar(x) else np.extract(condition, x)


class Vec:
    """Many vectors, or colours, or one: x, y and z are arrays or numbers."""

    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __mul__(self, other):
        return Vec(self.x * other, self.y * other, self.z * other)

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return Vec(self.x - other.x, self.y - other.y, self.z - other.z)

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    def __abs__(self):
        return self.dot(self)

    def norm(self):
        length = np.sqrt(abs(self))
        return self * (1.0 / np.where(length == 0, 1, length))

    def components(self):
        return self.x, self.y, self.z

    def extract(self, condition):
        return Vec(*(extract(condition, part) for part in self.components()))

    def place(self, condition):
        made = Vec(np.zeros(condition.shape), np.zeros(condition.shape), np.zeros(condition.shape))
        np.place(made.x, condition, self.x)
        np.place(made.y, condition, self.y)
        np.place(made.z, condition, self.z)
        return made


class Sphere:
    def __init__(self, centre, radius, diffuse, mirror=0.5):
        self.c, self.r, self.diffuse, self.mirror = centre, radius, diffuse, mirror

    def intersect(self, origin, direction):
        """How far along each ray the sphere is, FARAWAY where the ray misses it."""
        b = 2 * direction.dot(origin - self.c)
        c = abs(self.c) + abs(origin) - 2 * self.c.dot(origin) - self.r * self.r
        discriminant = b**2 - 4 * c
        root = np.sqrt(np.maximum(0, discriminant))
        h0, h1 = (-b - root) / 2, (-b + root) / 2
        h = np.where((h0 > 0) & (h0 < h1), h0, h1)
        return np.where((discriminant > 0) & (h > 0), h, FARAWAY)

    def colour_at(self, point):
        return self.diffuse

    def light(self, origin, direction, distance, scene, bounce):
        point = origin + direction * distance
        normal = (point - self.c) * (1.0 / self.r)
        to_light = (scene.lamp - point).norm()
        to_eye = (scene.eye - point).norm()
        nudged = point + normal * 0.0001  # a surface casts no shadow on itself

        distances = [one.intersect(nudged, to_light) for one in scene.objects]
        nearest = reduce(np.minimum, distances)
        lit = distances[scene.objects.index(self)] == nearest

        colour = Vec(0.05, 0.05, 0.05)
        lambert = np.maximum(normal.dot(to_light), 0)
        colour += self.colour_at(point) * lambert * lit
        if bounce < scene.bounces:
            reflected = (direction - normal * 2 * direction.dot(normal)).norm()
            colour += trace(nudged, reflected, scene, bounce + 1) * self.mirror
        phong = normal.dot((to_light + to_eye).norm())
        colour += Vec(1, 1, 1) * np.power(np.clip(phong, 0, 1), 50) * lit
        return colour


class Checkered(Sphere):
    def colour_at(self, point):
        checker = ((point.x * 2).astype(int) % 2) == ((point.z * 2).astype(int) % 2)
        return self.diffuse * checker


class Scene:
    def __init__(self, objects, lamp, eye, bounces=2):
        self.objects, self.lamp, self.eye, self.bounces = objects, lamp, eye, bounces


def trace(origin, direction, scene, bounce=0):
    """The colour that each ray sees."""
    distances = [one.intersect(origin, direction) for one in scene.objects]
    nearest = reduce(np.minimum, distances)
    colour = Vec(0, 0, 0)
    for one, distance in zip(scene.objects, distances, strict=True):
        hit = (nearest != FARAWAY) & (distance == nearest)
        if np.any(hit):
            seen = one.light(
                origin.extract(hit), direction.extract(hit), np.extract(hit, distance), scene, bounce
            )
            colour += seen.place(hit)
    return colour


@npcompile.jit
def render(scene, width, height):
    """The picture (height, width, 3) as bytes."""
    ratio = width / height
    left, bottom, right, top = -1, -1 / ratio + 0.25, 1, 1 / ratio + 0.25
    x = np.tile(np.linspace(left, right, width), height)
    y = np.repeat(np.linspace(top, bottom, height), width)
    screen = Vec(x, y, 0)
    colour = trace(scene.eye, (screen - scene.eye).norm(), scene)
    channels = [np.clip(part, 0, 1).reshape(height, width) for part in colour.components()]
    return (255 * np.dstack(channels)).astype(np.uint8)


def three_spheres(seed):
    x, y = 0.05 * np.random.default_rng(seed).standard_normal(2)
    return Scene(
        [
            Sphere(Vec(0.75 + x, 0.1, 1.0), 0.6, Vec(0, 0, 1)),
            Sphere(Vec(-0.75, 0.1 + y, 2.25), 0.6, Vec(0.5, 0.223, 0.5)),
            Sphere(Vec(-2.75, 0.1, 3.5), 0.6, Vec(1, 0.572, 0.184)),
            Checkered(Vec(0, -99999.5, 0), 99999, Vec(0.75, 0.75, 0.75), 0.25),
        ],
        lamp=Vec(5, 5, -10),
        eye=Vec(0, 0.35, -1),
    )


def example(size=160, seed=0):
    return render, (three_spheres(seed), size, size * 3 // 4)


def main():
    picture = render(three_spheres(0), 64, 24)
    for row in picture.max(axis=2):
        print("".join(" .:-=+*#%@"[value // 26] for value in row))
    compare(example)


if __name__ == "__main__":
    main()
