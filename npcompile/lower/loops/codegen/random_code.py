"""Writes the C++ of draws of random numbers, by the functions of `random.h`, and links NumPy's library."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from npcompile.lower.loops.codegen.emitter import Emitter, does
from npcompile.lower.loops.random_ir import Draw, DrawItems

DRAWS = "npl::draw_"  # it is in the sources that need the library


@does(Draw)
def _draw(emitter: Emitter, step: Draw) -> None:
    operands = [emitter.value(one) for one in (step.generator, *step.operands)]
    name = emitter.variable(step.name, step.type)
    emitter.leave_if(f"{DRAWS}{step.function}({', '.join([*operands, name])})")
    emitter.set_tag(step.name, step.type)


@does(DrawItems)
def _draw_items(emitter: Emitter, step: DrawItems) -> None:
    array, *operands = [emitter.value(one) for one in (step.array, step.generator, *step.operands)]
    call = f"{DRAWS}{step.function}({', '.join([*operands, 'item'])})"
    emitter.leave_if(f"npl::fill_by({array}, [&](auto &item) {{ return {call}; }})")


@cache
def library() -> Path | None:
    """Return NumPy's library of distributions; None where NumPy came without it."""
    numpy = find_spec("numpy")
    if numpy is None or numpy.origin is None:
        return None
    found = Path(numpy.origin).parent / "random" / "lib" / "libnpyrandom.a"
    return found if found.exists() else None


def linked(sources: list[str]) -> list[str]:
    """Return the compiler's arguments for sources of which some may draw random numbers."""
    path = library() if any(DRAWS in source for source in sources) else None
    return [] if path is None else [str(path), "-Wl,--exclude-libs,ALL"]


def marked(source: str) -> str:
    """Return a text that a source's library depends on, too: NumPy's version, if it has NumPy's code."""
    return version("numpy") if DRAWS in source else ""
