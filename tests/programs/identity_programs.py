"""Programs that ask which object a value is, and hand values on."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import math
from typing import Any

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
    # A step gives a new object, or one of a few.
    total = v + v
    same = total
    return same is total, x * 2.0


def tupled(o, v, x):
    return o.alpha is v, (v, o.alpha), x * 2.0


LIMIT, RATE, PAIR = 1000, 2.5, (1000, 2.5)
COUPLE, TEXT = (1000, 7), "a b"


def held_as_read(o, values, x):
    o.key = values[0]
    return o.key is o.alpha, o.alpha is not values[-1], x * 2.0


def key_of_dict(o, values, x):
    kept = {PAIR: values[0]}
    return kept, x * 2.0


def key_of_held(o, values, x):
    new = Model({PAIR: values[0]})
    new.key = {values[-1]: (values[0], PAIR)}
    o.key = {COUPLE: PAIR}
    return new, x * 2.0


def literal_kept(o, values, x):
    o.kept.append(("a b", 2))
    o.kept.append([("a b", 2), {("a b", 2): TEXT}])
    new = Model(("a b", 2))
    return TEXT, new, ("a b", 2), x * 2.0


def literal_or_read(o, values, x):
    held, written = o.alpha, (1000, 2.5)
    o.kept.append((1000, 2.5))
    return held is written, x * 2.0


def text_or_read(o, values, x):
    held, written = o.alpha, "x y"
    o.kept.append("x y")
    return held is written, held, "x y", x * 2.0


def kept_then_raises(o, values, x):
    made = [values[0], o.number]
    o.kept.append(made)
    o.kept.append({"v": [o.number]})
    raise ValueError(values[0], o.number)


class Color(enum.Enum):
    RED = 1000
    BLUE = 2.5


class Settings:
    LIMIT = 1000
    RATE = -7.5
    MISSING = object()


@dataclasses.dataclass
class Record:
    alpha: Any = 1000
    beta: Any = 2.5
    pair: Any = (1000, 2.5)


def literal():
    return 1000


def halves(x):
    return 0.5 if x.sum() < 0 else (0.5, 1000)


def of_default(a=LIMIT, *, b=RATE):
    return a if a is not LIMIT else b


class Watched:
    """Notes the objects that Python hands to its special methods."""

    def __init__(self, seen: list[Any]) -> None:
        object.__setattr__(self, "seen", seen)

    def __setattr__(self, name: str, value: Any) -> None:
        self.seen.append(value)
        object.__setattr__(self, name, value)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.seen.extend((key, value))

    def __getitem__(self, key: Any) -> Any:
        self.seen.append(key)
        return key

    def __contains__(self, item: Any) -> bool:
        self.seen.append(item)
        return False

    def __eq__(self, other: Any) -> bool:
        self.seen.append(other)
        return False

    def __hash__(self) -> int:
        return 5

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.seen.extend((*args, *kwargs.values()))
        return args[0] if args else None

    def __format__(self, text: str) -> str:
        return f"<{text}>"

    def __enter__(self) -> Any:
        return self.seen[-1] if self.seen else None

    def __exit__(self, *error: Any) -> None:
        self.seen.append(None)


class Base:
    """Notes what classes that are made of it are given."""

    given: Any = None

    def __init_subclass__(cls, key: Any = None, **named: Any) -> None:
        cls.given = key


@contextlib.contextmanager
def holding(value):
    yield value


def each(*values):
    yield from values
