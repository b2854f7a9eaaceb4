"""`PASSES` lists the passes over a residual program in the order in which they run; `run_passes` runs them.

`frontend/pipeline.py` calls `run_passes` once a recording has ended. `npcompile.explain(f, detail="passes")`
watches it. Tests set NPCOMPILE_VERIFY_PROGRAMS=1: the verifier then checks each program before and after each
pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from npcompile.diagnostics.settings import config
from npcompile.frontend.passes.bounds_checks import prove_bounds
from npcompile.frontend.passes.dead_code import drop_unused
from npcompile.frontend.passes.mask_lowering import lower_masks
from npcompile.frontend.passes.readonly_views import free_readonly_views
from npcompile.frontend.passes.scalar_hoisting import MANY, has_many_writes, hoist_scalars
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.verifier import verify
from npcompile.lower.plan.attributes import step_of

# The name under which the program stands that no pass has changed yet.
RECORDING = "recording"

_VERIFIES = config.verify_programs


def _always(program: Program) -> bool:
    return True


def _calls_numpy(program: Program) -> bool:
    return "host" in map(step_of, program.graph.nodes)


def _is_shape_generic(program: Program) -> bool:
    return program.shape_generic


@dataclass(frozen=True)
class Pass:
    """One pass. purpose: one sentence for readers; condition: the programs that it is run on, in words."""

    name: str
    run: Callable[[Program], None]
    purpose: str
    condition: str = "every program"
    applies: Callable[[Program], bool] = _always


PASSES: tuple[Pass, ...] = (
    Pass(
        "lower masks",
        lower_masks,
        "Element-wise work on what a mask picks is done at full length, where that costs less.",
        "programs that call NumPy",
        _calls_numpy,
    ),
    Pass(
        "drop unused steps",
        drop_unused,
        "Steps go that nothing uses, that have no effect, and that cannot fail.",
    ),
    Pass(
        "hoist scalars",
        hoist_scalars,
        "Float literals become inputs of kernels: statements that differ in them alone share a kernel.",
        f"programs of {MANY} writes and more",
        has_many_writes,
    ),
    Pass(
        "prove bounds",
        prove_bounds,
        "Index arrays that are sure to be in range lose their check, and may come after an effect.",
    ),
    Pass(
        "free read-only views",
        free_readonly_views,
        "Views of memory that nothing writes to may lie anywhere in it: other lengths change their place.",
        "shape-generic programs",
        _is_shape_generic,
    ),
)


@dataclass(frozen=True)
class Snapshot:
    """A program's text after one pass, or after its recording. changed: the pass has changed something."""

    program: str  # its name
    after: str
    text: str
    changed: bool


_watcher: ContextVar[list[Snapshot] | None] = ContextVar("watcher of passes", default=None)


@contextmanager
def watched(on: bool) -> Iterator[list[Snapshot]]:
    """Give a list of snapshots of the programs that this thread records from here on; none where not on."""
    found: list[Snapshot] = []
    token = _watcher.set(found if on else None)
    try:
        yield found
    finally:
        _watcher.reset(token)


def run_passes(program: Program) -> None:
    """Run each pass that applies to a program."""
    seen = _watcher.get()
    _look(program, RECORDING, seen)
    for one in PASSES:
        if one.applies(program):
            one.run(program)
            _look(program, one.name, seen)


def _look(program: Program, after: str, seen: list[Snapshot] | None) -> None:
    """Verify a program, where tests ask for that, and show it to a watcher."""
    if _VERIFIES:
        verify(program, after)
    if seen is not None:
        text = program.text(marks=True)
        changed = after == RECORDING or seen[-1].text != text
        seen.append(Snapshot(program.name, after, text, changed))
