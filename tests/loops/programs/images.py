"""Image filters: windows around each pixel, fills with a stack of pixels, errors spread to later pixels."""

from __future__ import annotations

import numpy as np

from tests.loops.programs.program import loop


def image(rows, columns, rng, dtype=np.uint8):
    return rng.integers(0, 256, (rows, columns)).astype(dtype)


@loop(
    lambda n, rng: (image(n, n + 1, rng),),
    sizes=(1, 3, 5),
    realistic=80,
    float32=lambda rng: (rng.random((4, 4)).astype(np.float32),),
    with_nan=lambda rng: (np.where(rng.random((4, 4)) < 0.3, np.nan, rng.random((4, 4))),),
)
def median_3x3(image):
    rows, columns = image.shape
    out = image.copy()
    window = np.empty(9, dtype=image.dtype)
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            k = 0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    value = image[i + di, j + dj]
                    at = k
                    while at > 0 and window[at - 1] > value:
                        window[at] = window[at - 1]
                        at -= 1
                    window[at] = value
                    k += 1
            out[i, j] = window[4]
    return out


@loop(
    lambda n, rng: (image(n, n, rng),),
    sizes=(2, 3, 5),
    realistic=150,
    exact=False,
)
def median_by_sorting(image):
    out = np.zeros_like(image)
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            out[i, j] = np.sort(image[i - 1 : i + 2, j - 1 : j + 2].ravel())[4]
    return out


@loop(
    lambda n, rng: (image(n, n, rng, np.int64),),
    sizes=(2, 5),
    realistic=100,
    uint8_wraps_around=lambda rng: (image(4, 4, rng),),
    float32=lambda rng: (rng.random((4, 5)).astype(np.float32),),
    int16_columns_first=lambda rng: (np.asfortranarray(image(4, 5, rng, np.int16)),),
)
def sobel(image):
    rows, columns = image.shape
    out = np.zeros((rows, columns))
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            gx = (
                image[i - 1, j + 1]
                + 2 * image[i, j + 1]
                + image[i + 1, j + 1]
                - image[i - 1, j - 1]
                - 2 * image[i, j - 1]
                - image[i + 1, j - 1]
            )
            gy = (
                image[i + 1, j - 1]
                + 2 * image[i + 1, j]
                + image[i + 1, j + 1]
                - image[i - 1, j - 1]
                - 2 * image[i - 1, j]
                - image[i - 1, j + 1]
            )
            out[i, j] = (gx * gx + gy * gy) ** 0.5
    return out


