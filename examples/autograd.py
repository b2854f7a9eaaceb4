"""Reverse differentiation in NumPy: tensors that remember what they were made of, and a small transformer
that learns a text's letters with it.

python examples/autograd.py
"""

from __future__ import annotations

import numpy as np

import npcompile
from side_by_side import compare

TEXT = "to be, or not to be, that is the question: whether 'tis nobler in the mind to suffer "


def summed_to(gradient, shape):
    """The gradient of what was broadcast from this shape."""
    while gradient.ndim > len(shape):
        gradient = gradient.sum(axis=0)
    for axis, length in enumerate(shape):
        if length == 1:
            gradient = gradient.sum(axis=axis, keepdims=True)
    return gradient


class Tensor:
    """An array, the tensors that it was made of, and how its gradient becomes theirs."""

    def __init__(self, data, before=(), back=None):
        self.data, self.before, self.back = data, before, back
        self.grad = None

    def __add__(self, other):
        other = other if isinstance(other, Tensor) else Tensor(np.asarray(other))

        def back(g):
            return summed_to(g, self.data.shape), summed_to(g, other.data.shape)

        return Tensor(self.data + other.data, (self, other), back)

    def __mul__(self, other):
        other = other if isinstance(other, Tensor) else Tensor(np.asarray(other))

        def back(g):
            return summed_to(g * other.data, self.data.shape), summed_to(g * self.data, other.data.shape)

        return Tensor(self.data * other.data, (self, other), back)

    def __sub__(self, other):
        return self + other * -1.0

    def __matmul__(self, other):
        return Tensor(self.data @ other.data, (self, other), lambda g: (g @ other.data.T, self.data.T @ g))

    def __pow__(self, n):
        return Tensor(self.data**n, (self,), lambda g: (g * n * self.data ** (n - 1),))

    def __truediv__(self, other):
        return self * other**-1.0

    def __getitem__(self, index):
        def back(g):
            whole = np.zeros_like(self.data)
            np.add.at(whole, index, g)
            return (whole,)

        return Tensor(self.data[index], (self,), back)

    @property
    def T(self):
        return Tensor(self.data.T, (self,), lambda g: (g.T,))

    def sum(self, axis=None):
        """The sum, with the axis kept."""
        total = self.data.sum(axis=axis, keepdims=True)
        return Tensor(total, (self,), lambda g: (np.broadcast_to(g, self.data.shape),))

    def mean(self, axis=None):
        return self.sum(axis) * (1 / (self.data.size if axis is None else self.data.shape[axis]))

    def exp(self):
        e = np.exp(self.data)
        return Tensor(e, (self,), lambda g: (g * e,))

    def log(self):
        return Tensor(np.log(self.data), (self,), lambda g: (g / self.data,))

    def tanh(self):
        t = np.tanh(self.data)
        return Tensor(t, (self,), lambda g: (g * (1 - t * t),))

    def softmax(self):
        e = (self - self.data.max(axis=-1, keepdims=True)).exp()
        return e / e.sum(-1)

    def normed(self, eps=1e-5):
        centred = self - self.mean(-1)
        return centred * ((centred**2.0).mean(-1) + eps) ** -0.5

    def backward(self):
        """Gradients of this for all that it was made of: the last made is the first to be gone back from."""
        order, seen = [], set()

        def visit(tensor):
            if id(tensor) not in seen:
                seen.add(id(tensor))
                for one in tensor.before:
                    visit(one)
                order.append(tensor)

        visit(self)
        for tensor in order:
            tensor.grad = None
        self.grad = np.ones_like(self.data)
        for tensor in reversed(order):
            if tensor.back is not None:
                for one, gradient in zip(tensor.before, tensor.back(tensor.grad), strict=True):
                    one.grad = gradient if one.grad is None else one.grad + gradient


def transformer(letters, width, rng):
    """The parameters of one block with one head, by name."""

    def parameter(*shape):
        return Tensor(rng.normal(0, shape[0] ** -0.5, shape))

    shapes = {"query": (width, width), "key": (width, width), "value": (width, width), "out": (width, width)}
    shapes |= {"up": (width, 2 * width), "down": (2 * width, width), "letters": (letters, width)}
    return {name: parameter(*shape) for name, shape in shapes.items()}


def predicted(p, tokens):
    """What comes next after each of these tokens: probabilities (n, letters)."""
    x = p["letters"][tokens]
    h = x.normed()
    scores = (h @ p["query"]) @ (h @ p["key"]).T * p["query"].data.shape[1] ** -0.5
    past = (scores + np.triu(np.full(scores.data.shape, -1e9), 1)).softmax()
    x = x + past @ (h @ p["value"]) @ p["out"]
    x = x + (x.normed() @ p["up"]).tanh() @ p["down"]
    return (x.normed() @ p["letters"].T).softmax()


@npcompile.jit
def train_step(p, tokens, rate):
    """One step of gradient descent on a run of tokens (n + 1,); the loss."""
    found = predicted(p, tokens[:-1])
    loss = found[(np.arange(len(tokens) - 1), tokens[1:])].log().mean() * -1.0
    loss.backward()
    for tensor in p.values():
        tensor.data = tensor.data - rate * tensor.grad
    return loss.data[0]


def learnt(p, tokens, length, rate):
    """A pass over the text in runs of this length; the losses."""
    losses = []
    for start in range(0, len(tokens) - length, length):
        losses.append(train_step(p, tokens[start : start + length + 1], rate))
    return np.array(losses)


def encoded(text):
    letters = sorted(set(text))
    return np.array([letters.index(letter) for letter in text]), len(letters)


def example(size=32, length=28, seed=0):
    tokens, letters = encoded(TEXT)
    return train_step, (transformer(letters, size, np.random.default_rng(seed)), tokens[: length + 1], 0.1)


def main():
    tokens, letters = encoded(TEXT)
    p = transformer(letters, 32, np.random.default_rng(0))
    for epoch in range(60):
        losses = learnt(p, tokens, 28, 0.3)
        if epoch % 10 == 0:
            print(f"pass {epoch:3d}: loss {losses.mean():.3f}")
    compare(example)


if __name__ == "__main__":
    main()
