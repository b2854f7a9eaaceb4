"""A tour of npcompile: one step of k-means is taken through every stage, and each stage prints what it made.

    .venv/bin/python examples/tour.py

Read it from top to bottom beside its output. Each stage names the folder that does it; `docs/architecture.md`
has the picture of the stages and the words. Small arrays keep the output readable and the run short: it takes
some seconds, and once half a minute more, in which the C++ extension is compiled.
"""

from __future__ import annotations

import inspect
import itertools

import numpy as np

import npcompile
from npcompile.frontend.passes.order import PASSES, watched
from npcompile.frontend.pipeline import trace, write_replay
from npcompile.frontend.rewrite.rewriter import Rewritten, rewrite, source_with_hooks

numbers = itertools.count(1)


def stage(title, words):
    """Print the heading of a stage, and a sentence about it."""
    print(f"\n\n== {next(numbers)}. {title}\n\n{words}\n")


def indented(text):
    """Print a text that a stage has made."""
    print("\n".join(f"    {line}".rstrip() for line in str(text).splitlines()))


# The program. Two clusters keep what follows on a page; the masks `nearest == 0` and `nearest == 1` give the
# passes something to do.


def lloyd_step(X, means):
    distances = np.linalg.norm(X - means[:, None], axis=2)
    nearest = np.argmin(distances, axis=0)
    first, second = X[nearest == 0], X[nearest == 1]
    return nearest, np.stack([first.mean(axis=0), second.mean(axis=0)])


X = np.random.default_rng(0).standard_normal((1000, 2))
X[500:] += 5
means = np.array([[0.0, 0.0], [5.0, 5.0]])

stage(
    "The user's source",
    "npcompile.jit keeps the plain function. Its first call is NumPy's, and is recorded while NumPy answers.",
)
indented(inspect.getsource(lloyd_step))


# frontend/rewrite/ finds the function's source, proves that it is the function's by compiling it, and turns
# each operation into a call of a hook. `.hooks` is no identifier, so no name of the user's can be the same.

stage(
    "The rewritten source",
    "Every operation goes through a hook (frontend/rewrite/). With plain hooks nothing else changes.",
)
indented(source_with_hooks(lloyd_step))


# frontend/record/ is a set of hooks: each does what Python does, on the real arrays, and notes it. `trace`
# runs a whole recording: from the arguments to the residual program and its plan.
# `watched` keeps the program's text as it was recorded, and after each pass.

rewritten = rewrite(lloyd_step)
assert isinstance(rewritten, Rewritten)  # else it says why the function cannot be rewritten
with watched(True) as snapshots:
    traced = trace(lloyd_step, rewritten, (X, means), {}, ["X", "means"], None, "cpu")
assert traced.program is not None and traced.plan is not None, traced.reason
recorded, *passed = snapshots

stage(
    "The residual program, recorded",
    "The recording answered the call with NumPy's own result, and noted each step: dtype, shape, line.",
)
indented(recorded.text)


# frontend/passes/order.py lists the passes, which change a program in place. As recorded, NumPy picks by the
# masks (host calls), and guards hold how many were picked. Lowered, the masks are `where=` of a mean at full
# length: nothing depends on how many there are, and one kernel can hold all of it.

purposes = {one.name: one.purpose for one in PASSES}

stage(
    "The program after each pass",
    "Passes take the program and change it (frontend/passes/). Those that changed nothing are named alone.",
)
for snapshot in passed:
    indented(f"after {snapshot.after!r}: {purposes[snapshot.after]}")
    indented(snapshot.text if snapshot.changed else "  (nothing changed)")
    print()


# lower/plan/ gathers ops into segments. Here nothing needs a value on the host in between, so one segment
# holds all of them. Early steps (reads and decisions that need nothing computed) come before any kernel.

stage(
    "The plan",
    "The program is cut into segments, which are compiled, and steps between them (lower/plan/).",
)
for step in traced.plan.early:
    indented(f"early {step.kind}: {step.node}")
for step in traced.plan.steps:
    if step.segment is None:
        indented(f"{step.kind}: {step.node}")
    else:
        indented(f"segment of {len(step.segment.ops)} ops: {', '.join(map(str, step.segment.ops))}")
        indented(f"  gives {', '.join(map(str, step.segment.outputs))}")


# lower/service/ hands each segment to a worker process: Inductor writes the loops, lower/codegen/ one C++
# file around them, g++ the library. `explain` calls a jitted function, waits for the compiler, and shows
# what became of each line.

compiled_step = npcompile.jit(lloyd_step)
explanation = npcompile.explain(compiled_step, X, means)
(program,) = explanation.programs

stage(
    "The C++ of the kernel",
    "Inductor wrote the loops; npcompile wrote the entry around them (lower/service/, lower/codegen/).",
)
for kernel in program.kernels:
    lines = kernel.source.partition("namespace kernel_0 {")[2].splitlines()  # headers come before
    indented("\n".join(lines[:40]))
    indented(f"... {len(lines) - 52} more lines ...")
    indented("\n".join(lines[-12:]))


# frontend/replay/ writes one Python function for the plan: reads, guards, calls of segments. The first lines
# see that what the recording took for granted still holds; `__Diverged` is a guard failure, before any
# effect.

stage(
    "The replay function",
    "Later calls run this function, linked with the kernels, if its guards hold (frontend/replay/).",
)
indented(write_replay(traced.program, traced.plan, traced.tree).text)


# The native extension finds the specialisation of the arguments, checks guards and calls the replay.

stage(
    "A replayed call",
    "A call of a known signature is answered by the replay: the same labels, and means to the last digits.",
)
replays = compiled_step.stats.replays
labels, centres = compiled_step(X, means)
expected_labels, expected_centres = lloyd_step(X, means)
np.testing.assert_array_equal(labels, expected_labels, strict=True)
np.testing.assert_allclose(centres, expected_centres, rtol=1e-14, strict=True)
indented(f"labels: {len(labels)}, all equal to NumPy's")
indented(f"means:  {centres.tolist()}")
indented(f"replays before: {replays}, now: {compiled_step.stats.replays}")
indented(explanation.seconds)