def percolating(n, rng):
    image = (rng.random((n, n)) < 0.3).astype(np.int64)
    image[n // 2, n // 2] = 0
    return image, n // 2, n // 2, 7


@loop(
    percolating,
    sizes=(1, 4),
    realistic=180,
    fill_in_its_own_colour=lambda rng: (np.zeros((3, 3), np.uint8), 0, 0, 0),
    all=lambda rng: (np.zeros((4, 3), np.int8), 1, 1, 5),
    outside=lambda rng: (np.zeros((2, 2)), 2, 0, 5),
)
def flood_fill(image, i, j, colour):
    old = image[i, j]
    if old == colour:
        return 0
    rows, columns = image.shape
    stack = [(i, j)]
    filled = 0
    while stack:
        i, j = stack.pop()
        if i < 0 or j < 0 or i >= rows or j >= columns or image[i, j] != old:
            continue
        image[i, j] = colour
        filled += 1
        stack.append((i + 1, j))
        stack.append((i - 1, j))
        stack.append((i, j + 1))
        stack.append((i, j - 1))
    return filled


@loop(
    lambda n, rng: (rng.random((n, n)) * 255,),
    sizes=(1, 2, 5),
    realistic=150,
    float32=lambda rng: ((rng.random((4, 4)) * 255).astype(np.float32),),
    uint8_cannot_hold_it=lambda rng: (image(3, 3, rng),),
    int16_truncates=lambda rng: (image(3, 4, rng, np.int16),),
)
def floyd_steinberg(image):
    rows, columns = image.shape
    for i in range(rows):
        for j in range(columns):
            old = image[i, j]
            new = 255 if old > 127 else 0
            image[i, j] = new
            error = old - new
            if j + 1 < columns:
                image[i, j + 1] += error * 7 // 16
            if i + 1 < rows:
                if j > 0:
                    image[i + 1, j - 1] += error * 3 // 16
                image[i + 1, j] += error * 5 // 16
                if j + 1 < columns:
                    image[i + 1, j + 1] += error // 16


@loop(
    lambda n, rng: (rng.random((n, n)), rng.standard_normal((3, 3))),
    sizes=(1, 3, 5),
    realistic=80,
    wide_kernel=lambda rng: (rng.random((3, 7)), rng.standard_normal((1, 5))),
    uint8_and_float32=lambda rng: (image(4, 4, rng), rng.random((3, 3)).astype(np.float32)),
    kernel_upside_down=lambda rng: (rng.random((4, 4)), rng.standard_normal((3, 3))[::-1, ::-1].T),
)
def convolve_clamped(image, kernel):
    rows, columns = image.shape
    height, width = kernel.shape
    out = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            total = 0.0
            for a in range(height):
                for b in range(width):
                    y = min(max(i + a - height // 2, 0), rows - 1)
                    x = min(max(j + b - width // 2, 0), columns - 1)
                    total += image[y, x] * kernel[a, b]
            out[i, j] = total
    return out


@loop(
    lambda n, rng: (image(n, n, rng),),
    sizes=(1, 4),
    realistic=300,
    int32=lambda rng: (image(4, 5, rng, np.int32),),
    uint64_rows_backwards=lambda rng: (image(4, 5, rng, np.uint64)[::-1],),
    float64=lambda rng: (rng.random((3, 3)),),
)
def integral_image(image):
    rows, columns = image.shape
    total = np.zeros((rows + 1, columns + 1), dtype=np.int64)
    for i in range(rows):
        row = 0
        for j in range(columns):
            row += int(image[i, j])
            total[i + 1, j + 1] = total[i, j + 1] + row
    return total


@loop(
    lambda n, rng: (rng.random((n, n)), n * 2 // 3 + 1, n + 3),
    sizes=(2, 4),
    realistic=200,
    one_pixel=lambda rng: (rng.random((1, 1)), 2, 2),
    float32=lambda rng: (rng.random((3, 4)).astype(np.float32), 5, 2),
)
def resize_bilinear(image, rows, columns):
    out = np.empty((rows, columns), dtype=image.dtype)
    for i in range(rows):
        y = i * (image.shape[0] - 1) / max(rows - 1, 1)
        y0 = int(y)
        y1 = min(y0 + 1, image.shape[0] - 1)
        for j in range(columns):
            x = j * (image.shape[1] - 1) / max(columns - 1, 1)
            x0 = int(x)
            x1 = min(x0 + 1, image.shape[1] - 1)
            fy, fx = y - y0, x - x0
            above = image[y0, x0] * (1 - fx) + image[y0, x1] * fx
            below = image[y1, x0] * (1 - fx) + image[y1, x1] * fx
            out[i, j] = above * (1 - fy) + below * fy
    return out


@loop(
    lambda n, rng: (rng.random((n, n)) < 0.2,),
    sizes=(1, 4),
    realistic=130,
    nothing_set=lambda rng: (np.zeros((3, 3), bool),),
)
def distance_transform(mask):
    rows, columns = mask.shape
    d = np.where(mask, 0, rows + columns)
    for i in range(rows):
        for j in range(columns):
            if i:
                d[i, j] = min(d[i, j], d[i - 1, j] + 1)
            if j:
                d[i, j] = min(d[i, j], d[i, j - 1] + 1)
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            if i < rows - 1:
                d[i, j] = min(d[i, j], d[i + 1, j] + 1)
            if j < columns - 1:
                d[i, j] = min(d[i, j], d[i, j + 1] + 1)
    return d


@loop(
    lambda n, rng: (np.zeros((n, n), np.uint8), 0, 0, n - 1, n // 2),
    sizes=(1, 6),
    realistic=3000,
    leftwards=lambda rng: (np.zeros((4, 4)), 3, 3, 0, 1),
    leaves_the_image=lambda rng: (np.zeros((3, 3), np.int32), 0, 0, 5, 1),
    negative_is_the_other_side=lambda rng: (np.zeros((4, 4), bool), -1, 1, 2, -1),
)
def draw_line(image, x0, y0, x1, y1):
    dx, dy = abs(x1 - x0), -abs(y1 - y0)
    sx = 1 if x0 < x1 else -1
    sy = 1 if y0 < y1 else -1
    error, steps = dx + dy, 0
    while True:
        image[y0, x0] = 1
        steps += 1
        if x0 == x1 and y0 == y1:
            break
        doubled = 2 * error
        if doubled >= dy:
            error += dy
            x0 += sx
        if doubled <= dx:
            error += dx
            y0 += sy
    return steps
