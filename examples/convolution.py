"""A small convolutional network, forwards and backwards: patches as columns, then one matrix product.

python examples/convolution.py
"""

from __future__ import annotations

import numpy as np

import npcompile
from side_by_side import compare


def im2col_indices(shape, kernel, stride=1):
    """Which channel, row and column of the picture each entry of the columns comes from."""
    _, C, H, W = shape
    out_h = (H - kernel) // stride + 1
    out_w = (W - kernel) // stride + 1
    i0 = np.tile(np.repeat(np.arange(kernel), kernel), C)
    j0 = np.tile(np.arange(kernel), kernel * C)
    i1 = stride * np.repeat(np.arange(out_h), out_w)
    j1 = stride * np.tile(np.arange(out_w), out_h)
    k = np.repeat(np.arange(C), kernel * kernel).reshape(-1, 1)
    return k, i0.reshape(-1, 1) + i1.reshape(1, -1), j0.reshape(-1, 1) + j1.reshape(1, -1)


def im2col(x, kernel, pad=1):
    """Patches of x (N, C, H, W) as columns: (C * kernel**2, positions * N)."""
    p = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), mode="constant")
    k, i, j = im2col_indices(p.shape, kernel)
    columns = p[:, k, i, j]
    return columns.transpose(1, 2, 0).reshape(kernel * kernel * x.shape[1], -1)


def col2im(columns, shape, kernel, pad=1):
    """The reverse: what belongs to the same place is added up."""
    N, C, H, W = shape
    padded = np.zeros((N, C, H + 2 * pad, W + 2 * pad), dtype=columns.dtype)
    k, i, j = im2col_indices(padded.shape, kernel)
    patches = columns.reshape(C * kernel * kernel, -1, N).transpose(2, 0, 1)
    np.add.at(padded, (slice(None), k, i, j), patches)
    return padded[:, :, pad:-pad, pad:-pad]


def conv_forward(x, w, b):
    """w (filters, C, kernel, kernel); the picture keeps its size."""
    N, _, H, W = x.shape
    filters, _, kernel, _ = w.shape
    columns = im2col(x, kernel, kernel // 2)
    out = w.reshape(filters, -1) @ columns + b.reshape(-1, 1)
    return out.reshape(filters, H, W, N).transpose(3, 0, 1, 2), (x, w, columns)


def conv_backward(dout, cache):
    x, w, columns = cache
    filters, _, kernel, _ = w.shape
    flat = dout.transpose(1, 2, 3, 0).reshape(filters, -1)
    dw = (flat @ columns.T).reshape(w.shape)
    dx = col2im(w.reshape(filters, -1).T @ flat, x.shape, kernel, kernel // 2)
    return dx, dw, np.sum(dout, axis=(0, 2, 3))


def pool_forward(x):
    """The largest of each two by two block, by windows on the same memory."""
    N, C, H, W = x.shape
    s = x.strides
    blocks = np.lib.stride_tricks.as_strided(
        x, (N, C, H // 2, W // 2, 2, 2), (s[0], s[1], 2 * s[2], 2 * s[3], s[2], s[3])
    )
    out = blocks.max(axis=(4, 5))
    return out, blocks == out[..., None, None]


def pool_backward(dout, winners):
    N, C, h, w = dout.shape
    share = winners / winners.sum(axis=(4, 5), keepdims=True)
    return (share * dout[..., None, None]).swapaxes(3, 4).reshape(N, C, 2 * h, 2 * w)


def cross_entropy(scores, labels):
    shifted = scores - scores.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    n = len(labels)
    loss = -log_p[np.arange(n), labels].mean()
    dscores = np.exp(log_p)
    dscores[np.arange(n), labels] -= 1
    return loss, dscores / n


@npcompile.jit
def train_step(params, x, labels, rate):
    """Convolution, ReLU, pooling, linear, softmax: the loss, and the weights one step further, in place."""
    hidden, conv_cache = conv_forward(x, params["w"], params["b"])
    active = np.maximum(hidden, 0)
    pooled, winners = pool_forward(active)
    flat = pooled.reshape(len(x), -1)
    loss, dscores = cross_entropy(flat @ params["out"], labels)

    grads = {"out": flat.T @ dscores}
    dpooled = (dscores @ params["out"].T).reshape(pooled.shape)
    dhidden = pool_backward(dpooled, winners) * (hidden > 0)
    _, grads["w"], grads["b"] = conv_backward(dhidden, conv_cache)
    for name in params:
        params[name] -= rate * grads[name]
    return loss


@npcompile.jit
def predict(params, x):
    hidden, _ = conv_forward(x, params["w"], params["b"])
    pooled, _ = pool_forward(np.maximum(hidden, 0))
    return (pooled.reshape(len(x), -1) @ params["out"]).argmax(axis=1)


def weights(filters, size, classes, seed):
    rng = np.random.default_rng(seed)
    return {
        "w": 0.3 * rng.standard_normal((filters, 1, 3, 3)),
        "b": np.zeros(filters),
        "out": 0.1 * rng.standard_normal((filters * (size // 2) ** 2, classes)),
    }


def stripes(n, size, seed):
    """Pictures of horizontal (0) or vertical (1) stripes with noise."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    wave = np.sin(np.arange(size) * np.pi / 2 + rng.uniform(0, 2 * np.pi, (n, 1)))
    x = np.where(labels[:, None, None], wave[:, None, :], wave[:, :, None])
    return (x + 0.5 * rng.standard_normal((n, size, size)))[:, None], labels


def example(size=16, seed=0, batch=32):
    return train_step, (weights(4, size, 2, seed), *stripes(batch, size, seed), 0.1)


def inference(size=16, seed=0, batch=32):
    return predict, (weights(4, size, 2, seed), stripes(batch, size, seed)[0])


def main():
    params = weights(4, 12, 2, 0)
    losses = [train_step(params, *stripes(32, 12, seed), 0.1) for seed in range(40)]
    x, labels = stripes(200, 12, 99)
    right = np.mean(predict(params, x) == labels)
    print(f"loss {losses[0]:.3f} to {losses[-1]:.3f}, right on new pictures: {right:.0%}")
    compare(example)
    compare(inference)


if __name__ == "__main__":
    main()
