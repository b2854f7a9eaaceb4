"""Classes with operators that hold arrays, as people write them."""

from __future__ import annotations

import abc
import enum
import functools
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np


class Vector:
    unit = 2.0

    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return Vector(self.x + other.x) if isinstance(other, Vector) else NotImplemented

    def __sub__(self, other):
        return self + (-other)

    def __mul__(self, factor):
        if isinstance(factor, Vector):
            return (self.x * factor.x).sum()
        return type(self)(self.x * factor)

    __rmul__ = __mul__

    def __imul__(self, factor):
        self.x = self.x * factor
        return self

    def __matmul__(self, other):
        return self.x @ other.x

    def __neg__(self):
        return Vector(-self.x)

    def __abs__(self):
        return np.sqrt(self * self)

    def __getitem__(self, place):
        return self.x[place]

    def __setitem__(self, place, value):
        self.x[place] = value

    def __len__(self):
        return 6

    def __iter__(self):
        return iter((self.x * 2, self.x + 1))

    def __bool__(self):
        return bool(self.x.sum() > 0)

    def __contains__(self, number):
        return bool((self.x == number).any())

    def __lt__(self, other):
        return self.x.sum() < other.x.sum()

    def __eq__(self, other):
        return isinstance(other, Vector) and bool((self.x == other.x).all())

    __hash__ = None  # type: ignore[assignment]

    @property
    def total(self):
        return self.x.sum()

    @total.setter
    def total(self, value):
        self.x = self.x * (value / self.x.sum())

    @staticmethod
    def half(x):
        return x * 0.5

    def norm(self):
        return np.sqrt((self.x**2).sum())


class Scaled(Vector):
    """A subclass, whose reflected methods go first."""

    def __radd__(self, other):
        return Scaled(self.x * 10 + other.x)

    def norm(self):
        return super().norm() * 2


class Late:
    """NumPy leaves operators to it."""

    __array_ufunc__ = None

    def __init__(self, x):
        self.x = x

    def __rmul__(self, other):
        return Late(other * self.x)

    def __rsub__(self, other):
        return other - self.x


class Wrapped:
    """NumPy's functions on it are its own."""

    def __init__(self, x):
        self.x = x

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [item.x if isinstance(item, Wrapped) else item for item in inputs]
        return Wrapped(ufunc(*plain, **kwargs))


class Mixed(np.lib.mixins.NDArrayOperatorsMixin):
    """An array with a unit: operators by ufuncs, NumPy's functions by a table."""

    TABLE: ClassVar[dict[Any, Any]] = {}
    asked = 0

    def __init__(self, x, unit=1.0):
        self.x, self.unit = x, unit

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **kwargs):
        plain = [item.x if isinstance(item, Mixed) else item for item in inputs]
        if ufunc in (np.less, np.equal):
            return ufunc(*plain)
        for own in out:
            ufunc(*plain, out=own.x)
            return own
        return Mixed(ufunc(*plain), self.unit * 2)

    def __array_function__(self, function, types, args, kwargs):
        self.asked += 1
        if function not in Mixed.TABLE or not all(issubclass(kind, Mixed | np.ndarray) for kind in types):
            return NotImplemented
        return Mixed.TABLE[function](*args, **kwargs)


def _stacked(items, axis=0):
    return Mixed(np.stack([item.x if isinstance(item, Mixed) else item for item in items], axis), 3.0)


Mixed.TABLE[np.median] = lambda m: float(m.unit)
Mixed.TABLE[np.sum] = lambda m, axis=None: Mixed(np.sum(m.x, axis=axis), m.unit)
Mixed.TABLE[np.stack] = _stacked
Mixed.TABLE[np.where] = lambda c, a, b: Mixed(np.where(c, a.x, b), a.unit)


class Dual:
    __slots__ = ("d", "v")

    def __init__(self, v, d=1.0):
        self.v, self.d = v, d

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other, 0.0)
        return Dual(self.v + other.v, self.d + other.d)

    __radd__ = __add__

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other, 0.0)
        return Dual(self.v * other.v, self.d * other.v + self.v * other.d)

    __rmul__ = __mul__

    def sin(self):
        return Dual(np.sin(self.v), np.cos(self.v) * self.d)


class Node:
    """Reverse differentiation, by closures and a walk over what was made."""

    def __init__(self, data, parents=()):
        self.data, self.parents, self.grad, self.back = data, parents, None, None

    def __add__(self, other):
        out = Node(self.data + other.data, (self, other))

        def back():
            self.gather(out.grad)
            other.gather(out.grad)

        out.back = back
        return out

    def __mul__(self, other):
        out = Node(self.data * other.data, (self, other))

        def back():
            self.gather(out.grad * other.data)
            other.gather(out.grad * self.data)

        out.back = back
        return out

    def gather(self, grad):
        self.grad = grad if self.grad is None else self.grad + grad

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if id(node) not in seen:
                seen.add(id(node))
                for parent in node.parents:
                    visit(parent)
                order.append(node)

        visit(self)
        self.grad = np.ones_like(self.data)
        for node in reversed(order):
            if node.back:
                node.back()


class Body:
    count = 0

    def __init__(self, x):
        self.x = x
        self.t = 0.0
        self.n = 0
        self.inner = Vector(x + 1)


class Shape(abc.ABC):
    def __init__(self, x):
        self.x = x

    @abc.abstractmethod
    def area(self): ...

    def twice(self):
        return self.area() * 2


class Named:
    def named(self):
        return {"kind": 2.0}


class Square(Named, Shape):
    def area(self):
        return (self.x**2).sum() * self.named()["kind"]


class Missing:
    def __init__(self, x):
        self.held = x

    def __getattr__(self, name):
        if name == "twice":
            return self.held * 2
        raise AttributeError(name)

    @functools.cached_property
    def squared(self):
        return self.held**2


@dataclass
class Record:
    x: Any
    y: Any = 2.0
    tags: list[Any] = field(default_factory=list)

    def __post_init__(self):
        self.z = self.x * self.y


@dataclass(frozen=True)
class Frozen:
    u: Any
    v: Any = 1.5

    def __add__(self, other):
        return Frozen(self.u + other.u, self.v + other.v)

    def __rmul__(self, factor):
        return Frozen(factor * self.u, factor * self.v)


@dataclass(frozen=True, slots=True)
class Slotted:
    u: Any
    v: Any = 1.5


class Pair(NamedTuple):
    a: Any
    b: Any = 3.0

    def swapped(self):
        return Pair(self.b, self.a)


class Mode(enum.Enum):
    ADD = 1
    MULTIPLY = 2
