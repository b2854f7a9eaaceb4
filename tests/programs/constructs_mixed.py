"""Small programs around array work, as `constructs.py` has it: enums, dataclasses, recursion, exceptions, loops."""  # noqa: E501

from __future__ import annotations

import dataclasses
import enum
import functools

import numpy as np

from tests.programs.constructs import Move


@functools.lru_cache(maxsize=None)  # noqa: UP033
def coefficients(n):
    return np.arange(n) * 0.5


@functools.cache
def factor(n):
    return n * 2.5


def lru_array(x, k, box):
    return x * coefficients(3).sum()


def lru_number(x, k, box):
    return x * factor(3) + 1


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


class Way(enum.Enum):
    UP = "up"
    DOWN = "down"

    @property
    def sign(self):
        return 1.0 if self is Way.UP else -1.0

    def scaled(self, x):
        return x * self.sign


def enum_member(x, k, box):
    mode = Mode.FAST
    if mode is Mode.FAST:
        return x * mode.value
    return x


def enum_loop(x, k, box):
    return sum(x * mode.value for mode in Mode)


def enum_by_value(x, k, box):
    mode = Mode(2)
    return x * mode.value if mode == Mode.SLOW else x


@dataclasses.dataclass(frozen=True)
class State:
    u: np.ndarray
    t: float = 0.0


@dataclasses.dataclass
class Record:
    u: np.ndarray
    history: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        self.n = len(self.u)


def data_frozen(x, k, box):
    s = State(x)
    s = dataclasses.replace(s, u=s.u * 2, t=s.t + 0.5)
    return s.u * s.t


def data_factory(x, k, box):
    r = Record(x)
    r.history.append(x * 2)
    return r.history[0] + r.n


def data_asdict(x, k, box):
    s = State(x, 2.0)
    d = dataclasses.asdict(s)
    return d["u"] * d["t"]


def power(x, n):
    if n == 0:
        return np.ones_like(x)
    half = power(x, n // 2)
    return half * half * (x if n % 2 else 1.0)


def recursion(x, k, box):
    return power(x, 5)


def failing(x):
    if x.sum() > -1e9:
        raise ValueError("too large")
    return x


def checked(x):
    if x.sum() < -1e9:
        raise ValueError("too small")
    return x * 2


def try_passes(x, k, box):
    try:
        y = checked(x)
    except ValueError:
        y = x
    else:
        y = y + 1
    return y * 2


def try_finally(x, k, box):
    try:
        y = x * 2
    finally:
        box.t = 1.0
    return y + box.t


def try_caught(x, k, box):
    try:
        y = failing(x * 2)
    except ValueError as error:
        y = x * len(str(error))
    return y + 1


def try_from(x, k, box):
    try:
        y = failing(x)
    except ValueError as error:
        raise RuntimeError("outer") from error
    return y


def try_key(x, k, box):
    cache = {}
    try:
        y = cache["y"]
    except KeyError:
        y = cache["y"] = x * 2
    return y + cache["y"]


def try_import(x, k, box):
    try:
        import numpy.linalg as la
    except ImportError:
        la = None
    return x * la.norm(x)


def closure_maker(x, k, box):
    def make(by):
        def f(a):
            return a * by

        return f

    double, triple = make(2.0), make(3.0)
    return double(x) + triple(x)


def composed(x, k, box):
    def compose(*fs):
        return functools.reduce(lambda f, g: lambda a: g(f(a)), fs)

    return compose(np.sin, np.cos, lambda a: a * 2)(x)


def table_of_functions(x, k, box):
    table = {"relu": lambda a: np.maximum(a, 0), "id": lambda a: a}
    return table["relu"](x) + table["id"](x)


def dict_comprehension(x, k, box):
    d = {name: x * i for i, name in enumerate(["a", "b"])}
    d |= {"c": x}
    return d["a"] + d["b"] + d["c"]


def dict_methods(x, k, box):
    d = {"a": x}
    d.update(b=x * 2)
    d.setdefault("c", x * 3)
    y = d.pop("a")
    return y + d.get("b", 0) + d["c"]


def del_local(x, k, box):
    y = x * 2
    z = y + 1
    del y
    return z


def format_text(x, k, box):
    box.log.append(f"{k}")
    return x * 2


def while_number(x, k, box):
    n = 3
    while n > 0:
        x = x * 2 + n
        n -= 1
    return x


def for_range(x, k, box):
    for i in range(4):
        x = x + i * np.sin(x)
    return x


def for_list(x, k, box):
    weights = [0.5, 0.25, 0.125, 1.0, 2.0]
    y = x * 0
    for w in weights:
        y += w * np.cos(x * w)
    return y


def assert_true(x, k, box):
    assert x.ndim == 1, "one axis"
    assert np.all(np.isfinite(x))
    return x * 2


def isinstance_dispatch(x, k, box):
    def area(shape):
        if isinstance(shape, Move):
            return shape.dx * x
        if isinstance(shape, (list, tuple)):
            return sum(map(area, shape))
        return x * shape

    return area([Move(1.0, 2.0), 3.0])


class Dual:
    def __init__(self, v, d):
        self.v, self.d = v, d

    def __add__(self, o):
        return Dual(self.v + o.v, self.d + o.d)

    def __mul__(self, o):
        return Dual(self.v * o.v, self.v * o.d + self.d * o.v)

    def __repr__(self):
        return "Dual"


def operators(x, k, box):
    a = Dual(x, np.ones_like(x))
    b = a * a + a
    return b.v, b.d


class Tensor:
    def __init__(self, data, children=()):
        self.data = data
        self.grad = np.zeros_like(data)
        self._backward = lambda: None
        self._prev = set(children)

    def __add__(self, other):
        out = Tensor(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Tensor(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        t = np.tanh(self.data)
        out = Tensor(t, (self,))

        def _backward():
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward
        return out

    def backward(self):
        topo = []
        visited = set()

        def build(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build(child)
                topo.append(v)

        build(self)
        self.grad = np.ones_like(self.data)
        for v in reversed(topo):
            v._backward()


def autograd(x, k, box):
    w, b, a = Tensor(box.y), Tensor(x * 0.5), Tensor(x)
    out = (w * a + b).tanh()
    out.backward()
    return out.data, w.grad, b.grad, a.grad


def flags_of_arrays(x, k, box):
    if not box.y.flags.c_contiguous or not x.flags["WRITEABLE"]:
        return x
    rows = box.y.reshape(2, 3)
    if not rows.T.flags.c_contiguous and rows.T.flags.f_contiguous:
        x += 1
    return x * k + rows.T.reshape(-1)


def getter_of_an_enumeration(x, k, box):
    way = Way.UP if box.t > 0 else Way.DOWN
    return way.scaled(x) + way.sign * k
