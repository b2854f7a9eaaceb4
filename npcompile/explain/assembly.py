"""Makes the explanation of a jitted function from its recordings, cuts and reasons."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.diagnostics.recompilations import recompilations
from npcompile.explain.blocks import Block, blocks_of, functions_of, left_to_python
from npcompile.explain.explanation import Copies, Explanation, Hint
from npcompile.explain.loops import graphs_of, loops_of
from npcompile.explain.programs import ExplainedProgram, explained
from npcompile.explain.timing import Seconds
from npcompile.frontend.eager.errstate import traps
from npcompile.partition.partitioned import PartitionedFunction, cut_of
from npcompile.partition.root_function import RootFunction
from npcompile.runtime.function import Specialization
from npcompile.tiering.cuts import cuts_of_callees


def explanation_of(
    jitted: RootFunction,
    states: Sequence[Specialization],
    result: Any,
    moved: tuple[int, int],
    seconds: Seconds,
) -> Explanation:
    """Return the explanation of a function for some signatures of its arguments, without its report.

    moved: bytes that were copied to and from the device.
    """
    code = getattr(jitted.__wrapped__, "__code__", None)
    cuts = [cut for cut in map(cut_of, states) if cut is not None]
    programs = tuple(explained(entry) for state in states for entry in state.entries)
    blocks = tuple(block for cut in cuts for block in blocks_of(cut))
    functions = functions_of(cuts[0].root) if cuts else ()
    reasons = [*jitted.stats.told]
    if not reasons and not (programs or blocks or functions):
        if traps():
            reasons.append(Cause.ERRSTATE_AROUND())
    every_cut = [*cuts, *(inner for cut in cuts for inner in cuts_of_callees(cut.root))]
    loops = {cut: loops_of(cut) for cut in dict.fromkeys(every_cut)}
    stats, why_cut = jitted.stats, [hint for cut in cuts for hint in _why_cut(cut)]
    parts = (*blocks, *functions)
    every = [*programs, *(program for part in parts for program in part.all_programs)]
    written = max((program.bytes_written for program in programs), default=0)
    written += sum(part.bytes_written for part in parts)
    return Explanation(
        name=jitted.name,
        file=code.co_filename if code else "",
        line=code.co_firstlineno if code else 0,
        result=result,
        programs=programs,
        blocks=blocks,
        loops=tuple(loop for found in loops.values() for loop in found),
        graphs=tuple(graph for cut in cuts for graph in graphs_of(cut)),
        functions=functions,
        left=tuple(part for cut, found in loops.items() for part in left_to_python(cut, found)),
        copies=Copies(written, *moved, any(map(_is_repeated, parts))),
        recompilations=recompilations(jitted),
        reasons=tuple(reason.located for reason in reasons),
        seconds=seconds,
        strict_error=tuple(
            dict.fromkeys(
                [
                    *([] if every else why_cut),
                    *(_hint(reason, code) for reason in reasons),
                    *_host_hints("", programs),
                    *(hint for part in parts for hint in _host_hints(part.elsewhere, part.all_programs)),
                ]
            )
        ),
        stats=stats,
        why_cut="".join(f"{hint.where}: {hint.reason}" for hint in why_cut),
    )


def _is_repeated(block: Block) -> bool:
    """Tell if kernels of a block may run more than once in a call."""
    own = (block.in_loop or block.name != "block") and bool(block.all_programs)
    return own or any(map(_is_repeated, block.inside))


def _why_cut(partitioned: PartitionedFunction) -> list[Hint]:
    """Return why a function could not be recorded as a whole, where that was tried."""
    if partitioned.why is None:
        return []
    reason, line = partitioned.why
    reason = reason or Cause.NOT_RECORDED()
    return [Hint(f"line {line}" if line else "all of it", str(reason), reason.advice)]


# -- what to write instead -----------------------------------------------------------------------------------


def _hint(reason: Reason, code: types.CodeType | None) -> Hint:
    """Return what to write instead for a reason. code: of the function, whose own file is not named."""
    if reason.where is None:
        return Hint("all of it", str(reason), reason.advice)
    file, line = reason.where
    within = "" if code is not None and file == code.co_filename else f" of {file}"
    return Hint(f"line {line}{within}", str(reason), reason.advice)


def _host_hints(file: str, programs: tuple[ExplainedProgram, ...]) -> list[Hint]:
    """Return the calls of NumPy within programs. file: of these, where it is not the function's own."""
    within = f" of {file}" if file else ""
    return [
        Hint(
            step.elsewhere or f"line {step.line}{within}",
            f"{step.text}: {step.detail}",
            step.reason.advice,
        )
        for program in programs
        for step in program.steps
        if step.reason is not None
    ]
