"""Changes to Inductor's methods for loads and in-place writes, as far as they need no private names of torch.

`adapter.py` installs them. They change how often and in which order memory is read, never a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def wraparound(index: Any, along: Any, modulo: type) -> tuple[Any, Any] | None:
    """Return the one part of an index that counts with `along` and wraps around at a size, with that size.

    Returns None for any other index. modulo: the class of expressions (counting, divisor, size) that rolls
    and tiles are indexed with.
    """
    parts = [part for part in (index.args if index.is_Add else (index,)) if part.has(along)]
    if len(parts) != 1 or not isinstance(parts[0], modulo):
        return None
    counting, divisor, size = parts[0].args  # type: ignore[attr-defined]
    steady = divisor == 1 and not size.has(along) and not (counting - along).has(along)
    return (parts[0], size) if steady else None


def load_at_once_where(text: str, whole: str, load: str) -> Iterator[str]:
    """Yield the lines of a lambda that loads a vector element by element, changed to load it at once where
    `whole` holds."""
    begun = False
    for line in text.splitlines():
        yield line
        if not begun and line.strip() == "{":
            begun = True
            yield f"if ({whole}) return {load};"


def _cached_per_loop(load: Callable[[Any], Any], loop_now: Callable[[], Any]) -> Callable[[Any], Any]:
    """Return `load`, called once for each place of a loop, or of a part of a loop under a condition.

    loop_now: returns the object that writes down the current loop.
    """
    loop: Any = None
    values: dict[tuple[Any, ...], Any] = {}  # by place in the loop

    def loader(index: Any) -> Any:
        nonlocal loop, values
        if (now := loop_now()) is not loop:
            loop, values = now, {}
        known, place = values, tuple(index)
        if place not in known:
            known[place] = load(index)
        return known[place]

    return loader


def once_per_loop(original: Callable[[Any], Any], loop_now: Callable[[], Any]) -> Callable[[Any], Any]:
    """Return Inductor's `make_loader` changed to inline a step once into each loop that uses it.

    Inductor inlines a step anew at each use, and drops the repetitions when it writes the loop: where each of
    many steps uses the last one twice (`x = r * x * (1 - x)`, every complex product), that took 4 ** steps.
    """
    loaders: dict[int, tuple[Any, Callable[..., Any]]] = {}  # with the nodes, whose ids they are kept under

    def make_loader(self: Any) -> Any:
        if id(self) not in loaders:
            loaders[id(self)] = self, _cached_per_loop(original(self), loop_now)
        return loaders[id(self)][1]

    return make_loader


def keep_order(original: Callable[..., None], kinds: tuple[type, ...]) -> Callable[..., None]:
    """Return Inductor's method that recomputes a step's loops, changed to keep the step's ordering
    dependencies.

    kinds: the classes of dependencies that are not reads or writes of the step's own.
    """

    def recompute(self: Any, *args: Any, **kwargs: Any) -> None:
        order = [read for read in self.read_writes.reads if isinstance(read, kinds)]
        original(self, *args, **kwargs)
        if not any(isinstance(read, kinds) for read in self.read_writes.reads):
            for read in order:
                self.set_read_writes(self.read_writes.with_read(read))
            self.set_read_writes(self.read_writes.rename(self.mutation_renames))

    return recompute


def refuse_expanded(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Return the check that a node's first argument may be written in place, changed to refuse expanded
    tensors.

    The elements of an expanded tensor share places in memory.
    """

    def may(node: Any) -> bool:
        value = getattr(node.args[0], "meta", {}).get("val")
        shared = value is not None and any(type(step) is int and step == 0 for step in value.stride())
        return not shared and check(node)

    return may
