"""What a call costs beside its kernels: tiny functions, state in objects and dicts, guards, loops' trips."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import npcompile
from timing import header, parser, save
from tiny import TINY, Guarded, Simulation, advance, march, relax, step_arrays, step_state, step_triples

ROUNDS, BATCH = 60, 1e-3  # by turns, so many batches of so many seconds; the least counts


def least(calls: dict[str, Callable[[], Any]], rounds: int = ROUNDS) -> dict[str, float]:
    """Seconds of one call of each: what others do on the machine only ever adds to it."""
    numbers = {}
    for name, call in calls.items():
        for _ in range(40):  # replays are measured beside NumPy on the first ones
            call()
        start = time.perf_counter()
        call()
        numbers[name] = max(1, round(BATCH / (time.perf_counter() - start)))
    found = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            number = range(numbers[name])
            start = time.perf_counter()
            for _ in number:
                call()
            found[name] = min(found[name], (time.perf_counter() - start) / len(number))
    return found


def compare(title: str, fn: Any, make: Callable[[], tuple[Any, ...]], per: int = 1) -> dict[str, Any]:
    """NumPy's time and the jitted function's, each on arguments of its own; per: trips in a call."""
    jitted = npcompile.jit(fn, wait=True)
    one, other = make(), make()
    found = least({"NumPy": lambda: fn(*one), "npcompile": lambda: jitted(*other)})
    numpys, ours = (found[name] / per * 1e6 for name in ("NumPy", "npcompile"))
    stats = jitted.stats
    what = "replayed" if stats.kernels and stats.plain_calls < stats.calls / 2 else "left to NumPy"
    print(f"{title:34}{numpys:>10.2f}{ours:>12.2f}{ours / numpys:>10.2f}  {what}", flush=True)
    return {"name": title, "numpy": numpys, "npcompile": ours, "what": what}


def guards() -> dict[str, Any]:
    """What 30 guards (10 globals, 10 numbers and 10 arrays in attributes) add to a call."""
    few, many = npcompile.jit(Guarded.few, wait=True), npcompile.jit(Guarded.many, wait=True)
    state = Guarded()
    found = least({"few": lambda: few(state, state.a0), "many": lambda: many(state, state.a0)})
    added = (found["many"] - found["few"]) * 1e6
    print(f"{'30 guards more':34}{'':>10}{added:>12.2f}")
    return {"name": "30 guards more", "numpy": 0.0, "npcompile": added, "what": ""}


def main() -> None:
    chosen = parser(__doc__).parse_args()
    header("calls, in microseconds; of loops a trip")
    print(f"{'':34}{'NumPy':>10}{'npcompile':>12}{'of NumPy':>10}")
    rows = [compare(fn.__name__.replace("_", " "), fn, make) for fn, make in TINY]
    rows += [
        compare("a step: arrays", step_arrays, lambda: (np.linspace(0, 1, 64), np.zeros(64), 0.01)),
        compare("a step: an object", Simulation.step, lambda: (Simulation(64), 0.01)),
        compare("a step: a dict", step_state, lambda: (vars(Simulation(64)), 0.01)),
        compare("a step: nested lists and tuples", step_triples, lambda: (Simulation(64).nested(), 0.01)),
        guards(),
        compare("for: 10,000 trips, 64", march, lambda: (np.linspace(0, 1, 64), 10_000), 10_000),
        compare("while with tolerance, 64", relax, lambda: (np.linspace(0, 1, 64) ** 2, 1e-6), trips()),
        compare("a method in its own loop, 64", advance, lambda: (Simulation(64), 1000), 1000),
    ]
    save(chosen.json, "calls", measured=rows)


def trips() -> int:
    return relax(np.linspace(0, 1, 64) ** 2, 1e-6)[1]


if __name__ == "__main__":
    main()
