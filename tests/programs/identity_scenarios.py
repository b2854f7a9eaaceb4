"""Scenarios that call the programs of `identity_programs.py` with values of all types.

Values are others from call to call, some of them one object and some only equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.programs import identity_programs as programs
from tests.programs.identity_programs import ACTIVE, BUSY, IDLE, MISSING, PENDING, Machine, Model


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
        return (*value,)
    if isinstance(value, np.generic):
        return np.array(value)[()]
    return value


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
        return (
            "array",
            value.dtype,
            value.tolist() if value.dtype != object else shown(list(value.flat), known),
        )
    if type(value) in (list, tuple):
        which = [at for at, one in enumerate(known) if one is value]
        return type(value), which, [shown(item, known) for item in value]
    if type(value) is dict:
        return dict, [(shown(key, known), shown(item, known)) for key, item in value.items()]
    if isinstance(value, Model | Machine):
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
EVERY = tuple(VALUES)

# function, how it is called, and with which values
PROGRAMS: list[tuple[Callable[..., Any], Play, tuple[str, ...]]] = [
    (programs.toggle, with_states(IDLE), ("small",)),
    (programs.toggle_large, with_states(PENDING), ("large",)),
    (programs.is_held, with_model, EVERY),
    (programs.is_not_held, with_model, EVERY),
    (programs.set_then_asked, with_model, EVERY),
    (programs.tupled, with_model, EVERY),
    (programs.recomputed, with_model_alone, EVERY),
    (programs.cloned, with_model_alone, EVERY),
    (programs.cloned_opaquely, with_model_alone, EVERY),
    (programs.remade, with_model_alone, EVERY),
    (programs.best_of, with_rows, NUMBERS),
    (programs.best_of_missing, with_rows, NUMBERS),
    (programs.best_of_means, with_means, ("float",)),
    (programs.repeated, with_one, EVERY),
    (programs.displayed, with_one, EVERY),
    (programs.handed_on, with_one, EVERY),
    (programs.handed_through, with_one, EVERY),
    (programs.yielded, with_one, EVERY),
    (programs.raised, with_one, EVERY),
    (programs.defaulted, with_one, EVERY),
    (programs.clamped, with_one, NUMBERS),
    (programs.summed, with_one, tuple(set(EVERY) - {"none"})),
    (programs.places, with_points, EVERY),
    (programs.greatest, with_rows, NUMBERS),
    (programs.appended, with_history, EVERY),
    (programs.placed, with_pairs, EVERY),
    (programs.removed, with_pairs, EVERY),
    (programs.among, with_pairs, EVERY),
    (programs.in_sets, with_pairs, EVERY),
    (programs.equal_rows, with_pairs, EVERY),
    (programs.identified, with_pairs, EVERY),
    (programs.branches, with_pairs, EVERY),
    (programs.aliased, with_pairs, EVERY),
    (programs.looped, with_points, EVERY),
    (programs.looped_long, with_points, EVERY),
    (programs.stored_by_key, with_dict, EVERY),
    (programs.cached, with_dict, KEYS),
    (programs.cached_by_identity, with_dict, EVERY),
    (programs.kept_by_calls, with_keeping, EVERY),
    (programs.kept_of_made, with_keeping, EVERY),
    (programs.held_globally, with_x, ("large",)),
    (programs.matched, with_states(IDLE), ("small",)),
    (programs.element, with_elements, EVERY),
]
