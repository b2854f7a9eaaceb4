"""How kernels load from memory, as far as it needs no private names: vectors whole, values once in a
loop, what is written over before it is, and what may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def turning(index: Any, along: Any, modulo: type) -> tuple[Any, Any] | None:
    """The one part of an index that counts with `along` and begins anew at a size, and that size; None: the
    index is not like that.

    modulo: of expressions (counting, divisor, size), as rolls and tiles make them.
    """
    parts = [part for part in (index.args if index.is_Add else (index,)) if part.has(along)]
    if len(parts) != 1 or not isinstance(parts[0], modulo):
        return None
    counting, divisor, size = parts[0].args  # type: ignore[attr-defined]
    steady = divisor == 1 and not size.has(along) and not (counting - along).has(along)
    return (parts[0], size) if steady else None


def unless(text: str, whole: str, load: str) -> Iterator[str]:
    """The lines of a lambda that puts a vector together, which loads it at once where `whole` is true."""
    begun = False
    for line in text.splitlines():
        yield line
        if not begun and line.strip() == "{":
            begun = True
            yield f"if ({whole}) return {load};"


def _remembering(load: Callable[[Any], Any], loop_now: Callable[[], Any]) -> Callable[[Any], Any]:
    """`load`, but once for each place of a loop, or of a part of it under a condition: `loop_now` gives what
    writes that down."""
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


def once(original: Callable[[Any], Any], loop_now: Callable[[], Any]) -> Callable[[Any], Any]:
    """How Inductor puts what is computed element by element into what uses it, but once into each loop.

    It does so anew at each use, and drops what is there twice when it writes the loop: where each of many
    steps uses the last one twice (`x = r * x * (1 - x)`, every complex product), that took 4 ** steps.
    """
    loaders: dict[int, tuple[Any, Callable[..., Any]]] = {}  # with the nodes, whose ids they are kept under

    def make_loader(self: Any) -> Any:
        if id(self) not in loaders:
            loaders[id(self)] = self, _remembering(original(self), loop_now)
        return loaders[id(self)][1]

    return make_loader


def keeping(original: Callable[..., None], kinds: tuple[type, ...]) -> Callable[..., None]:
    """A step's loops worked out anew, but with what says which steps come before it, where that was lost.

    kinds: of dependencies that are no reads or writes of its own.
    """

    def recompute(self: Any, *args: Any, **kwargs: Any) -> None:
        order = [read for read in self.read_writes.reads if isinstance(read, kinds)]
        original(self, *args, **kwargs)
        if not any(isinstance(read, kinds) for read in self.read_writes.reads):
            for read in order:
                self.set_read_writes(self.read_writes.with_read(read))
            self.set_read_writes(self.read_writes.rename(self.mutation_renames))

    return recompute


def apart(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """`check`, which says whether a node's first argument may be written to in place, but false where its
    elements share places in memory."""

    def may(node: Any) -> bool:
        value = getattr(node.args[0], "meta", {}).get("val")
        shared = value is not None and any(type(step) is int and step == 0 for step in value.stride())
        return not shared and check(node)

    return may
