"""Programs that ask which object a value is, and the plays in which they are called: with values of all types,
others from call to call, some of them one object and some only equal."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

IDLE, BUSY = 0, 1
PENDING, ACTIVE = 1000, 2000
MISSING = -math.inf


class Machine:
    def __init__(self, state: Any) -> None:
        self.state = state


class Model:
    def __init__(self, alpha: Any = 1.0) -> None:
        self.alpha = alpha
        self.key = None
        self.computed = 0


class Point:
    def __init__(self, place: Any) -> None:
        self.place = place


def again(value: Any) -> Any:
    """An equal object that is another one, where Python makes one."""
    kind = type(value)
    if kind is float:
        return math.nan * 1.0 if value != value else value * 1.0
    if kind is int:
        return value + (1 << 70) - (1 << 70)
    if kind is complex:
        return complex(value.real, value.imag)
    if kind is str:
        return "".join(list(value))
    if kind is tuple:
        return tuple(list(value))
    if isinstance(value, np.generic):
        return np.array(value)[()]
    return value


# -- the function's own state ---------------------------------------------------------------------------------


def toggle(m, x):
    if m.state is IDLE:
        m.state = BUSY
        return x * 2
    m.state = IDLE
    return -x


def toggle_large(m, x):
    if m.state is PENDING:
        m.state = ACTIVE
        return x * 2
    m.state = PENDING
    return -x


def is_held(o, v, x):
    return o.alpha is v, x * 2.0


def is_not_held(o, v, x):
    if o.alpha is not v:
        return x + 1, v
    return x * 2, v


def set_then_asked(o, v, x):
    o.alpha = v
    y = x * 2
    return o.alpha is v, y


def recomputed(o, x):
    if o.key is not o.alpha:
        o.key = o.alpha
        o.computed += 1
    return x * 2.0, o.computed


def best_of(xs, x, default=1000):
    best = default
    for part in xs:
        m = part
        if best is default or m > best:
            best = m
    return best, x * 2


def best_of_missing(xs, x, default=MISSING):
    best = default
    for part in xs:
        m = part
        if best is default or m > best:
            best = m
    return best, x * 2


def best_of_means(rows, default=1000):
    best = default
    for row in rows:
        m = (row * 2).mean()
        if best is default or m > best:
            best = m
    return best


def repeated(v, x):
    made = [v for _ in range(3)]
    return made[1] is v, made[0] is made[2], x * 2.0


def displayed(v, x):
    made, pair, named = [v, v], (v, 1), {"v": v}
    return made[1] is v, pair[0] is v, named["v"] is v, made, pair, named, x + 1


def cloned(o, x):
    new = Model(o.alpha)
    return getattr(new, "alpha") is not o.alpha, x * 2.0  # noqa: B009


def cloned_opaquely(o, x):
    new = Model(o.alpha)
    return vars(new)["alpha"] is o.alpha, x * 2.0


def remade(o, x):
    return Model(o.alpha), x * 2.0


def places(points, best, x):
    return [i for i, p in enumerate(points) if p is best], x * 2.0


def greatest(w, x):
    most = max(w)
    return most is w[0], most is w[1], x * 2.0


def clamped(v, x):
    low = max(v, 0.5)
    return low is v, low, x * 2.0


def appended(r, v, x):
    r.append(v)
    return v in r, r[-1] is v, x * 2.0


def placed(v, w, x):
    made = [w, v]
    return made.index(v), made.count(v), v in made, x * 2.0


def removed(v, w, x):
    made = [w, v, w]
    made.remove(v)
    return made, x * 2.0


def among(v, w, x):
    return v in (w, v), v in (w, 1.5), v not in [w], x * 2.0


def in_sets(v, w, x):
    return v in {w}, v in {v, w}, {v: 1}.get(v), {w: 1}.get(v), x * 2.0


def equal_rows(v, w, x):
    return [v] == [v], [v] == [w], (v, w) == (v, w), x * 2.0


def identified(v, w, x):
    return id(v) == id(w), id(v) == id(v), x * 2.0


def handed_on(v, x):
    y = x * 2.0
    return v, y


def handed_through(v, x):
    def inner(value):
        return value

    return inner(v), (lambda: v)(), x * 2.0


def stored_by_key(d, v, x):
    d["last"] = v
    y = x * 2
    return d["last"] is v, y


def cached(cache, v, x):
    if v in cache:
        return cache[v] is v, x * 2.0
    cache[v] = v
    return cache[v] is v, x * 3.0


def cached_by_identity(cache, v, x):
    if id(v) in cache:
        return "known", x * 2.0
    cache[id(v)] = v
    return "new", x * 3.0


def held_globally(x):
    return PENDING, MISSING, x * 2.0


def branches(v, w, x):
    if v is w:
        return x * 2.0
    return x + 1


def looped(values, w, x):
    total = x * 0.0
    for value in values:
        total = total + (x if value is w else x * 2.0)
    return total


def looped_long(values, w, x):
    found = []
    for value in values:
        x = x * 1.5
        if value is w:
            found.append(value)
    return found, x


def kept_by_calls(keep, v, x):
    y = x * 2.0
    keep(v)
    keep([v, v])
    keep({"v": (v,)})
    return y + 1


def kept_of_made(keep, v, x):
    y = x * 2.0
    made = [v, 1]
    keep(made)
    return y + 1, made[0] is v


def yielded(v, x):
    def each():
        yield v
        yield v

    y = x * 2.0
    return [one is v for one in each()], y


def raised(v, x):
    y = x * 2.0
    try:
        raise ValueError(v)
    except ValueError as error:
        return error.args[0] is v, y


def defaulted(v, x):
    def inner(one=v):
        return one is v

    return inner(), x * 2.0


def matched(m, x):
    states = {IDLE: "idle", BUSY: "busy"}
    name = states.get(m.state)
    m.state = BUSY if m.state is IDLE else IDLE
    return name, x * 2.0


def aliased(v, w, x):
    return v is w, x * 2.0, v, w


def element(a, x):
    first, again = a[0], a[0]
    return first is again, first is first, x * 2.0


def summed(v, x):
    # What a step gives is a new object, or one of a few.
    total = v + v
    same = total
    return same is total, x * 2.0


def tupled(o, v, x):
    return o.alpha is v, (v, o.alpha), x * 2.0


VALUES: dict[str, tuple[Any, ...]] = {
    "small": (3, 0, 1, -1, 3, 255),
    "large": (1000, 2000, 10**6, 10**20, 1000, 257),
    "float": (0.5, 1.5, 0.0, -0.0, math.inf, 2.5),
    "nan": (math.nan, float("nan"), 1.5, np.nan, float("nan"), math.nan),
    "bool": (True, False, True, True, False, True),
    "complex": (1j, 2 + 1j, 0j, 1j, 2j, 3 + 0j),
    "text": ("a", "word one", "b", "word one", "", "word two"),
    "float64": tuple(map(np.float64, (2.5, 1.0, 0.0, 2.5, np.nan, 3.0))),
    "int64": tuple(map(np.int64, (3, 1000, 0, 3, 5, 7))),
    "float32": tuple(map(np.float32, (2.5, 1.0, 0.0, 2.5, 1.5, 3.0))),
    "tuple": ((1, 2), (3.5,), (1000, 2000), (1, 2), (), ("a", 1)),
    "none": (None, None, None, None, None, None),
}


def _pairs(values: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    """Of each value: with itself, with an equal, and with another, by turns."""
    partners: list[Callable[[int], Any]] = [
        lambda at: values[at],
        lambda at: again(values[at]),
        lambda at: values[at - 1],
    ]
    return [(value, partners[at % 3](at)) for at, value in enumerate(values)]


def shown(value: Any, known: list[Any]) -> Any:
    """A value as it is compared: its type, its text, and which of the known objects it is."""
    if isinstance(value, np.ndarray):
        return "array", value.dtype, value.tolist() if value.dtype != object else shown(list(value.flat), known)
    if type(value) in (list, tuple):
        which = [at for at, one in enumerate(known) if one is value]
        return type(value), which, [shown(item, known) for item in value]
    if type(value) is dict:
        return dict, [(shown(key, known), shown(item, known)) for key, item in value.items()]
    if isinstance(value, Model | Machine | Point):
        return type(value), shown(vars(value), known)
    which = [at for at, one in enumerate(known) if one is value]
    return type(value), repr(value), which


Play = Callable[[Callable[..., Any], tuple[Any, ...]], list[Any]]


def _x(at: int) -> Any:
    return np.arange(4.0) + at


def with_pairs(fn: Callable[..., Any], values: tuple[Any, ...]) -> list[Any]:
    """Calls by two values."""
    return [shown(fn(v, w, _x(at)), [v, w]) for at, (v, w) in enumerate(_pairs(values))]


def with_one(fn: Callable[..., Any], values: tuple[Any, ...]) -> list[Any]:
    return [shown(fn(v, _x(at)), [v]) for at, v in enumerate(values)]


def with_model(fn: Callable[..., Any], values: tuple[Any, ...]) -> list[Any]:
    told = []
    for at, (v, w) in enumerate(_pairs(values)):
        o = Model(w)
        told.append((shown(fn(o, v, _x(at)), [v, w]), shown(o, [v, w])))
    return told


def with_model_alone(fn: Callable[..., Any], values: tuple[Any, ...]) -> list[Any]:
    o = Model(values[0])
    told = []
    for at, v in enumerate(values):
        if at % 2:
            o.alpha = v
        told.append((shown(fn(o, _x(at)), [o.alpha, *values]), shown(o, list(values))))
    return told


def with_states(first: Any) -> Play:
    def play(fn: Callable[..., Any], values: tuple[Any, ...]) -> list[Any]:
        m = Machine(first)
        return [(shown(fn(m, _x(at)), []), shown(m, [IDLE, BUSY, PENDING, ACTIVE])) for at in range(6)]

    return play


def with_points(fn: Callable[..., Any], values: tuple[Any, ...]) -> list[Any]:
    told = []
    for at, (v, w) in enumerate(_pairs(values)):
        points = [w, v, again(v), values[at - 2], v][: 3 + at % 3]
        told.append(shown(fn(points, v, _x(at)), [v, w]))
    return told


def with_rows(fn: Callable[..., Any], values: tuple[Any, ...]) -> list[Any]:
    told = []
    for at, (v, w) in enumerate(_pairs(values)):
        told.append(shown(fn([v, w], _x(at)), [v, w]))
    return told


def with_means(fn: Callable[..., Any], values: tuple[Any, ...]) -> list[Any]:
    told = []
    for at in range(6):
        told.append(shown(fn(np.arange(4.0 * (2 + at)).reshape(-1, 4) - at), list(fn_defaults(fn))))
    return told


def fn_defaults(fn: Any) -> tuple[Any, ...]:
    return tuple(getattr(fn, "__defaults__", None) or ())


def with_history(fn: Callable[..., Any], values: tuple[Any, ...]) -> list[Any]:
    told, r = [], []
    for at, v in enumerate(values):
        told.append((shown(fn(r, v, _x(at)), [v]), shown(r, list(values))))
    return told


def with_dict(fn: Callable[..., Any], values: tuple[Any, ...]) -> list[Any]:
    told, held = [], {}
    for at, v in enumerate(values):
        told.append((shown(fn(held, v, _x(at)), [v]), shown(list(held.values()), list(values))))
    return told


def with_keeping(fn: Callable[..., Any], values: tuple[Any, ...]) -> list[Any]:
    kept: list[Any] = []
    told = [shown(fn(kept.append, v, _x(at)), [v]) for at, v in enumerate(values)]
    return [told, shown(kept, list(values))]


def with_x(fn: Callable[..., Any], values: tuple[Any, ...]) -> list[Any]:
    return [shown(fn(_x(at)), [PENDING, MISSING]) for at in range(6)]


def with_elements(fn: Callable[..., Any], values: tuple[Any, ...]) -> list[Any]:
    return [shown(fn(np.array([v, v], dtype=object), _x(at)), [v]) for at, v in enumerate(values)]


NUMBERS = ("small", "large", "float", "bool", "float64", "int64", "float32")
KEYS = ("small", "large", "float", "nan", "bool", "complex", "text", "float64", "int64", "tuple")
EVERY = tuple(kind for kind in VALUES if kind not in ("text", "tuple"))

# function, how it is called, and with which values
PROGRAMS: list[tuple[Callable[..., Any], Play, tuple[str, ...]]] = [
    (toggle, with_states(IDLE), ("small",)),
    (toggle_large, with_states(PENDING), ("large",)),
    (is_held, with_model, EVERY),
    (is_not_held, with_model, EVERY),
    (set_then_asked, with_model, EVERY),
    (tupled, with_model, EVERY),
    (recomputed, with_model_alone, EVERY),
    (cloned, with_model_alone, EVERY),
    (cloned_opaquely, with_model_alone, EVERY),
    (remade, with_model_alone, EVERY),
    (best_of, with_rows, NUMBERS),
    (best_of_missing, with_rows, NUMBERS),
    (best_of_means, with_means, ("float",)),
    (repeated, with_one, EVERY),
    (displayed, with_one, EVERY),
    (handed_on, with_one, EVERY),
    (handed_through, with_one, EVERY),
    (yielded, with_one, EVERY),
    (raised, with_one, EVERY),
    (defaulted, with_one, EVERY),
    (clamped, with_one, NUMBERS),
    (summed, with_one, tuple(set(EVERY) - {"none"})),
    (places, with_points, EVERY),
    (greatest, with_rows, NUMBERS),
    (appended, with_history, EVERY),
    (placed, with_pairs, EVERY),
    (removed, with_pairs, EVERY),
    (among, with_pairs, EVERY),
    (in_sets, with_pairs, EVERY),
    (equal_rows, with_pairs, EVERY),
    (identified, with_pairs, EVERY),
    (branches, with_pairs, EVERY),
    (aliased, with_pairs, EVERY),
    (looped, with_points, EVERY),
    (looped_long, with_points, EVERY),
    (stored_by_key, with_dict, EVERY),
    (cached, with_dict, KEYS),
    (cached_by_identity, with_dict, EVERY),
    (kept_by_calls, with_keeping, EVERY),
    (kept_of_made, with_keeping, EVERY),
    (held_globally, with_x, ("large",)),
    (matched, with_states(IDLE), ("small",)),
    (element, with_elements, EVERY),
]
