"""Writes the C++ of checks before innermost `for` loops that have versions without checks.

The version that comes next keeps items in local variables (`register_code.py`), or has no checks, or has all.
The first two have no polls, so a loop of very many trips has all checks.
"""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.emitter import Emitter, does
from npcompile.lower.loops.codegen.guess_code import begin_guess
from npcompile.lower.loops.codegen.loop_versions import CHECKED, KEEPING, UNCHECKED
from npcompile.lower.loops.guess_ir import GuessedLoop
from npcompile.lower.loops.iterator_ir import CountedState
from npcompile.lower.loops.types import INT


@does(ir.FastLoop)
def _begin(emitter: Emitter, loop: ir.FastLoop) -> None:
    """Write the checks before a loop, which choose its version.

    Within a nest that is written without checks, all but those of kept items were made before the nest.
    """
    header = loop.header
    assert isinstance(header.end, ir.Next)
    emitter.lines.append("{")
    emitter.lines += _numbers(emitter, header.end)
    if emitter.nested:
        emitter.lines.append(f"if (left <= 0) goto {emitter.partial.entrance(header, UNCHECKED)};")
    else:
        _check(emitter, loop, f"goto {emitter.entered(header, CHECKED)};")
        if isinstance(loop, GuessedLoop):
            begin_guess(emitter, loop)
    if loop.kept is not None:
        emitter.kept_items(loop).begin(emitter.partial.entrance(header, KEEPING))
    if emitter.chunks.counts_down(header):
        emitter.lines.append(f"{emitter.chunks.count(header)} = left;")
    emitter.lines.append(f"goto {emitter.partial.entrance(header, UNCHECKED)};")
    emitter.lines.append("}")


def _numbers(emitter: Emitter, end: ir.Next) -> list[str]:
    """Return the lines that compute how many items are left, and the first and the last number of theirs."""
    state = emitter.variable(end.state, end.kind)
    lines = [f"const int64_t left = npl::items_left({state});"]
    if isinstance(end, ir.NextOfRange):
        stride = f"{state}.stride" if end.kind.stride is None else str(end.kind.stride)
        lines.append(f"const int64_t first = {state}.start + {state}.position * {stride};")
        lines.append(f"const int64_t last = {state}.start + ({state}.length - 1) * {stride};")
    elif isinstance(end.kind, CountedState):
        lines.append(f"const int64_t first = {state}.next, last = first + left - 1;")
    return lines


def _check(emitter: Emitter, loop: ir.FastLoop, checked: str) -> None:
    """Write the checks of places. checked: what goes to the version that makes them at each trip."""
    emitter.lines.append(f"if (left <= 0 || left > npl::most_without_poll) {checked}")
    emitter.lines.append("bool inside = true;")
    for access in loop.accesses:
        ends = []
        for end, trips in (("first", "0"), ("last", "(left - 1)")):
            moved = {
                name: _moved(emitter, name, by, f"({trips} + {access.moves})")
                for name, by in loop.moved.items()
            }
            emitter.instead, emitter.held = dict.fromkeys(loop.items, end) | moved, {}
            ends.append(emitter.index(access.array, access.axis, access.index))
        emitter.instead, emitter.held = {}, {}
        length = f"{emitter.value(access.array)}.shape[{access.axis}]"
        emitter.lines.append(
            f"inside &= !npl::outside({ends[0]}, {length}) & !npl::outside({ends[1]}, {length});"
        )
    for name in dict.fromkeys((*loop.sums.values(), *loop.moved)):
        emitter.lines.append(f"inside &= npl::is_far_from_ends({emitter.variable(name, INT)});")
    emitter.lines.append(f"if (!inside) {checked}")
    emitter.lines.append("trips -= left;")


def _moved(emitter: Emitter, name: str, by: int, times: str) -> str:
    """Return an int that trips move by a constant, after so many moves."""
    return f"({emitter.variable(name, INT)} + {times} * {by}ll)"
