"""Small programs around array work, as `constructs.py` has it: what is put in order, chosen by its type, or
remembered."""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections import deque, namedtuple

import numpy as np

Weight = namedtuple("Weight", "value place")
RECENT = deque([1.0, 3.0, 2.0], maxlen=3)
EMPTY: deque[float] = deque()


@dataclasses.dataclass(order=True)
class Event:
    time: float
    name: str = dataclasses.field(compare=False)


@functools.total_ordering
class Version:
    def __init__(self, major):
        self.major = major

    def __lt__(self, other):
        return self.major < other.major

    def __eq__(self, other):
        return self.major == other.major


class Options(enum.Flag):
    SCALE = enum.auto()
    SHIFT = enum.auto()


class Access(enum.IntFlag):
    READ = enum.auto()
    WRITE = enum.auto()


CHOSEN = Options.SCALE


def tuples_of_numbers(x, k, box):
    best = max((box.t, 1), (box.t + x[0] * 0 + 1.0, 2))
    return x * best[1] + ((box.t, 2.0) < (box.t, 3.0)) + ((box.t, 1) == (box.t, 2))


def sorted_by_first(x, k, box):
    return [v * x for _, v in sorted([(box.t, 1.0), (box.t + 2, 2.0), (box.t - 2, 3.0)])]


def sorted_items(x, k, box):
    return [value * x for _, value in sorted({"b": box.t, "a": 2.0 * k}.items())]


def sorted_named(x, k, box):
    return [w.place * x for w in sorted([Weight(box.t + 1, 1), Weight(box.t, 2)])]


def same_named(x, k, box):
    return x * 2 if Weight(box.t, 1) == Weight(box.t, 1) else x


def least_event(x, k, box):
    first = min(Event(box.t + 1, "late"), Event(box.t, "soon"))
    return x * first.time, first.name


def greatest_version(x, k, box):
    return x * max([Version(box.t), Version(box.t + 1), Version(box.t - 1)]).major


def least_generated(x, k, box):
    return x * min((float(v) for v in x[:3]), default=0.0)


def least_of_none(x, k, box):
    return x * min([v for v in (1.0, 2.0) if v > 3], default=box.t)


def greatest_recent(x, k, box):
    return x * max(RECENT)


def truth_of_deque(x, k, box):
    made = deque([x])
    made.append(x * 2)
    return made[-1] if made and RECENT and not EMPTY else x


def truth_of_flags(x, k, box):
    y = x * 2 if CHOSEN & Options.SCALE else x
    return y + 1 if CHOSEN & Options.SHIFT else y - (1 if Access.READ | Access.WRITE else 2)


def named_slices(x, k, box):
    inner, every = np.s_[1:-1], np.index_exp[::2]
    box.y[inner] = x[inner]
    return x[every] * 2, x[np.s_[-3:]]


@functools.singledispatch
def size_of(value):
    return 1.0


@size_of.register
def _(value: float):
    return abs(value)


@size_of.register(np.ndarray)
def _(value, power=2):
    return (value**power).sum()


@size_of.register
def _(value: Version):
    return size_of(value.major)


def dispatched(x, k, box):
    return size_of(x), size_of(x, power=3), size_of(-2.5) + size_of(None), size_of(Version(x)) + x


@functools.lru_cache(maxsize=None)  # noqa: UP033
def route(start, options):
    return start, f"{options.name}", 2.5, (1, 2)


@functools.cache
def order_of(name):
    return {"euler": 1, "rk4": 4}[name]


@functools.cache
def settings(name):
    return {"name": name, "weights": [1.0, 2.0]}


def remembered_tuple(x, k, box):
    start, name, by, (one, two) = route(3, Options.SCALE)
    return x * by if name == "SCALE" and start > one else x + two


def remembered_size(x, k, box):
    return np.zeros(order_of("rk4")) + x[: order_of("rk4")]


def remembered_dict(x, k, box):
    return x * settings("a")["weights"][1], settings("a")["name"]


# Their comparisons change from call to call.


def in_tuples(x, k, box):
    return (Version(k), 1) < (Version(2), 2), (Version(k), 1) == (Version(2), 1), x + k


def in_lists(x, k, box):
    return [Version(k), x] != [Version(2), x], x + k


def in_dicts(x, k, box):
    return {"a": Version(k)} == {"a": Version(2)}, x + k


def among(x, k, box):
    return Version(k) in [Version(2), Version(3)], Event(k, "") in (Event(2, ""),), x + k


def place_in_list(x, k, box):
    return [Version(2), Version(1)].index(Version(k)) * x


def times_in_list(x, k, box):
    return [(Version(2), 1), (Version(3), 1)].count((Version(k), 1)) * x


def equal_events(x, k, box):
    return Event(k, "a") == Event(2, "b"), Event(k, "a") != Event(2, "b"), x + k


def equal_named(x, k, box):
    return Weight(Version(k), 1) == Weight(Version(2), 1), x + k


def sorted_in_tuples(x, k, box):
    pairs = [(Version(2), 2.0), (Version(1.5 * k), 1.0)]
    pairs.sort()
    return [v * x for _, v in pairs]


def greatest_by_tuple(x, k, box):
    return max([1.5 * k, 2.0], key=lambda v: (Version(v), 0)) * x


def number_in_list(x, k, box):
    return x * (2 if box.t in [2.5, k] else 3)


def number_not_in_tuple(x, k, box):
    return x * (2 if box.t not in (k, 2.5) else 3)


def list_of_numbers(x, k, box):
    return [k, box.t] == [2, 300.0], [k, box.t] != [k, box.t], [k, x] == [k, x], [k] != [k, 1], x * k


def order_of_lists(x, k, box):
    return [1.0, box.t] < [1.0, 20.5], [k, 1] >= [3], [x[0], k] <= [x[0], 5], x * k


def dict_of_numbers(x, k, box):
    return {"a": box.t, "b": k} == {"b": k, "a": 300.0}, {"a": x} != {"a": x}, {"a": k} == {"b": k}, x * k


def place_of_number(x, k, box):
    return [1, 2, 3].index(k) * x, (k, 5, k).count(k), [box.t, 0.0, x[0]].index(x[0])


def place_of_none(x, k, box):
    try:
        return [x[0], -1.0].index(box.t)
    except ValueError:
        return x * [k, 1.5].count(box.t)
